"""Parents chosen by a score among the nodes that come before in an order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from causalassay.arrays import Adjacency
from causalassay.discovery.search.any_score.dag_climbing import LocalScore


def parents_along(order: Sequence[int], score: LocalScore, least_gain: float = 1e-6) -> Adjacency:
    """Return the DAG in which each node has the predecessors that a greedy search adds.

    What regressing along an order is to numbers. To each node the predecessor is added
    that raises its score most, until none does.

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
    for place, node in enumerate(order):
        parents: frozenset[int] = frozenset()
        rivals = set(order[:place])
        while rivals:
            scores = {rival: score(node, parents | {rival}) for rival in sorted(rivals)}
            best = max(scores, key=scores.__getitem__)
            if scores[best] <= score(node, parents) + least_gain:
                break
            parents |= {best}
            rivals.discard(best)
        graph[list(parents), node] = True
    return graph
