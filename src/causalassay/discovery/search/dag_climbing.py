"""Hill climbing over DAGs by the Gaussian BIC, with a tabu list of structures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from causalassay.common.arrays import Adjacency, Weights
from causalassay.common.kernels import kernel
from causalassay.discovery.statistics import GaussianStatistics, unexplained_share
from causalassay.graphs.orders import Indices, neighbour_lists

TIE = 1e-9
"""Changes whose gains differ by at most this much a row tie: that is rounding error."""

Keys = NDArray[np.uint64]
"""A random number for each arc; those of a structure's arcs, xored, distinguish it from others."""

Change = tuple[int, int, bool]
"""The arc i→j to add or delete, and whether j→i changes with it, which makes a reversal."""


@kernel
def _local_score(
    correlation: Weights, rows_and_penalty: tuple[float, float], node: int, parents: Indices
) -> float:
    """Return -n/2 log(unexplained share) - penalty |parents|; inf if nothing is left."""
    n_samples, penalty = rows_and_penalty
    share = unexplained_share(correlation, node, parents)
    return np.inf if share == 0.0 else -0.5 * n_samples * np.log(share) - penalty * len(parents)


@kernel
def _rescore(
    correlation: Weights,
    rows_and_penalty: tuple[float, float],
    graph: Adjacency,
    node: int,
    near: Indices,
    gains: Weights,
) -> Indices:
    """Set ``gains[other, node]`` to what it is worth to add or delete other→node.

    Returns a node and parents whose regression leaves nothing, or none.
    """
    parents = near[graph[near, node]]
    score = _local_score(correlation, rows_and_penalty, node, parents)
    for other in near:
        changed = parents[parents != other]
        if len(changed) == len(parents):
            changed = np.append(parents, other)
        gains[other, node] = _local_score(correlation, rows_and_penalty, node, changed) - score
        if gains[other, node] == np.inf:
            return np.append(changed, node)
    return near[:0]


@kernel
def _detour(graph: Adjacency, lists: tuple[Indices, Indices], source: int, goal: int) -> bool:
    """Whether a path of two or more arcs leads from `source` to `goal`."""
    start, neighbour = lists
    seen = np.zeros(len(graph), np.bool_)
    stack = np.empty(len(graph), np.int64)
    stack[0] = source
    height = 1
    while height > 0:
        height -= 1
        node = stack[height]
        for child in neighbour[start[node] : start[node + 1]]:
            if not graph[node, child] or seen[child] or (node == source and child == goal):
                continue
            if child == goal:
                return True
            seen[child] = True
            stack[height] = child
            height += 1
    return False


@kernel
def best_change(
    graph: Adjacency,
    lists: tuple[Indices, Indices],
    gains: Weights,
    tie: float,
    keys: Keys,
    tabu: Keys,
) -> tuple[float, Change]:
    """Return the legal change of most gain, of those that tie the first, and its gain.

    Last in `tabu` is the key of the graph itself.
    """
    start, neighbour = lists
    best, change = -np.inf, (-1, -1, False)
    for i in range(len(graph)):
        for j in neighbour[start[i] : start[i + 1]]:
            if graph[j, i]:
                continue
            for kind in range(2 if graph[i, j] else 1):
                reverse = kind == 1
                gain = gains[i, j] + (gains[j, i] if reverse else 0.0)
                key = tabu[-1] ^ keys[i, j] ^ (keys[j, i] if reverse else np.uint64(0))
                if gain <= best + tie or (tabu == key).any():
                    continue
                if graph[i, j]:
                    cyclic = reverse and _detour(graph, lists, i, j)
                else:
                    cyclic = _detour(graph, lists, j, i)
                if not cyclic:
                    best, change = gain, (i, j, reverse)
    return best, change


@kernel
def _climb(
    correlation: Weights,
    rows_and_penalty: tuple[float, float],
    lists: tuple[Indices, Indices],
    keys: Keys,
    tabu: Keys,
    patience: int,
) -> tuple[Adjacency, float, int, Indices]:
    """Climb from the empty graph; returns the fields of `Climb`."""
    start, neighbour = lists
    d, tie = len(correlation), TIE * rows_and_penalty[0]
    graph, best_graph = np.zeros((d, d), np.bool_), np.zeros((d, d), np.bool_)
    gains = np.zeros((d, d))
    score, best_score, n_changes, n_without_gain = 0.0, 0.0, 0, 0
    dependent = neighbour[:0]
    stale = np.arange(d)
    while n_without_gain < patience:
        for node in stale:
            near = neighbour[start[node] : start[node + 1]]
            dependent = _rescore(correlation, rows_and_penalty, graph, int(node), near, gains)
            if len(dependent):
                return best_graph, best_score, n_changes, dependent
        gain, (i, j, reverse) = best_change(graph, lists, gains, tie, keys, tabu)
        if i < 0:
            break
        key = tabu[-1] ^ keys[i, j] ^ (keys[j, i] if reverse else np.uint64(0))
        for k in range(len(tabu) - 1):
            tabu[k] = tabu[k + 1]
        tabu[-1] = key
        graph[i, j] = not graph[i, j]
        graph[j, i] = reverse
        stale = np.array([i, j]) if reverse else np.array([j])
        score += gain
        n_changes += 1
        n_without_gain += 1
        if score > best_score + tie:
            best_graph = graph.copy()
            best_score, n_without_gain = score, 0
    return best_graph, best_score, n_changes, dependent


@dataclass(frozen=True, eq=False)
class Climb:
    """The result of a climb.

    Parameters
    ----------
    graph : Adjacency
        The best DAG met.
    score : float
        Its BIC less that of the empty graph; larger is better.
    n_changes : int
        How many edges were added, deleted or reversed, before and after the best DAG was met.
    dependent : ndarray of int
        Nodes that are linearly dependent, where the climb met such and ended; else none.
    """

    graph: Adjacency
    score: float
    n_changes: int
    dependent: Indices


def climb(
    statistics: GaussianStatistics,
    candidates: Adjacency,
    rng: Generator,
    penalty_discount: float = 1.0,
    tabu: int = 100,
    patience: int = 15,
) -> Climb:
    """Return the best DAG that a tabu search from the empty graph meets.

    At each step the edge is added, deleted or reversed that raises the BIC most, or
    lowers it least, of the changes that do not lead back to a structure on the tabu list.

    Parameters
    ----------
    statistics : GaussianStatistics
    candidates : Adjacency, shape (d, d)
        Symmetric: the pairs that an edge may join.
    rng : Generator
        Sorts the nodes. Where changes tie, as i→j and j→i often do for a score that is the
        same for equivalent DAGs, the first node's is made.
    penalty_discount : float
        The score is -n/2 log(share of variance unexplained) - penalty_discount log(n)/2
        for each parent, summed over the nodes.
    tabu : int
        How many of the last structures, the present one included, are on the list.
    patience : int
        The search ends after this many changes in succession without a new best score;
        1 is plain hill climbing.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> correlation = np.array([[1.0, 0.0, 0.6], [0.0, 1.0, 0.6], [0.6, 0.6, 1.0]])
    >>> statistics = GaussianStatistics(correlation, np.ones(3), 100)
    >>> climb(statistics, ~np.eye(3, dtype=bool), rng).graph.astype(int)
    array([[0, 0, 1],
           [0, 0, 1],
           [0, 0, 0]])
    """
    d = len(candidates)
    order = rng.permutation(d)
    rows_and_penalty = (
        float(statistics.n_samples),
        0.5 * penalty_discount * float(np.log(statistics.n_samples)),
    )
    shuffled, score, n_changes, dependent = _climb(
        np.ascontiguousarray(statistics.correlation[np.ix_(order, order)]),
        rows_and_penalty,
        neighbour_lists(candidates[np.ix_(order, order)]),
        rng.integers(2**64, size=(d, d), dtype=np.uint64),
        np.zeros(tabu, dtype=np.uint64),
        patience,
    )
    graph = np.zeros((d, d), dtype=bool)
    graph[np.ix_(order, order)] = shuffled
    return Climb(graph, float(score), int(n_changes), order[dependent])
