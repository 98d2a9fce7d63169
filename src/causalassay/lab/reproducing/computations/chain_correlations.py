"""Correlations along chains (Ormaniec et al. 2024, figures 1 and 15)."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from causalassay.common.arrays import Vector
from causalassay.common.seeding import stream
from causalassay.lab.reproducing.computations.chains import covariances_of_chains
from causalassay.lab.reproducing.estimates import Estimate, Ours, Several, mean

N_NODES = 10
WEIGHTS = (0.5, 2.0)

MEAN_STEP = (np.sqrt(5) - np.sqrt(1.25)) / 1.5
"""Mean of w/√(w² + 1) for w uniform on 0.5 to 2: an iSCM's mean |correlation| of neighbours."""


@lru_cache(maxsize=4)
def _weights(n_nodes: int, draws: int) -> NDArray[Any]:
    rng = stream(1, "chain correlations", n_nodes)
    return rng.uniform(*WEIGHTS, size=(draws, n_nodes - 1))


@lru_cache(maxsize=4)
def standardised_correlations(n_nodes: int, draws: int) -> NDArray[Any]:
    """Return the exact |correlations| of standardised chains with unit noise, (draws, d, d)."""
    covariance = covariances_of_chains(_weights(n_nodes, draws), np.ones((draws, n_nodes)))
    sd = np.sqrt(np.diagonal(covariance, axis1=1, axis2=2))
    return np.asarray(np.abs(covariance) / sd[:, :, None] / sd[:, None, :])


@lru_cache(maxsize=4)
def iscm_correlations(n_nodes: int, draws: int) -> NDArray[Any]:
    """Return the exact |correlations| of iSCM chains with unit noise, (draws, d, d)."""
    weight = _weights(n_nodes, draws)
    step = weight / np.sqrt(weight**2 + 1)
    found = np.ones((draws, n_nodes, n_nodes))
    for i in range(n_nodes):
        for j in range(i + 1, n_nodes):
            found[:, i, j] = found[:, j, i] = step[:, i:j].prod(axis=1)
    return found


def neighbour_rise(*, draws: int) -> Several:
    """Return the rise of |correlation| from each pair of neighbours to the next, standardised."""
    along = np.diagonal(standardised_correlations(N_NODES, draws), 1, 1, 2)
    return Several(tuple(mean(rise) for rise in np.diff(along, axis=1).T))


def deep_correlation(*, n_nodes: int, draws: int) -> Estimate:
    """Return the mean |correlation| of the last two nodes of a standardised chain."""
    return mean(standardised_correlations(n_nodes, draws)[:, -2, -1])


def spaced_rise(
    *, spacings: list[int], compared: Literal["rises", "neighbours"], draws: int
) -> Several:
    """Return the rise of |correlation| along the chain at each spacing, standardised.

    A rise is that from the first pair of this spacing to the last. With
    ``compared="neighbours"``, by how much the rise of neighbours exceeds it.
    """
    correlation = standardised_correlations(N_NODES, draws)

    def rise(spacing: int) -> Vector:
        along = np.diagonal(correlation, spacing, 1, 2)
        return np.asarray(along[:, -1] - along[:, 0])

    if compared == "rises":
        return Several(tuple(mean(rise(one)) for one in spacings))
    return Several(tuple(mean(rise(1) - rise(one)) for one in spacings))


def iscm_level(*, draws: int) -> Several:
    """Return how far each pair's mean |correlation| in an iSCM is from its spacing's law."""
    correlation = iscm_correlations(N_NODES, draws)
    return Several(
        tuple(
            mean(correlation[:, i, j] - MEAN_STEP ** (j - i))
            for i in range(N_NODES)
            for j in range(i + 1, N_NODES)
        )
    )


CHAIN_CORRELATIONS: dict[str, Callable[..., Ours]] = {
    "neighbour-rise": neighbour_rise,
    "deep-correlation": deep_correlation,
    "spaced-rise": spaced_rise,
    "iscm-level": iscm_level,
}
