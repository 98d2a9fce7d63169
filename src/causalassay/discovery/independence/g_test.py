"""The G test of independence of discrete columns given others."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaincc, gammaln

from causalassay.common.arrays import Vector
from causalassay.common.kernels import kernel
from causalassay.discovery.statistics.discrete import LevelStatistics
from causalassay.graphs.orders import Indices
from causalassay.models.discrete.tables import Codes, Labels, configurations

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
    Of two degrees of freedom it is half the statistic:

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
