"""Draw graphs as SVG, in layers, on a circle or as a matrix; the same on every machine."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from causalassay.common.arrays import Adjacency, as_graph
from causalassay.common.spelling import visible
from causalassay.graphs.conversions import check_names
from causalassay.graphs.cpdag import directed_part, undirected_part
from causalassay.graphs.orders import is_dag
from causalassay.present.drawing.svg import Strokes, circle_picture, layered_picture, matrix_picture
from causalassay.present.formatting import counted
from causalassay.present.markup import Html, tag

MOST_NODES = 30
MOST_EDGES = 120
"""A graph with more nodes or edges is drawn as its matrix: nobody can follow so many lines."""
MOST_LISTED = 8
"""Edges that `repr` lists."""


@dataclass(frozen=True, eq=False, repr=False)
class Drawing:
    """A graph that a notebook draws and a terminal lists; `show` makes it.

    Parameters
    ----------
    graph : Adjacency, shape (d, d)
    names : tuple of str
    shares : ndarray, shape (d, d), optional
        How often the pair of each edge is joined: how thick it is drawn.
    as_drawn : ndarray, shape (d, d), optional
        How often it is joined as in the graph; dashed where the bootstraps disagree.
    """

    graph: Adjacency
    names: tuple[str, ...]
    shares: NDArray[np.float64] | None = None
    as_drawn: NDArray[np.float64] | None = None

    @property
    def caption(self) -> str:
        """What the graph is: its kind, its nodes and its edges."""
        n_directed = int(directed_part(self.graph).sum())
        n_undirected = int(undirected_part(self.graph).sum()) // 2
        nodes = counted(len(self.graph), "node")
        if is_dag(self.graph):
            return f"DAG of {nodes} and {counted(n_directed, 'edge')}"
        if not n_directed:
            return f"graph of {nodes} and {counted(n_undirected, 'undirected edge')}"
        if not n_undirected:
            return f"graph of {nodes} and {counted(n_directed, 'edge')}, with a cycle"
        undirected = counted(n_undirected, "undirected edge")
        return f"graph of {nodes}, {n_directed} directed and {undirected}"

    def __repr__(self) -> str:
        edges = list(_edge_lines(self.graph, self.names))
        lines = [visible(line) for line in edges[:MOST_LISTED]]
        if len(edges) > MOST_LISTED:
            lines.append(f"… and {len(edges) - MOST_LISTED} more")
        return "\n".join([self.caption, *lines])

    def _repr_svg_(self) -> str:
        n_edges = int((self.graph | self.graph.T).sum()) // 2
        if len(self.graph) > MOST_NODES or n_edges > MOST_EDGES:
            return matrix_picture(self.graph, self.names, self.caption)
        picture = layered_picture if is_dag(self.graph) else circle_picture
        return picture(self.graph, self.names, self.caption, Strokes(self.shares, self.as_drawn))

    def _repr_html_(self) -> str:
        return tag("div", Html(self._repr_svg_()), style="overflow-x:auto")


def show(
    graph: Adjacency,
    names: Iterable[Hashable] | None = None,
    shares: NDArray[np.float64] | None = None,
    as_drawn: NDArray[np.float64] | None = None,
) -> Drawing:
    """Return a drawing of a graph, for a notebook to show or a terminal to print.

    A DAG is laid out from left to right, causes before effects. Any other graph is
    laid out on a circle, since positions in a row would suggest an order that it does
    not have. Beyond 30 nodes or 120 edges the matrix is drawn, a dot for each edge
    from the row's node to the column's.

    Parameters
    ----------
    graph : Adjacency, shape (d, d)
    names : iterable of d names, optional
        By default nodes are named 0, 1, ….
    shares : ndarray, shape (d, d), optional
        A number from 0 to 1 for each edge, such as how often bootstraps join its pair: the
        larger it is, the thicker is the line. Not drawn in a matrix.
    as_drawn : ndarray, shape (d, d), optional
        How often they join it as the graph does. An edge is dashed where this is less than 90 %
        of `shares`: the pair is then surer than its direction.

    Examples
    --------
    >>> from causalassay.graphs import chain, to_cpdag
    >>> show(chain(3), ["smoking", "tar", "cancer"])
    DAG of 3 nodes and 2 edges
    smoking → tar
    tar → cancer
    >>> show(to_cpdag(chain(2)))
    graph of 2 nodes and 1 undirected edge
    0 — 1
    >>> show(chain(2))._repr_svg_()[:4]
    '<svg'
    """
    checked = as_graph(graph).copy()
    checked.setflags(write=False)
    labels = range(len(checked)) if names is None else names
    for name, given in (("shares", shares), ("as_drawn", as_drawn)):
        if given is not None and np.shape(given) != checked.shape:
            raise ValueError(f"{name}: expected shape {checked.shape}, got {np.shape(given)}")
    stated = tuple(map(str, check_names(labels, "names", len(checked))))
    return Drawing(checked, stated, shares, as_drawn)


def _edge_lines(graph: Adjacency, names: tuple[str, ...]) -> Iterable[str]:
    for i, j in np.argwhere(graph).tolist():
        if not graph[j, i]:
            yield f"{names[i]} → {names[j]}"
        elif i < j:
            yield f"{names[i]} — {names[j]}"


__all__ = ["Drawing", "show"]
