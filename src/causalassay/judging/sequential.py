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

RISK = 1e-3
"""The most probable it may be that another seed decides otherwise."""

MOST_DRAWS = 20_000
"""After which a test stops undecided; the estimate then says the side."""

_BLOCK = 50
_HALF_SPENT = 1000


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


def decide(
    extreme: Callable[[int], NDArray[np.bool_]], level: float, most_draws: int = MOST_DRAWS
) -> MonteCarlo:
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
    lower, upper = boundaries(level, most_draws)
    count = draws = 0
    while draws < most_draws:
        seen = extreme(min(_BLOCK, most_draws - draws))
        path = count + np.cumsum(seen)
        places = np.arange(draws, draws + len(seen))
        crossed = np.flatnonzero((path <= lower[places]) | (path >= upper[places]))
        if len(crossed):
            first = int(crossed[0])
            below = bool(path[first] <= lower[places[first]])
            count, draws = int(path[-1]), draws + len(seen)
            return MonteCarlo((1 + count) / (1 + draws), below, True, draws)
        count, draws = int(path[-1]), draws + len(seen)
    p_value = (1 + count) / (1 + draws)
    return MonteCarlo(p_value, p_value <= level, False, draws)


@cache
def boundaries(level: float, most_draws: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the counts of extreme draws at or below, and at or above, which a test stops.

    The k-th entry is for k + 1 draws. Where the p-value equals the level, each boundary is reached
    with a probability of at most `RISK`; it is spent slowly, half of it in the first 1000 draws.
    """
    lower = np.full(most_draws, -1, dtype=np.int64)
    upper = np.full(most_draws, most_draws + 1, dtype=np.int64)
    first, alive = 0, np.ones(1)  # of the counts first, first + 1, …: how probable, still going
    hit_lower = hit_upper = 0.0
    for k in range(most_draws):
        # One draw more: each count stays, or rises by one.
        alive = np.append(alive * (1 - level), 0.0) + np.append(0.0, alive * level)
        allowed = RISK * (k + 1) / (_HALF_SPENT + k + 1)
        low_tail, high_tail = np.cumsum(alive), np.cumsum(alive[::-1])
        n_low = int(np.searchsorted(low_tail, allowed - hit_lower, side="right"))
        n_high = int(np.searchsorted(high_tail, allowed - hit_upper, side="right"))
        if n_low:
            lower[k] = first + n_low - 1
            hit_lower += float(low_tail[n_low - 1])
        if n_high:
            upper[k] = first + len(alive) - n_high
            hit_upper += float(high_tail[n_high - 1])
        else:
            upper[k] = first + len(alive)
        alive = alive[n_low : len(alive) - n_high]
        first += n_low
    return lower, upper
