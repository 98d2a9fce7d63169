"""What chance gives: scores along random orders, and sortabilities of random assignments.

Both are shared by all tests on a data set. Of few columns all orders are looked at; of more, as
many random ones as a test needs to decide.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from causalassay.common.arrays import Adjacency, Vector
from causalassay.diagnostics import PairWeights
from causalassay.graphs.orders import Indices
from causalassay.judging.all_orders import MOST_COLUMNS, all_orders, graphs_along_all_orders
from causalassay.judging.regression_along import RegressionAlong
from causalassay.judging.sequential import Draw, MonteCarlo, decide, enumerated

TIE = 1e-9
LEAST_ORDERS = 50
"""Random orders of which the mean is shown."""

_MOST_CELLS = 1_000_000


class RandomOrders:
    """F1 and SHD along random orders, as many as are asked for.

    Parameters
    ----------
    along : RegressionAlong
    truth : Adjacency
        With an edge.
    rng : Generator
    tick : callable
        Called after each order that was drawn.

    Examples
    --------
    A regression that finds every pair gets half of the edges of a chain right:

    >>> from causalassay.graphs import chain
    >>> from causalassay.judging.regression_along import one_by_one
    >>> all_before = one_by_one(lambda order: np.argsort(order)[:, None] < np.argsort(order))
    >>> orders = RandomOrders(all_before, chain(3), np.random.default_rng(0))
    >>> orders.test(0.8, level=0.2)
    MonteCarlo(p_value=0.16666666666666666, below=True, decided=True, draws=6)
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
        self._drawn: list[NDArray[np.floating]] = [np.empty((0, 2))]
        self._n_drawn = 0

    @cached_property
    def _all(self) -> NDArray[np.floating] | None:
        """F1 and SHD along all orders, of few columns."""
        if len(self._truth) > MOST_COLUMNS:
            return None
        return _compare(self._truth, graphs_along_all_orders(self._along, len(self._truth)))

    def scores(self, count: int = LEAST_ORDERS) -> NDArray[np.floating]:
        """Return F1 and SHD of the first random orders, shape (count, 2)."""
        missing = count - self._n_drawn
        if missing > 0:
            self._drawn.append(self._random_scores(missing))
            self._n_drawn += missing
            for _ in range(missing):
                self._tick()
        if len(self._drawn) > 1:
            self._drawn = [np.concatenate(self._drawn)]
        return self._drawn[0][:count]

    def _random_scores(self, count: int) -> NDArray[np.floating]:
        nodes = np.tile(np.arange(len(self._truth)), (count, 1))
        return _compare(self._truth, self._along.each(self._rng.permuted(nodes, axis=1)))

    @property
    def drawn(self) -> NDArray[np.floating]:
        """F1 and SHD of all orders so far; where there are few columns, of all there are."""
        if self._all is not None:
            return self._all
        return self.scores(max(LEAST_ORDERS, self._n_drawn))

    def score(self, order: Indices) -> tuple[float, float]:
        """Return F1 and SHD along an order."""
        own_f1, own_shd = _compare(self._truth, self._along(order)[None])[0]
        return float(own_f1), float(own_shd)

    def reaching(self, own: float) -> Draw:
        """Return how to draw orders, and which of them reach an F1."""
        used = 0

        def draw(count: int) -> NDArray[np.bool_]:
            nonlocal used
            used += count
            # Sums of the same numbers in another order differ in the last bits.
            return self.scores(used)[used - count :, 0] >= own - TIE

        return draw

    def test(self, own: float, level: float) -> MonteCarlo:
        """Tell whether at most the level of random orders reach an F1."""
        if self._all is not None:
            return enumerated(self._all[:, 0] >= own - TIE, level)
        return decide(self.reaching(own), level)


def _compare(truth: Adjacency, guesses: NDArray[np.bool_]) -> NDArray[np.floating]:
    """Return F1 and SHD of many graphs, shape (n, 2); as `metrics.f1` and `metrics.shd` do."""
    hits = (guesses & truth).sum(axis=(1, 2))
    share = 2 * hits / (truth.sum() + guesses.sum(axis=(1, 2)))
    differ = guesses != truth
    either = differ | differ.transpose(0, 2, 1)
    return np.column_stack([share, either.sum(axis=(1, 2)) / 2])


class RandomAssignments:
    """Sortabilities of random assignments of a statistic to the nodes.

    Parameters
    ----------
    weights : PairWeights
        Of the true graph, which has a pair.
    statistic : Vector
    rng : Generator

    Examples
    --------
    >>> from causalassay.diagnostics import pair_weights
    >>> from causalassay.graphs import chain
    >>> weights = pair_weights(chain(3), "paths")
    >>> assignments = RandomAssignments(weights, [1.0, 2.0, 3.0], np.random.default_rng(0))
    >>> assignments.test(1.0, 1, level=0.2)
    MonteCarlo(p_value=0.16666666666666666, below=True, decided=True, draws=6)
    """

    def __init__(self, weights: PairWeights, statistic: Vector, rng: Generator) -> None:
        self._weights = weights
        self._rng = rng
        self._rises = _rises(np.asarray(statistic, dtype=float))
        self._shares = np.empty(0)

    @cached_property
    def _all(self) -> NDArray[np.floating] | None:
        """The sortabilities of all assignments, of few columns."""
        n_nodes = self._weights.n_nodes
        return self._shares_of(all_orders(n_nodes)) if n_nodes <= MOST_COLUMNS else None

    def shares(self, count: int) -> NDArray[np.floating]:
        """Return the first sortabilities."""
        missing = count - len(self._shares)
        if missing > 0:
            n_nodes = self._weights.n_nodes
            drawn = self._rng.permuted(np.tile(np.arange(n_nodes), (missing, 1)), axis=1)
            self._shares = np.append(self._shares, self._shares_of(drawn))
        return self._shares[:count]

    def _shares_of(self, assignments: NDArray[np.int64]) -> NDArray[np.floating]:
        """Return the sortability where node i has the value that column assignments[:, i] had."""
        cause, effect, weight = self._weights.cause, self._weights.effect, self._weights.weight
        step = max(1, _MOST_CELLS // len(weight))
        risen = [
            self._rises[part[:, cause], part[:, effect]] @ weight
            for part in np.split(assignments, range(step, len(assignments), step))
        ]
        total = int(weight.sum())
        return (total + np.concatenate(risen)) / (2 * total)

    def beyond(self, own: float, sign: int) -> Draw:
        """Return how to draw assignments, and which are at least as sortable: upwards with 1."""
        used = 0

        def draw(count: int) -> NDArray[np.bool_]:
            nonlocal used
            used += count
            return sign * (self.shares(used)[used - count :] - own) >= -TIE

        return draw

    def test(self, own: float, sign: int, level: float) -> MonteCarlo:
        """Tell whether at most the level of random assignments are as sortable."""
        if self._all is not None:
            return enumerated(sign * (self._all - own) >= -TIE, level)
        return decide(self.beyond(own, sign), level)


def _rises(statistic: Vector) -> NDArray[np.int64]:
    """Return 1 where the second value is larger, -1 where it is smaller, 0 where they tie."""
    size = np.abs(statistic)
    rise = statistic - statistic[:, None]
    margin = TIE * np.maximum(size, size[:, None])
    return (rise > margin).astype(np.int64) - (rise < -margin)
