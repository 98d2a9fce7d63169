"""A graph as a file has it, and its nodes found among the columns of the data."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causalassay.common.arrays import Adjacency
from causalassay.common.files import note
from causalassay.common.spelling import did_you_mean, listed, name_fault, shown
from causalassay.graphs.conversions import check_count, check_names

_NUMBER = re.compile(r"\d{1,9}", re.ASCII)


MOST_EDGES = 1_000_000
"""The most edges of a list: those of a complete graph of 1400 nodes."""


@dataclass(frozen=True, eq=False)
class FileGraph:
    """A graph as a file has it.

    Parameters
    ----------
    names : list of str, or None
        As the file calls the nodes; None if it does not.
    n_nodes : int
    edges : ndarray of int, shape (k, 2)
        From, to: positions in `names`. An edge given both ways is undirected.
    complete : bool
        Whether every node is there, as in a matrix; an edge list has those with edges.
    places : mapping
        Where a name comes first, for messages.
    labels : list of str, or None
        Other names of the nodes.
    """

    names: list[str] | None
    n_nodes: int
    edges: NDArray[np.int64]
    complete: bool
    places: Mapping[str, str] = field(default_factory=dict)
    labels: list[str] | None = None


def check_edge_count(count: int, of: str, where: str) -> None:
    """Raise if a file lists too many edges, or has too many lines to be a list of them."""
    if count > MOST_EDGES:
        raise ValueError(
            f"{where}: {count} {of}, expected at most {MOST_EDGES}; save a graph of more edges as "
            "a matrix in an .npy file"
        )


def of_edges(
    pairs: Sequence[tuple[str, str]], extra: Sequence[str] = (), **options: Any
) -> FileGraph:
    """Return the graph of pairs of names, and of nodes that may have no edge."""
    names = list(dict.fromkeys([*extra, *(name for pair in pairs for name in pair)]))
    position = {name: step for step, name in enumerate(names)}
    edges = np.array([(position[a], position[b]) for a, b in pairs], dtype=np.int64).reshape(-1, 2)
    return FileGraph(names, len(names), edges, complete=False, **options)


def placed(graph: FileGraph, wanted: list[str] | None, where: str) -> tuple[Adjacency, list[str]]:
    """Return the graph in the order of the data's columns, or in its own if there are none.

    Parameters
    ----------
    graph : FileGraph
    wanted : list of str, or None
        The columns, without blanks around them.
    where : str
        The file, for messages.
    """
    if graph.names is not None:
        check_count(len(graph.names), where)
        check_shown(graph.names, where)
    if wanted is None:
        names = graph.names or [f"x{step}" for step in range(graph.n_nodes)]
        if not names:
            raise ValueError(
                f"{where}: no edge and no columns given; pass `columns` to name the nodes"
            )
        check_names(names, where)
        return _adjacency(graph.edges, np.arange(len(names)), len(names)), names
    if graph.names is None:
        if graph.n_nodes != len(wanted):
            raise ValueError(
                f"{where}: a matrix of {graph.n_nodes} rows without names, but the data have "
                f"{len(wanted)} columns; write the names, or leave columns out"
            )
        return _adjacency(graph.edges, np.arange(len(wanted)), len(wanted)), wanted
    position = _positions(graph, wanted, where)
    return _adjacency(graph.edges, np.array(position, dtype=np.int64), len(wanted)), wanted


def check_shown(names: Sequence[str], where: str) -> None:
    """Raise if a name would not be shown as it is."""
    for name in names:
        if fault := name_fault(name):
            raise ValueError(f"{where}: the name {shown(name)} {fault}")


def _adjacency(edges: NDArray[np.int64], position: NDArray[np.int64], n_nodes: int) -> Adjacency:
    graph = np.zeros((n_nodes, n_nodes), dtype=bool)
    graph[position[edges[:, 0]], position[edges[:, 1]]] = True
    return graph


def _positions(graph: FileGraph, wanted: list[str], where: str) -> list[int]:
    """Return which column each node is: by name, by label, or by number."""
    names = graph.names or []
    column = {name: step for step, name in enumerate(wanted)}
    if not set(names) <= set(column):
        labels = graph.labels
        if labels is not None and set(labels) <= set(column) and len(set(labels)) == len(labels):
            note(f"{where}: its nodes are matched by their labels, {listed(labels)}")
            return _positions(replace(graph, names=labels, labels=None), wanted, where)
        if names and all(map(_NUMBER.fullmatch, names)) and not any(map(_NUMBER.fullmatch, wanted)):
            return _numbered(names, graph, len(wanted), where)
        _refuse(graph, names, wanted, where)
    if graph.complete and len(names) < len(wanted):
        _refuse(graph, names, wanted, where)
    return [column[name] for name in names]


def _numbered(names: list[str], graph: FileGraph, n_columns: int, where: str) -> list[int]:
    """Return the positions that numbers of columns mean, which count from 0 or from 1."""
    numbers = [int(name) for name in names]
    low, high = min(numbers), max(numbers)
    fitting = [first for first in (0, 1) if low >= first and high < n_columns + first]
    if graph.complete and len(names) != n_columns:
        fitting = []
    if not fitting:
        raise ValueError(
            f"{where}: its nodes are the numbers {low} to {high}, but the data have {n_columns} "
            "columns; write the columns' names"
        )
    if len(fitting) > 1:
        raise ValueError(
            f"{where}: its nodes are the numbers {low} to {high}, which may count the {n_columns} "
            "columns from 0 or from 1; write the columns' names"
        )
    note(f"{where}: its nodes are read as column numbers that start at {fitting[0]}")
    return [number - fitting[0] for number in numbers]


def _refuse(graph: FileGraph, names: Sequence[str], wanted: Sequence[str], where: str) -> None:
    """Raise, with the names that differ."""
    known, named = set(wanted), set(names)
    unknown = [name for name in names if name not in known]
    if unknown and not graph.complete:
        line = graph.places.get(unknown[0], "")
        raise ValueError(
            f"{where}: {line}unknown node {shown(unknown[0])}, {did_you_mean(unknown[0], wanted)}"
        )
    missing = [name for name in wanted if name not in named]
    hint = (
        f" ({shown(unknown[0])}: {did_you_mean(unknown[0], missing or wanted)})" if unknown else ""
    )
    raise ValueError(
        f"{where}: the graph's nodes and the data's columns differ: "
        f"in the graph only [{listed(unknown)}], in the data only [{listed(missing)}]{hint}"
    )
