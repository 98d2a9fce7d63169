"""The order of variables whose regressions on those before leave the least squared error."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from causalassay.common.arrays import Weights
from causalassay.common.kernels import kernel
from causalassay.graphs.orders import Indices

_LEAST_GAIN = 1e-12


def best_order(covariance: Weights, rng: Generator, restarts: int) -> Indices:
    """Return the best order reached from the order of the variances and from random ones.

    From each start single variables move to where the sum of residual
    variances is least, until none can; the best of the local optima counts.

    Parameters
    ----------
    covariance : ndarray, shape (d, d)
        Not singular.
    rng : Generator
    restarts : int
        The number of random starts.

    References
    ----------
    Deng, Bello, Aragam, Ravikumar (2023), arXiv 2305.17277, search the same
    objective by swaps of two variables in an order.

    Examples
    --------
    The effect of both others, with equal noise, comes last:

    >>> covariance = np.array([[1.0, 0, 1], [0, 1, 1], [1, 1, 3]])
    >>> int(best_order(covariance, np.random.default_rng(0), 3)[-1])
    2
    """
    d = len(covariance)
    starts = [np.argsort(covariance.diagonal()), *(rng.permutation(d) for _ in range(restarts))]
    best, least = starts[0], np.inf
    for start in starts:
        order = start.astype(np.int64)
        lower = np.linalg.cholesky(covariance[np.ix_(order, order)])
        factor = np.array(lower.T, dtype=np.float64, order="C")
        error = _descend(factor, order)
        if error < least:
            best, least = order, error
    return best


def regressions(covariance: Weights, order: Indices) -> Weights:
    """Return the least-squares weights of each variable on those before it.

    Examples
    --------
    >>> regressions(np.array([[1.0, 2], [2, 5]]), np.array([0, 1]))
    array([[0., 2.],
           [0., 0.]])
    """
    factor = np.linalg.cholesky(covariance[np.ix_(order, order)]).T
    inverse = solve_triangular(factor, np.eye(len(order)))
    weights = np.zeros_like(inverse)
    weights[np.ix_(order, order)] = np.triu(-inverse / inverse.diagonal(), 1)
    return weights


@kernel
def _descend(factor: NDArray[np.float64], order: NDArray[np.int64]) -> float:
    """Move variables until no move helps; return the sum of residual variances.

    `factor` is upper triangular, and factorᵀ·factor the covariance in the
    order; both change. A residual variance is the square of a diagonal entry.
    """
    d = len(order)
    trial, error = np.empty((d, d)), 0.0
    for k in range(d):
        error += factor[k, k] ** 2
    improved = True
    while improved:
        improved = False
        for here in range(d):
            there, gain = _best_position(factor, trial, here)
            if gain > _LEAST_GAIN * error:
                _move(factor, here, there)
                step = 1 if there > here else -1
                for k in range(here, there, step):
                    order[k], order[k + step] = order[k + step], order[k]
                error -= gain
                improved = True
    return error


@kernel
def _best_position(
    factor: NDArray[np.float64], trial: NDArray[np.float64], here: int
) -> tuple[int, float]:
    """Return the position at which the variable now at `here` gains most, and the gain."""
    d = len(factor)
    there, best = here, 0.0
    for step in (1, -1):
        for i in range(d):
            for j in range(i, d):
                trial[i, j] = factor[i, j]
        gain, k = 0.0, here
        while 0 <= k + step < d:
            gain += _swap(trial, min(k, k + step))
            k += step
            if gain > best:
                there, best = k, gain
    return there, best


@kernel
def _move(factor: NDArray[np.float64], here: int, there: int) -> None:
    step = 1 if there > here else -1
    for k in range(here, there, step):
        _swap(factor, min(k, k + step))


@kernel
def _swap(factor: NDArray[np.float64], k: int) -> float:
    """Exchange the variables k and k + 1 of the order; return by how much the error falls.

    Columns are exchanged, then a rotation of two rows clears the entry below
    the diagonal.
    """
    a, b, c = factor[k, k], factor[k, k + 1], factor[k + 1, k + 1]
    length = np.hypot(b, c)
    cos, sin = b / length, c / length
    for i in range(k):
        factor[i, k], factor[i, k + 1] = factor[i, k + 1], factor[i, k]
    factor[k, k], factor[k, k + 1], factor[k + 1, k + 1] = length, cos * a, -sin * a
    for j in range(k + 2, len(factor)):
        upper, lower = factor[k, j], factor[k + 1, j]
        factor[k, j] = cos * upper + sin * lower
        factor[k + 1, j] = cos * lower - sin * upper
    return a * a + c * c - length**2 - (sin * a) ** 2
