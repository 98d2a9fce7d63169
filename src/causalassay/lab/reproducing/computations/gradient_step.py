"""The first gradient step from zero weights (Reisach 2021, appendix E)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from causalassay.common.arrays import Vector, Weights
from causalassay.common.seeding import stream
from causalassay.discovery import golem_loss
from causalassay.graphs import erdos_renyi
from causalassay.lab.reproducing.estimates import Cases, Estimate, Ours
from causalassay.models import SCM

EXAMPLE: NDArray[np.float64] = np.array([[1.0, 1.0], [1.0, 2.0]])
"""Covariance of X→Y with weight and noise variances 1."""

Compared = Literal["residuals", "steps"]


def residual_variances(covariance: Weights, step: float, *, free_diagonal: bool) -> Vector:
    """Return the residual variances after one step against the gradient of the MSE.

    At zero that gradient is -2 times the covariance matrix; with a diagonal that is not free
    its diagonal is set to 0.

    Examples
    --------
    >>> residual_variances(EXAMPLE, 0.0, free_diagonal=True)
    array([1., 2.])
    """
    weights = 2 * step * covariance
    if not free_diagonal:
        weights = weights - np.diag(np.diag(weights))
    rest = np.eye(len(covariance)) - weights
    return np.diag(rest.T @ covariance @ rest).copy()


def least_steps(covariance: Weights, *, free_diagonal: bool) -> tuple[float, Vector]:
    """Return the step at which the MSE is least, and those of each residual variance.

    Each is a quadratic function of the step, so three points give it exactly.
    """
    steps = np.array([0.0, 0.5, 1.0])
    values = [residual_variances(covariance, one, free_diagonal=free_diagonal) for one in steps]
    curvature, slope, _ = np.polyfit(steps, np.array(values), 2)
    return float(-slope.sum() / (2 * curvature.sum())), -slope / (2 * curvature)


def first_step(*, free_diagonal: bool, compared: Compared) -> Estimate:
    """Return X less Y of the example: residual variances at the step that minimises the MSE.

    With ``compared="steps"``, the step that minimises the residual variance of X less the one
    that minimises the MSE.
    """
    best, each = least_steps(EXAMPLE, free_diagonal=free_diagonal)
    if compared == "steps":
        return Estimate(float(each[0]) - best)
    residual = residual_variances(EXAMPLE, best, free_diagonal=free_diagonal)
    return Estimate(float(residual[0] - residual[1]))


def _covariance(rng: Generator) -> Weights:
    return SCM(noise_sd=(0.5, 2.0)).draw(erdos_renyi(5, 1, rng), rng).covariance()


def mse_gradient(*, draws: int) -> Cases:
    """Count covariances where the gradient of the MSE at zero is not -2 times the covariance."""
    wrong = 0
    for k in range(draws):
        covariance = _covariance(stream(1, "gradient", k))
        d, h = len(covariance), 1e-3
        gradient = np.empty((d, d))
        for i, j in np.ndindex(d, d):
            shift = np.zeros((d, d))
            shift[i, j] = h
            # Central differences are exact for a quadratic function.
            ends = [np.eye(d) - sign * shift for sign in (1, -1)]
            above, below = (np.trace(one.T @ covariance @ one) for one in ends)
            gradient[i, j] = (above - below) / (2 * h)
        wrong += not np.allclose(gradient, -2 * covariance, rtol=1e-6, atol=1e-6)
    return Cases(draws, wrong)


def small_step_order(*, draws: int) -> Cases:
    """Count covariances where a small step changes the order of the variances."""
    wrong = 0
    for k in range(draws):
        covariance = _covariance(stream(1, "small steps", k))
        step = 1e-6 / np.trace(covariance)
        after = residual_variances(covariance, step, free_diagonal=True)
        wrong += bool((np.argsort(after) != np.argsort(np.diag(covariance))).any())
    return Cases(draws, wrong)


def golem_first_gradient(*, variant: Literal["ev", "nv"], draws: int) -> Cases:
    """Count covariances where GOLEM's first gradient is not as the paper says.

    For "ev" it is symmetric and equals -d S / tr(S) + I. For "nv" it is larger in magnitude
    towards the end of a pair with the lower variance.
    """
    wrong = 0
    for k in range(draws):
        covariance = _covariance(stream(1, "golem", k))
        d = len(covariance)
        _, gradient = golem_loss(np.zeros((d, d)), covariance, 1000, variant)
        if variant == "ev":
            expected = np.eye(d) - d * covariance / np.trace(covariance)
            wrong += not np.allclose(gradient, expected)
            continue
        variance, size = np.diag(covariance), np.abs(gradient)
        lower = variance[:, None] > variance[None, :]  # the end j varies less than i
        linked = np.abs(covariance) > 1e-9
        wrong += bool((size <= size.T)[lower & linked].any())
    return Cases(draws, wrong)


GRADIENT_STEP: dict[str, Callable[..., Ours]] = {
    "first-step": first_step,
    "mse-gradient": mse_gradient,
    "small-step-order": small_step_order,
    "golem-first-gradient": golem_first_gradient,
}
