"""All Deletes of an essential graph, with what they gain."""

from __future__ import annotations

import numpy as np

from causalassay.common.arrays import Adjacency, Vector
from causalassay.common.kernels import kernel
from causalassay.discovery.search.family_scores import FamilyScore, gain_of_parent
from causalassay.discovery.search.gaussian.class_operators import (
    family_of,
    near_both,
    next_clique,
    nodes_into,
    nodes_of,
)
from causalassay.graphs.orders import Indices


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
