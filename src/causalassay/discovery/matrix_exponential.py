"""How far weights are from acyclic: the trace of a matrix exponential, and its gradient."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from causalassay.arrays import Weights, check_weights

_DEGREE = 16
_TAYLOR = 1.0 / np.cumprod(np.concatenate([[1.0], np.arange(1.0, _DEGREE + 1)]))
# Where the terms past the 16th sum to less than a rounding error: x^17 / 17! < 2^-53.
_REACH = 0.82
_HUGE = 2.0**60


def acyclicity(weights: ArrayLike) -> tuple[float, Weights]:
    """Return h = tr exp(W∘W) - d, which is 0 for a DAG and positive otherwise, and its gradient.

    Parameters
    ----------
    weights : array_like, shape (d, d)

    Returns
    -------
    h : float
    gradient : ndarray, shape (d, d)
        exp(W∘W)ᵀ∘2W.

    Notes
    -----
    The exponential is a Taylor polynomial of degree 16, scaled and squared.
    All its terms are non-negative, so no digits cancel: each entry has a
    relative error of about 1e-16·d·2ᵏ after k squarings, and h is summed
    without the ones of the diagonal.

    References
    ----------
    Zheng, Aragam, Ravikumar, Xing (2018), arXiv 1803.01422, theorem 1; Higham
    (2008), https://doi.org/10.1137/1.9780898717778, section 10.3; the scaling
    by norms of powers: Al-Mohy, Higham (2009), https://doi.org/10.1137/09074721X,
    theorem 4.2.

    Examples
    --------
    >>> acyclicity([[0.0, 2.0], [0.0, 0.0]])[0]
    0.0

    Two nodes that cause each other: h = 2 cosh(ab) - 2.

    >>> round(acyclicity([[0.0, 1.0], [0.5, 0.0]])[0], 6)
    0.255252
    """
    matrix = check_weights(weights)
    work = expm1_workspace(len(matrix))
    with np.errstate(over="ignore", invalid="ignore"):
        growth = expm1(np.square(matrix), work)
        gradient = 2.0 * matrix * (growth.T + np.eye(len(matrix)))
    return float(growth.trace()), gradient


def expm1_workspace(n_nodes: int) -> NDArray[np.float64]:
    """Return the arrays that `expm1` works in."""
    return np.empty((5, n_nodes, n_nodes))


@njit(cache=True, nogil=True)
def expm1(matrix: Weights, work: NDArray[np.float64]) -> Weights:
    """Return exp(A) - I of a non-negative matrix, which is overwritten, as a part of `work`.

    Infinite where the entries leave the range of double precision.
    """
    square, cube, fourth, total, product = work[0], work[1], work[2], work[3], work[4]
    np.dot(matrix, matrix, square)
    np.dot(square, matrix, cube)
    np.dot(square, square, fourth)
    growth = max(_norm(cube) ** (1 / 3), _norm(fourth) ** 0.25)
    if growth > _HUGE:
        total[:] = np.inf
        return total
    squarings = 0
    while growth > _REACH:
        growth *= 0.5
        squarings += 1
    _scale(work, matrix, 0.5**squarings)
    for start in range(_DEGREE - 4, -1, -4):
        _add_block(work, matrix, start)
    for _ in range(squarings):  # (I + X)² - I = 2X + X²
        np.dot(total, total, product)
        for i in range(len(total)):
            for j in range(len(total)):
                total[i, j] = 2 * total[i, j] + product[i, j]
    if squarings > 8 and _norm(total) == np.inf:
        total[:] = np.inf
    return total


@njit(cache=True, nogil=True)
def _norm(matrix: Weights) -> float:
    """Return the largest column sum of a non-negative matrix, infinite past double precision."""
    columns = np.zeros(len(matrix))
    for i in range(len(matrix)):
        for j in range(len(matrix)):
            columns[j] += matrix[i, j]
    largest = 0.0
    for j in range(len(matrix)):
        if not columns[j] < np.inf:  # nan is the product of infinity and zero
            return np.inf
        largest = max(largest, columns[j])
    return largest


@njit(cache=True, nogil=True)
def _scale(work: NDArray[np.float64], matrix: Weights, factor: float) -> None:
    square, cube, fourth = work[0], work[1], work[2]
    for i in range(len(matrix)):
        for j in range(len(matrix)):
            matrix[i, j] *= factor
            square[i, j] *= factor**2
            cube[i, j] *= factor**3
            fourth[i, j] *= factor**4


@njit(cache=True, nogil=True)
def _add_block(work: NDArray[np.float64], matrix: Weights, start: int) -> None:
    """Take one step of Paterson and Stockmeyer: total ← total·A⁴ + four terms of the series.

    The first step has the fifth term, too; the last leaves out the identity.
    """
    square, cube, fourth, total, product = work[0], work[1], work[2], work[3], work[4]
    if start < _DEGREE - 4:
        np.dot(total, fourth, product)
    one, two, three = _TAYLOR[start + 1], _TAYLOR[start + 2], _TAYLOR[start + 3]
    for i in range(len(matrix)):
        for j in range(len(matrix)):
            high = product[i, j] if start < _DEGREE - 4 else _TAYLOR[_DEGREE] * fourth[i, j]
            low = two * square[i, j] + one * matrix[i, j]
            total[i, j] = high + three * cube[i, j] + low
        if start > 0:
            total[i, i] += _TAYLOR[start]
