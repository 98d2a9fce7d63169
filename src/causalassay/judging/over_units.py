"""Tests over independent units: combined p-values, sign flips, and Holm's correction.

None of them draws random numbers, so the same rows always give the same finding.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from typing import Literal, TypeVar

import numpy as np
from scipy.special import ndtr

from causalassay.common.arrays import Vector

LEVEL = 0.05
"""Of the claims that are judged together."""

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
        One for each unit; nan is left out.

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
    Differences of 0 and nan are left out. Up to 16 units all flips are counted; up
    to 300 the differences are rounded to a thousandth of the largest; beyond, the normal law
    takes their place.

    Parameters
    ----------
    differences : Vector
        One for each unit.
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
    for place, name in enumerate(tested):
        largest = max(largest, min(1.0, (len(tested) - place) * p_values[name]))
        corrected[name] = largest
    return {name: corrected.get(name, math.nan) for name in p_values}


def units_needed(n_claims: int, level: float = LEVEL) -> int:
    """Return the units from which sign flips can reach a level that is shared by some claims.

    Examples
    --------
    >>> units_needed(1), units_needed(10)
    (5, 8)
    """
    return math.ceil(math.log2(max(n_claims, 1) / level))
