"""The first screen: the headline, the schemes side by side, and the matrix with its findings."""

from __future__ import annotations

import math
from collections.abc import Sequence

from causalassay.analysis import Analysis
from causalassay.analysis.best_marks import RULE
from causalassay.analysis.matrix import Cell, Column, Matrix, Row
from causalassay.analysis.names import metric_name
from causalassay.analysis.own_lines import own_lines
from causalassay.report.charts.figure import Figure
from causalassay.report.numbers import decimal
from causalassay.report.page.elements import folded, pairs
from causalassay.report.page.figure_section import figure_element
from causalassay.report.page.markup import Html, join, tag
from causalassay.report.page.statement_list import rule_links

SHADES = 10
"""Steps of a cell's background."""
MANY = 25
"""Rows beyond which print is smaller, so that they are on one page."""


def first_screen(analysis: Analysis, picture: Figure | None) -> Html:
    """Return the headline, the picture and the matrix."""
    headline = tag("p", analysis.headline, class_="headline")
    own = (tag("p", line, class_="own-line") for line in own_lines(analysis))
    if not analysis.matrix.rows:
        return tag("section", headline, id="overview", aria_label="Overview")
    drawn = figure_element(picture, visible=True) if picture else ""
    return tag(
        "section",
        headline,
        *own,
        tag("div", drawn, matrix_table(analysis.matrix), class_=_layout(analysis.matrix)),
        id="overview",
        aria_label="Overview",
    )


def _layout(matrix: Matrix) -> str:
    return "first-screen many" if len(matrix.rows) > MANY else "first-screen"


def matrix_table(matrix: Matrix) -> Html:
    """Return the matrix; each row opens to its sentences, numbers and rules."""
    caption = tag(
        "caption",
        f"Mean {metric_name(matrix.metric)}, {matrix.better} is better, ± half-width of the 95 % "
        f"interval. {matrix.order} Bold: not distinguishable from the best. Click a row for its "
        "sentences.",
        id="matrix-caption",
        title=RULE,
    )
    heads = [
        tag("th", "algorithm", scope="col"),
        tag("th", "finding", scope="col", class_="finding"),
        *(_head(column) for column in matrix.columns),
    ]
    shades = _Shades(matrix)
    bodies = (_body(index, row, matrix, shades) for index, row in enumerate(matrix.rows))
    table = tag("table", caption, tag("thead", tag("tr", *heads)), *bodies, id="matrix")
    return tag(
        "div",
        table,
        class_="region",
        role="region",
        tabindex=0,
        aria_labelledby="matrix-caption",
    )


def _head(column: Column) -> Html:
    found = tag("span", column.finding, class_="found gamed" if column.gamed else "found")
    return tag("th", column.name, found, scope="col")


def _body(index: int, row: Row, matrix: Matrix, shades: _Shades) -> Html:
    """Return a row and, below it, what it opens to."""
    button = tag(
        "button",
        row.algorithm,
        type="button",
        aria_expanded="false",
        aria_controls=f"row-{index}",
        data_opens=f"row-{index}",
    )
    marks = {"baseline": "baseline", "mine": "mine"}
    mark = tag("span", marks[row.role], class_="mark") if row.role in marks else ""
    lost = sum(cell.n - cell.n_ok for cell in row.cells)
    failed = tag("span", f"{lost} not ok", class_="missed") if lost else ""
    narrow = tag("span", row.finding, class_="narrow")
    head = tag("th", button, " ", mark, " ", failed, narrow, scope="row")
    cells = (_cell(cell, shades) for cell in row.cells)
    opened = tag("td", _details(row), colspan=len(matrix.columns) + 2)
    return tag(
        "tbody",
        tag("tr", head, tag("td", row.finding, class_="finding"), *cells, class_=row.role),
        tag("tr", opened, id=f"row-{index}", class_="opened", hidden=True),
    )


def _cell(cell: Cell, shades: _Shades) -> Html:
    if math.isnan(cell.mean):
        return tag("td", "–", class_="score")
    number: object = decimal(cell.mean)
    if cell.best:
        number = tag("strong", number)
    spread: object = ""
    if math.isfinite(cell.low):
        spread = tag("small", f"±{_without_zero(decimal(cell.spread))}")
    return tag(
        "td",
        number,
        " ",
        spread,
        class_=f"score shade-{shades.of(cell.mean)}",
        title=f"{decimal(cell.low)} to {decimal(cell.high)}" if spread else None,
    )


def _without_zero(text: str) -> str:
    return text.removeprefix("0") if text.startswith("0.") else text


def _details(row: Row) -> Html:
    parts: list[Html] = []
    for statement in row.statements:
        numbers = pairs(statement.number_texts)
        parts.append(tag("p", statement.text, " ", rule_links(statement)))
        if statement.numbers:
            parts.append(folded("The numbers", numbers))
    return join(parts)


class _Shades:
    """The step of each score between the worst and the best of the matrix."""

    def __init__(self, matrix: Matrix) -> None:
        means = [cell.mean for row in matrix.rows for cell in row.cells]
        known = [mean for mean in means if math.isfinite(mean)]
        self.span = _span(known)
        self.low_is_better = matrix.better == "low"

    def of(self, mean: float) -> int:
        low, high = self.span
        if not math.isfinite(mean) or high == low:
            return 0
        share = min(max((mean - low) / (high - low), 0.0), 1.0)
        return round(SHADES * (1 - share if self.low_is_better else share))


def _span(known: Sequence[float]) -> tuple[float, float]:
    if known and min(known) >= 0 and max(known) <= 1:
        return 0.0, 1.0
    return (min(known), max(known)) if known else (0.0, 0.0)
