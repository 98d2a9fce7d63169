"""Hill climbing over DAGs by any local score, with a tabu list of structures."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.random import Generator

from causalassay.common.arrays import Adjacency, Weights
from causalassay.discovery.search.gaussian.dag_climbing import Climb, best_change
from causalassay.graphs.orders import Indices, neighbour_lists

LocalScore = Callable[[int, frozenset[int]], float]
"""Of a node and its parents; larger is better."""


def climb_score(
    score: LocalScore,
    candidates: Adjacency,
    rng: Generator,
    tie: float,
    tabu: int = 100,
    patience: int = 15,
) -> Climb:
    """Return the best DAG that a tabu search from the empty graph meets.

    The same as `gaussian.dag_climbing.climb`, which is for the Gaussian BIC.

    Parameters
    ----------
    score : callable
    candidates : Adjacency, shape (d, d)
        Symmetric: the pairs that an edge may join.
    rng : Generator
        Sorts the nodes, which decides ties.
    tie : float
        Changes whose gains differ by at most this much tie.
    tabu, patience : int

    Examples
    --------
    A score that likes 0 → 2 ← 1:

    >>> def score(node, parents):
    ...     return 1.0 if node == 2 and parents == {0, 1} else -0.1 * len(parents)
    >>> everything = ~np.eye(3, dtype=bool)
    >>> climb_score(score, everything, np.random.default_rng(0), 1e-9).graph.astype(int)
    array([[0, 0, 1],
           [0, 0, 1],
           [0, 0, 0]])
    """
    d = len(candidates)
    order = rng.permutation(d)
    lists = neighbour_lists(candidates[np.ix_(order, order)])
    keys = rng.integers(2**64, size=(d, d), dtype=np.uint64)
    seen = np.zeros(tabu, dtype=np.uint64)
    graph = np.zeros((d, d), dtype=bool)
    best_graph, gains = graph.copy(), np.zeros((d, d))
    total, best_total, n_changes, n_without_gain = 0.0, 0.0, 0, 0
    stale = list(range(d))
    while n_without_gain < patience:
        for node in stale:
            _rescore(score, graph, node, order, lists, gains)
        gain, (i, j, reverse) = best_change(graph, lists, gains, tie, keys, seen)
        if i < 0:
            break
        key = seen[-1] ^ keys[i, j] ^ (keys[j, i] if reverse else np.uint64(0))
        seen[:-1] = seen[1:].copy()
        seen[-1] = key
        graph[i, j] = not graph[i, j]
        graph[j, i] = reverse
        stale = [i, j] if reverse else [j]
        total += gain
        n_changes += 1
        n_without_gain += 1
        if total > best_total + tie:
            best_graph = graph.copy()
            best_total, n_without_gain = total, 0
    unshuffled = np.zeros((d, d), dtype=bool)
    unshuffled[np.ix_(order, order)] = best_graph
    return Climb(unshuffled, float(best_total), n_changes, order[:0])


def _rescore(
    score: LocalScore,
    graph: Adjacency,
    node: int,
    order: Indices,
    lists: tuple[Indices, Indices],
    gains: Weights,
) -> None:
    """Set ``gains[other, node]`` to what it is worth to add or delete other→node."""
    start, neighbour = lists
    parents = frozenset(order[np.flatnonzero(graph[:, node])].tolist())
    now = score(int(order[node]), parents)
    for other in neighbour[start[node] : start[node + 1]].tolist():
        gains[other, node] = score(int(order[node]), parents ^ {int(order[other])}) - now
