"""Graphs in CSV files: a square matrix with names, or an edge list."""

from __future__ import annotations

import csv
import io
from collections.abc import Hashable, Iterable, Sequence
from os import PathLike
from pathlib import Path

import numpy as np

from causalassay.arrays import Adjacency, check_adjacency
from causalassay.graphs.conversions import from_edges
from causalassay.graphs.node_names import check_names
from causalassay.opening import read_text
from causalassay.spelling import did_you_mean, listed, name_fault, shown

CELLS = {"0": False, "1": True, "0.0": False, "1.0": True, "False": False, "True": True}
Line = tuple[int, list[str]]
_SHAPES = (
    "expected a square matrix with names as header and first column, or an edge list with the "
    "header from,to or from,to,type; fields are separated by commas"
)


def read_graph(
    path: str | PathLike[str], columns: Iterable[Hashable] | None = None
) -> tuple[Adjacency, list[str]]:
    r"""Return the graph in a CSV file, and the names of its nodes.

    Two shapes are read. A square matrix has a header and a first column of names and
    cells 0 or 1; row a, column b is a→b, and 1 in both cells is undirected. An edge list has
    the header ``from,to``, or ``from,to,type`` with the types ``->`` and ``--``.
    Blanks around names and cells are ignored.

    Parameters
    ----------
    path : str or path
    columns : iterable of names, optional
        The data's columns: rows and columns of the graph come in this order. A matrix
        must have the same names; an edge list may leave out nodes without edges.
        By default the order of the matrix, or of first appearance in the edge list.

    Returns
    -------
    graph : Adjacency, shape (d, d)
    names : list of d str

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "edges.csv"
    ...     _ = path.write_text("from,to,type\nraf,mek,->\nmek,erk,--\n")
    ...     read_graph(path, columns=["erk", "mek", "raf"])
    (array([[False,  True, False],
           [ True, False, False],
           [False,  True, False]]), ['erk', 'mek', 'raf'])
    """
    where = Path(path).name
    header, lines = _read_lines(Path(path), where)
    spelled = None if columns is None else [str(c) for c in check_names(columns, "columns")]
    wanted = None if spelled is None else _check_csv_names(spelled, "columns")
    if {"from", "to"} <= set(header) <= {"from", "to", "type"}:
        graph, names = _read_edges(header, lines, wanted, where)
    else:
        graph, names = _read_matrix(header, lines, wanted, where)
    return graph, spelled or names


def write_graph(path: str | PathLike[str], graph: Adjacency, names: Iterable[Hashable]) -> None:
    """Write a graph as a square CSV matrix of 0 and 1 with the names of its nodes.

    Examples
    --------
    >>> import tempfile
    >>> from causalassay.graphs import chain
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "graph.csv"
    ...     write_graph(path, chain(2), ["a", "b"])
    ...     path.read_text().splitlines()
    [',a,b', 'a,0,1', 'b,0,0']
    """
    check_adjacency(graph)
    label = [str(name) for name in check_names(names, "names", len(graph))]
    _check_csv_names(label, "names")
    _check_shown(label, "names")
    with Path(path).open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["", *label])
        for name, row in zip(label, graph.astype(int).tolist(), strict=True):
            writer.writerow([name, *row])


def _check_csv_names(names: Sequence[str], argument: str) -> list[str]:
    """Return the names without blanks around them; they must still differ."""
    stripped = [name.strip() for name in names]
    check_names(stripped, argument)
    if "" in stripped:
        raise ValueError(f"{argument}: name {stripped.index('') + 1} of {len(names)} is empty")
    return stripped


def _check_shown(names: Sequence[str], where: str) -> None:
    """Raise if a name would not be shown as it is."""
    for name in names:
        if fault := name_fault(name):
            raise ValueError(f"{where}: the name {shown(name)} {fault}")


def _read_lines(path: Path, where: str) -> tuple[list[str], list[Line]]:
    """Return the header and the lines that are not empty, with their numbers."""
    text = read_text(path, "a CSV file with a graph")
    reader = csv.reader(io.StringIO(text), skipinitialspace=True)
    try:
        lines = [(reader.line_num, [cell.strip() for cell in line]) for line in reader if line]
    except csv.Error as error:
        raise ValueError(f"{where}: line {reader.line_num}: {error}; {_SHAPES}") from None
    if not lines:
        raise ValueError(f"{where}: the file is empty; {_SHAPES}")
    header = lines[0][1]
    if len(header) == 1:
        raise ValueError(f"{where}: the header has one field, {shown(header[0])}; {_SHAPES}")
    for number, line in lines:
        if len(line) != len(header):
            raise ValueError(
                f"{where}: line {number} has {len(line)} fields but the header has {len(header)}"
            )
    return header, lines[1:]


def _read_edges(
    header: list[str], lines: list[Line], wanted: list[str] | None, where: str
) -> tuple[Adjacency, list[str]]:
    edges = []
    known = None if wanted is None else set(wanted)
    for number, line in lines:
        row = dict(zip(header, line, strict=True))
        edge = (row["from"], row["to"])
        if edge[0] == edge[1]:
            raise ValueError(
                f"{where}: line {number} joins {shown(edge[0])} to itself; leave it out"
            )
        if "" in edge:
            raise ValueError(f"{where}: line {number} names no node under from or to")
        for name in edge:
            if wanted is not None and known is not None and name not in known:
                raise ValueError(
                    f"{where}: line {number}: unknown node {shown(name)}, "
                    f"{did_you_mean(name, wanted)}"
                )
        match row.get("type", "->"):
            case "->":
                edges.append(edge)
            case "--":
                edges += [edge, edge[::-1]]
            case other:
                raise ValueError(
                    f'{where}: line {number}: type is "->" or "--", got {shown(other)}'
                )
    names = wanted or list(dict.fromkeys(name for edge in edges for name in edge))
    if not names:
        raise ValueError(f"{where}: no edge and no columns given; pass `columns` to name the nodes")
    check_names(names, where)
    _check_shown(names, where)
    return from_edges(edges, names), names


def _read_matrix(
    header: list[str], lines: list[Line], wanted: list[str] | None, where: str
) -> tuple[Adjacency, list[str]]:
    names = _check_csv_names(header[1:], f"{where}: header")
    _check_shown(names, where)
    if len(lines) != len(names):
        raise ValueError(
            f"{where}: {len(names)} names in the header but {len(lines)} rows; {_SHAPES}"
        )
    for (number, line), name in zip(lines, names, strict=True):
        if line[0] != name:
            raise ValueError(
                f"{where}: line {number} begins with {shown(line[0])}, expected {name!r}: rows "
                f"come in the order of the header; {_SHAPES}"
            )
    graph = np.zeros((len(names), len(names)), dtype=bool)
    for i, (number, line) in enumerate(lines):
        for j, cell in enumerate(line[1:]):
            if cell not in CELLS:
                raise ValueError(
                    f"{where}: line {number}, column {names[j]!r} is {shown(cell)}, expected 0 or "
                    "1; for weights write `weights != 0`"
                )
            graph[i, j] = CELLS[cell]
    if graph.diagonal().any():
        loop = names[int(graph.diagonal().argmax())]
        raise ValueError(f"{where}: node {loop!r} has an edge to itself; clear the diagonal")
    if wanted is None:
        return graph, names
    _check_same_names(names, wanted, where)
    position = {name: step for step, name in enumerate(names)}
    order = [position[name] for name in wanted]
    return graph[np.ix_(order, order)], wanted


def _check_same_names(names: Sequence[str], wanted: Sequence[str], where: str) -> None:
    known, named = set(wanted), set(names)
    unknown = [name for name in names if name not in known]
    missing = [name for name in wanted if name not in named]
    if unknown or missing:
        hint = (
            f" ({shown(unknown[0])}: {did_you_mean(unknown[0], missing or wanted)})"
            if unknown
            else ""
        )
        raise ValueError(
            f"{where}: the graph's nodes and the data's columns differ: "
            f"in the graph only [{listed(unknown)}], in the data only [{listed(missing)}]{hint}"
        )
