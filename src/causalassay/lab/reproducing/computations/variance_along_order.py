"""How variance grows along the causal order (Reisach 2021, figure 2)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from causalassay.common.arrays import Adjacency, Vector
from causalassay.common.seeding import stream
from causalassay.graphs import erdos_renyi, topological_order
from causalassay.lab.reproducing.estimates import Several, mean
from causalassay.models import SCM

N_NODES, EDGES_PER_NODE, NOISE_SD = 30, 2, (0.5, 2.0)


def depths(dag: Adjacency) -> NDArray[np.int64]:
    """Return the length of the longest directed path that ends in each node.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> depths(chain(3)).tolist()
    [0, 1, 2]
    """
    found = np.zeros(len(dag), dtype=np.int64)
    for node in topological_order(dag):
        parents = dag[:, node]
        found[node] = found[parents].max() + 1 if parents.any() else 0
    return found


@lru_cache(maxsize=8)
def variances_by_depth(weights: tuple[float, float], positions: int, draws: int) -> Vector:
    """Return the mean exact variance of the nodes of each depth, (draws, positions), or nan."""
    source = SCM(weights=weights, noise_sd=NOISE_SD)
    found = np.full((draws, positions), np.nan)
    for k in range(draws):
        rng = stream(1, "variance along order", k)
        graph = erdos_renyi(N_NODES, EDGES_PER_NODE, rng)
        variance = np.diag(source.draw(graph, rng).covariance())
        depth = depths(graph)
        for position in range(positions):
            if (depth == position).any():
                found[k, position] = variance[depth == position].mean()
    return found


def variance_increase(*, weights: Sequence[Sequence[float]], positions: int, draws: int) -> Several:
    """Return the rise of variance from each depth to the next, for each range of weights."""
    rises = []
    for low, high in weights:
        rise = np.diff(variances_by_depth((low, high), positions, draws), axis=1)
        rises += [mean(one[~np.isnan(one)], int(np.isnan(one).sum())) for one in rise.T]
    return Several(tuple(rises))
