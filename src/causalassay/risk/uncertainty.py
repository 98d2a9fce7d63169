"""How far a risk may be off: a bootstrap over interventions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from causalassay.arrays import Values
from causalassay.risk.losses import Loss, jaccard

Shares = NDArray[np.floating[Any]]
"""Shape (b, k): how often each of k interventions is in each resample, over k."""

Interval = tuple[float, float]


@dataclass(frozen=True)
class Scoring:
    """How losses become risks with intervals.

    Parameters
    ----------
    loss : callable
        Of two sets, the reference's descendants of a node and the estimate's.
    n_bootstrap : int
        Resamples of the interventions; with 0 the intervals are nan.
    level : float
        Coverage that the intervals aim at.

    Examples
    --------
    >>> Scoring(n_bootstrap=200).level
    0.95
    """

    loss: Loss = jaccard
    n_bootstrap: int = 1000
    level: float = 0.95

    def __post_init__(self) -> None:
        if not callable(self.loss):
            raise TypeError(f"loss: expected a function of two sets, got {self.loss!r}")
        if self.n_bootstrap < 0:
            raise ValueError(f"n_bootstrap: expected at least 0, got {self.n_bootstrap}")
        if not 0 < self.level < 1:
            raise ValueError(f"level: expected a number between 0 and 1, got {self.level}")


@dataclass(frozen=True)
class Intervals:
    """Percentile intervals of the three risks, or of their differences.

    Parameters
    ----------
    level : float
        Coverage aimed at.
    naive, cross_validated, weighted : (float, float)

    Notes
    -----
    The unit of sampling is the intervention: the interval tells how the risk
    would vary had other nodes been intervened upon. The graphs and the tested
    descendants stay as they are in every resample; what new rows would change
    in them, and chance inside an algorithm, is not covered. With few
    interventions such intervals are too short.
    """

    level: float
    naive: Interval
    cross_validated: Interval
    weighted: Interval


def resample(n_units: int, n_bootstrap: int, rng: Generator) -> Shares:
    """Draw resamples of the same size, with replacement, as shares that add up to 1.

    Examples
    --------
    >>> resample(4, 2, np.random.default_rng(0)).sum(axis=1).tolist()
    [1.0, 1.0]
    """
    return rng.multinomial(n_units, np.full(n_units, 1 / n_units), size=n_bootstrap) / n_units


def percentile_intervals(losses: Values, shares: Shares, level: float) -> Intervals:
    """Return the intervals of the means over resampled interventions.

    Parameters
    ----------
    losses : ndarray, shape (k, 3)
        The naive, held-out and weighted loss, or difference of losses, of each
        intervention.
    shares : ndarray, shape (b, k)
        The same for two algorithms whose difference is meant.
    level : float

    Examples
    --------
    >>> losses = np.array([[0.0, 0.5, 0.2], [0.5, 0.5, 0.5], [1.0, 0.5, 0.8]])
    >>> intervals = percentile_intervals(losses, resample(3, 500, np.random.default_rng(0)), 0.99)
    >>> intervals.naive, intervals.cross_validated
    ((0.0, 1.0), (0.5, 0.5))
    """
    means = shares @ losses if len(shares) else np.full((1, 3), np.nan)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2], axis=0).tolist()
    return Intervals(level, *zip(low, high, strict=True))
