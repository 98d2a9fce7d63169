"""P-values: by random draws until a test is decided, and over many instances without draws.

A p-value that is read off a fixed number of random draws changes with the seed, and near the level
so does the verdict. Here draws are added until the p-value is known to be on one side of the level
(Gandy 2009, "Sequential implementation of Monte Carlo tests with uniformly bounded resampling
risk"): whatever it is, the side is wrong with a probability of at most `RISK`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from causalassay.common.arrays import Vector
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
    """Return the exact p-value, where all that chance can give was tried.

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


# Tests over independent instances: combined p-values, sign flips, and Holm's correction.

LEVEL = 0.05
"""The level of claims that are judged together."""

_EXACT_SUM = 12
"""With more p-values their sum is close to normal, and the normal has the heavier tails."""
_STEPS = 1000
_MOST_COUNTED = 16
_MOST_ROUNDED = 300

Side = Literal["greater", "two-sided"]
Name = TypeVar("Name", bound=Hashable)


def combined(p_values: Vector) -> float:
    """Return how often the sum of as many independent uniform p-values is at most this one.

    Edgington's method. P-values that are too large on average, as Monte Carlo ones are,
    make it conservative. nan without a p-value.

    Parameters
    ----------
    p_values : Vector
        One for each instance; nan is left out.

    Examples
    --------
    >>> combined(np.array([0.02])), round(combined(np.array([0.1, 0.2])), 4)
    (0.02, 0.045)
    >>> round(combined(np.full(30, 0.5)), 4)
    0.5
    """
    p_values = p_values[~np.isnan(p_values)]
    count, total = len(p_values), float(p_values.sum())
    if not count:
        return math.nan
    if count <= _EXACT_SUM:
        terms = [
            (-1) ** k * math.comb(count, k) * (total - k) ** count
            for k in range(math.floor(total) + 1)
        ]
        return float(min(1.0, max(0.0, math.fsum(terms) / math.factorial(count))))
    return float(ndtr((total - count / 2) / math.sqrt(count / 12)))


def sign_flips(differences: Vector, side: Side = "greater") -> float:
    """Return the share of sign flips of paired differences with a sum as large as theirs.

    Where the two of a pair could be swapped, each flip is as probable as what was seen.
    Differences of 0 and nan are left out. Up to 16 instances all flips are counted; up
    to 300 the differences are rounded to a thousandth of the largest; beyond, the normal law
    takes their place.

    Parameters
    ----------
    differences : Vector
        One for each instance.
    side : {"greater", "two-sided"}

    Examples
    --------
    >>> sign_flips(np.full(5, 0.1)), sign_flips(np.full(5, 0.1), "two-sided")
    (0.03125, 0.0625)
    >>> sign_flips(np.zeros(3)), sign_flips(np.array([1.0, -1.0]))
    (1.0, 0.75)
    """
    differences = differences[~np.isnan(differences)]
    differences = differences[differences != 0]
    if not len(differences):
        return 1.0
    if side == "two-sided":
        return min(1.0, 2 * min(sign_flips(differences), sign_flips(-differences)))
    if len(differences) <= _MOST_COUNTED:
        sums = np.zeros(1)
        for size in np.abs(differences):
            sums = np.concatenate([sums + size, sums - size])
        # Sums of the same numbers in another order differ in the last bits.
        return float((sums >= differences.sum() - 1e-9 * np.abs(differences).max()).mean())
    if len(differences) > _MOST_ROUNDED:
        return float(ndtr(-differences.sum() / math.sqrt((differences**2).sum())))
    steps = np.rint(differences / np.abs(differences).max() * _STEPS).astype(np.int64)
    return _tail(np.abs(steps), int(steps.sum()))


def _tail(sizes: np.ndarray, total: int) -> float:
    """Return how probable it is that sizes with random signs add up to at least a total."""
    # Count the sum of the positive ones: it is (total + all) / 2, and each is in or out.
    needed = -(-(total + int(sizes.sum())) // 2)
    probability = np.zeros(int(sizes.sum()) + 1)
    probability[0] = 1.0
    reached = 0
    for size in sizes:
        reached += int(size)
        shifted = probability[: reached + 1 - size].copy()
        probability[: reached + 1] *= 0.5
        probability[size : reached + 1] += 0.5 * shifted
    return float(min(1.0, probability[needed:].sum()))


def holm(p_values: Mapping[Name, float]) -> dict[Name, float]:
    """Return p-values corrected for their number: claims below a level are then claimed together.

    One that is nan could not be tested; it is left out of the number and stays nan.

    Examples
    --------
    >>> holm({"a": 0.01, "b": 0.04, "c": math.nan})
    {'a': 0.02, 'b': 0.04, 'c': nan}
    """
    tested = sorted((name for name in p_values if not math.isnan(p_values[name])), key=p_values.get)  # type: ignore[arg-type]
    corrected: dict[Name, float] = {}
    largest = 0.0
    for rank, name in enumerate(tested):
        largest = max(largest, min(1.0, (len(tested) - rank) * p_values[name]))
        corrected[name] = largest
    return {name: corrected.get(name, math.nan) for name in p_values}


def units_needed(n_claims: int, level: float = LEVEL) -> int:
    """Return from how many instances sign flips can reach a level that some claims share.

    Examples
    --------
    >>> units_needed(1), units_needed(10)
    (5, 8)
    """
    return math.ceil(math.log2(max(n_claims, 1) / level))
