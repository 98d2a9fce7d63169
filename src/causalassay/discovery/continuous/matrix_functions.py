"""The matrix exponential of the acyclicity constraint, and an inverse with its determinant."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from causalassay.common.arrays import Weights, check_weights
from causalassay.common.kernels import kernel

_DEGREE = 16
_TAYLOR = 1.0 / np.cumprod(np.concatenate([[1.0], np.arange(1.0, _DEGREE + 1)]))
# Where the terms past the 16th sum to less than a rounding error: x^17 / 17! < 2^-53.
_REACH = 0.82
_HUGE = 2.0**60
_LEFT_OUT = _TAYLOR[_DEGREE] / (_DEGREE + 1) * 2.0**53


def acyclicity(weights: ArrayLike) -> tuple[float, Weights]:
    """Return h = tr exp(W∘W) - d, which is 0 for a DAG and positive otherwise, and its gradient.

    Parameters
    ----------
    weights : array_like, shape (d, d)
        The weighted adjacency matrix W.

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


@kernel
def expm1(matrix: Weights, work: NDArray[np.float64]) -> Weights:
    """Return exp(A) - I of a non-negative matrix as a part of `work`.

    Infinite where the entries leave the range of double precision.
    """
    _powers(matrix, work)
    growth = max(_norm(work[1]) ** (1 / 3), _norm(work[2]) ** 0.25)
    if growth > _HUGE:
        work[3][:] = np.inf
        return work[3]
    squarings = 0
    while growth > _REACH:
        growth *= 0.5
        squarings += 1
    return _series(matrix, work, squarings)


@kernel
def expm1_by_columns(matrix: Weights, work: NDArray[np.float64]) -> Weights:
    """Return the same with what is left out of each column below the rounding of the column.

    It squares less often than `expm1`, and is as good where entries far below
    the sum of their column do not matter: cycles of more than 16 edges may leave
    no trace on the diagonal.

    The sums of the columns of Aᵏ, for a non-negative A, are products of a row
    with matrices. With those of A¹⁷, and s = 2⁻ᵏ, the terms of exp(sA) past the
    16th have columns of at most s¹⁷/17! · sums / (1 - s‖A‖/18).
    """
    _powers(matrix, work)
    first, last = _column_sums(matrix), _column_sums(work[2])
    for _ in range(3):
        last = _times(last, work[2])
    last = _times(last, matrix)
    norm, ratio = 0.0, 0.0
    for j in range(len(matrix)):
        norm = max(norm, first[j])
        if not last[j] < np.inf:  # nan is the product of infinity and zero
            ratio = np.inf
        elif last[j] > 0:
            ratio = max(ratio, last[j] / first[j])
    if ratio > 0 and not (norm < _HUGE**4 and ratio < np.inf):
        work[3][:] = np.inf
        return work[3]
    squarings, scale = 0, 1.0
    while ratio > 0 and ratio * scale**_DEGREE * _LEFT_OUT > 1 - norm * scale / (_DEGREE + 2):
        squarings += 1
        scale *= 0.5
    return _series(matrix, work, squarings)


@kernel
def _powers(matrix: Weights, work: NDArray[np.float64]) -> None:
    np.dot(matrix, matrix, work[0])
    np.dot(work[0], matrix, work[1])
    np.dot(work[0], work[0], work[2])


@kernel
def _series(matrix: Weights, work: NDArray[np.float64], squarings: int) -> Weights:
    """Return exp(A) - I from the powers of A by the series at A/2ᵏ and k squarings."""
    total, product = work[3], work[4]
    for start in range(_DEGREE - 4, -1, -4):
        _add_block(work, matrix, start, 0.5**squarings)
    for _ in range(squarings):  # (I + X)² - I = 2X + X²
        np.dot(total, total, product)
        for i in range(len(total)):
            for j in range(len(total)):
                total[i, j] = 2 * total[i, j] + product[i, j]
    if squarings > 8 and _norm(total) == np.inf:
        total[:] = np.inf
    return total


@kernel
def _norm(matrix: Weights) -> float:
    """Return the largest column sum of a non-negative matrix, infinite past double precision."""
    largest = 0.0
    for total in _column_sums(matrix):
        if not total < np.inf:  # nan is the product of infinity and zero
            return np.inf
        largest = max(largest, total)
    return largest


@kernel
def _column_sums(matrix: Weights) -> NDArray[np.float64]:
    sums = np.zeros(len(matrix))
    for i in range(len(matrix)):
        for j in range(len(matrix)):
            sums[j] += matrix[i, j]
    return sums


@kernel
def _times(row: NDArray[np.float64], matrix: Weights) -> NDArray[np.float64]:
    product = np.zeros(len(matrix))
    for i in range(len(matrix)):
        for j in range(len(matrix)):
            product[j] += row[i] * matrix[i, j]
    return product


@kernel
def _add_block(work: NDArray[np.float64], matrix: Weights, start: int, scale: float) -> None:
    """Take one step of Paterson and Stockmeyer: total ← total·B⁴ + four terms of the series.

    B is the matrix times the scale, a power of 2, so that it does not matter
    for rounding where it is multiplied. The first step has the fifth term, too;
    the last leaves out the identity.
    """
    square, cube, fourth, total, product = work[0], work[1], work[2], work[3], work[4]
    one = _TAYLOR[start + 1] * scale
    two = _TAYLOR[start + 2] * scale**2
    three = _TAYLOR[start + 3] * scale**3
    if start < _DEGREE - 4:
        np.dot(total, fourth, product)
        high, four = product, scale**4
    else:
        high, four = fourth, _TAYLOR[_DEGREE] * scale**4
    for i in range(len(matrix)):
        for j in range(len(matrix)):
            low = two * square[i, j] + one * matrix[i, j]
            total[i, j] = four * high[i, j] + three * cube[i, j] + low
        if start > 0:
            total[i, i] += _TAYLOR[start]


# The inverse of a matrix and its determinant, in place, for kernels that need both.

_BLOCK = 20
"""Rows eliminated one by one before the others follow in one product of matrices."""


class InverseWorkspace(NamedTuple):
    """The arrays that `invert` works in."""

    pivots: NDArray[np.int64]
    factors: NDArray[np.float64]
    """Columns of the matrix, as many as rows in a block."""
    product: NDArray[np.float64]


def inverse_workspace(n_nodes: int) -> InverseWorkspace:
    """Return the arrays that `invert` works in."""
    blocks = -(-n_nodes // _BLOCK)
    return InverseWorkspace(
        np.empty(n_nodes, dtype=np.int64),
        np.empty(n_nodes * _BLOCK),
        np.empty((n_nodes, n_nodes) if blocks > 1 else (0, 0)),
    )


# Division by 0 is infinite here, as in numpy, which also leaves the loops without branches.
@kernel(error_model="numpy")
def invert(matrix: Weights, work: InverseWorkspace) -> float:
    """Overwrite the matrix with its inverse; return the logarithm of |det|.

    Gauss and Jordan's elimination of the columns, with the largest entry of
    each row as pivot: a block of rows at a time, and then, by one product of
    matrices, all other rows. Of a singular matrix the logarithm is -inf and the
    inverse has entries that are not finite.
    """
    d, size = len(matrix), 0.0
    for start in range(0, d, _BLOCK):
        stop = min(start + _BLOCK, d)
        size += _eliminate(matrix, start, stop, work.pivots)
        if stop - start < d:
            _follow(matrix, start, stop, work)
    for k in range(d - 1, -1, -1):
        other = work.pivots[k]
        if other != k:
            for j in range(d):
                matrix[k, j], matrix[other, j] = matrix[other, j], matrix[k, j]
    return size


@kernel(error_model="numpy")
def _eliminate(matrix: Weights, start: int, stop: int, pivots: NDArray[np.int64]) -> float:
    """Eliminate within the rows from `start` to `stop`; return their part of log|det|."""
    d, size = len(matrix), 0.0
    for k in range(start, stop):
        row = matrix[k]
        pivots[k] = other = _largest_from(row, k)
        if other != k:
            for i in range(d):
                matrix[i, k], matrix[i, other] = matrix[i, other], matrix[i, k]
        pivot = row[k]
        size += np.log(abs(pivot))
        for i in range(start, stop):
            if i != k:
                line = matrix[i]
                factor = line[k] / pivot
                for j in range(d):
                    line[j] -= factor * row[j]
                line[k] = factor
        for j in range(d):
            row[j] /= -pivot
        row[k] = 1.0 / pivot
    return size


@kernel
def _follow(matrix: Weights, start: int, stop: int, work: InverseWorkspace) -> None:
    """Do in all other rows what was done in those from `start` to `stop`."""
    d, width = len(matrix), stop - start
    factors = work.factors[: d * width].reshape(d, width)
    for i in range(d):
        for j in range(width):
            factors[i, j] = matrix[i, start + j]
    np.dot(factors, matrix[start:stop], work.product)
    for i in range(d):
        if start <= i < stop:
            continue
        for j in range(start, stop):
            matrix[i, j] = 0.0
        line, change = matrix[i], work.product[i]
        for j in range(d):
            line[j] += change[j]


@kernel
def _largest_from(row: NDArray[np.float64], k: int) -> int:
    """Return where, from k on, the row has its largest entry."""
    best = k
    for j in range(k + 1, len(row)):
        if abs(row[j]) > abs(row[best]):
            best = j
    return best
