"""How far a risk may be off: nodes without experiments, and tests that err."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from causalassay.risk.experiments import Loss, jaccard

Array = NDArray[np.floating[Any]]

Counts = NDArray[np.int64]
"""Shape (b, k + 4): in each draw, how many nodes without experiments lose what each of k nodes
with experiments loses, or what each of 4 imagined nodes loses (see `LossDraws`)."""

Interval = tuple[float, float]


@dataclass(frozen=True)
class Scoring:
    """How losses become risks with intervals.

    Parameters
    ----------
    loss : callable
        Of two sets, the reference's descendants of a node and the estimate's.
    n_bootstrap : int
        Draws of an interval; with 0 the intervals are nan.
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
    """Intervals of the three risks, or of their differences.

    Parameters
    ----------
    level : float
        Coverage aimed at.
    naive, cross_validated, weighted : (float, float)

    Notes
    -----
    They are for the mean loss over all d nodes against the true descendants: the oracle
    risk of the graph from all data. Each draw adds up two parts.

    Nodes without experiments: what they lose is drawn by a Pólya urn from what the nodes
    with experiments lose and from two imagined nodes of half a weight, one of which
    loses nothing and the other all. If every node has experiments there is nothing to draw.

    Tests: they are redone on halves of the rows (see `draw_descendants`). The algorithm is
    not run again, since the interval is for the graph that it gave. At the lower end a
    column that the graph names counts as a descendant if its p value on all rows is at
    most 0.1; at the upper end one that the graph does not name does if its p value is at
    most 0.2 / (d - 1).

    The interval reaches from the lower quantile of the draws for the lower end to the upper
    quantile of those for the upper end, and always contains the estimate.

    References
    ----------
    Ghosh and Meeden (1997), Bayesian methods for finite population sampling, on the urn.
    """

    level: float
    naive: Interval
    cross_validated: Interval
    weighted: Interval

    def mirrored(self) -> Intervals:
        """Return the intervals of the same numbers with the other sign."""
        ends = (self.naive, self.cross_validated, self.weighted)
        return Intervals(self.level, *((-high, -low) for low, high in ends))


@dataclass(frozen=True, eq=False)
class LossDraws:
    """The losses of k nodes with experiments in h draws of their descendants.

    Parameters
    ----------
    low, high : ndarray, shape (h, k)
        With doubtful columns taken in favour of the graph, and against it.
    imagined : ndarray, shape (4,)
        The losses of 4 imagined nodes: the least and the largest loss of the first of two
        algorithms, with each of those of the second.
    """

    low: Array
    high: Array
    imagined: Array

    def minus(self, other: LossDraws) -> LossDraws:
        """Return the draws of the differences, `other` being the second algorithm."""
        as_second = other.imagined[[0, 2, 1, 3]]
        return LossDraws(self.low - other.high, self.high - other.low, self.imagined - as_second)


def draw_unseen(n_seen: int, n_unseen: int, n_draws: int, rng: Generator) -> Counts:
    """Draw by a Pólya urn whose losses the nodes without experiments share.

    Examples
    --------
    >>> draw_unseen(3, 2, 4, np.random.default_rng(0)).sum(axis=1).tolist()
    [2, 2, 2, 2]
    """
    weights = rng.dirichlet([*(1.0,) * n_seen, *(0.25,) * 4], size=n_draws)
    return rng.multinomial(n_unseen, weights)


def interval(
    mean: float, seen: LossDraws, unseen: LossDraws, counts: Counts, level: float
) -> Interval:
    """Return the interval of a mean loss over all nodes.

    Parameters
    ----------
    mean : float
        The estimate; the interval is widened to contain it.
    seen : LossDraws
        What the nodes with experiments lose.
    unseen : LossDraws
        What those without draw their losses from.
    counts : ndarray, shape (b, k + 4)
    level : float

    Examples
    --------
    With experiments on all nodes and no doubt, the mean is known.

    >>> losses = np.array([[0.0, 0.5, 1.0]])
    >>> known = LossDraws(losses, losses, np.array([0.0, 0.0, 1.0, 1.0]))
    >>> interval(0.5, known, known, draw_unseen(3, 0, 10, np.random.default_rng(0)), 0.95)
    (0.5, 0.5)
    """
    if not len(counts):
        return (np.nan, np.nan)
    low = np.quantile(_means(seen.low, unseen.low, unseen.imagined, counts), (1 - level) / 2)
    high = np.quantile(_means(seen.high, unseen.high, unseen.imagined, counts), (1 + level) / 2)
    return float(np.minimum(low, mean)), float(np.maximum(high, mean))


def _means(seen: Array, unseen: Array, imagined: Array, counts: Counts) -> Array:
    draws = np.arange(len(counts)) % len(seen)
    n_seen = seen.shape[1]
    n_nodes = n_seen + counts[0].sum()
    total = seen[draws].sum(axis=1) + (counts[:, :n_seen] * unseen[draws]).sum(axis=1)
    return (total + counts[:, n_seen:] @ imagined) / n_nodes
