"""What an operator makes of an essential graph, and all Deletes with what they gain."""

from __future__ import annotations

import numpy as np

from causalassay.common.arrays import Adjacency, Vector
from causalassay.common.kernels import kernel
from causalassay.discovery.search.gaussian_operators import (
    family_of,
    near_both,
    next_clique,
    nodes_into,
    nodes_of,
)
from causalassay.discovery.search.scores import FamilyScore, gain_of_parent
from causalassay.graphs.cpdag import close_by_rules, make_reversible_undirected
from causalassay.graphs.orders import Indices, kahn
from causalassay.graphs.validity import sinks_first

INSERT, DELETE, TURN = 0, 1, 2


@kernel
def listed_rows(graph: Adjacency) -> tuple[Indices, Indices]:
    """Return ``(start, node)`` as `orders.neighbour_lists` does."""
    d = len(graph)
    start = np.empty(d + 1, np.int64)
    start[0] = 0
    for i in range(d):
        n_here = 0
        for j in range(d):
            n_here += graph[i, j]
        start[i + 1] = start[i] + n_here
    node, filled = np.empty(start[d], np.int64), 0
    for i in range(d):
        if start[i + 1] > start[i]:
            for j in range(d):
                if graph[i, j]:
                    node[filled] = j
                    filled += 1
    return start, node


@kernel
def copied(graph: Adjacency) -> Adjacency:
    """Return a copy."""
    copy = np.empty(graph.shape, np.bool_)
    for i in range(len(graph)):
        for j in range(len(graph)):
            copy[i, j] = graph[i, j]
    return copy


@kernel
def skeleton_of(graph: Adjacency) -> Adjacency:
    """Return the pairs of adjacent nodes."""
    skeleton = np.empty(graph.shape, np.bool_)
    for i in range(len(graph)):
        for j in range(len(graph)):
            skeleton[i, j] = graph[i, j] or graph[j, i]
    return skeleton


@kernel
def _settle(pdag: Adjacency, node: int, clique: Adjacency, x: int, from_x: bool) -> None:
    """Direct the undirected edges of `node`, in place: from the clique to it, from it to others.

    `from_x` says which way the edge to x is directed.
    """
    for other in range(len(pdag)):
        if pdag[node, other] and pdag[other, node]:
            to_node = from_x if other == x else clique[other]
            pdag[node, other], pdag[other, node] = not to_node, to_node


@kernel
def _extension(pdag: Adjacency, start: Indices, neighbour: Indices) -> Adjacency:
    """Return a DAG as `consistent_extension.extend` does."""
    sinks = sinks_first(pdag, start, neighbour)
    rank = np.empty(len(pdag), np.int64)
    for k in range(len(sinks)):
        rank[sinks[k]] = k
    dag = np.empty(pdag.shape, np.bool_)
    for i in range(len(pdag)):
        for j in range(len(pdag)):
            dag[i, j] = False
        for j in neighbour[start[i] : start[i + 1]]:
            dag[i, j] = rank[i] > rank[j]
    return dag


@kernel
def essential(dag: Adjacency, separated: Adjacency) -> tuple[Adjacency, int]:
    """Return the graph of `interventional_cpdag`, and the size of its largest clique of lines."""
    start, child = listed_rows(dag)
    graph = copied(dag)
    make_reversible_undirected(graph, kahn(start, child), start, child)
    n_against, largest, sizes = 0, 1, np.empty(len(dag), np.int64)
    for i in range(len(dag)):
        sizes[i] = 1
    for i in range(len(dag)):
        for j in child[start[i] : start[i + 1]]:
            if graph[j, i] and separated[i, j]:
                graph[j, i] = False
                n_against += 1
            # A clique is a last node and its parents by undirected edges.
            sizes[j] += graph[j, i]
            largest = max(largest, sizes[j])
    if n_against > 0:
        _close(graph)
    return graph, largest


@kernel
def _close(graph: Adjacency) -> None:
    """Apply Meek's rules in place."""
    d = len(graph)
    lines, filled = np.empty((d * (d - 1) // 2, 2), np.int64), 0
    for i in range(d):
        for j in range(i):
            if graph[i, j] and graph[j, i]:
                lines[filled, 0], lines[filled, 1] = j, i
                filled += 1
    start, neighbour = listed_rows(skeleton_of(graph))
    close_by_rules(graph, start, neighbour, lines[:filled])


@kernel
def changed_class(
    graph: Adjacency, kind: int, x: int, y: int, clique: Adjacency, separated: Adjacency
) -> tuple[Adjacency, int]:
    """Return the class of a member that the operator stands for, with its edge changed.

    The second result is the size of the largest undirected clique.
    """
    pdag = copied(graph)
    _settle(pdag, y, clique, x, kind == DELETE)
    if kind == TURN:
        _settle(pdag, x, clique, x, False)
    start, neighbour = listed_rows(skeleton_of(graph))
    dag = _extension(pdag, start, neighbour)
    dag[x, y] = kind != DELETE
    dag[y, x] = False
    return essential(dag, separated)


# All Deletes of an essential graph, with what they gain.


@kernel
def _n_deletes(graph: Adjacency) -> int:
    n = 0
    for y in range(len(graph)):
        for x in range(len(graph)):
            if graph[x, y]:
                near = near_both(graph, x, y)
                chosen, n_chosen = np.empty(len(near), np.int64), 0
                while True:
                    n += 1
                    n_chosen = next_clique(graph, near, chosen, n_chosen, len(near))
                    if n_chosen == 0:
                        break
    return n


@kernel
def deletes(score: FamilyScore, graph: Adjacency) -> tuple[Vector, Indices, Adjacency]:
    """Return the gains of all valid Deletes, their x and y, and the masks of their cliques.

    An undirected edge is deleted from both ends: that leads to the same classes, but bars
    another arrow.
    """
    d, n = len(graph), _n_deletes(graph)
    gains, pairs, cliques = np.empty(n), np.empty((n, 2), np.int64), np.empty((n, d), np.bool_)
    n = 0
    for y in range(d):
        for x in range(d):
            if not graph[x, y]:
                continue
            parents, near = nodes_into(graph, y, False, x), near_both(graph, x, y)
            chosen, n_chosen = np.empty(len(near), np.int64), 0
            while True:
                family = family_of(parents, near, chosen, n_chosen)
                gains[n] = -gain_of_parent(score, y, family, x)
                pairs[n, 0], pairs[n, 1] = x, y
                for z in range(d):
                    cliques[n, z] = False
                for k in range(n_chosen):
                    cliques[n, near[chosen[k]]] = True
                n += 1
                n_chosen = next_clique(graph, near, chosen, n_chosen, len(near))
                if n_chosen == 0:
                    break
    return gains, pairs, cliques


@kernel
def delete_gain(score: FamilyScore, graph: Adjacency, x: int, y: int, clique: Adjacency) -> float:
    """Return the gain of a Delete; nan if it is none of this graph."""
    family = np.empty(len(graph), np.bool_)
    for z in range(len(graph)):
        family[z] = z != x and (clique[z] or (graph[z, y] and not graph[y, z]))
        near = graph[y, z] and graph[z, y] and (graph[x, z] or graph[z, x])
        if clique[z] and not near:
            return np.nan
        for other in range(len(graph)):
            if clique[z] and clique[other] and z != other and not graph[z, other]:
                return np.nan
    if not graph[x, y]:
        return np.nan
    return -gain_of_parent(score, y, nodes_of(family), x)
