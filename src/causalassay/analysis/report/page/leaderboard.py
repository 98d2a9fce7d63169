"""The leaderboard: means with intervals, failures beside them, sorted within each scheme."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from causalassay.analysis import Analysis
from causalassay.analysis.summary import Summary
from causalassay.analysis.tables import BASELINE, leaderboard_tables
from causalassay.present import Column, Table
from causalassay.present.formatting import formatted
from causalassay.present.html import cell_html
from causalassay.present.markup import Html, join, tag

LEVELS = {
    "dag": "directed graph",
    "class": "equivalence class",
    "distribution": "distribution",
}
"""What metrics compare, in the order of the columns."""
N_PLAIN, N_EACH = 3, 3
"""Columns of `leaderboard_tables` before the first metric, and of each metric."""
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
    tables = leaderboard_tables(analysis, metrics)
    bodies = (_body(scheme, table, len(metrics)) for scheme, table in tables.items())
    columns = next(iter(tables.values())).columns[N_PLAIN::N_EACH]
    caption = tag(
        "caption",
        "Mean and 95 % interval of each score over the runs that ended, by scheme. Bold: not "
        "distinguishable from the best mean of the scheme. Chance: as many edges of the same "
        "kinds, at random places. Runs that did not end count in the second column and in no "
        "mean.",
        id="leaderboard-caption",
    )
    head = tag("thead", _levels(metrics), _heads(columns, summary))
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
    return join((_controls(columns, list(tables)), status, region))


def _controls(columns: Sequence[Column], schemes: Sequence[str]) -> Html:
    options = [tag("option", "all schemes", value="")]
    options += [tag("option", scheme, value=scheme) for scheme in schemes]
    choices = (
        tag(
            "label",
            tag(
                "input",
                type="checkbox",
                name="metric",
                value=column.key,
                autocomplete="off",
                checked=True if index < CHOSEN_AT_FIRST else None,
            ),
            f" {column.heading}",
        )
        for index, column in enumerate(columns)
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


def _heads(columns: Sequence[Column], summary: Summary) -> Html:
    better = dict(zip(summary.metrics, summary.better, strict=True))
    return tag(
        "tr",
        *(
            tag(
                "th",
                tag("button", column.heading, type="button"),
                tag("span", column.hint, class_="aside"),
                scope="col",
                data_name=column.heading,
                data_metric=column.key,
                data_level=level(column.key),
                data_first=-1 if better[column.key] == "high" else 1,
                aria_sort=_first_order(better[column.key]) if column is columns[0] else None,
            )
            for column in columns
        ),
    )


def _first_order(better: str) -> str:
    return "descending" if better == "high" else "ascending"


def _body(scheme: str, table: Table, n_metrics: int) -> Html:
    heading = tag("th", scheme, scope="rowgroup", colspan=n_metrics + 2)
    rows = (_row(row, table.columns) for row in table.rows)
    return tag("tbody", tag("tr", heading, class_="group"), *rows, data_scheme=scheme)


def _row(row: Sequence[Any], columns: Sequence[Column]) -> Html:
    name, n_ok, n = row[:N_PLAIN]
    inside, _ = cell_html(name, columns[0])
    ended = tag(
        "td",
        f"{n_ok} of {n}",
        data_value=f"{n_ok / max(n, 1):.6g}",
        class_="missed" if n_ok < n else None,
    )
    scores = (
        _score(row[place : place + N_EACH], columns[place])
        for place in range(N_PLAIN, len(columns), N_EACH)
    )
    return tag(
        "tr",
        tag("th", inside, scope="row", data_value=name.value),
        ended,
        *scores,
        class_="baseline" if name.mark == BASELINE else None,
    )


def _score(cells: Sequence[Any], column: Column) -> Html:
    score, chance, undefined = cells
    parts: list[object] = [cell_html(score, column)[0]]
    if not math.isnan(chance):
        parts += [" ", tag("small", f"chance {formatted(chance, column.format)}", class_="aside")]
    if undefined:
        parts += [" ", tag("span", f"{undefined} undefined", class_="missed")]
    mean = score.value.value
    return tag("td", *parts, data_value=None if math.isnan(mean) else f"{mean:.6g}")
