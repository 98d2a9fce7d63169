"""Parents chosen by a score among the nodes that come before in an order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from causalassay.common.arrays import Adjacency
from causalassay.discovery.search.any_score.dag_climbing import LocalScore


def parents_along(order: Sequence[int], score: LocalScore, least_gain: float = 1e-6) -> Adjacency:
    """Return the DAG in which each node has the predecessors that a greedy search adds.

    The discrete counterpart of regressing along an order. To each node the predecessor is
    added that raises its score most, until none does.

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
