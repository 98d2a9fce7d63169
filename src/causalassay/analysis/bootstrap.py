"""Bootstrap intervals that resample whole units, the same for the same rows in any order.

A unit is a graph and a replicate: the problems of one replicate share their
graph and their random numbers, so their rows are not independent of each other
and are drawn together. Which resamples are taken depends on the number of units
alone; so two algorithms on the same units meet the same resamples, and a new
algorithm changes no other interval.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causalassay.arrays import Vector, Weights
from causalassay.seeding import stream

N_RESAMPLES = 1000
COVERAGE = 0.95
MOST_BLOCKS = 500
"""More units than this are dealt into so many blocks at random, and blocks are drawn.

Blocks of independent units are independent, so the interval means the same; its
cost no longer grows with the study, and its width is uncertain by some 3 %.
"""

FEWEST_UNITS = 10
"""With fewer units an interval covers too little to decide by."""

Codes = NDArray[np.integer[Any]]


@dataclass(frozen=True)
class MeanInterval:
    """A mean or a difference of means, and the limits of its 95 % interval; nan where undefined."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Blocks:
    """What is drawn together: the unit and the block of each row, counted from 0."""

    unit: Codes
    block: Codes
    n_units: int
    n_blocks: int

    def count_units(self, chosen: NDArray[np.bool_]) -> int:
        """Return in how many units the chosen rows lie."""
        seen = np.zeros(self.n_units, dtype=bool)
        seen[self.unit[chosen]] = True
        return int(seen.sum())

    def totals(self, *columns: NDArray[Any]) -> Weights:
        """Return the sum of each column, given by block, in each resample."""
        return resamples(self.n_blocks) @ np.column_stack(columns)


def deal(units: Codes) -> Blocks:
    """Return the blocks of rows whose units are given as codes, 0 or more.

    Examples
    --------
    >>> deal(np.array([7, 3, 7])).block.tolist()
    [1, 0, 1]
    """
    seen = np.zeros(int(units.max(initial=-1)) + 1, dtype=bool)
    seen[units] = True
    rank = (np.cumsum(seen) - 1)[units]
    n_units = int(seen.sum())
    if n_units <= MOST_BLOCKS:
        return Blocks(rank, rank, n_units, n_units)
    block = stream(0, "summary", "blocks", n_units).permutation(n_units) % MOST_BLOCKS
    return Blocks(rank, block[rank], n_units, MOST_BLOCKS)


@lru_cache(maxsize=16)
def resamples(n_blocks: int) -> Weights:
    """Return how often each resample holds each block, shape ``(N_RESAMPLES, n_blocks)``."""
    rng = stream(0, "summary", "resamples", n_blocks)
    drawn = rng.multinomial(n_blocks, np.full(n_blocks, 1 / n_blocks), N_RESAMPLES)
    weights = drawn.astype(float)
    weights.setflags(write=False)
    return weights


def mean_with_interval(values: Vector, blocks: Blocks) -> MeanInterval:
    """Return the mean of the values that are not nan, with its percentile interval.

    The interval is nan with fewer than two units or an infinite value. Of few
    units percentile intervals are too narrow: on normal scores this one covers the
    truth in 91 % of studies with 10 units, 93.6 % with 40 and 94.8 % with 2000.

    Examples
    --------
    >>> mean_with_interval(np.array([1.0, 1.0, np.nan]), deal(np.array([0, 1, 2])))
    MeanInterval(value=1.0, low=1.0, high=1.0)
    """
    defined = ~np.isnan(values)
    if not defined.any():
        return MeanInterval(np.nan, np.nan, np.nan)
    kept, block = values[defined], blocks.block[defined]
    if not np.isfinite(kept).all():
        return MeanInterval(float(kept.mean()), np.nan, np.nan)
    # Deviations from a value of the sample: equal values then give exactly that value.
    centre = float(np.median(kept))
    apart = kept - centre
    value = centre + float(apart.mean())
    if blocks.count_units(defined) < 2:
        return MeanInterval(value, np.nan, np.nan)
    totals = blocks.totals(
        np.bincount(block, weights=apart, minlength=blocks.n_blocks),
        np.bincount(block, minlength=blocks.n_blocks),
    )
    with np.errstate(invalid="ignore"):  # a resample may hold no value at all
        drawn = totals[:, 0] / totals[:, 1]
    low, high = percentiles(drawn)
    return MeanInterval(value, centre + low, centre + high)


def percentiles(drawn: Vector) -> tuple[float, float]:
    """Return the limits of the central 95 % of a statistic; resamples without one are left out."""
    drawn = drawn[~np.isnan(drawn)]
    if not len(drawn):
        return np.nan, np.nan
    outside = (1 - COVERAGE) / 2
    low, high = np.quantile(drawn, [outside, 1 - outside])
    return float(low), float(high)


def difference_of_means(
    values: Vector, units: Codes, first: NDArray[np.bool_]
) -> tuple[MeanInterval, int]:
    """Return the mean of the first values minus that of the others, with 95 % limits.

    Whole units are resampled, and a unit brings its values on both sides together.
    The number of units is that of the side that has fewer.

    Examples
    --------
    >>> scores = np.array([0.5, 0.75, 0.25, 0.5])
    >>> first = np.array([True, True, False, False])
    >>> difference_of_means(scores, np.array([0, 1, 0, 1]), first)
    (MeanInterval(value=0.25, low=0.25, high=0.25), 2)
    """
    blocks = deal(units)
    defined = ~np.isnan(values)
    sides = [defined & first, defined & ~first]
    columns = []
    for side in sides:
        block = blocks.block[side]
        columns += [
            np.bincount(block, weights=values[side], minlength=blocks.n_blocks),
            np.bincount(block, minlength=blocks.n_blocks),
        ]
    n_units = min(blocks.count_units(side) for side in sides)
    value = float(values[sides[0]].mean() - values[sides[1]].mean())
    if n_units < 2 or not np.isfinite(values[defined]).all():
        return MeanInterval(value, np.nan, np.nan), n_units
    totals = blocks.totals(*columns)
    with np.errstate(invalid="ignore", divide="ignore"):  # a resample may lack a side
        drawn = totals[:, 0] / totals[:, 1] - totals[:, 2] / totals[:, 3]
    low, high = percentiles(drawn)
    return MeanInterval(value, low, high), n_units
