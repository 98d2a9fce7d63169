"""The inverse of a matrix and its determinant, in place, for kernels that need both."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from causalassay.common.arrays import Weights
from causalassay.common.kernels import kernel

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
