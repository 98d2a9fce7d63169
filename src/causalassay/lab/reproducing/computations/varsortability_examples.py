"""The printed examples of Reisach 2021: sections 1, 3 and 4, appendices A to C."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from causalassay.common.arrays import Vector, Weights
from causalassay.common.seeding import stream
from causalassay.diagnostics import alignment, pairwise_varsortability_bound, var_sortability
from causalassay.graphs import erdos_renyi
from causalassay.lab.reproducing.estimates import Cases, Estimate, Ours
from causalassay.models import SCM, LinearSCM

Edges = Sequence[Sequence[float]]
"""Cause, effect and weight of each edge."""

_TIE = 1e-9


def _weights(n_nodes: int, edges: Edges) -> Weights:
    weights = np.zeros((n_nodes, n_nodes))
    for cause, effect, weight in edges:
        weights[int(cause), int(effect)] = weight
    return weights


def _model(edges: Edges, noise_variances: Sequence[float]) -> LinearSCM:
    return LinearSCM(_weights(len(noise_variances), edges), list(noise_variances))


def stated_alignment(*, edges: Edges, variances: Sequence[float]) -> Estimate:
    """Return the var-sortability of stated variances.

    Examples
    --------
    >>> stated_alignment(edges=[[0, 1, 1], [1, 2, 1], [0, 2, 1]], variances=[2, 1, 3]).value
    0.75
    """
    graph = _weights(len(variances), edges) != 0
    return Estimate(alignment(graph, np.asarray(variances, dtype=float)))


def model_variance(*, edges: Edges, noise_variances: Sequence[float], node: int) -> Estimate:
    """Return the exact variance of a node."""
    return Estimate(float(_model(edges, noise_variances).covariance()[node, node]))


def model_alignment(*, edges: Edges, noise_variances: Sequence[float]) -> Estimate:
    """Return the var-sortability of a model's exact variances."""
    model = _model(edges, noise_variances)
    return Estimate(alignment(model.graph, np.diag(model.covariance())))


def pairwise_bound(*, root: bool) -> Estimate:
    """Return the lower bound of the probability that a pair is var-sortable."""
    return Estimate(pairwise_varsortability_bound(root=root))


def standardised_sortability(*, draws: int) -> Cases:
    """Count standardised data sets whose var-sortability is not one half."""
    wrong = 0
    for k in range(draws):
        rng = stream(1, "standardised", k)
        graph = erdos_renyi(10, 2, rng)
        values = SCM().draw(graph, rng).sample(100, rng)
        values = (values - values.mean(axis=0)) / values.std(axis=0)
        wrong += abs(var_sortability(values, graph) - 0.5) > _TIE
    return Cases(draws, wrong)


def two_node_mse(*, draws: int, increasing_noise: bool = False) -> Cases:
    """Count models A→B where the MSE picks another direction than the paper says.

    By default the three conditions must agree: the MSE of A→B is smaller, Var(A) < Var(B),
    and (1 - w²) Var(N_A) < Var(N_B). With `increasing_noise`, where Var(N_A) <= Var(N_B),
    the MSE of A→B must be smaller.
    """
    rng = stream(1, "two nodes", int(increasing_noise))
    wrong = 0
    for _ in range(draws):
        w, v_a, v_b = rng.uniform(0.05, 3), *rng.uniform(0.1, 5, size=2)
        if increasing_noise:
            v_a, v_b = sorted((v_a, v_b))
        covariance = _model([[0, 1, w]], [v_a, v_b]).covariance()
        forward = _mse(covariance, 0, 1) < _mse(covariance, 1, 0)
        if increasing_noise:
            wrong += not forward
        elif abs((1 - w**2) * v_a - v_b) > _TIE:
            conditions = {forward, covariance[0, 0] < covariance[1, 1], (1 - w**2) * v_a < v_b}
            wrong += len(conditions) > 1
    return Cases(draws, wrong)


def _mse(covariance: Weights, cause: int, effect: int) -> float:
    explained = covariance[cause, effect] ** 2 / covariance[cause, cause]
    return float(covariance[cause, cause] + covariance[effect, effect] - explained)


def pair_bound(*, draws: int) -> Cases:
    """Count models where Var(A) < W²Var(A) + S_B² and yet Var(A) >= Var(B), C being a parent of B.

    In every second model C is left out; then the two conditions must be equal.
    """
    rng = stream(1, "pair bound")
    wrong = 0
    for k in range(draws):
        w, other = rng.uniform(0.5, 2, size=2)
        noises = rng.uniform(0.5, 2, size=3) ** 2
        edges = [[0, 1, w], [2, 1, other]] if k % 2 else [[0, 1, w]]
        covariance = _model(edges, list(noises)).covariance()
        sortable = covariance[0, 0] < covariance[1, 1]
        bound = noises[0] < w**2 * noises[0] + noises[1]
        wrong += (bound and not sortable) if k % 2 else bool(bound != sortable)
    return Cases(draws, int(wrong))


def park_condition(
    *,
    edges: Edges,
    noise_variances: Sequence[float],
    condition: Literal["A", "B"],
    expected: bool,
) -> Cases:
    """Tell whether a condition of Park (2020, theorem 4) holds as the paper says."""
    covariance = _model(edges, noise_variances).covariance()
    found = {"A": park_forward, "B": park_backward}[condition](covariance)
    return Cases(1, int(found != expected))


def park_forward(covariance: Weights) -> bool:
    """Tell whether given its predecessors each node varies less than any later one."""
    d = len(covariance)
    return all(
        _conditional_variance(covariance, j, list(range(j)))
        < _conditional_variance(covariance, k, list(range(j)))
        for j in range(d)
        for k in range(j + 1, d)
    )


def park_backward(covariance: Weights) -> bool:
    """Tell whether given all the others up to a node, it varies most."""
    d = len(covariance)
    return all(
        _conditional_variance(covariance, j, list(range(j)))
        > _conditional_variance(covariance, k, [m for m in range(j + 1) if m != k])
        for j in range(1, d)
        for k in range(j)
    )


def _conditional_variance(covariance: Weights, node: int, given: list[int]) -> float:
    if not given:
        return float(covariance[node, node])
    row: Vector = covariance[node, given]
    block = covariance[np.ix_(given, given)]
    return float(covariance[node, node] - row @ np.linalg.solve(block, row))


VARSORTABILITY_EXAMPLES: dict[str, Callable[..., Ours]] = {
    "stated-alignment": stated_alignment,
    "model-variance": model_variance,
    "model-alignment": model_alignment,
    "pairwise-bound": pairwise_bound,
    "standardised-sortability": standardised_sortability,
    "two-node-mse": two_node_mse,
    "pair-bound": pair_bound,
    "park-condition": park_condition,
}
