"""Whether an artefact gives the order away: two tests for each statistic and direction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import permutations
from typing import NamedTuple

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


class OrderScores(NamedTuple):
    """What regressing along an order reaches; an array of scores has these columns.

    Parameters
    ----------
    f1, shd : float
        As `metrics.f1` and `metrics.shd` have them.
    direction : float
        True edges directed rightly minus wrongly, by all true edges: `metrics.direction_score`. An
        order that knows nothing has 0 on average, however good its skeleton is.
    skeleton_f1 : float
        As `metrics.skeleton_f1` has it.
    """

    f1: float
    shd: float
    direction: float
    skeleton_f1: float


F1, SHD, DIRECTION, SKELETON_F1 = range(len(OrderScores._fields))
NO_SCORES = np.empty((0, len(OrderScores._fields)))


class RandomOrders:
    """The scores along random orders, as many as are asked for.

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
    A regression that joins every pair directs both edges of a chain rightly along one order in six:

    >>> from causalassay.graphs import chain
    >>> from causalassay.judging.regression_along import one_by_one
    >>> all_before = one_by_one(lambda order: np.argsort(order)[:, None] < np.argsort(order))
    >>> orders = RandomOrders(all_before, chain(3), np.random.default_rng(0))
    >>> orders.test(1.0, level=0.2)
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
        self._drawn: list[NDArray[np.floating]] = [NO_SCORES]
        self._n_drawn = 0

    @cached_property
    def _all(self) -> NDArray[np.floating] | None:
        """The scores along all orders, of few columns."""
        if len(self._truth) > MOST_COLUMNS:
            return None
        return _compare(self._truth, graphs_along_all_orders(self._along, len(self._truth)))

    def scores(self, count: int = LEAST_ORDERS) -> NDArray[np.floating]:
        """Return the scores of the first random orders, shape (count, 4)."""
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
        """The scores of all orders so far; where there are few columns, of all there are."""
        if self._all is not None:
            return self._all
        return self.scores(max(LEAST_ORDERS, self._n_drawn))

    def score(self, order: Indices) -> OrderScores:
        """Return the scores along an order."""
        return OrderScores(*_compare(self._truth, self._along(order)[None])[0].tolist())

    def reaching(self, direction: float) -> Draw:
        """Return how to draw orders, and which of them reach a direction score."""
        used = 0

        def draw(count: int) -> NDArray[np.bool_]:
            nonlocal used
            used += count
            return reached(self.scores(used)[used - count :], DIRECTION, direction)

        return draw

    def test(self, direction: float, level: float) -> MonteCarlo:
        """Tell whether at most the level of random orders reach a direction score."""
        if self._all is not None:
            return enumerated(reached(self._all, DIRECTION, direction), level)
        return decide(self.reaching(direction), level)


def reached(scores: NDArray[np.floating], column: int, value: float) -> NDArray[np.bool_]:
    """Tell which orders have at least a value in a column of their scores."""
    # Sums of the same numbers in another order differ in the last bits.
    at_least: NDArray[np.bool_] = scores[:, column] >= value - TIE
    return at_least


def _compare(truth: Adjacency, guesses: NDArray[np.bool_]) -> NDArray[np.floating]:
    """Return the scores of many graphs, shape (n, 4), as the metrics of their names do."""
    n_true = truth.sum()
    hits = (guesses & truth).sum(axis=(1, 2))
    reversals = (guesses & truth.T).sum(axis=(1, 2))
    f1 = 2 * hits / (n_true + guesses.sum(axis=(1, 2)))
    differ = guesses != truth
    shd = (differ | differ.transpose(0, 2, 1)).sum(axis=(1, 2)) / 2
    joined, true_joined = guesses | guesses.transpose(0, 2, 1), truth | truth.T
    shared = (joined & true_joined).sum(axis=(1, 2))
    skeleton_f1 = 2 * shared / (true_joined.sum() + joined.sum(axis=(1, 2)))
    return np.column_stack([f1, shd, (hits - reversals) / n_true, skeleton_f1])


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
    scores : OrderScores
        Of regressing along the order of the statistic.
    sortable, winning : MonteCarlo
        How many random assignments of the statistic to the nodes are as sortable, and how many
        random orders reach the direction score.
    passed : (bool, bool)
        Which of the two tests found something: both at the level of claims that need both, or one
        at the level of claims that need one; see `judge_together`.
    """

    artefact: Artefact
    backwards: bool
    sortability: float
    scores: OrderScores
    sortable: MonteCarlo
    winning: MonteCarlo
    passed: tuple[bool, bool] = (False, False)


Passed = tuple[bool, bool]


def judge_together(
    passes: Callable[[float], Sequence[Passed]], n_claims: int
) -> tuple[list[Passed], float]:
    """Return what the two tests of each claim find, all claims judged together, and their level.

    That both tests pass is claimed by Holm's rule: the level is 5 % divided by the number of
    claims not yet made. That one of them passes is claimed at half of the last level, because
    such a claim has two ways to be wrong.

    Parameters
    ----------
    passes : callable
        Takes a level; returns for each claim which of its two tests pass at it.
    n_claims : int

    Examples
    --------
    >>> p_values = [(0.001, 0.01), (0.001, 0.016), (0.005, 0.9), (0.02, 0.9)]
    >>> judge_together(lambda level: [(a <= level, b <= level) for a, b in p_values], 4)
    ([(True, True), (True, True), (True, False), (False, False)], 0.025)
    """
    both: set[int] = set()
    while True:
        level = FAMILY_LEVEL / max(n_claims - len(both), 1)
        passed = passes(level)
        more = {index for index, pair in enumerate(passed) if all(pair)} - both
        if not more:
            break
        both |= more
    alone = passes(level / 2)
    return [(True, True) if index in both else pair for index, pair in enumerate(alone)], level


def strictest_level(n_claims: int) -> float:
    """Return the level of the first claim of `judge_together`."""
    return FAMILY_LEVEL / max(n_claims, 1)


def order_pairs(data: Dataset, graph: Adjacency) -> PairWeights:
    """Return the pairs of cause and effect that the sortability of a test counts."""
    if data.world == "series":
        return series_pair_weights(graph)
    return pair_weights(graph, "paths")


class SortingTests:
    """The two tests of one statistic, rising and falling, at any level.

    Parameters
    ----------
    artefact : Artefact
    statistic : Vector
    weights : PairWeights
    orders : RandomOrders
    assignments_rng, ties_rng : Generator
    """

    def __init__(  # noqa: PLR0913, PLR0917  what the tests are made of
        self,
        artefact: Artefact,
        statistic: Vector,
        weights: PairWeights,
        orders: RandomOrders,
        assignments_rng: Generator,
        ties_rng: Generator,
    ) -> None:
        self.artefact = artefact
        self._orders = orders
        self._assignments = RandomAssignments(weights, statistic, assignments_rng)
        self._sortability = aligned_share(weights, statistic, TIE)
        self._scores = [
            score_along(orders, statistic, backwards, ties_rng) for backwards in (False, True)
        ]

    def at(self, level: float) -> list[OrderTest]:
        """Return the tests at a level, rising first; draws of earlier levels are used again."""
        return [
            OrderTest(
                self.artefact,
                backwards,
                self._sortability,
                scores,
                self._assignments.test(self._sortability, -1 if backwards else 1, level),
                self._orders.test(scores.direction, level),
            )
            for backwards, scores in zip((False, True), self._scores, strict=True)
        ]


def judge_sortings(sortings: Sequence[SortingTests]) -> tuple[list[OrderTest], float]:
    """Return the tests of all statistics and directions, judged together, and their level."""
    made: dict[float, list[OrderTest]] = {}

    def passes(level: float) -> list[Passed]:
        made[level] = [test for sorting in sortings for test in sorting.at(level)]
        return [(test.sortable.below, test.winning.below) for test in made[level]]

    passed, level = judge_together(passes, 2 * len(sortings))
    tests = zip(made[level], passed, strict=True)
    return [replace(test, passed=pair) for test, pair in tests], level


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
) -> OrderScores:
    """Return the scores along the order of a statistic: means over the orders of its ties."""
    ordered = np.sort(statistic)
    tied = bool((np.diff(ordered) <= TIE * np.abs(ordered).max()).any())
    tries = []
    for _ in range(_N_TIES if tied else 1):
        order = random_ties_order(statistic, rng, TIE)
        tries.append(orders.score(order[::-1] if backwards else order))
    return OrderScores(*np.mean(tries, axis=0).tolist())


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
    direction score along true orders.
    """
    perfect = RandomAssignments(weights, np.arange(weights.n_nodes, dtype=float), rng)
    sortable = perfect.test(1.0, 1, level)
    return sortable, orders.test(mean_direction(orders, true_orders), level)


def mean_direction(orders: RandomOrders, along: Sequence[Indices]) -> float:
    """Return the mean direction score along some orders."""
    return float(np.mean([orders.score(order).direction for order in along]))
