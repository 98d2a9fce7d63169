"""Graphs in text tables: an edge list, or a square matrix of 0 and 1.

A matrix has names on both sides, on one, or on none; an edge list has a line for each edge.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from causalassay.common.arrays import Adjacency
from causalassay.common.file_formats import find_separator, single_blanks
from causalassay.common.files import note
from causalassay.common.spelling import listed, shown
from causalassay.graphs.conversions import check_count, check_names
from causalassay.graphs.formats.file_graph import FileGraph, check_edge_count, check_shown, of_edges

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

_LINES_LOOKED_AT = 20
_LONGEST_LOOK = 1_000_000
_COMMENTS = re.compile(r"(?:#[^\n]*+(?:\n|\Z)|\n)*+")
_USUAL_HEADER = ["from", "to", "weight"]


def read_text_graph(text: str, wanted: Collection[str] | None, where: str) -> FileGraph:
    """Return the graph of a text.

    Parameters
    ----------
    text : str
    wanted : collection of str, optional
        The columns of the data: two of them on the first line make an edge list without header.
    where : str
        The file, for messages.
    """
    lines = _lines(text, where)
    header, names = lines[0][1], set(wanted or ())
    roles = edge_roles(header)
    if roles is not None and not _has_index(lines):
        return read_edge_table(roles, header, lines[1:], where)
    if 1 < len(header) < 4 and all(set(line[:2]) <= names for _, line in lines):
        note(f"{where}: an edge list without a header; each line is read as from, to")
        header = _USUAL_HEADER[: len(header)]
        return read_edge_table(edge_roles(header) or {}, header, lines, where)
    return read_matrix(lines, where)


def _has_index(lines: list[Line]) -> bool:
    """Tell whether the first column repeats the header: it is a matrix of nodes of these names."""
    return [line[0] for _, line in lines[1:]] == lines[0][1][1:]


def _lines(text: str, where: str) -> list[Line]:
    """Return the lines that are not empty, with their numbers; all as long as the first."""
    count = text.count("\n")
    check_edge_count(count, "lines", where)
    body, skipped = _without_comments(text)
    beginning = body[:_LONGEST_LOOK].split("\n")[:_LINES_LOOKED_AT]
    try:
        separator = find_separator([line for line in beginning if line.strip()], ",")
    except (ValueError, csv.Error) as error:
        raise ValueError(f"{where}: line {skipped + 1}: {error}; {SHAPES}") from None
    if separator == " ":
        body = "\n".join(map(single_blanks, body.split("\n")))
    reader = csv.reader(io.StringIO(body), delimiter=separator, skipinitialspace=True)
    lines: list[Line] = []
    try:
        for line in filter(None, reader):
            if not lines:
                check_count(len(line) - 1, where)  # the first may be the name of the names
            lines.append((reader.line_num + skipped, [cell.strip() for cell in line]))
    except csv.Error as error:
        number = reader.line_num + skipped
        raise ValueError(f"{where}: line {number}: {error}; {SHAPES}") from None
    _check_lines(lines, where)
    return lines


def _check_lines(lines: list[Line], where: str) -> None:
    if not lines:
        raise ValueError(f"{where}: the file is empty; {SHAPES}")
    header = lines[0][1]
    if len(header) == 1:
        raise ValueError(f"{where}: the header has one field, {shown(header[0])}; {SHAPES}")
    if len(lines) > 1 and all(len(line) == len(header) + 1 for _, line in lines[1:]):
        header.insert(0, "")  # R leaves the name of the column of row names out
    for number, line in lines:
        if len(line) != len(header):
            raise ValueError(
                f"{where}: line {number} has {len(line)} fields but the header has {len(header)}"
            )


def _without_comments(text: str) -> tuple[str, int]:
    """Return the text without the comments and empty lines it begins with, and their number."""
    beginning = _COMMENTS.match(text)
    end = beginning.end() if beginning else 0
    return text[end:], text.count("\n", 0, end)


# A square matrix.


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
        graph = _graph(None, [line for _, line in lines], lines, where)
        note(f"{where}: {WITHOUT_NAMES}; {READ_AS}")
        return graph
    if all(_is_cell(cell) for _, line in lines for cell in line) and not _is_counted(lines):
        edges = "; if it is an edge list, write from,to above it" if width < 4 else ""
        raise ValueError(f"{where}: {height} lines of {width} numbers{edges}; {SHAPES}")
    if height == width + 1:
        names = check_csv_names(first_row, f"{where}: header")
        graph = _graph(names, [line for _, line in lines[1:]], lines[1:], where)
        note(f"{where}: its rows have no names and are taken in the order of the header; {READ_AS}")
        return graph
    if height == width - 1 and not _looks_like_header(first_row):
        names = check_csv_names([line[0] for _, line in lines], f"{where}: first column")
        graph = _graph(names, [line[1:] for _, line in lines], lines, where)
        note(f"{where}: its columns have no names and are in the order of the rows; {READ_AS}")
        return graph
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


# Edge lists: a table with a line for each edge.

ENDS = (
    ("from", "to"),
    ("source", "target"),
    ("cause", "effect"),
    ("parent", "child"),
    ("tail", "head"),
    ("src", "dst"),
    ("start", "end"),
)
"""What the two columns of an edge list are called, in letters of any size."""

TYPES = ("type", "edge_type", "direction")
WEIGHTS = ("weight", "weights", "coefficient", "coef", "value", "beta")

_DIRECTED = ("->", "-->", "directed")
_UNDIRECTED = ("--", "---", "undirected")
_INDEX = ("", "unnamed: 0", "index", "id")


def edge_roles(header: Sequence[str]) -> dict[str, str] | None:
    """Return which column of a header is what, or None if it is not that of an edge list.

    Examples
    --------
    >>> edge_roles(["Source", "Target", "Weight"])
    {'from': 'Source', 'to': 'Target', 'weight': 'Weight'}
    >>> edge_roles(["raf", "mek"])
    """
    by_name = {name.casefold(): name for name in header}
    ends = next((pair for pair in ENDS if set(pair) <= set(by_name)), None)
    if ends is None or len(by_name) < len(header):
        return None
    roles = {"from": by_name[ends[0]], "to": by_name[ends[1]]}
    for role, names in (("type", TYPES), ("weight", WEIGHTS)):
        present = next((by_name[name] for name in names if name in by_name), None)
        if present is not None:
            roles[role] = present
    return roles


def read_edge_table(
    roles: Mapping[str, str],
    header: Sequence[str],
    lines: Sequence[tuple[int, list[str]]],
    where: str,
) -> FileGraph:
    """Return the graph of an edge list.

    Parameters
    ----------
    roles : mapping
        The result of `edge_roles`.
    header : sequence of str
    lines : sequence of (number, fields)
    where : str
        The file, for messages.
    """
    _note_columns(roles, header, where)
    edges: list[tuple[str, str]] = []
    alone: list[str] = []
    places: dict[str, str] = {}
    n_zero = 0
    for number, line in lines:
        row = dict(zip(header, line, strict=True))
        edge = (row[roles["from"]], row[roles["to"]])
        if edge[0] and not edge[1] and "type" in roles and not row[roles["type"]]:
            alone.append(edge[0])  # a node without edges
            places.setdefault(edge[0], f"line {number}: ")
            continue
        if edge[0] == edge[1]:
            raise ValueError(
                f"{where}: line {number} joins {shown(edge[0])} to itself; leave it out"
            )
        if "" in edge:
            ends = f"{roles['from']} or {roles['to']}"
            raise ValueError(f"{where}: line {number} names no node under {ends}")
        for name in edge:
            places.setdefault(name, f"line {number}: ")
        check_count(len(places), where)
        if "weight" in roles and _weight(row[roles["weight"]], number, where) == 0:
            n_zero += 1
        elif is_directed(
            row[roles["type"]] if "type" in roles else "->", f"{where}: line {number}"
        ):
            edges.append(edge)
        else:
            edges += [edge, edge[::-1]]
    if n_zero:
        note(f"{where}: {n_zero} of its lines have weight 0 and are not read as edges")
    return of_edges(edges, alone, places=places)


def _note_columns(roles: Mapping[str, str], header: Sequence[str], where: str) -> None:
    """Say which columns are not used."""
    used = set(roles.values())
    other = [name for name in header if name not in used and name.casefold() not in _INDEX]
    if other:
        note(f"{where}: its columns {listed(other)} are not read")


def is_directed(kind: str, where: str) -> bool:
    """Tell whether the type of an edge says that it has a direction, or raise."""
    word = kind.casefold()
    if word in _DIRECTED:
        return True
    if word in _UNDIRECTED:
        return False
    raise ValueError(f'{where}: type is "->" or "--", got {shown(kind)}')


def _weight(text: str, number: int, where: str) -> float:
    try:
        weight = float(text)
    except ValueError:
        weight = float("nan")
    if math.isnan(weight):
        raise ValueError(f"{where}: line {number}: expected a number as weight, got {shown(text)}")
    return weight
