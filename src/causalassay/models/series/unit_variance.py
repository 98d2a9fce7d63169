"""Scales at which chosen nodes of a series have stationary variance 1.

Dividing the cross coefficients and the noise sd of node i by C_i, and leaving
its self-coefficients, keeps how strongly a process remembers itself (Herman
2025). The C solve as many equations in the variances as there are nodes.
"""

from __future__ import annotations

import numpy as np

from causalassay.common.arrays import Vector, Weights
from causalassay.graphs.orders import Indices
from causalassay.models.series.stationarity import (
    Coefficients,
    companion,
    reduced_form,
    solve_lyapunov,
    spectral_radius,
)

CLOSE = 1e-12
"""How far from 1 a variance may be for the search to end."""
ACCEPTED = 1e-10
"""The largest error accepted where rounding prevents a smaller one."""


def unit_scales(coefficients: Coefficients, noise_sd: Vector, nodes: Indices) -> Vector | None:
    """Return the C of `nodes` that make their stationary variances 1; None if none is found.

    Newton's method on log C, which starts at 1, or lower where the series
    would explode, and halves steps that leave the stationary region or bring
    the variances no nearer. For a node without feedback the variance is
    quadratic in 1/C, and one step gives the solution.

    Parameters
    ----------
    coefficients : ndarray, shape (max_lag + 1, d, d)
        Of `nodes` and all their ancestors.
    noise_sd : ndarray, shape (d,)
    nodes : ndarray of int
        The nodes to scale.

    Examples
    --------
    >>> unit_scales(np.array([[[0.0]], [[0.6]]]), np.array([1.6]), np.array([0]))
    array([2.])
    """
    theta = np.zeros(len(nodes))
    log_variances = _log_variances(coefficients, noise_sd, nodes, theta)
    while log_variances is None:
        theta -= np.log(2)
        if theta[0] < -50:  # never where the self-coefficients alone are stationary
            return None
        log_variances = _log_variances(coefficients, noise_sd, nodes, theta)
    for _ in range(60):
        error = float(np.abs(log_variances[0]).max())
        if error <= CLOSE:
            return np.exp(-theta)
        step = _solve(log_variances[1], log_variances[0])
        better = None
        for halving in range(30):
            trial = theta - step / 2**halving
            better = _log_variances(coefficients, noise_sd, nodes, trial)
            if better is not None and np.linalg.norm(better[0]) < np.linalg.norm(log_variances[0]):
                theta, log_variances = trial, better
                break
        else:
            return np.exp(-theta) if error <= ACCEPTED else None
    return None


def rescaled(
    coefficients: Coefficients, noise_sd: Vector, nodes: Indices, divisor: Vector
) -> tuple[Coefficients, Vector]:
    """Return both with the cross coefficients and noise of `nodes` divided; self-links stay.

    Examples
    --------
    >>> a, sd = rescaled(np.ones((1, 2, 2)), np.ones(2), np.array([1]), np.array([2.0]))
    >>> a[0], sd
    (array([[1. , 0.5],
           [1. , 1. ]]), array([1. , 0.5]))
    """
    factor = np.ones(len(noise_sd))
    factor[nodes] = 1 / divisor
    own = np.einsum("lii->li", coefficients)
    scaled = coefficients * factor
    np.einsum("lii->li", scaled)[:] = own
    return scaled, noise_sd * factor


def _solve(jacobian: Weights, values: Vector) -> Vector:
    try:
        return np.linalg.solve(jacobian, values)
    except np.linalg.LinAlgError:
        return np.linalg.lstsq(jacobian, values)[0]


def _log_variances(
    coefficients: Coefficients, noise_sd: Vector, nodes: Indices, theta: Vector
) -> tuple[Vector, Weights] | None:
    """Return log Var_i at C = exp(-θ), and its derivatives by θ; None if not stationary.

    With B_l = A_l' and E_k = e_k e_k': a change of θ_k multiplies row k of
    B_0 and of the off-diagonal part B_l° of each B_l, so that with F_l = M B_l
    and Q = M D M', dF_l = M E_k (B_0 F_l + B_l°) and dQ = G + G' with
    G = M E_k (B_0 Q + D M'). P = F P F' + Q gives dP = F dP F' + (H + H')
    with H = dF P F' + G.
    """
    scaled, sd = rescaled(coefficients, noise_sd, nodes, np.exp(-theta))
    transition, mixing = reduced_form(scaled)
    matrix = companion(transition)
    if not spectral_radius(matrix) < 1 - 1e-9:
        return None
    d, width = len(sd), len(matrix)
    shocks = np.zeros_like(matrix)
    shocks[:d, :d] = (mixing * np.square(sd)) @ mixing.T
    within = scaled[0].T
    across = scaled[1:].transpose(0, 2, 1).copy()
    np.einsum("lii->li", across)[:] = 0.0
    moved = (within @ transition + across).transpose(1, 0, 2).reshape(d, width)
    noisy = within @ shocks[:d, :d] + np.square(sd)[:, None] * mixing.T
    covariance = solve_lyapunov(matrix, shocks)
    reached = moved @ covariance @ matrix.T
    reached[:, :d] += noisy
    sources = np.zeros((len(nodes), width, width))
    sources[:, :d] = mixing.T[nodes][:, :, None] * reached[nodes][:, None, :]
    derivative = solve_lyapunov(matrix, sources + sources.transpose(0, 2, 1))
    variance = covariance.diagonal()[nodes]
    slopes = np.einsum("kii->ki", derivative)[:, nodes].T
    return np.log(variance), slopes / variance[:, None]
