"""The best valid Insert, Delete and Turn of an essential graph by any local score.

`gaussian.class_operators` does the same for the Gaussian BIC and shares regressions between
operators; here a score is a function that caches its values.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from causalassay.common.arrays import Adjacency, Vector, Weights
from causalassay.discovery.search.any_score.dag_climbing import LocalScore
from causalassay.discovery.search.gaussian.class_operators import Operator, is_valid

Nodes = frozenset[int]


@dataclass(frozen=True, eq=False)
class ScoreOperators:
    """Operators on classes whose score is a sum of local scores, the same for all members.

    Parameters
    ----------
    score : callable
        Of a node and its parents.
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
                joined = [one for one in rest[index + 1 :] if graph[node, one] or graph[one, node]]
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
