"""The first screen: the headline, the schemes side by side, and the matrix with its findings."""

from __future__ import annotations

import math
from collections.abc import Sequence

from causalassay.analysis import Analysis
from causalassay.analysis.best_marks import RULE
from causalassay.analysis.document import own_lines
from causalassay.analysis.matrix import Matrix, Row
from causalassay.analysis.report.charts.figures import Figure
from causalassay.analysis.report.page.figures import figure_element
from causalassay.analysis.tables import matrix_table
from causalassay.present import Column, Findings, Interval, Marked
from causalassay.present.formatting import formatted
from causalassay.present.html import cell_html, findings_html
from causalassay.present.markup import Html, join, tag

SHADES = 10
"""Steps of a cell's background."""
MANY = 25
"""Rows beyond which print is smaller, so that they are on one page."""


def first_screen(analysis: Analysis, picture: Figure | None) -> Html:
    """Return the headline, the picture and the matrix."""
    parts = [tag("p", analysis.headline, class_="headline")]
    if analysis.matrix.rows:
        parts += [tag("p", line, class_="own-line") for line in own_lines(analysis)]
        drawn = figure_element(picture, visible=True) if picture else ""
        layout = "first-screen many" if len(analysis.matrix.rows) > MANY else "first-screen"
        parts.append(tag("div", drawn, matrix_html(analysis.matrix), class_=layout))
    return tag("section", *parts, id="overview", aria_label="Overview")


def matrix_html(matrix: Matrix) -> Html:
    """Return the matrix; each row opens to its sentences, numbers and rules."""
    table = matrix_table(matrix)
    schemes = table.columns[1 : len(matrix.columns) + 1]
    caption = tag(
        "caption",
        f"{table.caption} ± is half the width of the interval. Click a row for its sentences.",
        id="matrix-caption",
        title=RULE,
    )
    heads = [
        tag("th", table.columns[0].heading, scope="col"),
        tag("th", table.columns[-1].heading, scope="col", class_="finding"),
        *(
            _head(column, gamed=scheme.gamed)
            for column, scheme in zip(schemes, matrix.columns, strict=True)
        ),
    ]
    shades = _Shades(matrix)
    bodies = []
    for index, (row, cells) in enumerate(zip(matrix.rows, table.rows, strict=True)):
        _, *scores, lost, finding = cells
        shaded = (shades.cell(score, column) for score, column in zip(scores, schemes, strict=True))
        head = _row_head(index, cells[0], lost, finding)
        shown = tag("tr", head, tag("td", finding, class_="finding"), *shaded, class_=row.role)
        bodies.append(tag("tbody", shown, _opened(index, row, len(heads))))
    whole = tag("table", caption, tag("thead", tag("tr", *heads)), *bodies, id=table.id)
    return tag(
        "div",
        whole,
        class_="region",
        role="region",
        tabindex=0,
        aria_labelledby="matrix-caption",
    )


def _head(column: Column, *, gamed: bool) -> Html:
    finding = tag("span", column.hint, class_="found gamed" if gamed else "found")
    return tag("th", column.heading, finding, scope="col")


def _row_head(index: int, name: object, lost: object, finding: object) -> Html:
    """Return the cell that opens the row below it."""
    marked = name if isinstance(name, Marked) else Marked(name)
    failed = lost if isinstance(lost, Marked) else Marked(lost)
    button = tag(
        "button",
        marked.value,
        type="button",
        aria_expanded="false",
        aria_controls=f"row-{index}",
        data_opens=f"row-{index}",
    )
    mark = tag("span", marked.mark, class_="mark") if marked.mark else ""
    missed = tag("span", f"{failed.value} not ok", class_="missed") if failed.warns else ""
    narrow = tag("span", finding, class_="narrow")
    return tag("th", button, " ", mark, " ", missed, narrow, scope="row")


def _opened(index: int, row: Row, width: int) -> Html:
    said = tag("td", findings_html(Findings(row.statements)), colspan=width)
    return tag("tr", said, id=f"row-{index}", class_="opened", hidden=True)


class _Shades:
    """The step of each score between the worst and the best of the matrix."""

    def __init__(self, matrix: Matrix) -> None:
        means = [cell.mean for row in matrix.rows for cell in row.cells]
        self.span = _span([mean for mean in means if math.isfinite(mean)])
        self.low_is_better = matrix.better == "low"

    def cell(self, score: object, column: Column) -> Html:
        """Return a mean with half the width of its interval; the limits show when pointed at."""
        mean = score.value if isinstance(score, Marked) else score
        if not isinstance(mean, Interval) or math.isnan(mean.value):
            return tag("td", formatted(math.nan, column.format), class_="score")
        number, _ = cell_html(Marked(mean.value, bold=score.bold), column)  # type: ignore[attr-defined]
        class_ = f"score shade-{self.step(mean.value)}"
        if not math.isfinite(mean.low):
            return tag("td", number, " ", class_=class_)
        spread, low, high = (
            formatted(value, column.format) for value in (mean.spread, mean.low, mean.high)
        )
        around = tag("small", f"±{spread.removeprefix('0') if spread[:2] == '0.' else spread}")
        return tag("td", join((number, " ", around)), class_=class_, title=f"{low} to {high}")

    def step(self, mean: float) -> int:
        low, high = self.span
        if not math.isfinite(mean) or high == low:
            return 0
        share = min(max((mean - low) / (high - low), 0.0), 1.0)
        return round(SHADES * (1 - share if self.low_is_better else share))


def _span(known: Sequence[float]) -> tuple[float, float]:
    if known and min(known) >= 0 and max(known) <= 1:
        return 0.0, 1.0
    return (min(known), max(known)) if known else (0.0, 0.0)
