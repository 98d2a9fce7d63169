"""The loss of every DAG of three nodes on data of every DAG (Reisach 2021, figure 5)."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causalassay.common.arrays import Adjacency
from causalassay.common.seeding import stream
from causalassay.graphs import is_dag
from causalassay.lab.reproducing.estimates import Estimate, mean
from causalassay.models import SCM

Losses = NDArray[Any]

_TIE = 1e-9
_ROUNDS = 200


@lru_cache(maxsize=1)
def three_node_dags() -> tuple[Adjacency, ...]:
    """Return all DAGs of three nodes.

    Examples
    --------
    >>> len(three_node_dags())
    25
    """
    found = []
    for states in product(range(3), repeat=3):
        graph = np.zeros((3, 3), dtype=bool)
        for (i, j), state in zip(((0, 1), (0, 2), (1, 2)), states, strict=True):
            graph[i, j], graph[j, i] = state == 1, state == 2
        if is_dag(graph):
            found.append(graph)
    return tuple(found)


def dag_count() -> Estimate:
    """Return the number of DAGs of three nodes."""
    return Estimate(float(len(three_node_dags())))


def truth_is_optimal(*, lambda1: float, noise_sd: list[float], draws: int) -> Estimate:
    """Return how much more often the truth has the least loss on standardised than on raw data.

    For each true DAG `draws` models are drawn. The loss of a candidate is GOLEM-NV's at its
    best weights, the exact covariance being known. A tie goes to the truth.
    """
    low, high = noise_sd
    raw, standardised = (
        is_optimal(lambda1, (low, high), draws, standardised=one).ravel() for one in (False, True)
    )
    return mean(standardised.astype(float) - raw)


def is_optimal(
    lambda1: float, noise_sd: tuple[float, float], draws: int, *, standardised: bool
) -> NDArray[np.bool_]:
    """Return whether the true DAG has the least loss, by true DAG and draw."""
    losses = dag_losses(lambda1, noise_sd, draws, standardised=standardised)
    own = losses[np.arange(25), :, np.arange(25)]
    return own <= losses.min(axis=2) + _TIE


@lru_cache(maxsize=4)
def dag_losses(
    lambda1: float, noise_sd: tuple[float, float], draws: int, *, standardised: bool
) -> Losses:
    """Return the loss by true DAG, draw and candidate, shape (25, draws, 25)."""
    low, high = noise_sd
    source = SCM(noise_sd=low if low == high else (low, high))
    covariances = np.array(
        [
            [source.draw(dag, stream(1, "three", k, n)).covariance() for n in range(draws)]
            for k, dag in enumerate(three_node_dags())
        ]
    )
    if standardised:
        sd = np.sqrt(np.diagonal(covariances, axis1=2, axis2=3))
        covariances = covariances / sd[..., :, None] / sd[..., None, :]
    local = {
        (node, parents): _local_loss(covariances, node, parents, lambda1)
        for node in range(3)
        for parents in _parent_sets(node)
    }
    candidates = [
        sum(local[node, tuple(np.flatnonzero(dag[:, node]).tolist())] for node in range(3))
        for dag in three_node_dags()
    ]
    return np.stack(candidates, axis=-1)


def _parent_sets(node: int) -> list[tuple[int, ...]]:
    first, second = (k for k in range(3) if k != node)
    return [(), (first,), (second,), (first, second)]


def _local_loss(covariances: Losses, node: int, parents: tuple[int, ...], lambda1: float) -> Losses:
    """Return ½ log of the residual variance plus the penalty, at the best weights found.

    Coordinate descent from zero and from least squares: each coordinate is solved exactly.
    """
    within = covariances[..., parents, :][..., :, parents]
    towards = covariances[..., parents, node]
    variance = covariances[..., node, node]

    def loss(weights: Losses) -> Losses:
        residual = variance - 2 * (weights * towards).sum(-1)
        residual = residual + np.einsum("...i,...ij,...j", weights, within, weights)
        return 0.5 * np.log(residual) + lambda1 * np.abs(weights).sum(-1)

    if not parents:
        return 0.5 * np.log(variance)
    least_squares = np.linalg.solve(within, towards[..., None])[..., 0]
    if not lambda1:
        return loss(least_squares)
    ends = []
    for start in (np.zeros_like(towards), least_squares):
        weights = start.copy()
        for _ in range(_ROUNDS if len(parents) > 1 else 1):
            for k in range(len(parents)):
                weights[..., k] = _best_weight(weights, k, (within, towards, variance), lambda1)
        ends.append(loss(weights))
    return np.minimum(*ends)


def _best_weight(weights: Losses, k: int, moments: tuple[Any, Any, Any], lambda1: float) -> Losses:
    """Return the weight of one parent that minimises the loss, the others being held."""
    within, towards, variance = moments
    others = weights.copy()
    others[..., k] = 0.0
    held = variance - 2 * (others * towards).sum(-1)
    held = held + np.einsum("...i,...ij,...j", others, within, others)
    cross = towards[..., k] - (within[..., k, :] * others).sum(-1)
    own = within[..., k, k]
    # Zero slope: own w - cross + λ s (held - 2 w cross + own w²) = 0 with s the sign of cross.
    sign = np.sign(cross)
    a, b, c = lambda1 * sign * own, own - 2 * lambda1 * sign * cross, lambda1 * sign * held - cross
    root = np.sqrt(np.maximum(b**2 - 4 * a * c, 0.0))
    # Where cross is 0 so is the best weight; the divisor is then of no use.
    divisor = np.where(sign == 0, 1.0, 2 * a)
    slopes = np.stack([(-b + root) / divisor, (-b - root) / divisor])
    legal = (slopes * sign > 0) & (b**2 - 4 * a * c >= 0)
    tried = np.concatenate([np.zeros_like(cross)[None], np.where(legal, slopes, 0.0)])
    residual = held - 2 * tried * cross + tried**2 * own
    losses = 0.5 * np.log(residual) + lambda1 * np.abs(tried)
    return np.take_along_axis(tried, losses.argmin(0)[None], axis=0)[0]
