"""Graphs written to files, in the formats that `read_graph` reads."""
# ruff: noqa: PLC0415  networkx is imported where used, so that graphs stay light

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any, Literal

import numpy as np

from causalassay.common.arrays import Adjacency, as_graph
from causalassay.common.files import as_path, replacing
from causalassay.common.spelling import check_choice
from causalassay.graphs.conversions import check_names
from causalassay.graphs.formats.file_graph import check_shown
from causalassay.graphs.formats.tables import check_csv_names

Layout = Literal["matrix", "edges"]
"""The layout of a CSV file: a square matrix, or a line for each edge."""

Numbers = Mapping[tuple[int, int], Mapping[str, float]]
"""What is known of each edge (i, j), by name; of an undirected one with i < j."""


def write_graph(
    path: str | PathLike[str],
    graph: Adjacency,
    names: Iterable[Hashable],
    *,
    layout: Layout = "matrix",
    numbers: Numbers | None = None,
    feedback: bool = False,
) -> None:
    """Write a graph with the names of its nodes, so that `read_graph` reads it again.

    The ending of the file decides: .graphml, .gml, .dot, .gv, .json, .npy (without names) and
    .npz; anything else is CSV. An undirected edge is "--" in an edge list and in JSON,
    ``dir=none`` in DOT, and is written both ways in the others.

    Parameters
    ----------
    path : str or path
        The file to write; overwritten if it exists.
    graph : Adjacency, shape (d, d)
        The graph: ``graph[i, j]`` is i→j, and both entries are i—j.
    names : iterable of d names
        The name of each node, in the order of the rows.
    layout : {"matrix", "edges"}
        The layout of a CSV file: a square matrix of 0 and 1, or the columns from, to and type,
        where a node without edges is a line with its name alone.
    numbers : mapping, optional
        From (i, j) to numbers by name, such as frequencies: more columns of an edge list,
        attributes of edges in GraphML, GML, DOT and JSON. `read_graph` does not read them.
    feedback : bool
        Two entries of a pair mean feedback, as in the summary graph of a series: both directions
        are written, and no undirected edge.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from causalassay.graphs import chain
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "graph.csv")
    ...     write_graph(path, chain(2), ["a", "b"])
    ...     matrix = path.read_text().splitlines()
    ...     write_graph(path, chain(2), ["a", "b"], layout="edges")
    ...     edges = path.read_text().splitlines()
    >>> matrix, edges
    ([',a,b', 'a,0,1', 'b,0,0'], ['from,to,type', 'a,b,->'])
    """
    graph = as_graph(graph)
    check_choice("layout", layout, ("matrix", "edges"))
    label = writable_names(check_names(names, "names", len(graph)))
    target = as_path(path)
    write = FORMATS.get(target.suffix.lower(), _edge_list if layout == "edges" else _matrix)
    content = write(_Named(graph, label, numbers or {}, feedback))
    with replacing(target) as partial:
        partial.write_bytes(content)


def writable_names(names: Iterable[Hashable]) -> list[str]:
    """Return names as a file has them, without blanks around them, or raise.

    Examples
    --------
    >>> writable_names(["raf", " mek"])
    ['raf', 'mek']
    """
    label = check_csv_names([str(name) for name in names], "names")
    check_shown(label, "names")
    return label


@dataclass(frozen=True, eq=False)
class _Named:
    """A graph as it is written."""

    graph: Adjacency
    names: list[str]
    numbers: Numbers
    feedback: bool

    @property
    def edges(self) -> Iterator[tuple[int, int, str]]:
        """Each edge once, with its mark."""
        for i, j in np.argwhere(self.graph).tolist():
            if self.feedback or not self.graph[j, i]:
                yield i, j, "->"
            elif i < j:
                yield i, j, "--"

    def known(self, i: int, j: int) -> dict[str, float]:
        """Return the numbers of an edge that are defined."""
        given = self.numbers.get((i, j), {})
        return {name: float(number) for name, number in given.items() if math.isfinite(number)}


def _matrix(named: _Named) -> bytes:
    rows = zip(named.names, named.graph.astype(int).tolist(), strict=True)
    return _csv([["", *named.names], *([name, *row] for name, row in rows)])


def _edge_list(named: _Named) -> bytes:
    columns = list(dict.fromkeys(name for known in named.numbers.values() for name in known))
    lines: list[list[object]] = [["from", "to", "type", *columns]]
    for i, j, mark in named.edges:
        known = named.known(i, j)
        lines.append(
            [named.names[i], named.names[j], mark, *(known.get(name, "") for name in columns)]
        )
    alone = np.flatnonzero(~(named.graph | named.graph.T).any(axis=1)).tolist()
    lines += [[named.names[node], *[""] * (2 + len(columns))] for node in alone]
    return _csv(lines)


def _csv(lines: Iterable[Iterable[object]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue().encode()


def _json(named: _Named) -> bytes:
    edges = [
        {"from": named.names[i], "to": named.names[j], "type": mark, **named.known(i, j)}
        for i, j, mark in named.edges
    ]
    return (json.dumps({"nodes": named.names, "edges": edges}, indent=1) + "\n").encode()


def _dot(named: _Named) -> bytes:
    quoted = ['"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"' for name in named.names]
    lines = ["digraph {", *(f"  {name};" for name in quoted)]
    for i, j, mark in named.edges:
        known = [f"{name}={value:.4g}" for name, value in named.known(i, j).items()]
        stated = ", ".join([*(["dir=none"] if mark == "--" else []), *known])
        lines.append(f"  {quoted[i]} -> {quoted[j]}" + (f" [{stated}];" if stated else ";"))
    return "\n".join([*lines, "}", ""]).encode()


def _network(named: _Named) -> Any:
    import networkx as nx

    network = nx.DiGraph()
    network.add_nodes_from(named.names)
    for i, j, mark in named.edges:
        known = {"type": mark, **named.known(i, j)}
        network.add_edge(named.names[i], named.names[j], **known)
        if mark == "--":
            network.add_edge(named.names[j], named.names[i], **known)
    return network


def _graphml(named: _Named) -> bytes:
    import networkx as nx

    return ("\n".join(nx.generate_graphml(_network(named))) + "\n").encode()


def _gml(named: _Named) -> bytes:
    import networkx as nx

    return ("\n".join(nx.generate_gml(_network(named))) + "\n").encode()


def _npy(named: _Named) -> bytes:
    content = io.BytesIO()
    np.save(content, named.graph)
    return content.getvalue()


def _npz(named: _Named) -> bytes:
    content = io.BytesIO()
    np.savez(content, graph=named.graph, columns=np.array(named.names))
    return content.getvalue()


FORMATS: dict[str, Callable[[_Named], bytes]] = {
    ".graphml": _graphml,
    ".gml": _gml,
    ".dot": _dot,
    ".gv": _dot,
    ".json": _json,
    ".npy": _npy,
    ".npz": _npz,
}
"""Endings of files that are no CSV, each with its writer."""
