"""What chance gives: scores along random orders, and sortabilities of random assignments.

Both are drawn once and shared by all tests on a data set.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from causalassay.arrays import Adjacency, Vector
from causalassay.diagnostics import PairWeights, aligned_share
from causalassay.graphs.orders import Indices
from causalassay.judging.regression_along import RegressionAlong
from causalassay.metrics import f1, shd

TIE = 1e-9
LEAST_ORDERS = 50
"""Random orders of which the mean is shown."""

Draw = Callable[[int], NDArray[np.bool_]]
"""Takes a number of draws; returns which of them are as extreme as what was seen."""


class RandomOrders:
    """F1 and SHD along random orders, as many as are asked for.

    Parameters
    ----------
    along : RegressionAlong
    truth : Adjacency
    rng : Generator
    tick : callable
        Called after each order.
    """

    def __init__(
        self,
        along: RegressionAlong,
        truth: Adjacency,
        rng: Generator,
        tick: Callable[[], None] = lambda: None,
    ) -> None:
        self._along = along
        self._truth = truth
        self._rng = rng
        self._tick = tick
        self._scores: list[tuple[float, float]] = []

    def scores(self, count: int = LEAST_ORDERS) -> NDArray[np.floating]:
        """Return F1 and SHD of the first orders, shape (count, 2)."""
        while len(self._scores) < count:
            order = self._rng.permutation(len(self._truth))
            self._scores.append(self.score(order))
            self._tick()
        return np.array(self._scores[:count])

    @property
    def drawn(self) -> NDArray[np.floating]:
        """F1 and SHD of all orders so far."""
        return self.scores(max(LEAST_ORDERS, len(self._scores)))

    def score(self, order: Indices) -> tuple[float, float]:
        """Return F1 and SHD along an order."""
        guess = self._along(order)
        return f1(self._truth, guess), float(shd(self._truth, guess))

    def reaching(self, own: float) -> Draw:
        """Return how to draw orders, and which of them reach an F1."""
        used = 0

        def draw(count: int) -> NDArray[np.bool_]:
            nonlocal used
            used += count
            # Sums of the same numbers in another order differ in the last bits.
            return self.scores(used)[used - count :, 0] >= own - TIE

        return draw


class RandomAssignments:
    """Sortabilities of random assignments of a statistic to the nodes.

    Parameters
    ----------
    weights : PairWeights
        Of the true graph.
    statistic : Vector
    rng : Generator
    """

    def __init__(self, weights: PairWeights, statistic: Vector, rng: Generator) -> None:
        self._weights = weights
        self._statistic = statistic
        self._rng = rng
        self._shares: list[float] = []

    def shares(self, count: int) -> NDArray[np.floating]:
        """Return the first sortabilities."""
        while len(self._shares) < count:
            shuffled = self._rng.permutation(self._statistic)
            self._shares.append(aligned_share(self._weights, shuffled, TIE))
        return np.array(self._shares[:count])

    def beyond(self, own: float, sign: int) -> Draw:
        """Return how to draw assignments, and which are at least as sortable: upwards with 1."""
        used = 0

        def draw(count: int) -> NDArray[np.bool_]:
            nonlocal used
            used += count
            return sign * (self.shares(used)[used - count :] - own) >= -TIE

        return draw
