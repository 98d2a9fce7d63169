"""Searches by any local score: hill climbing over DAGs, and the operators on classes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from causalassay.common.arrays import Adjacency, Vector, Weights
from causalassay.discovery.search.dag_climbing import Climb, best_change
from causalassay.discovery.search.gaussian_operators import Operator, is_valid
from causalassay.graphs.orders import Indices, neighbour_lists

LocalScore = Callable[[int, frozenset[int]], float]
"""The score of a node with its parents; larger is better."""


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


# The best valid Insert, Delete and Turn of an essential graph by any local score.

Nodes = frozenset[int]


@dataclass(frozen=True, eq=False)
class ScoreOperators:
    """Operators on classes whose score is a sum of local scores, the same for all members.

    Parameters
    ----------
    score : callable
        A function of a node and its parents.
    n_samples : int
        Rows behind the score.
    """

    score: LocalScore
    n_samples: int

    def n_rows(self, node: int) -> int:  # noqa: ARG002
        """Return how many rows a node's score uses."""
        return self.n_samples

    def best(
        self,
        phase: str,
        graph: Adjacency,
        kept: tuple[Weights, Adjacency, Adjacency],
        limits: tuple[int, float],
    ) -> Operator:
        """Return the best valid operator of a phase; see `gaussian.class_operators`."""
        most, least = limits
        if phase == "backward":
            return self.best_delete(graph, least)
        if phase == "turning":
            return self.best_turn(graph, most, least)
        bounds, stale, cyclic = kept
        for y in np.flatnonzero(stale).tolist():
            self.insert_bounds(graph, y, most, bounds[y])
        return self.best_insert(graph, np.where(cyclic, -np.inf, bounds), most, least)

    def insert_bounds(self, graph: Adjacency, y: int, most: int, bounds: Vector) -> None:
        """Fill in for each x the largest gain of an Insert of x→y whose C is a clique."""
        near, parents = _near(graph, y), _parents(graph, y)
        bounds[:] = -np.inf
        if len(parents) >= most:
            return
        apart = ~(graph[y] | graph[:, y])
        apart[y] = False
        common = {x: near & _adjacent(graph, x) for x in np.flatnonzero(apart).tolist()}
        for clique in _cliques(graph, near, most - len(parents) - 1):
            for x, needed in common.items():
                if needed <= clique:
                    bounds[x] = max(bounds[x], self._gain(y, parents | clique, x))

    def best_insert(self, graph: Adjacency, bounds: Weights, most: int, least: float) -> Operator:
        """Return the best valid Insert above `least`, the best bounds first."""
        best: Operator = (least, -1, -1, np.zeros(len(graph), dtype=bool))
        for index in np.argsort(-bounds, axis=None, kind="stable").tolist():
            y, x = divmod(index, len(graph))
            if bounds[y, x] <= best[0]:
                break
            best = self._best_with_arrow(graph, x, y, most, best)
        return best

    def best_delete(self, graph: Adjacency, least: float) -> Operator:
        """Return the best valid Delete above `least`; an undirected edge from one end only."""
        best: Operator = (least, -1, -1, np.zeros(len(graph), dtype=bool))
        for y, x in np.argwhere(graph.T).tolist():
            if x < y or not graph[y, x]:
                parents = _parents(graph, y) - {x}
                near = _near(graph, y) & _adjacent(graph, x)
                for clique in _cliques(graph, near, len(near)):
                    gain = -self._gain(y, parents | clique, x)
                    if gain > best[0]:
                        best = (gain, x, y, _mask(clique, len(graph)))
        return best

    def best_turn(self, graph: Adjacency, most: int, least: float) -> Operator:
        """Return the best valid Turn above `least`: y→x or y—x becomes x→y, in another class."""
        best: Operator = (least, -1, -1, np.zeros(len(graph), dtype=bool))
        for y, x in np.argwhere(graph).tolist():
            best = self._best_with_arrow(graph, x, y, most, best)
        return best

    def _best_with_arrow(
        self, graph: Adjacency, x: int, y: int, most: int, best: Operator
    ) -> Operator:
        """Return the best of making x→y, if it beats `best`; see `gaussian.class_operators`."""
        near, parents = _near(graph, y) - {x}, _parents(graph, y)
        if len(parents) >= most:
            return best
        lost = self._gain(x, _parents(graph, x) - {y}, y) if graph[y, x] else 0.0
        for clique in _cliques(graph, near, most - len(parents) - 1):
            if graph[x, y]:
                beside = _parents(graph, x) | (clique & _targets(graph, x))
                lost = self._gain(x, beside - {y}, y)
            gain = self._gain(y, parents | clique, x) - lost
            if gain > best[0]:
                mask = _mask(clique, len(graph))
                if is_valid(graph, x, y, mask):
                    best = (gain, x, y, mask)
        return best

    def _gain(self, node: int, parents: Nodes, new: int) -> float:
        return self.score(node, parents | {new}) - self.score(node, parents)


def _cliques(graph: Adjacency, nodes: Nodes, most: int) -> Iterator[Nodes]:
    """Yield the cliques among the nodes of at most so many members, the empty one first."""
    stack: list[tuple[Nodes, list[int]]] = [(frozenset(), sorted(nodes))]
    while stack:
        clique, rest = stack.pop()
        yield clique
        if len(clique) < most:
            for index in range(len(rest) - 1, -1, -1):
                node = rest[index]
                joined = [
                    near for near in rest[index + 1 :] if graph[node, near] or graph[near, node]
                ]
                stack.append((clique | {node}, joined))


def _near(graph: Adjacency, node: int) -> Nodes:
    return frozenset(np.flatnonzero(graph[node] & graph[:, node]).tolist())


def _parents(graph: Adjacency, node: int) -> Nodes:
    return frozenset(np.flatnonzero(graph[:, node] & ~graph[node]).tolist())


def _adjacent(graph: Adjacency, node: int) -> Nodes:
    return frozenset(np.flatnonzero(graph[:, node] | graph[node]).tolist())


def _targets(graph: Adjacency, node: int) -> Nodes:
    return frozenset(np.flatnonzero(graph[node]).tolist())


def _mask(nodes: Nodes, n_nodes: int) -> Adjacency:
    mask = np.zeros(n_nodes, dtype=bool)
    mask[list(nodes)] = True
    return mask


# Parents chosen by a score among the nodes that come before in an order.


LEAST_GAIN = 1e-6
"""What a further parent must gain: less is rounding."""


def parents_along(
    order: Sequence[int], score: LocalScore, least_gain: float = LEAST_GAIN
) -> Adjacency:
    """Return the DAG in which each node has the predecessors that a greedy search adds.

    The discrete counterpart of regressing along an order. To each node the predecessor is
    added that raises its score most, until none does. Audits use
    `judging.regression_along.LevelGraphs`, which gives the same graphs sooner.

    References
    ----------
    Cooper, Herskovits (1992), A Bayesian method for the induction of probabilistic networks
    from data, Machine Learning 9: the search K2.

    Examples
    --------
    >>> def score(node, parents):
    ...     return 1.0 if node == 1 and 0 in parents else -0.1 * len(parents)
    >>> parents_along([0, 1, 2], score).astype(int)
    array([[0, 1, 0],
           [0, 0, 0],
           [0, 0, 0]])
    """
    graph = np.zeros((len(order), len(order)), dtype=bool)
    for position, node in enumerate(order):
        parents: frozenset[int] = frozenset()
        candidates = set(order[:position])
        while candidates:
            scores = {
                candidate: score(node, parents | {candidate}) for candidate in sorted(candidates)
            }
            best = max(scores, key=scores.__getitem__)
            if scores[best] <= score(node, parents) + least_gain:
                break
            parents |= {best}
            candidates.discard(best)
        graph[list(parents), node] = True
    return graph
