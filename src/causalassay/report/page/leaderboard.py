"""The leaderboard: means with intervals, failures beside them, sorted within each scheme."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from causalassay.analysis import Analysis
from causalassay.analysis.best_marks import BestMarks, best_marks
from causalassay.analysis.names import metric_name, scheme_name
from causalassay.analysis.summary import Summary
from causalassay.report.numbers import decimal
from causalassay.report.page.markup import Html, join, tag

Row = Mapping[str, Any]

LEVELS = {
    "dag": "directed graph",
    "class": "equivalence class",
    "distribution": "distribution",
}
"""What metrics compare, in the order of the columns."""
CHOSEN_AT_FIRST = 8
"""Metrics that are chosen when the page opens; the others are a click away."""


def level(metric: str) -> str:
    """Return what a metric compares.

    Examples
    --------
    >>> [level(name) for name in ("shd", "mec_shd", "skeleton_f1", "parent_aid", "tv_dag")]
    ['dag', 'class', 'class', 'class', 'distribution']
    """
    if metric.startswith("tv_"):
        return "distribution"
    return "class" if metric.startswith(("mec_", "skeleton_")) or "_aid" in metric else "dag"


def leaderboard(analysis: Analysis) -> Html:
    """Return the section's controls and table."""
    summary = analysis.summary
    if not len(summary.scores):
        return tag("p", "No scores yet.")
    metrics = [name for kind in LEVELS for name in summary.metrics if level(name) == kind]
    marks = best_marks(analysis.runs)
    named = summary.scores["scheme"].map(scheme_name)
    schemes = list(dict.fromkeys(named))
    parts = {scheme: summary.scores[named == scheme] for scheme in schemes}
    bodies = (_body(summary, metrics, scheme, parts[scheme], marks) for scheme in schemes)
    caption = tag(
        "caption",
        "Mean and 95 % interval of each score over the runs that ended, by scheme. Bold: not "
        "distinguishable from the best mean of the scheme. Chance: as many edges of the same "
        "kinds, at random places. Runs that did not end count in the second column and in no "
        "mean.",
        id="leaderboard-caption",
    )
    head = tag("thead", _levels(metrics), _heads(summary, metrics))
    table = tag("table", caption, head, *bodies, id="leaderboard")
    region = tag(
        "div",
        table,
        class_="region",
        role="region",
        tabindex=0,
        aria_labelledby="leaderboard-caption",
    )
    status = tag("p", id="leaderboard-status", class_="aside", role="status")
    return join((_controls(metrics, schemes), status, region))


def _controls(metrics: Sequence[str], schemes: Sequence[str]) -> Html:
    options = [tag("option", "all schemes", value="")]
    options += [tag("option", scheme, value=scheme) for scheme in schemes]
    choices = (
        tag(
            "label",
            tag(
                "input",
                type="checkbox",
                name="metric",
                value=metric,
                autocomplete="off",
                checked=True if index < CHOSEN_AT_FIRST else None,
            ),
            f" {metric_name(metric)}",
        )
        for index, metric in enumerate(metrics)
    )
    return tag(
        "div",
        tag(
            "span",
            tag("label", "Scheme", for_="scheme"),
            " ",
            tag("select", *options, id="scheme", autocomplete="off"),
        ),
        tag(
            "span",
            tag("label", "Algorithms whose name has", for_="filter"),
            " ",
            tag("input", type="search", id="filter", autocomplete="off", size=14),
        ),
        tag("fieldset", tag("legend", "Metrics"), *choices),
        class_="controls",
        hidden=True,
    )


def _levels(metrics: Sequence[str]) -> Html:
    """Return the row of headings over the metrics: what they compare."""
    kinds = [level(metric) for metric in metrics]
    heads = (
        tag("th", LEVELS[kind], scope="colgroup", colspan=kinds.count(kind), data_level=kind)
        for kind in dict.fromkeys(kinds)
    )
    plain = (_sorting("algorithm", 1), _sorting("runs ok", -1))
    return tag("tr", *plain, *heads)


def _sorting(name: str, first: int) -> Html:
    """Return a heading over both rows; `first` is the sign of the order that a click gives."""
    button = tag("button", name, type="button")
    return tag("th", button, scope="col", rowspan=2, data_name=name, data_first=first)


def _heads(summary: Summary, metrics: Sequence[str]) -> Html:
    better = dict(zip(summary.metrics, summary.better, strict=True))
    return tag(
        "tr",
        *(
            tag(
                "th",
                tag("button", metric_name(metric), type="button"),
                tag("span", f"{better[metric]} is better", class_="aside"),
                scope="col",
                data_name=metric_name(metric),
                data_metric=metric,
                data_level=level(metric),
                data_first=-1 if better[metric] == "high" else 1,
                aria_sort=_first_order(better[metric]) if metric == metrics[0] else None,
            )
            for metric in metrics
        ),
    )


def _first_order(better: str) -> str:
    return "descending" if better == "high" else "ascending"


def _body(
    summary: Summary, metrics: Sequence[str], scheme: str, frame: pd.DataFrame, marks: BestMarks
) -> Html:
    """Return the rows of a scheme, the best by the first metric at the top."""
    rows: dict[str, dict[str, Row]] = {}
    for row in frame.to_dict("records"):
        plain = {str(name): value for name, value in row.items()}
        rows.setdefault(plain["algorithm"], {})[plain["metric"]] = plain
    better = dict(zip(summary.metrics, summary.better, strict=True))
    sign = -1 if better[metrics[0]] == "high" else 1

    def order(name: str) -> tuple[bool, float]:
        mean = rows[name][metrics[0]]["mean"]
        return math.isnan(mean), sign * mean

    heading = tag("th", scheme, scope="rowgroup", colspan=len(metrics) + 2)
    return tag(
        "tbody",
        tag("tr", heading, class_="group"),
        *(_row(name, rows[name], metrics, marks) for name in sorted(rows, key=order)),
        data_scheme=scheme,
    )


def _row(name: str, scores: Mapping[str, Row], metrics: Sequence[str], marks: BestMarks) -> Html:
    first = scores[metrics[0]]
    baseline = first["role"] == "baseline"
    mark = join((" ", tag("span", "baseline", class_="mark"))) if baseline else ""
    missed = first["n_not_ok"] > 0
    ended = tag(
        "td",
        f"{first['n_ok']} of {first['n']}",
        data_value=f"{first['n_ok'] / max(first['n'], 1):.6g}",
        class_="missed" if missed else None,
    )
    return tag(
        "tr",
        tag("th", name, mark, scope="row", data_value=name),
        ended,
        *(
            _score(scores[metric], best=name in marks[metric, scores[metric]["scheme"]])
            for metric in metrics
        ),
        class_="baseline" if baseline else None,
    )


def _score(row: Row, *, best: bool) -> Html:
    mean = float(row["mean"])
    text: object = decimal(mean)
    if best:
        text = tag("strong", text)
    if not math.isnan(row["mean_low"]):
        limits = f"[{decimal(row['mean_low'])}, {decimal(row['mean_high'])}]"
        text = join((text, " ", tag("small", limits)))
    if not math.isnan(row["chance"]):
        chance = tag("small", f"chance {decimal(row['chance'])}", class_="aside")
        text = join((text, " ", chance))
    if row["n_undefined"]:
        text = join((text, " ", tag("span", f"{row['n_undefined']} undefined", class_="missed")))
    return tag("td", text, data_value=None if math.isnan(mean) else f"{mean:.6g}")
