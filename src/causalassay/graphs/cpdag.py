"""Skeleton, v-structures and the CPDAG of a DAG."""

from __future__ import annotations

import numpy as np

from causalassay.common.arrays import Adjacency, as_graph
from causalassay.common.kernels import kernel
from causalassay.graphs.orders import Indices, neighbour_lists, topological_order


def directed_part(graph: Adjacency) -> Adjacency:
    """Return the edges i→j of a checked graph without its edges i—j."""
    return graph & ~graph.T


def undirected_part(graph: Adjacency) -> Adjacency:
    """Return the edges i—j of a checked graph, both ways, without its edges i→j."""
    return graph & graph.T


def skeleton(graph: Adjacency) -> Adjacency:
    """Return the symmetric matrix of adjacent pairs, whatever the direction of their edge.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> skeleton(chain(3)).astype(int)
    array([[0, 1, 0],
           [1, 0, 1],
           [0, 1, 0]])
    """
    graph = as_graph(graph)
    return graph | graph.T


def v_structures(graph: Adjacency) -> set[tuple[int, int, int]]:
    """Return the triples ``(i, collider, j)``, i < j, with i→collider←j and i, j not adjacent.

    In a PDAG only directed edges make a v-structure.

    Examples
    --------
    >>> import numpy as np
    >>> collider = np.zeros((3, 3), dtype=bool)
    >>> collider[[0, 1], 2] = True
    >>> v_structures(collider)
    {(0, 2, 1)}
    """
    graph = as_graph(graph)
    apart = ~skeleton(graph)
    arrows = directed_part(graph)
    triples = set()
    for collider in np.flatnonzero(arrows.sum(axis=0) >= 2).tolist():
        parents = np.flatnonzero(arrows[:, collider])
        first, second = np.nonzero(np.triu(apart[np.ix_(parents, parents)], 1))
        pairs = zip(parents[first].tolist(), parents[second].tolist(), strict=True)
        triples |= {(i, collider, j) for i, j in pairs}
    return triples


@kernel
def make_reversible_undirected(
    graph: Adjacency, order: Indices, start: Indices, child: Indices
) -> None:
    """Chickering's Order-Edges and Label-Edges, in place on a DAG.

    Among the edges into y the last parent's comes first, and labelling it labels all of
    them, so one look at that parent settles y. An edge of the DAG can be read off the
    growing CPDAG, since every question below is asked in topological order.
    """
    d = len(order)
    first, filled = np.empty(d + 1, np.int64), np.empty(d, np.int64)
    parent, compelled_into = np.empty(len(child), np.int64), np.empty(d, np.int64)
    for node in range(d + 1):
        first[node] = 0
    for node in child:
        first[node + 1] += 1
    for node in range(d):
        filled[node] = first[node]
        first[node + 1] += first[node]
        compelled_into[node] = -1
    for node in order:  # so each node's parents are listed in topological order
        for position in range(start[node], start[node + 1]):
            parent[filled[child[position]]] = node
            filled[child[position]] += 1
    for y in order:
        parents = parent[first[y] : first[y + 1]]
        if len(parents) == 0:
            continue
        x = parents[-1]
        grandparents = parent[first[x] : first[x + 1]]
        if _some_reversible(graph, y, parents, grandparents, compelled_into):
            for w in parents:
                graph[y, w] = compelled_into[w] != y


@kernel
def _some_reversible(
    graph: Adjacency, y: int, parents: Indices, grandparents: Indices, compelled_into: Indices
) -> bool:
    """Mark the compelled edges into y, or return False where all are compelled."""
    x = parents[-1]
    for w in grandparents:
        if not graph[x, w]:  # w→x is compelled
            if not graph[w, y]:
                return False
            compelled_into[w] = y
    for z in parents:  # noqa: SIM110, numba knows no generator expressions
        if z != x and not graph[z, x]:
            return False
    return True


def to_cpdag(dag: Adjacency) -> Adjacency:
    """Return the CPDAG of the Markov equivalence class of `dag`.

    An edge that all members of the class direct alike is directed, i→j; any
    other is undirected, ``cpdag[i, j] and cpdag[j, i]``.

    Parameters
    ----------
    dag : Adjacency, shape (d, d)

    References
    ----------
    Chickering (1995), A transformational characterization of equivalent Bayesian
    network structures, UAI, algorithms Order-Edges and Label-Edges. Departs from the
    paper: the edges into a node are labelled together, which takes time linear in the
    number of edges.

    Examples
    --------
    0→1→2 has no collider, so the class holds 0←1→2 too.

    >>> from causalassay.graphs import chain
    >>> to_cpdag(chain(3)).astype(int)
    array([[0, 1, 0],
           [1, 0, 1],
           [0, 1, 0]])
    """
    dag = as_graph(dag, "dag")
    order = topological_order(dag, "dag")
    cpdag = np.array(dag, order="C")
    make_reversible_undirected(cpdag, order, *neighbour_lists(dag))
    return cpdag
