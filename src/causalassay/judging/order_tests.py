"""Whether an artefact gives the order away: two tests for each statistic and direction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import permutations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from causalassay.common.arrays import Adjacency, Vector
from causalassay.data.dataset import Dataset
from causalassay.diagnostics import PairWeights, aligned_share, pair_weights, series_pair_weights
from causalassay.discovery.statistics import random_ties_order
from causalassay.graphs.orders import Indices, topological_order
from causalassay.judging.artefacts import Artefact
from causalassay.judging.p_values import Draw, MonteCarlo, decide, enumerated
from causalassay.judging.regression_along import RegressionAlong

# All orders of few columns, so that what chance gives is counted and not drawn.

MOST_COLUMNS = 8
"""Up to this many columns all orders are tried (8! = 40 320)."""

Orders = NDArray[np.int64]


@cache
def all_orders(n_nodes: int) -> Orders:
    """Return all orders of so many nodes, shape (n!, n).

    Examples
    --------
    >>> all_orders(2).tolist()
    [[0, 1], [1, 0]]
    """
    orders = np.array(list(permutations(range(n_nodes))), dtype=np.int64)
    orders.setflags(write=False)
    return orders


def graphs_along_all_orders(along: RegressionAlong, n_nodes: int) -> NDArray[np.bool_]:
    """Return the graph along each of `all_orders`, shape (n!, n, n).

    What a node gets depends on which nodes come before it and not on their order, so that there
    are only n·2^(n-1) regressions.
    """
    orders = all_orders(n_nodes)
    parents = _parents_after_sets(along, n_nodes)
    position = np.argsort(orders, axis=1)
    sets = np.zeros_like(orders)
    for node in range(n_nodes):
        sets += (position[:, [node]] < position) << node
    # Entry [o, j] of what is looked up is column j of the graph along order o.
    return parents[np.arange(n_nodes), sets].transpose(0, 2, 1)


def _parents_after_sets(along: RegressionAlong, n_nodes: int) -> NDArray[np.bool_]:
    """Return the parents of each node after each set of nodes, shape (n, 2^n, n)."""
    parents = np.zeros((n_nodes, 2**n_nodes, n_nodes), dtype=bool)
    known = np.zeros((n_nodes, 2**n_nodes), dtype=bool)
    for first in range(2**n_nodes):
        for node in range(n_nodes):
            if not first >> node & 1 and not known[node, first]:
                order = _beginning_with(first, node, n_nodes)
                _remember(along(order), order, parents, known)
    return parents


def _beginning_with(first: int, node: int, n_nodes: int) -> NDArray[np.int64]:
    nodes = np.arange(n_nodes)
    inside = (first >> nodes & 1).astype(bool)
    after = ~inside & (nodes != node)
    return np.concatenate([nodes[inside], [node], nodes[after]])


def _remember(
    graph: Adjacency, order: Orders, parents: NDArray[np.bool_], known: NDArray[np.bool_]
) -> None:
    before = 0
    for node in order.tolist():
        parents[node, before] = graph[:, node]
        known[node, before] = True
        before |= 1 << node


# What chance gives: scores along random orders, and sortabilities of random assignments.

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

    def reaching(self, f1: float) -> Draw:
        """Return how to draw orders, and which of them reach an F1."""
        used = 0

        def draw(count: int) -> NDArray[np.bool_]:
            nonlocal used
            used += count
            # Sums of the same numbers in another order differ in the last bits.
            return self.scores(used)[used - count :, 0] >= f1 - TIE

        return draw

    def test(self, f1: float, level: float) -> MonteCarlo:
        """Tell whether at most the level of random orders reach an F1."""
        if self._all is not None:
            return enumerated(self._all[:, 0] >= f1 - TIE, level)
        return decide(self.reaching(f1), level)


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
        The pairs of the true graph, at least one.
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

    def beyond(self, sortability: float, sign: int) -> Draw:
        """Return how to draw assignments, and which are at least as sortable: upwards with 1."""
        used = 0

        def draw(count: int) -> NDArray[np.bool_]:
            nonlocal used
            used += count
            return sign * (self.shares(used)[used - count :] - sortability) >= -TIE

        return draw

    def test(self, sortability: float, sign: int, level: float) -> MonteCarlo:
        """Tell whether at most the level of random assignments are as sortable."""
        if self._all is not None:
            return enumerated(sign * (self._all - sortability) >= -TIE, level)
        return decide(self.beyond(sortability, sign), level)


def _rises(statistic: Vector) -> NDArray[np.int64]:
    """Return 1 where the second value is larger, -1 where it is smaller, 0 where they tie."""
    size = np.abs(statistic)
    rise = statistic - statistic[:, None]
    margin = TIE * np.maximum(size, size[:, None])
    return (rise > margin).astype(np.int64) - (rise < -margin)


FAMILY_LEVEL = 0.05
"""How often data without artefacts may be called gameable by any statistic in any direction."""

_N_TIES = 20
_N_TRUE_ORDERS = 20


@dataclass(frozen=True)
class OrderTest:
    """What sorting by a statistic tells of the true order.

    Parameters
    ----------
    artefact : Artefact
    backwards : bool
        Whether the columns are sorted from the largest to the smallest.
    sortability : float
        The sortability by rising values of the statistic; 1/2 is chance.
    f1, shd : float
        The scores of regressing along the order of the statistic.
    sortable, winning : MonteCarlo
        How many random assignments of the statistic to the nodes are as sortable, and how many
        random orders reach the F1.
    """

    artefact: Artefact
    backwards: bool
    sortability: float
    f1: float
    shd: float
    sortable: MonteCarlo
    winning: MonteCarlo


def corrected_level(n_artefacts: int) -> float:
    """Return the level of each test: both directions of all statistics are judged together."""
    return FAMILY_LEVEL / (2 * n_artefacts)


def order_pairs(data: Dataset, graph: Adjacency) -> PairWeights:
    """Return the pairs of cause and effect that the sortability of a test counts."""
    if data.world == "series":
        return series_pair_weights(graph)
    return pair_weights(graph, "paths")


def measure_orders(  # noqa: PLR0913, PLR0917  what the tests are made of
    artefact: Artefact,
    statistic: Vector,
    weights: PairWeights,
    orders: RandomOrders,
    level: float,
    assignments_rng: Generator,
    ties_rng: Generator,
) -> list[OrderTest]:
    """Test one statistic, rising and falling."""
    assignments = RandomAssignments(weights, statistic, assignments_rng)
    sortability = aligned_share(weights, statistic, TIE)
    tests = []
    for backwards in (False, True):
        f1, shd = score_along(orders, statistic, backwards, ties_rng)
        sortable = assignments.test(sortability, -1 if backwards else 1, level)
        winning = orders.test(f1, level)
        tests.append(OrderTest(artefact, backwards, sortability, f1, shd, sortable, winning))
    return tests


def ties_throughout(statistic: Vector) -> bool:
    """Tell whether all values are equal up to the tolerance of the sortabilities.

    Examples
    --------
    >>> ties_throughout(np.array([1.0, 1.0 + 1e-12]))
    True
    """
    return bool(np.ptp(statistic) <= TIE * np.abs(statistic).max())


def score_along(
    orders: RandomOrders, statistic: Vector, backwards: bool, rng: Generator
) -> tuple[float, float]:
    """Return F1 and SHD along the order of a statistic: means over the orders of its ties."""
    ordered = np.sort(statistic)
    tied = bool((np.diff(ordered) <= TIE * np.abs(ordered).max()).any())
    tries = []
    for _ in range(_N_TIES if tied else 1):
        order = random_ties_order(statistic, rng, TIE)
        tries.append(orders.score(order[::-1] if backwards else order))
    own_f1, own_shd = np.mean(tries, axis=0)
    return float(own_f1), float(own_shd)


def true_orders(weights: PairWeights, rng: Generator) -> list[np.ndarray]:
    """Return some orders in which each cause comes before its effects."""
    precedes = np.zeros((weights.n_nodes, weights.n_nodes), dtype=bool)
    precedes[weights.cause, weights.effect] = True
    orders = []
    for _ in range(_N_TRUE_ORDERS):
        label = rng.permutation(weights.n_nodes)
        orders.append(label[topological_order(precedes[np.ix_(label, label)])])
    return orders


def attainable(
    weights: PairWeights,
    orders: RandomOrders,
    true_orders: list[Indices],
    level: float,
    rng: Generator,
) -> tuple[MonteCarlo, MonteCarlo]:
    """Return the least p-values that any order could have: if these are large, no test can find.

    The share of random assignments with sortability 1, and of random orders that reach the mean
    F1 along true orders.
    """
    perfect = RandomAssignments(weights, np.arange(weights.n_nodes, dtype=float), rng)
    sortable = perfect.test(1.0, 1, level)
    best = float(np.mean([orders.score(order)[0] for order in true_orders]))
    return sortable, orders.test(best, level)
