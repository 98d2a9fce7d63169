"""From when on a difference counts: three cut-offs for many tests."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.random import Generator

from causalassay.common.arrays import Vector
from causalassay.risk.two_sample_tests import RegimeTests, t_statistic

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
    shared, own = (n_draws, 1, tested.shape[1]), (n_draws, *tested.shape)
    variances = (rng.chisquare(n - 1, shared) / (n - 1), rng.chisquare(m - 1, own) / (m - 1))
    difference = rng.normal(size=own) / np.sqrt(m) - rng.normal(size=shared) / np.sqrt(n)
    t, _ = t_statistic(difference, variances, (n, m), tests_done.test == "t")
    return np.abs(t).max(axis=(1, 2), where=tested, initial=0.0)


def _check_level(level: float) -> None:
    if not 0 < level < 1:
        raise ValueError(f"level: expected a number between 0 and 1, got {level}")
