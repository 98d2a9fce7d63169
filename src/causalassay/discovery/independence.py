"""Tests of conditional independence: Fisher's z, and the G test of discrete columns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaincc, gammaln, ndtri

from causalassay.common.arrays import Vector, Weights
from causalassay.common.kernels import kernel
from causalassay.common.spelling import RefusedValue, listed
from causalassay.contracts import NotApplicable
from causalassay.data.dataset import Dataset
from causalassay.discovery.statistics import PIVOT, LevelStatistics
from causalassay.graphs.orders import Indices
from causalassay.models.discrete.tables import Codes, Labels, configurations

# Fisher's z test of partial correlations: limits, and conditioning on one more column.


def check_test(alpha: float, max_condition: int | None) -> None:
    """Raise unless `alpha` is a level and `max_condition` a size of conditioning sets."""
    if not 0 < alpha < 1:
        raise RefusedValue("alpha", f"the level of each test is between 0 and 1, got {alpha!r}")
    if max_condition is not None:
        check_count("max_condition", max_condition, 0)


def check_count(name: str, value: int, least: int) -> None:
    """Raise unless a hyperparameter is a whole number of at least so much.

    Examples
    --------
    >>> check_count("tabu", 0, 1)
    Traceback (most recent call last):
    ...
    causalassay.RefusedValue: tabu: expected a whole number of at least 1, got 0
    """
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise RefusedValue(name, f"expected a whole number of at least {least}, got {value!r}")


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
        squared = squared_partial_correlation(self.correlation, nodes)
        if np.isnan(squared):
            check_defined(nodes, self.data)
        return bool(squared <= self.limits[len(given)])


def check_defined(dependent: Indices, data: Dataset) -> None:
    """Raise `NotApplicable` if a kernel came upon linearly dependent nodes."""
    if len(dependent):
        names = [data.columns[node] for node in sorted(dependent.tolist())]
        raise NotApplicable(
            f"columns {listed(names)} are linearly dependent, so that a partial correlation "
            "among them is undefined; leave one of them out"
        )


# The G test of independence of discrete columns given others.

_SMALL = 1e-250
"""Below this a p-value's logarithm comes from a continued fraction; near 1e-308 it underflows."""


@kernel
def _likelihood_ratios(  # noqa: PLR0913, PLR0917  the columns of a family of tables
    codes: Codes,
    n_levels: Indices,
    target: int,
    others: Indices,
    labels: Labels,
    count: int,
    x_log_x: Vector,
) -> Vector:
    """Return G of the target with each of the others within the strata of `labels`.

    G/2 = Σ n_xyz log n_xyz - Σ n_xz log n_xz - Σ n_yz log n_yz + Σ n_z log n_z, each
    term from a table of k log k, which is 0 for an empty cell.
    """
    size = n_levels[target]
    of_target = codes[target]
    n_rows = len(labels)
    with_target = np.zeros(count * size, np.int64)
    strata = np.zeros(count, np.int64)
    both = np.empty(n_rows, np.int64)
    for row in range(n_rows):
        both[row] = labels[row] * size + of_target[row]
        with_target[both[row]] += 1
        strata[labels[row]] += 1
    shared = 0.0
    for k in strata:
        shared += x_log_x[k]
    for k in with_target:
        shared -= x_log_x[k]
    statistics = np.empty(len(others))
    for index in range(len(others)):
        other = others[index]
        width = n_levels[other]
        of_other = codes[other]
        cells = np.zeros(count * size * width, np.int64)
        with_other = np.zeros(count * width, np.int64)
        for row in range(n_rows):
            cells[both[row] * width + of_other[row]] += 1
            with_other[labels[row] * width + of_other[row]] += 1
        total = shared
        for k in cells:
            total += x_log_x[k]
        for k in with_other:
            total -= x_log_x[k]
        statistics[index] = max(0.0, 2.0 * total)
    return statistics


@dataclass(frozen=True, eq=False)
class GTest:
    """The likelihood-ratio test of independence given sets of columns.

    Parameters
    ----------
    statistics : LevelStatistics

    Notes
    -----
    G = 2 Σ n_xyz log(n_xyz n_z / (n_xz n_yz)) is compared with the χ² law of
    (k_x - 1)(k_y - 1) Π k_z degrees of freedom, the full product of all levels that the
    data's kinds state. Empty cells add nothing to G and take nothing off the degrees of
    freedom. So with few rows a cell the test rarely rejects, and large conditioning sets
    separate whatever they are asked about.

    Examples
    --------
    >>> codes = np.array([[0, 0, 1, 1], [0, 0, 1, 1]], dtype=np.int32)
    >>> test = GTest(LevelStatistics(codes, np.array([2, 2])))
    >>> test.statistic(0, [1], ()).round(4), test.degrees(0, [1], ())
    (array([5.5452]), array([1.]))
    """

    statistics: LevelStatistics

    @cached_property
    def _x_log_x(self) -> Vector:
        counts = np.arange(self.statistics.n_samples + 1, dtype=float)
        return counts * np.log(np.maximum(counts, 1.0))

    def statistic(self, target: int, others: ArrayLike, given: tuple[int, ...]) -> Vector:
        """Return G of the target with each of the others."""
        statistics = self.statistics
        labels, count = configurations(statistics.codes, _indices(given), statistics.n_levels)
        return _likelihood_ratios(
            statistics.codes,
            statistics.n_levels,
            target,
            _indices(others),
            labels,
            count,
            self._x_log_x,
        )

    def degrees(self, target: int, others: ArrayLike, given: tuple[int, ...]) -> Vector:
        """Return the degrees of freedom of these tests."""
        less = self.statistics.n_levels - 1.0
        strata = np.prod(self.statistics.n_levels[list(given)], dtype=float)
        return less[target] * less[_indices(others)] * strata

    def minus_log_p(self, target: int, others: ArrayLike, given: tuple[int, ...]) -> Vector:
        """Return -log of the p-values: what tells dependence, also where they underflow.

        Examples
        --------
        >>> codes = np.array([[0, 1] * 500, [0, 1] * 500, [0, 0, 1, 1] * 250], dtype=np.int32)
        >>> test = GTest(LevelStatistics(codes, np.array([2, 2, 2])))
        >>> test.minus_log_p(0, [1, 2], ()).round(2)
        array([696.99,   0.  ])
        """
        statistic = self.statistic(target, others, given)
        return chi2_minus_log_p(statistic, self.degrees(target, others, given))


def chi2_minus_log_p(statistic: Vector, degrees: Vector) -> Vector:
    """Return -log of the upper tail of the χ² law; 0 where there are no degrees of freedom.

    Examples
    --------
    With two degrees of freedom it is half the statistic:

    >>> chi2_minus_log_p(np.array([3.0, 3e4]), np.array([2.0, 2.0]))
    array([1.5e+00, 1.5e+04])
    """
    half, x = degrees / 2, statistic / 2
    tail = gammaincc(np.where(degrees > 0, half, 1.0), np.where(degrees > 0, x, 0.0))
    minus_log = -np.log(np.maximum(tail, _SMALL))
    for index in np.flatnonzero(tail < _SMALL):
        a, at = float(half[index]), float(x[index])
        minus_log[index] = at - a * np.log(at) + gammaln(a) - np.log(_upper_fraction(a, at))
    return minus_log + 0.0  # no minus zero


@kernel
def _upper_fraction(a: float, x: float) -> float:
    """Return Γ(a, x) e^x x^-a by its continued fraction, after Lentz; for x well above a."""
    b = x + 1.0 - a
    c, d = 1e300, 1.0 / b
    value = d
    for k in range(1, 10_000):
        step = -k * (k - a)
        b += 2.0
        d = 1.0 / (step * d + b)
        c = b + step / c
        value *= c * d
        if abs(c * d - 1.0) < 1e-15:
            break
    return value


def _indices(nodes: ArrayLike) -> NDArray[np.int64]:
    return np.asarray(nodes, dtype=np.int64).reshape(-1)
