"""The judge of one data set: findings on its order and on its graph, by the rules of `rules`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from causalassay.arrays import Adjacency, Vector
from causalassay.contracts import NotApplicable
from causalassay.data.dataset import Dataset
from causalassay.diagnostics import PairWeights
from causalassay.judging.artefacts import Artefact, artefacts_of
from causalassay.judging.chance import LEAST_ORDERS, TIE, RandomAssignments, RandomOrders
from causalassay.judging.column_order import in_fixed_order
from causalassay.judging.findings import Finding
from causalassay.judging.graph_check import GraphCheck, check_graph
from causalassay.judging.level_codes import why_codes
from causalassay.judging.order_tests import (
    OrderTest,
    attainable,
    corrected_level,
    measure_order,
    order_pairs,
    true_orders,
)
from causalassay.judging.regression_along import regression_along
from causalassay.judging.sentences import nothing_found, order_finding, too_small
from causalassay.judging.sequential import MonteCarlo

_NO_ORDERS = np.empty((0, 2))


BORDERLINE = "Borderline: a p-value is so near its level that another seed may decide otherwise."


@dataclass(frozen=True)
class Judged:
    """What the judge found, and the numbers it rests on.

    Parameters
    ----------
    findings : tuple of Finding
        On the order; the one on the graph comes last.
    tests : tuple of OrderTest
        Of each statistic that could be tested, rising and falling.
    random_orders : array of shape (n, 2)
        F1 and SHD along each random order; empty if nothing can be regressed.
    graph_check : GraphCheck
    level : float
        Of each test.
    attainable_p : float
        The least p-value that any order could have; nan where it was not needed.
    """

    findings: tuple[Finding, ...]
    tests: tuple[OrderTest, ...]
    random_orders: np.ndarray
    graph_check: GraphCheck
    level: float
    attainable_p: float = float("nan")


def judge_data(  # noqa: PLR0913  what is judged, and what is asked of it
    data: Dataset,
    graph: Adjacency,
    rng: Generator,
    max_lag: int = 1,
    tick: Callable[[], None] = lambda: None,
    artefacts: tuple[Artefact, ...] | None = None,
    *,
    always_attainable: bool = False,
) -> Judged:
    """Return what is found on data with a graph.

    Parameters
    ----------
    data : Dataset
    graph : Adjacency
        A DAG; of a series the summary graph.
    rng : Generator
    max_lag : int
        Of a series: how far links reach back.
    tick : callable
        Called after each random order.
    artefacts : tuple of Artefact, optional
        What may give the order away; by default all that data of this kind can have.
    always_attainable : bool
        Measure the least p-value that any order could have even where something was found.

    Examples
    --------
    >>> from causalassay import graphs, models
    >>> rng = np.random.default_rng(0)
    >>> graph = graphs.erdos_renyi(12, 2, rng)
    >>> data = Dataset.from_values(models.draw("scm", graph, rng).sample(500, rng))
    >>> [finding.kind for finding in judge_data(data, graph, rng).findings]
    ['gameable', 'graph not refuted']
    """
    data, graph = in_fixed_order(data, graph)
    orders_rng, order_tests_rng, check_rng = rng.spawn(3)
    check = check_graph(data, graph, check_rng)
    artefacts = artefacts_of(data.world) if artefacts is None else artefacts
    if not artefacts:
        finding = _undecided(f"no statistic is known that {data.world} columns can be sorted by")
        return Judged((finding, check.finding), (), _NO_ORDERS, check, float("nan"))
    level = corrected_level(len(artefacts))
    weights = order_pairs(data, graph)
    if not len(weights.weight):
        sentence = "Too small: the graph has no pair of cause and effect to order."
        finding = Finding("too small", sentence, rule="too small")
        return Judged((finding, check.finding), (), _NO_ORDERS, check, level)
    try:
        orders = RandomOrders(regression_along(data, max_lag), graph, orders_rng, tick)
        orders.scores(LEAST_ORDERS)
    except NotApplicable as reason:
        finding = _undecided(f"nothing can be regressed along an order: {reason}")
        return Judged((finding, check.finding), (), _NO_ORDERS, check, level)
    codes = why_codes(data)
    if codes:
        return Judged((_undecided(codes), check.finding), (), _NO_ORDERS, check, level)
    tried = _try_all(data, artefacts, max_lag, weights, orders, level, order_tests_rng)
    found = [order_finding(test, orders.drawn) for test in tried.tests]
    findings = [*(one for one in found if one), *tried.undecided]
    least = float("nan")
    best: Sequence[MonteCarlo] = ()
    if not findings or always_attainable:
        best = attainable(
            weights, orders, true_orders(weights, order_tests_rng), level, order_tests_rng
        )
        least = max(test.p_value for test in best)
        possible = all(test.below for test in best)
    if not findings and possible:
        findings = [nothing_found(tried.tests, orders.drawn, tried.tied)]
    elif not findings:
        findings = [too_small(least, level)]
    if not all(one.decided for one in (*_tests_behind(findings[0], tried.tests), *best)):
        findings[0] = replace(findings[0], advice=f"{findings[0].advice} {BORDERLINE}".strip())
    findings.append(check.finding)
    return Judged(tuple(findings), tuple(tried.tests), orders.drawn, check, level, least)


def _tests_behind(finding: Finding, tests: Sequence[OrderTest]) -> list[MonteCarlo]:
    """Return the tests on which a finding hangs: of what was found its own, else all."""
    own = [
        test
        for test in tests
        if not finding.kind.startswith("gameable")
        or (
            test.artefact.statistic == finding.statistic
            and test.sortable.below
            and test.winning.below
        )
    ]
    return [one for test in own for one in (test.sortable, test.winning)]


@dataclass(frozen=True)
class _Tried:
    """Tests of statistics, those that tie, and what keeps others from being tested."""

    tests: list[OrderTest]
    tied: list[str]
    undecided: list[Finding]


def _try_all(  # noqa: PLR0913, PLR0917  what the tests are made of
    data: Dataset,
    artefacts: tuple[Artefact, ...],
    max_lag: int,
    weights: PairWeights,
    orders: RandomOrders,
    level: float,
    rng: Generator,
) -> _Tried:
    tried = _Tried([], [], [])
    for artefact, own_rng in zip(artefacts, rng.spawn(len(artefacts)), strict=True):
        try:
            statistic = artefact.measure(data, max_lag)
        except NotApplicable as reason:
            why = f"{artefact.word} cannot be measured: {reason}"
            tried.undecided.append(_undecided(why, artefact.statistic))
            continue
        if ties_throughout(statistic):
            tried.tied.append(artefact.word)
            continue
        assignments = RandomAssignments(weights, statistic, own_rng)
        for backwards in (False, True):
            tried.tests.append(
                measure_order(
                    artefact, statistic, backwards, weights, assignments, orders, level, own_rng
                )
            )
    return tried


def _undecided(why: str, statistic: str = "") -> Finding:
    return Finding("undecided", f"Undecided: {why}.", statistic, "what is missing")


def ties_throughout(statistic: Vector) -> bool:
    """Tell whether all values are equal up to the tolerance of the sortabilities.

    Examples
    --------
    >>> ties_throughout(np.array([1.0, 1.0 + 1e-12]))
    True
    """
    return bool(np.ptp(statistic) <= TIE * np.abs(statistic).max())
