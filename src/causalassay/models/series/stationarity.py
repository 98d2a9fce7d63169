"""The stationary law of a linear recursion: companion form and discrete Lyapunov equation."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from causalassay.common.arrays import Vector, Weights

Coefficients = NDArray[np.floating[Any]]
"""Float ``(max_lag + 1, d, d)``: ``[lag, i, j]`` of X_i(t - lag) → X_j(t)."""


class Reduced(NamedTuple):
    """X(t) = Σ_l transition[l - 1] X(t - l) + shocks, without terms of the same step."""

    transition: Coefficients
    """Shape (max_lag, d, d); here a matrix acts on columns, so ``[l - 1, j, i]``."""
    mixing: Weights
    """M = (I - A_0')⁻¹, which turns noises into shocks."""


def reduced_form(coefficients: Coefficients) -> Reduced:
    """Return the recursion solved for X(t): F_l = (I - A_0')⁻¹ A_l'.

    Examples
    --------
    >>> a = np.zeros((2, 2, 2))
    >>> a[0, 0, 1], a[1, 0, 0] = 2.0, 0.5
    >>> reduced_form(a).transition[0]
    array([[0.5, 0. ],
           [1. , 0. ]])
    """
    d = coefficients.shape[1]
    mixing = np.linalg.inv(np.eye(d) - coefficients[0].T)
    return Reduced(mixing @ coefficients[1:].transpose(0, 2, 1), mixing)


def companion(transition: Coefficients) -> Weights:
    """Return the matrix that moves the state (X(t), …, X(t - max_lag + 1)) a step on.

    Examples
    --------
    >>> companion(np.array([[[0.5]], [[0.2]]]))
    array([[0.5, 0.2],
           [1. , 0. ]])
    """
    n_lags, d, _ = transition.shape
    matrix = np.eye(n_lags * d, k=-d)
    matrix[:d] = transition.transpose(1, 0, 2).reshape(d, -1)
    return matrix


def spectral_radius(matrix: Weights) -> float:
    """Return the largest modulus of an eigenvalue; below 1 a recursion is stationary.

    Examples
    --------
    >>> round(spectral_radius(np.array([[0.0, 0.25], [1.0, 0.0]])), 12)
    0.5
    """
    return float(np.abs(np.linalg.eigvals(matrix)).max())


def solve_lyapunov(matrix: Weights, shocks: NDArray[Any]) -> NDArray[Any]:
    """Return P = F P F' + Q of a stationary F, for one Q or a stack of them.

    Doubling: after k steps P holds the first 2^k terms of Σ F^n Q F'^n and F
    its 2^k-th power, so the work grows with log log of the precision. Each
    term is positive semidefinite where Q is, hence nothing cancels.

    Parameters
    ----------
    matrix : ndarray, shape (m, m)
        Spectral radius below 1.
    shocks : ndarray, shape (..., m, m)
        Symmetric.

    Examples
    --------
    >>> solve_lyapunov(np.array([[0.5]]), np.array([[3.0]]))
    array([[4.]])
    """
    total, power = shocks, matrix
    for _ in range(64):
        term = power @ total @ power.T
        total = total + term
        if not np.abs(term).max() > np.finfo(float).eps * np.abs(total).max() / 8:
            return total
        power = power @ power
    raise ArithmeticError("the recursion is not stationary; its spectral radius must be below 1")


def state_covariance(coefficients: Coefficients, noise_variance: Vector) -> Weights:
    """Return the stationary covariance of (X(t), …, X(t - max_lag + 1)), lag by lag.

    Examples
    --------
    >>> state_covariance(np.array([[[0.0]], [[0.5]]]), np.array([3.0]))
    array([[4.]])
    """
    transition, mixing = reduced_form(coefficients)
    matrix = companion(transition)
    d = len(mixing)
    shocks = np.zeros_like(matrix)
    shocks[:d, :d] = (mixing * noise_variance) @ mixing.T
    return solve_lyapunov(matrix, shocks)
