"""Square matrices of 0 and 1, with names on both sides, on one, or on none."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from causalassay.common.arrays import Adjacency
from causalassay.common.opening import note
from causalassay.common.spelling import shown
from causalassay.graphs.file_graph import FileGraph, check_shown
from causalassay.graphs.node_names import check_names

Line = tuple[int, list[str]]

CELLS = {"0": False, "1": True, "0.0": False, "1.0": True, "False": False, "True": True}

SHAPES = (
    "expected a square matrix of 0 and 1, or an edge list with the header from,to or "
    "from,to,type; fields are separated by commas, semicolons, tabs or blanks"
)
READ_AS = (
    "an entry in row i, column j is read as i -> j; transpose=True (--transpose) reads it as j -> i"
)
WITHOUT_NAMES = (
    "a matrix without names: its rows and columns are taken in the order of the data's columns"
)
_ENDPOINTS = (-1.0, 2.0, 3.0)


def read_matrix(lines: Sequence[Line], where: str) -> FileGraph:
    """Return the graph of a square matrix.

    Parameters
    ----------
    lines : sequence of (number, fields)
        All equally long, two fields or more.
    where : str
        The file, for messages.
    """
    height, width = len(lines), len(lines[0][1])
    first_row = lines[0][1]
    if height == width and all(map(_is_cell, first_row)):
        found = _graph(None, [line for _, line in lines], lines, where)
        note(f"{where}: {WITHOUT_NAMES}; {READ_AS}")
        return found
    if all(_is_cell(cell) for _, line in lines for cell in line) and not _is_counted(lines):
        edges = "; if it is an edge list, write from,to above it" if width < 4 else ""
        raise ValueError(f"{where}: {height} lines of {width} numbers{edges}; {SHAPES}")
    if height == width + 1:
        names = check_csv_names(first_row, f"{where}: header")
        found = _graph(names, [line for _, line in lines[1:]], lines[1:], where)
        note(f"{where}: its rows have no names and are taken in the order of the header; {READ_AS}")
        return found
    if height == width - 1 and not _looks_like_header(first_row):
        names = check_csv_names([line[0] for _, line in lines], f"{where}: first column")
        found = _graph(names, [line[1:] for _, line in lines], lines, where)
        note(f"{where}: its columns have no names and are in the order of the rows; {READ_AS}")
        return found
    return _with_both(lines, where)


def matrix_graph(matrix: Adjacency, names: list[str] | None, where: str) -> FileGraph:
    """Return the graph of a matrix; a node with an edge to itself is an error."""
    if matrix.diagonal().any():
        step = int(matrix.diagonal().argmax())
        loop = repr(names[step]) if names else f"number {step + 1}"
        raise ValueError(f"{where}: node {loop} has an edge to itself; clear the diagonal")
    return FileGraph(names, len(matrix), np.argwhere(matrix), complete=True)


def check_csv_names(names: Sequence[str], argument: str) -> list[str]:
    """Return the names without blanks around them; they must still differ."""
    stripped = [name.strip() for name in names]
    check_names(stripped, argument)
    if "" in stripped:
        raise ValueError(f"{argument}: name {stripped.index('') + 1} of {len(names)} is empty")
    return stripped


def cell_fault(cell: object) -> str:
    """Return what is wrong with a cell, and what to do."""
    try:
        codes = float(str(cell)) in _ENDPOINTS
    except ValueError:
        codes = False
    return f"is {shown(cell)}, expected 0 or 1; " + (
        "-1, 2 and 3 are marks of edge ends in causal-learn and pcalg: write 1 for row -> column"
        if codes
        else "for weights write `weights != 0`"
    )


def _with_both(lines: Sequence[Line], where: str) -> FileGraph:
    """Return the graph of a matrix with names as header and first column."""
    names = check_csv_names(lines[0][1][1:], f"{where}: header")
    check_shown(names, where)
    rows = lines[1:]
    if len(rows) != len(names):
        raise ValueError(
            f"{where}: {len(names)} names in the header but {len(rows)} rows; {SHAPES}"
        )
    for (number, line), name in zip(rows, names, strict=True):
        if line[0] != name:
            raise ValueError(
                f"{where}: line {number} begins with {shown(line[0])}, expected {name!r}: rows "
                f"come in the order of the header; {SHAPES}"
            )
    return _graph(names, [line[1:] for _, line in rows], rows, where)


def _graph(
    names: list[str] | None, cells: list[list[str]], lines: Sequence[Line], where: str
) -> FileGraph:
    check_names(names or range(len(cells)), where)
    check_shown(names or (), where)
    matrix = np.zeros((len(cells), len(cells)), dtype=bool)
    for i, row in enumerate(cells):
        for j, cell in enumerate(row):
            value = CELLS.get(cell)
            if value is None:
                value = _value(cell)
            if value is None:
                column = repr(names[j]) if names else f"{j + 1}"
                raise ValueError(f"{where}: line {lines[i][0]}, column {column} {cell_fault(cell)}")
            matrix[i, j] = value
    return matrix_graph(matrix, names, where)


def _value(cell: str) -> bool | None:
    """Return what a cell says in another spelling, such as 1.000e+00; None if it is no 0 or 1."""
    if cell.casefold() in ("true", "false"):
        return cell.casefold() == "true"
    try:
        number = float(cell)
    except ValueError:
        return None
    return bool(number) if number in (0.0, 1.0) and "_" not in cell else None


def _is_cell(text: str) -> bool:
    """Tell whether a field is a number or a truth value rather than a name."""
    if text in CELLS or text.casefold() in ("true", "false"):
        return True
    try:
        float(text)
    except ValueError:
        return False
    return True


def _is_counted(lines: Sequence[Line]) -> bool:
    """Tell whether a header that counts, 0, 1, 2, stands above cells, as pandas writes it."""
    first_row = lines[0][1]
    width = len(first_row)
    counted = (range(width), range(1, width + 1))
    return first_row in [[str(number) for number in numbers] for numbers in counted] and all(
        CELLS.get(cell, _value(cell)) is not None for _, line in lines[1:] for cell in line
    )


def _looks_like_header(first_row: Sequence[str]) -> bool:
    return first_row[0] == "" or not all(map(_is_cell, first_row[1:]))
