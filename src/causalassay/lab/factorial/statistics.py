"""Means over repeats with intervals, and tests whose p-values are exact or corrected."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from causalassay.common.arrays import Vector

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
        return {key: None if math.isnan(number) else number for key, number in numbers.items()} | {
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
    before, other = (np.asarray(values, dtype=float) for values in (first, second))
    before, other = before[~np.isnan(before)], other[~np.isnan(other)]
    least = 2
    if min(len(before), len(other)) < least:
        return Mean(math.nan, math.nan, math.nan, min(len(before), len(other)))
    gap = float(before.mean() - other.mean())
    errors = [float(values.var(ddof=1)) / len(values) for values in (before, other)]
    total = sum(errors)
    if total == 0:
        return Mean(gap, gap, gap, min(len(before), len(other)))
    freedom = total**2 / sum(
        error**2 / (len(values) - 1) for error, values in zip(errors, (before, other), strict=True)
    )
    half = float(stats.t.ppf((1 + LEVEL) / 2, freedom)) * math.sqrt(total)
    return Mean(gap, gap - half, gap + half, min(len(before), len(other)))


def holm(p_values: NDArray[Any]) -> NDArray[Any]:
    """Return p-values corrected for their number, in the same shape; undefined ones become 1.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03])).round(6)
    array([0.03, 0.06, 0.06])
    """
    flat = np.where(np.isnan(p_values), 1.0, p_values).ravel()
    order = np.argsort(flat)
    corrected = np.maximum.accumulate(flat[order] * np.arange(len(flat), 0, -1))
    result = np.empty(len(flat))
    result[order] = np.minimum(corrected, 1.0)
    return result.reshape(p_values.shape)


# Wilcoxon's signed-rank test, exact for few subjects, also with ties and zeros.

MOST_EXACT = 50
"""Differences up to which the distribution is exact; beyond it is normal."""


def signed_rank_p_value(differences: Vector) -> float:
    """Return the two-sided p-value that differences are symmetric about 0.

    Zeros are left out, and ties share their mean rank. For at most `MOST_EXACT` differences the
    distribution over all signs is exact, given these ranks.

    Examples
    --------
    >>> signed_rank_p_value(np.array([1.0, 2.0, 2.0, 5.0, 0.0]))
    0.125
    """
    moved = differences[differences != 0]
    if not len(moved):
        return 1.0
    if len(moved) > MOST_EXACT:
        return float(stats.wilcoxon(moved, method="approx").pvalue)
    doubled = np.rint(2 * stats.rankdata(np.abs(moved))).astype(np.int64)
    positive = int(doubled[moved > 0].sum())
    law = _law_of_sums(doubled)
    return min(1.0, 2.0 * float(law[max(positive, len(law) - 1 - positive) :].sum()))


def _law_of_sums(ranks: NDArray[np.int64]) -> Vector:
    """Return the probability of each sum of ranks whose signs are fair coins."""
    law = np.zeros(int(ranks.sum()) + 1)
    law[0] = 1.0
    for rank in ranks:
        law[rank:] = law[rank:] / 2 + law[: len(law) - rank] / 2
        law[:rank] /= 2
    return law
