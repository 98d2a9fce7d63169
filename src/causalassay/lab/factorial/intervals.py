"""Means over repeats with intervals."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

LEVEL = 0.95


class Mean(NamedTuple):
    """A mean over repeats with its interval, 95 % unless said otherwise; nan if undefined."""

    value: float
    low: float
    high: float
    n: int

    def to_dict(self) -> dict[str, float | int | None]:
        """Return plain values for JSON, None for what is undefined."""
        numbers = {"mean": self.value, "low": self.low, "high": self.high}
        return {key: None if math.isnan(one) else one for key, one in numbers.items()} | {
            "n": self.n
        }


def mean_of(values: ArrayLike, level: float = LEVEL) -> Mean:
    """Return the mean of repeats, with Student's interval; nan entries are left out.

    Examples
    --------
    >>> mean_of([1.0, 2.0, 3.0])
    Mean(value=2.0, low=-0.48..., high=4.48..., n=3)
    >>> mean_of([]).n
    0
    """
    array = np.asarray(values, dtype=float)
    array = array[~np.isnan(array)]
    n = len(array)
    if n == 0:
        return Mean(math.nan, math.nan, math.nan, 0)
    mean = float(array.mean())
    if n == 1:
        return Mean(mean, math.nan, math.nan, 1)
    half = float(stats.t.ppf((1 + level) / 2, n - 1) * array.std(ddof=1) / math.sqrt(n))
    return Mean(mean, mean - half, mean + half, n)


def mean_distance(values: ArrayLike, most: float = math.inf) -> Mean:
    """Return the mean of distances or counts; its interval has no impossible values.

    Examples
    --------
    >>> mean_distance([0.0, 0.0, 3.0])
    Mean(value=1.0, low=0.0, high=5.3..., n=3)
    """
    mean = mean_of(values)
    if math.isnan(mean.low):
        return mean
    return mean._replace(low=max(mean.low, 0.0), high=min(mean.high, most))


def difference_of(first: ArrayLike, second: ArrayLike) -> Mean:
    """Return the difference of two independent means, with Welch's interval.

    Examples
    --------
    >>> difference_of([2.0, 3.0], [1.0, 1.0]).value
    1.5
    """
    one, other = (np.asarray(values, dtype=float) for values in (first, second))
    one, other = one[~np.isnan(one)], other[~np.isnan(other)]
    least = 2
    if min(len(one), len(other)) < least:
        return Mean(math.nan, math.nan, math.nan, min(len(one), len(other)))
    gap = float(one.mean() - other.mean())
    errors = [float(values.var(ddof=1)) / len(values) for values in (one, other)]
    total = sum(errors)
    if total == 0:
        return Mean(gap, gap, gap, min(len(one), len(other)))
    freedom = total**2 / sum(
        error**2 / (len(values) - 1) for error, values in zip(errors, (one, other), strict=True)
    )
    half = float(stats.t.ppf((1 + LEVEL) / 2, freedom)) * math.sqrt(total)
    return Mean(gap, gap - half, gap + half, min(len(one), len(other)))
