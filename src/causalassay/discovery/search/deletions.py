"""All Deletes of an essential graph, with what they gain."""

from __future__ import annotations

import numpy as np

from causalassay.arrays import Adjacency, Vector
from causalassay.discovery.search.family_scores import FamilyScore, gain_of_parent
from causalassay.discovery.search.gaussian.class_operators import next_clique, nodes_of
from causalassay.graphs.orders import Indices
from causalassay.kernels import kernel


@kernel
def deletes(score: FamilyScore, graph: Adjacency) -> tuple[Vector, Indices, Adjacency]:
    """Return the gains of all valid Deletes, their x and y, and the masks of their cliques.

    An undirected edge is deleted from both ends: that leads to the same classes, but bars
    another arrow.
    """
    d = len(graph)
    gains, pairs = np.empty(d), np.empty((d, 2), np.int64)
    cliques, n = np.empty((d, d), np.bool_), 0
    for y in range(d):
        for x in range(d):
            if not graph[x, y]:
                continue
            mask = graph[:, y] & ~graph[y]
            mask[x] = False
            parents = nodes_of(mask)
            near = nodes_of(graph[y] & graph[:, y] & (graph[x] | graph[:, x]))
            chosen, n_chosen = np.empty(len(near), np.int64), 0
            while True:
                if n == len(gains):
                    gains = np.concatenate((gains, np.empty_like(gains)))
                    pairs = np.concatenate((pairs, np.empty_like(pairs)))
                    cliques = np.concatenate((cliques, np.empty_like(cliques)))
                family = np.concatenate((parents, near[chosen[:n_chosen]]))
                gains[n] = -gain_of_parent(score, y, family, x)
                pairs[n, 0], pairs[n, 1] = x, y
                for z in range(d):
                    cliques[n, z] = False
                for z in near[chosen[:n_chosen]]:
                    cliques[n, z] = True
                n += 1
                n_chosen = next_clique(graph, near, chosen, n_chosen, len(near))
                if n_chosen == 0:
                    break
    return gains[:n], pairs[:n], cliques[:n]


@kernel
def delete_gain(score: FamilyScore, graph: Adjacency, x: int, y: int, clique: Adjacency) -> float:
    """Return the gain of a Delete; nan if it is none of this graph."""
    near = graph[y] & graph[:, y] & (graph[x] | graph[:, x])
    members = nodes_of(clique)
    if not graph[x, y] or np.any(clique & ~near):
        return np.nan
    for a in members:
        for b in members:
            if a != b and not graph[a, b]:
                return np.nan
    family = clique | (graph[:, y] & ~graph[y])
    family[x] = False
    return -gain_of_parent(score, y, nodes_of(family), x)
