"""Fisher's z test of partial correlations: limits, and conditioning on one more column."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral

import numpy as np
from scipy.special import ndtri

from causalassay.common.arrays import Vector, Weights
from causalassay.common.kernels import kernel
from causalassay.common.spelling import listed
from causalassay.contracts import NotApplicable
from causalassay.data.dataset import Dataset
from causalassay.discovery.statistics.gaussian import PIVOT
from causalassay.graphs.orders import Indices


def check_test(alpha: float, max_condition: int | None) -> None:
    """Raise unless `alpha` is a level and `max_condition` a size of conditioning sets."""
    if not 0 < alpha < 1:
        raise ValueError(f"alpha: the level of each test is between 0 and 1, got {alpha!r}")
    if max_condition is not None:
        check_count("max_condition", max_condition, 0)


def check_count(name: str, value: int, least: int) -> None:
    """Raise unless a hyperparameter is a whole number of at least so much.

    Examples
    --------
    >>> check_count("tabu", 0, 1)
    Traceback (most recent call last):
    ...
    ValueError: tabu: expected a whole number of at least 1, got 0
    """
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise ValueError(f"{name}: expected a whole number of at least {least}, got {value!r}")


def critical_value(alpha: float) -> float:
    """Return the absolute z beyond which a two-sided test of level `alpha` rejects.

    Examples
    --------
    >>> round(critical_value(0.05), 6)
    1.959964
    """
    return float(-ndtri(alpha / 2))


def z_scales(n_samples: int, largest: int) -> Vector:
    """Return what Fisher's z is multiplied by, sqrt(n - |S| - 3), for |S| from 0 on.

    Parameters
    ----------
    n_samples : int
    largest : int
        The largest conditioning set that anybody asks for; where n - |S| - 3 is
        not positive the test is undefined, and the result ends before it. Below 0,
        where nothing is asked, the result is empty.

    Raises
    ------
    NotApplicable
        If not even |S| = 0 leaves a positive number.

    References
    ----------
    Fisher (1924), The distribution of the partial correlation coefficient, Metron 3.

    Examples
    --------
    >>> z_scales(7, 9)
    array([2.        , 1.73205081, 1.41421356, 1.        ])
    """
    if n_samples <= 3 and largest >= 0:
        raise NotApplicable(
            f"Fisher's z test of a correlation needs at least 4 rows, got {n_samples}"
        )
    sizes = np.arange(min(largest, n_samples - 4) + 1)
    return np.sqrt(n_samples - 3.0 - sizes)


def largest_independent(alpha: float, scales: Vector) -> Vector:
    """Return the largest squared partial correlation that passes for independence.

    Independence is rejected if sqrt(n - |S| - 3) |atanh r| exceeds the critical value.

    Parameters
    ----------
    alpha : float
    scales : ndarray
        From `z_scales`.

    Examples
    --------
    >>> largest_independent(0.05, z_scales(100, 1)).round(6)
    array([0.03858 , 0.038971])
    """
    return np.tanh(critical_value(alpha) / scales) ** 2


@kernel
def condition(
    covariance: Weights, variance: Vector, given: int, onto: Weights, onto_variance: Vector
) -> None:
    """Write to `onto` the covariances and variances given one more column.

    One step of a Cholesky factorisation, so that a search through conditioning
    sets pays for the last column of each set only. Rows of `covariance` are the
    columns that may be conditioned on, and last the target; its columns begin with
    the same ones. `variance` holds those of the columns and last the target's.
    Rows up to `given` are left alone: sets are enumerated in ascending order.

    A column in the set must not be tested any more: its covariance with the target
    becomes nan, which no comparison holds of, and its variance 1.
    """
    last = len(covariance) - 1
    scale = 1.0 / variance[given]
    for row in range(given + 1, last + 1):
        share = covariance[row, given] * scale
        for column in range(covariance.shape[1]):
            onto[row, column] = covariance[row, column] - share * covariance[given, column]
        onto[row, given] = 0.0
    for column in range(covariance.shape[1]):
        onto_variance[column] = variance[column] - covariance[given, column] ** 2 * scale
    onto_variance[-1] = variance[-1] - covariance[last, given] ** 2 * scale
    onto_variance[given] = 1.0
    onto[last, given] = np.nan


@kernel
def squared_partial_correlation(correlation: Weights, nodes: Indices) -> float:
    """Return it of the last two nodes given the others; nan where it is undefined."""
    left = correlation[nodes][:, nodes]
    last = len(nodes) - 1
    for s in range(last - 1):
        if left[s, s] <= PIVOT:
            return np.nan
        for row in range(s + 1, last + 1):
            share = left[row, s] / left[s, s]
            for column in range(s + 1, last + 1):
                left[row, column] -= share * left[s, column]
    if left[last - 1, last - 1] <= PIVOT or left[last, last] <= PIVOT:
        return np.nan
    return left[last - 1, last] ** 2 / (left[last - 1, last - 1] * left[last, last])


@dataclass(frozen=True, eq=False)
class FisherZ:
    """The test of two columns given a set, one at a time.

    Parameters
    ----------
    correlation : ndarray, shape (d, d)
    limits : ndarray
        The largest squared correlation that is no dependence by size, `largest_independent`.
    data : Dataset
        For names in messages.

    Examples
    --------
    >>> correlation = np.array([[1, 0.5, 0.25], [0.5, 1, 0.5], [0.25, 0.5, 1]])
    >>> limits = largest_independent(0.05, z_scales(500, 1))
    >>> test = FisherZ(correlation, limits, Dataset.from_values(np.eye(3)))
    >>> test.independent(0, 2, ()), test.independent(0, 2, (1,))
    (False, True)
    """

    correlation: Weights
    limits: Vector
    data: Dataset

    def independent(self, i: int, j: int, given: tuple[int, ...]) -> bool:
        """Tell whether the two pass for independent given the set."""
        nodes = np.array([*given, i, j])
        found = squared_partial_correlation(self.correlation, nodes)
        if np.isnan(found):
            check_defined(nodes, self.data)
        return bool(found <= self.limits[len(given)])


def check_defined(dependent: Indices, data: Dataset) -> None:
    """Raise `NotApplicable` if a kernel came upon linearly dependent nodes."""
    if len(dependent):
        names = [data.columns[node] for node in sorted(dependent.tolist())]
        raise NotApplicable(
            f"columns {listed(names)} are linearly dependent, so that a partial correlation "
            "among them is undefined; leave one of them out"
        )
