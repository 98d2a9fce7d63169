"""Two-sample tests of all columns at once, and from when on a difference counts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, get_args

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import ndtri, stdtr

from causalassay.common.arrays import Values, Vector

TestName = Literal["t", "welch", "mann-whitney", "kolmogorov-smirnov"]
"""Student's with a pooled variance, Welch's, the rank sum, the largest gap of the two CDFs."""

TEST_NAMES: tuple[TestName, ...] = get_args(TestName)
T_TESTS: tuple[TestName, ...] = ("t", "welch")

Array = NDArray[np.floating[Any]]


class TwoSample(NamedTuple):
    """A test's statistic, two-sided p value and size of the effect for each column, shape (d,).

    The size does not grow with the number of rows. It is the standardised mean difference
    (Cohen's d, over the pooled standard deviation) for the t tests, that of Gaussian laws
    with the same rank sum for Mann–Whitney, and the largest gap of the two CDFs for
    Kolmogorov–Smirnov.
    """

    statistic: Vector
    p_value: Vector
    effect: Vector


@dataclass(frozen=True, eq=False)
class RegimeTests:
    """All tests of the interventional regimes against the observational one.

    Parameters
    ----------
    test : TestName
    statistic, p_value, effect : ndarray, shape (r, d)
        One row a regime; nan where the test is undefined. `effect` as `TwoSample` has it.
    tested : ndarray of bool, shape (r, d)
        False in a regime's target: that the target changes is no news.
    targets : ndarray of int, shape (r,)
    n_observational : int
    n_interventional : ndarray of int, shape (r,)
    """

    test: TestName
    statistic: Array
    p_value: Array
    effect: Array
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
            from scipy.stats import mannwhitneyu  # noqa: PLC0415 (half a second, in each process)

            ranks = mannwhitneyu(interventional, observational, axis=0)
            larger = ranks.statistic / (len(interventional) * len(observational))
            effect = np.sqrt(2) * ndtri(larger)
            return TwoSample(np.asarray(ranks.statistic), np.asarray(ranks.pvalue), effect)
        case "kolmogorov-smirnov":
            from scipy.stats import ks_2samp  # noqa: PLC0415 (half a second, in each process)

            gap = ks_2samp(interventional, observational, axis=0)
            size = np.asarray(gap.statistic)
            return TwoSample(size, np.asarray(gap.pvalue), size)
        case _:
            raise ValueError(f"test: expected one of {TEST_NAMES}, got {test!r}")


def _t_test(observational: Values, interventional: Values, pooled: bool) -> TwoSample:
    # Relative to some row a constant column is exactly 0, so that rounding shows no change.
    before, after = observational - observational[0], interventional - observational[0]
    difference = after.mean(axis=0) - before.mean(axis=0)
    variances = (before.var(axis=0, ddof=1), after.var(axis=0, ddof=1))
    sizes = (len(before), np.asarray(len(after)))
    statistic, freedom = t_statistic(difference, variances, sizes, pooled)
    with np.errstate(divide="ignore", invalid="ignore"):
        effect = difference / np.sqrt(_pooled(variances, sizes))
    return TwoSample(statistic, 2 * stdtr(freedom, -np.abs(statistic)), effect)


def _pooled(variances: tuple[Array, Array], sizes: tuple[int, NDArray[np.int64]]) -> Array:
    """Return the variance within both samples."""
    n, m = sizes
    return np.asarray(((n - 1) * variances[0] + (m - 1) * variances[1]) / (n + m - 2.0))


def effect_error(tests_done: RegimeTests) -> Array:
    """Return the standard error of each effect, shape (r, d), for laws that hardly differ."""
    n, m = tests_done.n_observational, tests_done.n_interventional[:, None]
    if tests_done.test == "kolmogorov-smirnov":
        return np.asarray(np.sqrt(1 / n + 1 / m) / 2 * np.ones_like(tests_done.effect))
    finite = np.where(np.isfinite(tests_done.effect), tests_done.effect, 0.0)
    return np.asarray(np.sqrt(1 / n + 1 / m + finite**2 / (2 * (n + m))))


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
            pool = _pooled(variances, sizes)
            return difference / np.sqrt(pool * (1 / n + 1 / m)), np.asarray(n + m - 2.0)
        both = first + second
        freedom = both**2 / (first**2 / (n - 1) + second**2 / (m - 1))
        return difference / np.sqrt(both), freedom


# From when on a difference counts: three cut-offs for many tests.

Scale = Literal["p value", "t"]
"""What a threshold is compared with: p at most, or |t| above it."""

_CELLS_AT_ONCE = 250_000


@dataclass(frozen=True)
class Bonferroni:
    """Share the level equally among all tests: p at most level / |I|(p - 1).

    Parameters
    ----------
    level : float
        Bound on the probability that any of the tests is a false alarm,
        whatever their dependence.

    Examples
    --------
    >>> Bonferroni(0.01)
    Bonferroni(level=0.01)
    """

    level: float = 0.05
    scale: ClassVar[Scale] = "p value"

    def __post_init__(self) -> None:
        _check_level(self.level)

    def threshold(self, tests_done: RegimeTests, rng: Generator) -> float:  # noqa: ARG002
        """Return the largest p value that counts."""
        return self.level / tests_done.n_tests


@dataclass(frozen=True)
class SimulatedMax:
    """The quantile of the largest |t| of all tests where nothing has an effect.

    Parameters
    ----------
    level : float
        Probability that any of the tests is a false alarm, for independent
        Gaussian columns (the empty graph).
    n_simulations : int
        How many data sets are simulated to find the quantile.

    Notes
    -----
    As all regimes are compared with the same observational sample, the tests of
    a column are dependent; the simulation has the same dependence and the same
    sample sizes. It draws means and variances, which are all that t depends on.
    Where sizes differ, the widest t law, that of the smallest regime, governs
    the cut-off of all.

    Departs from the paper, which does not state its level.

    References
    ----------
    Eigenmann, Mukherjee, Maathuis (2020), section 4.2: a multiplicity
    correction based on an empty graph with Gaussian noise.

    Examples
    --------
    >>> SimulatedMax(n_simulations=500)
    SimulatedMax(level=0.05, n_simulations=500)
    """

    level: float = 0.05
    n_simulations: int = 2000
    scale: ClassVar[Scale] = "t"

    def __post_init__(self) -> None:
        _check_level(self.level)
        if self.n_simulations < 1 / self.level - 1:
            raise ValueError(
                f"n_simulations: a quantile at level {self.level} needs at least "
                f"{math.ceil(1 / self.level - 1)}, got {self.n_simulations}"
            )

    def threshold(self, tests_done: RegimeTests, rng: Generator) -> float:
        """Return the |t| that a test must exceed."""
        at_once = max(1, _CELLS_AT_ONCE // tests_done.tested.size)
        batches = [
            min(at_once, self.n_simulations - done)
            for done in range(0, self.n_simulations, at_once)
        ]
        maxima = np.sort(np.concatenate([_null_maxima(tests_done, n, rng) for n in batches]))
        # With this order statistic the real maximum, drawn likewise, exceeds with P <= level.
        rank = math.ceil((1 - self.level) * (self.n_simulations + 1) - 1e-9)
        return float(maxima[rank - 1])


@dataclass(frozen=True)
class Fixed:
    """The same |t| for all data: 4 in the code that Eigenmann et al. released.

    Parameters
    ----------
    t : float
        A column counts if its |t| is larger.

    Examples
    --------
    >>> Fixed(4.0)
    Fixed(t=4.0)
    """

    t: float = 4.0
    scale: ClassVar[Scale] = "t"

    def __post_init__(self) -> None:
        if not 0 < self.t < math.inf:
            raise ValueError(f"t: expected a positive number, got {self.t}")

    def threshold(self, tests_done: RegimeTests, rng: Generator) -> float:  # noqa: ARG002
        """Return the |t| that a test must exceed."""
        return self.t


Cutoff = Bonferroni | SimulatedMax | Fixed


def _null_maxima(tests_done: RegimeTests, n_draws: int, rng: Generator) -> Vector:
    """Draw the largest |t| of all tests `n_draws` times under the empty graph."""
    # Columns in a canonical order: a permutation of the data's columns changes no draw.
    tested = tests_done.tested[:, np.lexsort(tests_done.tested)]
    n, m = tests_done.n_observational, tests_done.n_interventional[:, None]
    shared, separate = (n_draws, 1, tested.shape[1]), (n_draws, *tested.shape)
    variances = (rng.chisquare(n - 1, shared) / (n - 1), rng.chisquare(m - 1, separate) / (m - 1))
    difference = rng.normal(size=separate) / np.sqrt(m) - rng.normal(size=shared) / np.sqrt(n)
    t, _ = t_statistic(difference, variances, (n, m), tests_done.test == "t")
    return np.abs(t).max(axis=(1, 2), where=tested, initial=0.0)


def _check_level(level: float) -> None:
    if not 0 < level < 1:
        raise ValueError(f"level: expected a number between 0 and 1, got {level}")
