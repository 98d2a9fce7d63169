"""Two-sample tests that tell, for all columns at once, whether an experiment changes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.special import stdtr

from causalassay.arrays import Values, Vector

TestName = Literal["t", "welch", "mann-whitney", "kolmogorov-smirnov"]
"""Student's with a pooled variance, Welch's, the rank sum, the largest gap of the two CDFs."""

TEST_NAMES: tuple[TestName, ...] = get_args(TestName)
T_TESTS: tuple[TestName, ...] = ("t", "welch")

Array = NDArray[np.floating[Any]]


class TwoSample(NamedTuple):
    """A test's statistic and two-sided p value for each column, shape (d,)."""

    statistic: Vector
    p_value: Vector


@dataclass(frozen=True, eq=False)
class RegimeTests:
    """All tests of the interventional regimes against the observational one.

    Parameters
    ----------
    test : TestName
    statistic, p_value : ndarray, shape (r, d)
        One row a regime; nan where the test is undefined.
    tested : ndarray of bool, shape (r, d)
        False in a regime's target: that the target changes is no news.
    targets : ndarray of int, shape (r,)
    n_observational : int
    n_interventional : ndarray of int, shape (r,)
    """

    test: TestName
    statistic: Array
    p_value: Array
    tested: NDArray[np.bool_]
    targets: NDArray[np.int64]
    n_observational: int
    n_interventional: NDArray[np.int64]

    @property
    def n_tests(self) -> int:
        """Number of tests, |I|(p - 1) if there is one regime a target."""
        return int(self.tested.sum())


def compare_columns(observational: Values, interventional: Values, test: TestName) -> TwoSample:
    """Test each column for a change; positive t statistics mean that it rose.

    Parameters
    ----------
    observational : Values, shape (n, d)
    interventional : Values, shape (m, d)
    test : TestName

    Returns
    -------
    TwoSample
        nan where a t statistic is 0/0: a column that is constant and unchanged.

    Examples
    --------
    >>> before, after = np.array([[1.0], [2.0], [3.0]]), np.array([[5.0], [6.0], [7.0]])
    >>> result = compare_columns(before, after, "t")
    >>> float(result.statistic[0].round(3)), float(result.p_value[0].round(4))
    (4.899, 0.008)
    """
    match test:
        case "t" | "welch":
            return _t_test(observational, interventional, pooled=test == "t")
        case "mann-whitney":
            ranks = stats.mannwhitneyu(interventional, observational, axis=0)
            return TwoSample(np.asarray(ranks.statistic), np.asarray(ranks.pvalue))
        case "kolmogorov-smirnov":
            gap = stats.ks_2samp(interventional, observational, axis=0)
            return TwoSample(np.asarray(gap.statistic), np.asarray(gap.pvalue))
        case _:
            raise ValueError(f"test: expected one of {TEST_NAMES}, got {test!r}")


def _t_test(observational: Values, interventional: Values, pooled: bool) -> TwoSample:
    # Relative to some row a constant column is exactly 0, so that rounding shows no change.
    before, after = observational - observational[0], interventional - observational[0]
    statistic, freedom = t_statistic(
        after.mean(axis=0) - before.mean(axis=0),
        (before.var(axis=0, ddof=1), after.var(axis=0, ddof=1)),
        (len(before), np.asarray(len(after))),
        pooled,
    )
    return TwoSample(statistic, 2 * stdtr(freedom, -np.abs(statistic)))


def t_statistic(
    difference: Array,
    variances: tuple[Array, Array],
    sizes: tuple[int, NDArray[np.int64]],
    pooled: bool,
) -> tuple[Array, Array]:
    """Return t and its degrees of freedom, Student's if `pooled`, else Welch's."""
    n, m = sizes
    first, second = variances[0] / n, variances[1] / m
    with np.errstate(divide="ignore", invalid="ignore"):
        if pooled:
            freedom = n + m - 2.0
            pool = ((n - 1) * variances[0] + (m - 1) * variances[1]) / freedom
            return difference / np.sqrt(pool * (1 / n + 1 / m)), np.asarray(freedom)
        both = first + second
        freedom = both**2 / (first**2 / (n - 1) + second**2 / (m - 1))
        return difference / np.sqrt(both), freedom
