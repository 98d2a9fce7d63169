"""Graphs in text files: lines of fields, an edge list or a square matrix."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection

from causalassay.graphs.edge_tables import edge_roles, read_edge_table
from causalassay.graphs.file_graph import FileGraph, check_edge_count
from causalassay.graphs.matrix_tables import SHAPES, Line, read_matrix
from causalassay.graphs.node_names import check_count
from causalassay.opening import note
from causalassay.separators import find_separator, single_blanks
from causalassay.spelling import shown

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
