"""Monte Carlo tests that go on until they can decide, with a bound on the risk of deciding wrongly.

A p-value that is read off a fixed number of random draws changes with the seed, and near the level
so does the verdict. Here draws are added until the p-value is known to be on one side of the level
(Gandy 2009, "Sequential implementation of Monte Carlo tests with uniformly bounded resampling
risk"): whatever it is, the side is wrong with a probability of at most `RISK`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from causalassay.present.formatting import PValue

RISK = 1e-3
"""The most probable it may be that another seed decides otherwise."""

MOST_DRAWS = 20_000
"""After which a test stops undecided; the estimate then says the side."""

BLOCK = 50
"""Draws that are made at a time."""

_HALF_SPENT = 1000

Draw = Callable[[int], NDArray[np.bool_]]
"""Takes a number of draws; returns which of them are as extreme as what was seen."""

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class MonteCarlo:
    """A Monte Carlo p-value, and on which side of its level it is.

    Parameters
    ----------
    p_value : float
        The share of draws as extreme as what was seen, which is counted in.
    below : bool
        Whether it is at most the level.
    decided : bool
        False if the draws ended before the side was certain up to the risk.
    draws : int
    """

    p_value: float
    below: bool
    decided: bool
    draws: int

    @property
    def as_p_value(self) -> PValue:
        """The p-value; a bound if nothing as extreme was drawn, so more draws make it smaller."""
        return PValue(self.p_value, is_bound=self.p_value * (self.draws + 1) <= 1)


def decide(extreme: Draw, level: float, most_draws: int = MOST_DRAWS) -> MonteCarlo:
    """Draw until it is certain whether a p-value is at most a level.

    Parameters
    ----------
    extreme : callable
        Takes a number of draws to make; returns which of them are as extreme as what was seen.
    level : float
    most_draws : int

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> never = decide(lambda n: np.zeros(n, dtype=bool), level=0.0125)
    >>> never.below, never.decided, never.draws < 1500
    (True, True, True)
    >>> often = decide(lambda n: rng.random(n) < 0.5, level=0.0125)
    >>> often.below, often.draws
    (False, 50)
    """
    count = draws = 0
    while draws < most_draws:
        seen = extreme(min(BLOCK, most_draws - draws))
        path = count + np.cumsum(seen)
        lower, upper = boundaries(level, draws, draws + len(seen))
        low, high = path <= lower, path >= upper
        crossed = np.flatnonzero(low | high)
        count, draws = int(path[-1]), draws + len(seen)
        if len(crossed):
            return MonteCarlo((1 + count) / (1 + draws), bool(low[crossed[0]]), True, draws)
    p_value = (1 + count) / (1 + draws)
    return MonteCarlo(p_value, p_value <= level, False, draws)


def enumerated(extreme: NDArray[np.bool_], level: float) -> MonteCarlo:
    """Return the p-value where all that chance can give was looked at: it is exact.

    Parameters
    ----------
    extreme : ndarray of bool
        Which of all of them are as extreme as what was seen, itself among them.
    level : float

    Examples
    --------
    >>> enumerated(np.array([True, False, False, False]), level=0.3)
    MonteCarlo(p_value=0.25, below=True, decided=True, draws=4)
    """
    p_value = float(extreme.mean())
    return MonteCarlo(p_value, p_value <= level, True, len(extreme))


def boundaries(level: float, start: int, stop: int) -> tuple[Counts, Counts]:
    """Return the counts of extreme draws at or below, and at or above, which a test stops.

    For start + 1 up to stop draws. Where the p-value equals the level, each boundary is reached
    with a probability of at most `RISK`; it is spent slowly, half of it in the first 1000 draws.

    Examples
    --------
    At a level of 5 % a test without an extreme draw ends after 173 of them.

    >>> lower, _ = boundaries(0.05, 0, 200)
    >>> int(np.argmax(lower >= 0)) + 1
    173
    """
    return _growing(level).between(start, stop)


class _Boundaries:
    """The boundaries of one level, worked out as far as they were asked for."""

    def __init__(self, level: float) -> None:
        self._level = level
        self._lower: list[int] = []
        self._upper: list[int] = []
        # Of the counts first, first + 1, …: how probable each is while the test goes on.
        self._first, self._alive = 0, np.ones(1)
        self._hit_lower = self._hit_upper = 0.0

    def between(self, start: int, stop: int) -> tuple[Counts, Counts]:
        while len(self._lower) < stop:
            self._one_draw_more()
        return np.array(self._lower[start:stop]), np.array(self._upper[start:stop])

    def _one_draw_more(self) -> None:
        # Each count stays, or rises by one.
        alive = np.append(self._alive * (1 - self._level), 0.0)
        alive[1:] += self._alive * self._level
        draws = len(self._lower) + 1
        allowed = RISK * draws / (_HALF_SPENT + draws)
        low_tail, high_tail = np.cumsum(alive), np.cumsum(alive[::-1])
        n_low = int(np.searchsorted(low_tail, allowed - self._hit_lower, side="right"))
        n_high = int(np.searchsorted(high_tail, allowed - self._hit_upper, side="right"))
        self._lower.append(self._first + n_low - 1)
        self._upper.append(self._first + len(alive) - n_high)
        self._hit_lower += float(low_tail[n_low - 1]) if n_low else 0.0
        self._hit_upper += float(high_tail[n_high - 1]) if n_high else 0.0
        self._alive = alive[n_low : len(alive) - n_high]
        self._first += n_low


@cache
def _growing(level: float) -> _Boundaries:
    return _Boundaries(level)
