"""Gaussian sufficient statistics: what tests and scores need of continuous data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from causalassay.common.arrays import Vector, Weights
from causalassay.common.kernels import kernel
from causalassay.data.dataset import Dataset
from causalassay.diagnostics.moments import correlations
from causalassay.discovery.statistics.usable_rows import check_continuous, observational_values

PIVOT = 1e-10
"""The least share of a variance that a regression may leave: below it columns count as
linearly dependent, for rounding errors of a correlation matrix are divided by about this much."""


@dataclass(frozen=True, eq=False)
class GaussianStatistics:
    """Correlations, scales and the number of rows; scaled so that factors are well conditioned.

    Parameters
    ----------
    correlation : ndarray, shape (d, d)
    sd : ndarray, shape (d,)
        ddof 0.
    n_samples : int
    """

    correlation: Weights
    sd: Vector
    n_samples: int


def gaussian_statistics(data: Dataset) -> GaussianStatistics:
    """Return the statistics of the observational rows.

    Raises
    ------
    NotApplicable
        If no condition is known to be observational, or a column is discrete
        or constant in it.

    Examples
    --------
    >>> data = Dataset.from_values([[0.0, 1.0], [1.0, 3.0], [2.0, 2.0]])
    >>> gaussian_statistics(data).correlation.round(12)
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    values = observational_values(data)
    check_continuous(data, values)
    return GaussianStatistics(
        np.ascontiguousarray(correlations(values)), values.std(axis=0), len(values)
    )


@kernel
def unexplained_share(correlation: Weights, node: int, given: NDArray[np.int64]) -> float:
    """Return 1 - R² of `node` on the nodes `given`; at most `PIVOT` where they are dependent.

    One Cholesky factorisation of the correlations of `given` and then `node`,
    whose last pivot is the answer.
    """
    size = len(given)
    factor = np.empty((size + 1, size + 1))
    for row in range(size + 1):
        a = given[row] if row < size else node
        pivot = correlation[a, a]
        for column in range(row):
            total = correlation[a, given[column]]
            for k in range(column):
                total -= factor[row, k] * factor[column, k]
            factor[row, column] = total / factor[column, column]
            pivot -= factor[row, column] ** 2
        if pivot <= PIVOT:
            return 0.0
        factor[row, row] = np.sqrt(pivot)
    return factor[size, size] ** 2
