"""What studies measure of each problem for the judge: what chance and what sorting reach.

All numbers are flat, so that a study stores them as it stores diagnostics. The random orders and
assignments are named by the true graph alone: all schemes on one graph meet the same ones.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from causalassay.common.arrays import Adjacency, Vector
from causalassay.common.seeding import stream
from causalassay.contracts import NotApplicable
from causalassay.data import Problem
from causalassay.data.dataset import World
from causalassay.diagnostics import (
    PairWeights,
    aligned_share,
)
from causalassay.judging.artefacts import ARTEFACTS, Artefact
from causalassay.judging.graph_check import why_codes
from causalassay.judging.order_tests import (
    DIRECTION,
    F1,
    SKELETON_F1,
    TIE,
    OrderScores,
    RandomAssignments,
    RandomOrders,
    SortingTests,
    attainable,
    mean_direction,
    order_pairs,
    reached,
    score_along,
    strictest_level,
    true_orders,
)
from causalassay.judging.regression_along import regression_along
from causalassay.metrics import direction_score, skeleton_f1
from causalassay.metrics.registry import GraphMetric

N_ORDERS = 50
"""Random orders of each problem."""

N_ASSIGNMENTS = 200
"""Random assignments of each statistic to the nodes."""

RANDOM_F1 = "random_f1"
RANDOM_DIRECTION = "random_direction"
RANDOM_SKELETON_F1 = "random_skeleton_f1"
"""The means along random orders."""

_RANDOM = {RANDOM_F1: F1, RANDOM_DIRECTION: DIRECTION, RANDOM_SKELETON_F1: SKELETON_F1}

ATTAINABLE_P = "attainable_direction_p"
"""The least p-value that any order could have."""

_OF_ARTEFACT = (
    "rising_p",
    "falling_p",
    "up_f1",
    "up_direction",
    "up_direction_p",
    "down_f1",
    "down_direction",
    "down_direction_p",
)
_WORLDS: tuple[World, ...] = ("continuous", "discrete", "series")
_N_KEPT = 2
_N_FILES = 8


@dataclass(frozen=True, eq=False)
class OrderMeasures:
    """The numbers of a problem by name; of those that have none, why.

    Parameters
    ----------
    numbers : dict
        nan where there is no number.
    reasons : dict
        For each nan.
    """

    numbers: dict[str, float]
    reasons: dict[str, str]

    def number(self, name: str) -> float:
        """Return a number; raises `NotApplicable` with the reason where there is none."""
        if name in self.reasons:
            raise NotApplicable(self.reasons[name])
        if name not in self.numbers:
            raise NotApplicable("it is of data of another kind: continuous, discrete or a series")
        return self.numbers[name]


def column(key: str, measure: str) -> str:
    """Return what the table of a study calls a measure of an artefact.

    Examples
    --------
    >>> column("series-r2", "up_f1")
    'series_r2_up_f1'
    """
    return f"{key.replace('-', '_')}_{measure}"


def measure_names(world: World) -> tuple[str, ...]:
    """Return the names of what is measured on data of a world.

    Examples
    --------
    >>> measure_names("discrete")
    ('random_f1', 'random_direction', 'random_skeleton_f1', 'attainable_direction_p',
     'entropy_rising_p', 'entropy_falling_p', 'entropy_up_f1', 'entropy_up_direction',
     'entropy_up_direction_p', 'entropy_down_f1', 'entropy_down_direction',
     'entropy_down_direction_p')
    """
    names = [*_RANDOM, ATTAINABLE_P]
    for key, artefact in _artefacts(world).items():
        extra = () if artefact.sortability else ("sortability",)
        names += [column(key, measure) for measure in (*extra, *_OF_ARTEFACT)]
    return tuple(names)


def sortability_column(key: str) -> str:
    """Return where the table of a study has the sortability by an artefact.

    Examples
    --------
    >>> sortability_column("variance")
    'var_sortability'
    """
    return ARTEFACTS[key].sortability or column(key, "sortability")


def every_measure_name() -> tuple[str, ...]:
    """Return the names of what is measured in any world."""
    return tuple(dict.fromkeys(name for world in _WORLDS for name in measure_names(world)))


def sortability_names(world: World) -> tuple[str, ...]:
    """Return the diagnostics that say how sortable data of a world are.

    Examples
    --------
    >>> sortability_names("continuous")
    ('var_sortability', 'r2_sortability')
    """
    every = (artefact.sortability for artefact in _artefacts(world).values())
    return tuple(name for name in every if name)


def order_measures(problem: Problem, whole: Problem | None = None) -> OrderMeasures:
    """Return what chance and what sorting by each artefact reach on a problem.

    ``random_f1``, ``random_direction`` and ``random_skeleton_f1`` are the mean scores of regressing
    along random orders. Of each artefact: ``rising_p`` and ``falling_p``, the share of random
    assignments of the statistic to the nodes that are at least, and at most, as sortable;
    ``up_f1`` and ``up_direction``, the F1 and the direction score of regressing along the rising
    statistic, means over orders of its ties; ``up_direction_p``, the share of the random orders
    that reach the latter; the same with ``down`` for the falling statistic. What was seen is
    counted in.

    Parameters
    ----------
    problem : Problem
        For a series, the summary graph is judged.
    whole : Problem, optional
        For a resampled file all of its rows: resampled rows are no new evidence, so the p-values
        are those of an audit of these.

    Examples
    --------
    >>> from causalassay import graphs, models
    >>> from causalassay.data import Dataset
    >>> rng = np.random.default_rng(0)
    >>> graph = graphs.erdos_renyi(10, 2, rng)
    >>> values = models.draw("scm", graph, rng).sample(500, rng)
    >>> numbers = order_measures(Problem(Dataset.from_values(values), graph)).numbers
    >>> bool(numbers["variance_up_direction"] > numbers["random_direction"])
    True
    >>> round(numbers["variance_up_direction_p"], 3)
    0.02
    """
    measured = _measured(problem)
    if whole is None:
        return measured
    audited = _audited(whole)
    numbers, reasons = dict(measured.numbers), dict(measured.reasons)
    for name in audited.numbers:
        reasons.pop(name, None)
    return OrderMeasures(numbers | audited.numbers, reasons | audited.reasons)


def direction_p(problem: Problem, guess: Adjacency) -> float:
    """Return the share of the problem's random orders that reach the direction score of a guess.

    It is counted in itself, so that the least share is 1/51.
    """
    return _reaching(random_orders(problem), DIRECTION, direction_score(problem.graph, guess))


def skeleton_f1_p(problem: Problem, guess: Adjacency) -> float:
    """Return the same for the F1 of the guess's skeleton."""
    return _reaching(random_orders(problem), SKELETON_F1, skeleton_f1(problem.graph, guess))


DIRECTION_P = GraphMetric(
    direction_p,
    "none",
    description="Return the share of random orders that reach this direction score.",
    invariant=False,
    display_name="direction p",
)
SKELETON_F1_P = GraphMetric(
    skeleton_f1_p,
    "none",
    description="Return the share of random orders that reach this F1 of the skeleton.",
    invariant=False,
    display_name="skeleton F1 p",
)
"""Metrics of studies. They are defined here because they regress along orders."""


def _reaching(orders: RandomOrders, score: int, value: float) -> float:
    return _share(reached(orders.scores(N_ORDERS), score, value))


@lru_cache(maxsize=_N_KEPT)
def random_orders(problem: Problem) -> RandomOrders:
    """Return the random orders of a problem, with their scores; kept for the last problems.

    Raises
    ------
    NotApplicable
        If nothing can be regressed, or there is nothing to find.
    """
    if not problem.graph.any():
        raise NotApplicable("the true graph has no edge, so there is nothing to find")
    along = regression_along(problem.data, _max_lag(problem))
    orders = RandomOrders(along, problem.graph, _stream(problem.graph, "orders"))
    orders.scores(N_ORDERS)
    return orders


@lru_cache(maxsize=_N_KEPT)
def _measured(problem: Problem) -> OrderMeasures:
    """Measure with a fixed number of random draws."""
    measuring = _Measuring(problem)
    for name, score in _RANDOM.items():
        measuring.add(name, partial(measuring.random_mean, score))
    measuring.add(ATTAINABLE_P, measuring.attainable_p)
    for key, artefact in _artefacts(problem.data.world).items():
        if not artefact.sortability:  # a built-in's has a diagnostic
            measuring.add(column(key, "sortability"), partial(measuring.sortability, key))
        for name, sign in (("rising_p", 1), ("falling_p", -1)):
            measuring.add(column(key, name), partial(measuring.sortable_p, key, sign))
        for way, backwards in (("up", False), ("down", True)):
            for name, score in (("f1", F1), ("direction", DIRECTION)):
                along = partial(measuring.score_along, key, backwards, score)
                measuring.add(column(key, f"{way}_{name}"), along)
            name = column(key, f"{way}_direction")
            measuring.add(f"{name}_p", partial(measuring.winning_p, name))
    return measuring.measures


@lru_cache(maxsize=_N_FILES)
def _audited(problem: Problem) -> OrderMeasures:
    """Return the p-values of the sequential tests that an audit makes."""
    measuring = _Measuring(problem)
    artefacts = _artefacts(problem.data.world)
    level = strictest_level(2 * len(artefacts))
    measuring.add(ATTAINABLE_P, partial(measuring.attainable_p_by_audit, level))
    for key, artefact in artefacts.items():
        parts = ("rising_p", "up_direction_p", "falling_p", "down_direction_p")
        names = [column(key, part) for part in parts]
        try:
            statistic = measuring.statistic(key)
            streams = measuring.stream("shares", key), measuring.stream("ties", key)
            tests = SortingTests(
                artefact, statistic, measuring.weights, measuring.orders, *streams
            ).at(level)
            p_values = [(test.sortable.p_value, test.winning.p_value) for test in tests]
            measuring.measures.numbers.update(zip(names, itertools.chain(*p_values), strict=True))
        except Exception as reason:  # a plug-in's statistic may raise anything
            measuring.refuse(names, reason)
    return measuring.measures


class _Measuring:
    """What the measures of one problem share, how each is taken, and the numbers so far."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.measures = OrderMeasures({}, {})
        self._statistics: dict[str, Vector] = {}
        self._along: dict[tuple[str, bool], OrderScores] = {}

    def add(self, name: str, measure: Callable[[], float]) -> None:
        try:
            self.measures.numbers[name] = measure()
        except Exception as reason:  # a plug-in's statistic may raise anything
            self.refuse([name], reason)

    def refuse(self, names: list[str], reason: Exception) -> None:
        self.measures.numbers.update(dict.fromkeys(names, float("nan")))
        self.measures.reasons.update(dict.fromkeys(names, str(reason)))

    @property
    def orders(self) -> RandomOrders:
        return random_orders(self.problem)

    @cached_property
    def weights(self) -> PairWeights:
        weights = order_pairs(self.problem.data, self.problem.graph)
        if not len(weights.weight):
            raise NotApplicable("the graph has no pair of cause and effect to order")
        return weights

    def statistic(self, key: str) -> Vector:
        codes = why_codes(self.problem.data)
        if codes:
            raise NotApplicable(codes)
        if key not in self._statistics:
            measure = ARTEFACTS[key].measure
            self._statistics[key] = measure(self.problem.data, _max_lag(self.problem))
        return self._statistics[key]

    def stream(self, *purpose: str) -> Generator:
        return _stream(self.problem.graph, *purpose)

    def sortability(self, key: str) -> float:
        return aligned_share(self.weights, self.statistic(key), TIE)

    def sortable_p(self, key: str, sign: int) -> float:
        """Return how many random assignments are as sortable: upwards with 1."""
        statistic = self.statistic(key)
        shares = RandomAssignments(self.weights, statistic, self.stream("shares", key))
        return _share(shares.beyond(self.sortability(key), sign)(N_ASSIGNMENTS))

    def random_mean(self, score: int) -> float:
        return float(self.orders.scores(N_ORDERS)[:, score].mean())

    def score_along(self, key: str, backwards: bool, score: int) -> float:
        if (key, backwards) not in self._along:
            statistic, rng = self.statistic(key), self.stream("ties", key)
            self._along[key, backwards] = score_along(self.orders, statistic, backwards, rng)
        return self._along[key, backwards][score]

    def winning_p(self, name: str) -> float:
        """Return how many random orders reach a direction score that was measured."""
        return _reaching(self.orders, DIRECTION, self.measures.number(name))

    def attainable_p(self) -> float:
        """Return the larger share of random assignments and orders as good as true ones."""
        rng = self.stream("true orders")
        in_order = np.arange(self.weights.n_nodes, dtype=float)
        perfect = RandomAssignments(self.weights, in_order, rng).beyond(1.0, 1)(N_ASSIGNMENTS)
        best = mean_direction(self.orders, true_orders(self.weights, rng))
        return max(_share(perfect), _reaching(self.orders, DIRECTION, best))

    def attainable_p_by_audit(self, level: float) -> float:
        rng = self.stream("true orders")
        tests = attainable(self.weights, self.orders, true_orders(self.weights, rng), level, rng)
        return max(test.p_value for test in tests)


def _artefacts(world: World) -> dict[str, Artefact]:
    """Return the artefacts of a world that algorithms in a study can meet.

    A package that cannot be loaded hides no other.
    """
    entries = [(entry.name, entry.value) for entry in ARTEFACTS.entries()]
    return {
        key: value
        for key, value in entries
        if value is not None and value.world == world and not value.of_file
    }


def _max_lag(problem: Problem) -> int:
    return 1 if problem.lagged is None else problem.lagged.max_lag


def _share(reached: NDArray[np.bool_]) -> float:
    """Return the share of draws that reach what was seen, which is counted in."""
    return (1 + int(reached.sum())) / (1 + len(reached))


def _stream(graph: Adjacency, *purpose: str) -> Generator:
    """Return a generator that the graph names."""
    digest = hashlib.sha256(f"{graph.shape} ".encode() + graph.tobytes()).hexdigest()
    return stream(0, "order measures", *purpose, digest)
