"""Numbers with their 95 % limits, and what may be decided by them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from causalassay.analysis.bootstrap import Codes, Estimated, deal, percentiles
from causalassay.analysis.verdict.statements import Ledger, Number
from causalassay.arrays import Vector

FEWEST_UNITS = 10
"""With fewer units an interval covers too little to decide by."""


@dataclass(frozen=True)
class Interval:
    """A difference or mean with its 95 % limits, and what it is.

    Parameters
    ----------
    number : Number
    low, high : float
        nan with fewer than two units.
    n_units : int
    """

    number: Number
    low: float
    high: float
    n_units: int

    @property
    def value(self) -> float:
        """The estimate."""
        return self.number.value

    @property
    def enough(self) -> bool:
        """Whether there are units enough to decide by."""
        return self.n_units >= FEWEST_UNITS

    @property
    def positive(self) -> bool:
        """Whether the interval lies above 0."""
        return self.enough and self.low > 0

    @property
    def negative(self) -> bool:
        """Whether the interval lies below 0."""
        return self.enough and self.high < 0

    def told(self, say: Ledger) -> str:
        """Return the estimate with its limits, written through a ledger."""
        written = say(self.number)
        if math.isnan(self.low):
            return written
        limits = {"low": self.low, "high": self.high}
        low, high = (
            say(replace(self.number, value=limit, statistic=f"{self.number.statistic} {name}"))
            for name, limit in limits.items()
        )
        return f"{written} [{low}, {high}]"

    def told_units(self, say: Ledger) -> str:
        """Return the number of units, written through a ledger."""
        number = self.number
        return say(replace(number, value=self.n_units, statistic="units", is_share=False))


def difference_of_means(
    values: Vector, units: Codes, first: NDArray[np.bool_]
) -> tuple[Estimated, int]:
    """Return the mean of the first values minus that of the others, with 95 % limits.

    Whole units are resampled, and a unit brings its values on both sides together.
    The number of units is that of the side that has fewer.

    Examples
    --------
    >>> scores = np.array([0.5, 0.75, 0.25, 0.5])
    >>> first = np.array([True, True, False, False])
    >>> difference_of_means(scores, np.array([0, 1, 0, 1]), first)
    (Estimated(value=0.25, low=0.25, high=0.25), 2)
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
        return Estimated(value, math.nan, math.nan), n_units
    totals = blocks.totals(*columns)
    with np.errstate(invalid="ignore", divide="ignore"):  # a resample may lack a side
        drawn = totals[:, 0] / totals[:, 1] - totals[:, 2] / totals[:, 3]
    low, high = percentiles(drawn)
    return Estimated(value, low, high), n_units
