"""The tables of a page that a reader opens and sorts: the matrix and the leaderboard."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from causalassay.analysis import Analysis
from causalassay.analysis.comparison import BEST_RULE, BestMarks, best_marks
from causalassay.analysis.document import of_size
from causalassay.analysis.matrix import Cell, Matrix, Row
from causalassay.analysis.runs import SCHEME, scheme_name
from causalassay.analysis.sizes import Size
from causalassay.analysis.tables import (
    BASELINE,
    best_first,
    by_group,
    matrix_table,
    mean_cell,
    named,
)
from causalassay.metrics.registry import metric_name
from causalassay.present import Column, Findings
from causalassay.present.formatting import digits
from causalassay.present.html import cell_html, findings_html
from causalassay.present.markup import Html, join, tag

SHADES = 10
"""Steps of a cell's background."""
LEVELS = {
    "dag": "directed graph",
    "class": "equivalence class",
    "distribution": "distribution",
}
"""What metrics compare, in the order of the columns."""
CHOSEN_AT_FIRST = 8
"""Metrics that are chosen when the page opens; the others are a click away."""
CAPTION = (
    "Mean and 95 % interval of each score over the runs that ended, by scheme. Bold: not "
    "distinguishable from the best mean of the scheme. Chance: as many edges of the same kinds, "
    "at random places. Runs that did not end count in the second column and in no mean."
)


def region(inside: Html, labelled_by: str) -> Html:
    """Return what scrolls by itself where the page is too narrow for it."""
    attributes = {"role": "region", "tabindex": 0, "aria_labelledby": labelled_by}
    return tag("div", inside, class_="region", **attributes)


# ---- the matrix ----


def matrix_html(matrix: Matrix, size: Size, *, apart: bool = False) -> Html:
    """Return the matrix; each row opens to its sentences, numbers and rules.

    Parameters
    ----------
    matrix : Matrix
    size : Size
        Of its problems.
    apart : bool
        Whether the matrix of another size is on the page, so that it needs ids of its own.
    """
    end = f"-{size.slug}" if apart else ""
    caption = of_size(matrix_table(matrix), size).caption
    about = f"{caption} ± is half the width of the interval. "
    caption = f"{about}Click a row for its sentences."
    heads = [
        tag("th", "algorithm", scope="col"),
        tag("th", "finding", scope="col", class_="finding"),
    ]
    for column in matrix.columns:
        look = "found gamed" if column.gamed else "found"
        heads.append(tag("th", column.name, tag("span", column.finding, class_=look), scope="col"))
    means = [cell.mean for row in matrix.rows for cell in row.cells]
    shades = _Shades([mean for mean in means if math.isfinite(mean)], matrix.better)
    whole = tag(
        "table",
        tag("caption", caption, id=f"matrix-caption{end}", title=BEST_RULE),
        tag("thead", tag("tr", *heads)),
        *(_matrix_row(f"row-{index}{end}", row, shades) for index, row in enumerate(matrix.rows)),
        id=f"matrix{end}",
        class_="matrix" if apart else None,
    )
    return region(whole, f"matrix-caption{end}")


def _matrix_row(identity: str, row: Row, shades: _Shades) -> Html:
    """Return a row, and below it what its name opens."""
    opens = {"aria_expanded": "false", "aria_controls": identity, "data_opens": identity}
    button = tag("button", row.algorithm, type="button", **opens)
    mark = tag("span", row.role, class_="mark") if row.role != "listed" else ""
    missed = tag("span", f"{row.n_lost} not ok", class_="missed") if row.n_lost else ""
    narrow = tag("span", row.finding, class_="narrow")
    head = tag("th", button, " ", mark, " ", missed, narrow, scope="row")
    scores = (shades.cell(cell) for cell in row.cells)
    shown = tag("tr", head, tag("td", row.finding, class_="finding"), *scores, class_=row.role)
    sentences = tag("td", findings_html(Findings(row.statements)), colspan=len(row.cells) + 2)
    return tag("tbody", shown, tag("tr", sentences, id=identity, class_="opened", hidden=True))


class _Shades:
    """The step of each score between the worst and the best of the matrix."""

    def __init__(self, known: Sequence[float], better: str) -> None:
        share = not known or (min(known) >= 0 and max(known) <= 1)
        self.low, self.high = (0.0, 1.0) if share else (min(known), max(known))
        self.low_is_better = better == "low"

    def cell(self, cell: Cell) -> Html:
        """Return a mean with half the width of its interval; the limits show when pointed at."""
        number: object = digits(cell.mean)
        if math.isnan(cell.mean):
            return tag("td", number, class_="score")
        number = tag("strong", number) if cell.best else number
        look = f"score shade-{self.step(cell.mean)}"
        if not math.isfinite(cell.low):
            return tag("td", number, " ", class_=look)
        spread = digits(cell.interval.spread)
        around = tag("small", f"±{spread.removeprefix('0') if spread[:2] == '0.' else spread}")
        limits = f"{digits(cell.low)} to {digits(cell.high)}"
        return tag("td", number, " ", around, class_=look, title=limits)

    def step(self, mean: float) -> int:
        if not math.isfinite(mean) or self.high == self.low:
            return 0
        share = min(max((mean - self.low) / (self.high - self.low), 0.0), 1.0)
        return round(SHADES * (1 - share if self.low_is_better else share))


# ---- the leaderboard: sorted within each scheme, failures beside the means ----


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
    """Return the means of each algorithm in all metrics by scheme, with controls above them.

    The best by the first metric comes first. Each size has schemes of its own.
    """
    summary = analysis.summary
    if not len(summary.scores):
        return tag("p", "No scores yet.")
    metrics = [name for kind in LEVELS for name in summary.metrics if level(name) == kind]
    every = (analysis, *analysis.others)
    bodies = [
        (each.size.name, scheme, rows)
        for each in every
        for scheme, rows in _rows_by_scheme(each, metrics).items()
    ]
    schemes = dict.fromkeys(scheme for _, scheme, _ in bodies)
    sizes = [each.size.name for each in every] if len(every) > 1 else []
    whole = tag(
        "table",
        tag("caption", CAPTION, id="leaderboard-caption"),
        tag("thead", *_heads(metrics, summary.better)),
        *(
            tag(
                "tbody",
                tag(
                    "tr",
                    tag(
                        "th",
                        f"{scheme}, {size}" if size else scheme,
                        scope="rowgroup",
                        colspan=len(metrics) + 2,
                    ),
                    class_="group",
                ),
                *rows,
                data_scheme=scheme,
                data_size=size if sizes else None,
            )
            for size, scheme, rows in bodies
        ),
        id="leaderboard",
    )
    status = tag("p", id="leaderboard-status", class_="aside", role="status")
    controls = _controls(metrics, [*schemes], sizes)
    return join((controls, status, region(whole, "leaderboard-caption")))


def _rows_by_scheme(analysis: Analysis, metrics: Sequence[str]) -> dict[str, list[Html]]:
    """Return the rows of one size, by the name of the scheme."""
    summary, marks = analysis.summary, best_marks(analysis.runs)
    bodies = {}
    for scheme, part in summary.scores.groupby(SCHEME, sort=False):
        cells, _ = by_group(part, ("metric",))
        names = best_first(cells, (metrics[0],), summary.better[metrics[0]])
        rows = [_score_row(name, scheme, cells, metrics, marks) for name in names]
        bodies[scheme_name(scheme)] = rows
    return bodies


def _controls(metrics: Sequence[str], schemes: Sequence[str], sizes: Sequence[str]) -> Html:
    controls = {
        "Size": _select("size", sizes, "all sizes", sizes[:1]),
        "Scheme": _select("scheme", schemes, "all schemes"),
        "Algorithms whose name has": tag(
            "input", type="search", id="filter", autocomplete="off", size=14
        ),
    }
    if not sizes:
        del controls["Size"]
    boxes = []
    for index, metric in enumerate(metrics):
        checked = True if index < CHOSEN_AT_FIRST else None
        box = {"type": "checkbox", "name": "metric", "value": metric, "autocomplete": "off"}
        boxes.append(tag("label", tag("input", **box, checked=checked), f" {metric_name(metric)}"))
    names = ("size", "scheme", "filter") if sizes else ("scheme", "filter")
    labels = zip(controls.items(), names, strict=True)
    return tag(
        "div",
        *(tag("span", tag("label", text, for_=key), " ", box) for (text, box), key in labels),
        tag("fieldset", tag("legend", "Metrics"), *boxes),
        class_="controls",
        hidden=True,
    )


def _select(identity: str, names: Sequence[str], every: str, chosen: Sequence[str] = ()) -> Html:
    """Return a chooser of one name or of all of them."""
    options = [tag("option", every, value="")]
    options += [
        tag("option", name, value=name, selected=True if name in chosen else None) for name in names
    ]
    return tag("select", *options, id=identity, autocomplete="off")


def _heads(metrics: Sequence[str], better: Mapping[str, str]) -> tuple[Html, Html]:
    """Return two rows of headings: what the metrics compare, and the metrics.

    ``data-first`` is the sign of the order that a click on a heading gives.
    """

    def over_both(name: str, first: int) -> Html:
        button = tag("button", name, type="button")
        return tag("th", button, scope="col", rowspan=2, data_name=name, data_first=first)

    kinds = [level(metric) for metric in metrics]
    groups = (
        tag("th", LEVELS[kind], scope="colgroup", colspan=kinds.count(kind), data_level=kind)
        for kind in dict.fromkeys(kinds)
    )
    heads: list[Html] = []
    for metric in metrics:
        first = -1 if better[metric] == "high" else 1
        heads.append(
            tag(
                "th",
                tag("button", metric_name(metric), type="button"),
                tag("span", f"{better[metric]} is better", class_="aside"),
                scope="col",
                data_name=metric_name(metric),
                data_metric=metric,
                data_level=level(metric),
                data_first=first,
                aria_sort=("descending" if first < 0 else "ascending") if not heads else None,
            )
        )
    plain = over_both("algorithm", 1), over_both("runs ok", -1)
    return tag("tr", *plain, *groups), tag("tr", *heads)


def _score_row(
    name: str, scheme: Any, cells: Mapping[Any, Any], metrics: Sequence[str], marks: BestMarks
) -> Html:
    first = cells[name, (metrics[0],)]
    n_ok, n, role = first["n_ok"], first["n"], first["role"]
    label, _ = cell_html(named(name, role), Column("", ""))
    share, look = f"{n_ok / max(n, 1):.6g}", "missed" if n_ok < n else None
    scores = []
    for metric in metrics:
        cell = cells[name, (metric,)]
        mean = mean_cell(cell, bold=name in marks[metric, scheme])
        parts: list[object] = [cell_html(mean, Column("", "", "digits"))[0]]
        if not math.isnan(cell["chance"]):
            parts += [" ", tag("small", f"chance {digits(cell['chance'])}", class_="aside")]
        if cell["n_undefined"]:
            parts += [" ", tag("span", f"{cell['n_undefined']} undefined", class_="missed")]
        value = None if math.isnan(cell["mean"]) else f"{cell['mean']:.6g}"
        scores.append(tag("td", *parts, data_value=value))
    return tag(
        "tr",
        tag("th", label, scope="row", data_value=name),
        tag("td", f"{n_ok} of {n}", data_value=share, class_=look),
        *scores,
        class_="baseline" if role == BASELINE else None,
    )
