"""The short answer of a study for the terminal: at most 25 lines, readable without colour."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from causalassay.analysis import Analysis
from causalassay.analysis.matrix import Cell, Column, Matrix, Row
from causalassay.analysis.names import metric_name
from causalassay.analysis.own_lines import own_lines
from causalassay.analysis.summary import Summary
from causalassay.report.numbers import decimal
from causalassay.spelling import visible

MOST_LINES = 24
"""And one more for where the report is."""
MOST_ROWS = 15
MOST_OWN = 2
"""Own algorithms that have a line of their own."""
MOST_LETTERS = 22
"""Of an algorithm's name; a longer one is cut."""
MOST_IN_HEADING = 24
LIMITS_FROM = 110
"""Columns of a terminal that leave room for intervals."""
LEAST_FINDING, WHOLE_FINDING = 24, 37
"""Columns that findings need in a narrow terminal, and in a wide one."""
LONGEST_REASON = 110


def render_overview(analysis: Analysis, console: Console) -> None:
    """Print the headline, the matrix, and how many runs are not ok."""
    if not analysis.matrix.rows:
        console.print("No rows yet.")
        return
    headline = Text(visible(analysis.headline), style="bold")
    own = [Text(visible(line)) for line in list(own_lines(analysis))[:MOST_OWN]]
    failures = Text(failures_line(analysis.summary))
    for most_rows in range(MOST_ROWS, 0, -1):
        texts = [headline, *own, *_matrix(analysis.matrix, console.width, most_rows), failures]
        if sum(len(text.wrap(console, console.width)) for text in texts) <= MOST_LINES:
            break
    for text in texts:
        console.print(text)


def failures_line(summary: Summary) -> str:
    """Return how many runs are not ok, and why most often."""
    lost = int((summary.counts["n"] - summary.counts["ok"]).sum())
    total = int(summary.counts["n"].sum())
    if not lost:
        return f"All {total} runs succeeded."
    most = max(summary.reasons.to_dict("records"), key=lambda row: row["n"])
    reason = (str(most["reason"]) or "no reason").removeprefix(f"{most['status']}: ")
    return (
        f"{lost} of {total} runs are not ok, most often {most['n']} × {_name(most['algorithm'])}: "
        f"{most['status']}: {_cut(reason, LONGEST_REASON).rstrip('.')}."
    )


def _matrix(matrix: Matrix, width: int, most_rows: int) -> Iterator[Text]:
    """Yield the lines of the matrix, none wider than the terminal."""
    rows = _rows(matrix, most_rows)
    with_limits = width >= LIMITS_FROM
    texts = [[_score(cell, with_limits=with_limits) for cell in row.cells] for row in rows]
    name_width = max(len("algorithm"), *(cell_len(_label(row)) for row in rows))
    widths = [
        max(cell_len(_heading(column)), *(len(line[index]) for line in texts))
        for index, column in enumerate(matrix.columns)
    ]
    shown = _columns(
        matrix, widths, width - name_width - (WHOLE_FINDING if with_limits else LEAST_FINDING)
    )
    left = width - name_width - sum(widths[i] + 1 for i in shown) - 1
    names = {i: _heading(matrix.columns[i]) for i in shown}
    heads = [" " * (widths[i] - cell_len(name)) + name for i, name in names.items()]
    head = f"{'algorithm':<{name_width}} {' '.join(heads)} finding"
    yield Text(head, style="underline", no_wrap=True, overflow="ellipsis")
    for row, line in zip(rows, texts, strict=True):
        text = Text(set_cell_size(_label(row), name_width), "bold" if row.role == "mine" else "")
        for index in shown:
            style = "bold" if row.cells[index].best else ""
            text.append(f" {line[index]:>{widths[index]}}", style)
        yield text.append(f" {_cut(row.finding, left)}", "")
    yield Text(_note(matrix, rows, shown), style="dim")


def _columns(matrix: Matrix, widths: Sequence[int], free: int) -> list[int]:
    """Return the columns to show, as many as fit: data as they came before rescaled ones."""
    everything = range(len(matrix.columns))
    order = sorted(everything, key=lambda index: matrix.columns[index].rescaled)
    shown: list[int] = []
    for index in order:
        free -= widths[index] + 1
        if free < 0 and shown:
            break
        shown.append(index)
    return sorted(shown)


def _rows(matrix: Matrix, most: int) -> list[Row]:
    """Return the rows to show: the first, and the user's own in any case."""
    own = [row for row in matrix.rows if row.role == "mine"][:most]
    others = [row for row in matrix.rows if row.role != "mine"][: most - len(own)]
    return [row for row in matrix.rows if row in own or row in others]


def _note(matrix: Matrix, rows: Sequence[Row], shown: Sequence[int]) -> str:
    signs = ["(name) baseline", "* not distinguishable from the best"]
    if any(matrix.columns[index].gamed for index in shown):
        signs.append("! artefact found")
    if any(row.role == "mine" for row in rows):
        signs.append("< yours")
    left_out = {
        "algorithms": len(matrix.rows) - len(rows),
        "schemes": len(matrix.columns) - len(shown),
    }
    more = " and ".join(
        f"{count} more {what[:-1] if count == 1 else what}"
        for what, count in left_out.items()
        if count
    )
    better = f"Mean {metric_name(matrix.metric)}, {matrix.better} is better. {matrix.order}"
    rest = f" {more}: summary --full." if more else ""
    return f"{better} {'; '.join(signs)}.{rest}"


def _heading(column: Column) -> str:
    return f"{_cut(column.name, MOST_IN_HEADING)}{'!' * column.gamed}"


def _label(row: Row) -> str:
    name = _name(row.algorithm)
    marks = {"baseline": f"({name})", "mine": f"{name} <"}
    return marks.get(row.role, name)


def _name(algorithm: str) -> str:
    name = visible(algorithm)
    if cell_len(name) <= MOST_LETTERS:
        return name
    # Names of one algorithm's settings differ at their end.
    end = _cut(name[::-1], MOST_LETTERS // 2)[-2::-1]
    return _cut(name, MOST_LETTERS - cell_len(end)) + end


def _cut(text: str, most: int) -> str:
    """Return what fits into so many columns; some letters take two."""
    text = visible(text)
    return text if cell_len(text) <= most else f"{set_cell_size(text, most - 1)}…"


def _score(cell: Cell, *, with_limits: bool) -> str:
    if math.isnan(cell.mean):
        return "– "
    text = f"{decimal(cell.mean)}{'*' if cell.best else ' '}"
    if with_limits and not math.isnan(cell.low):
        text += f"±{decimal(cell.spread):<4}"
    return text
