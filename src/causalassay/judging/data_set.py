"""The judge of one data set: findings on its order and on its graph.

Rules, by name:

two tests
    Gameable by a statistic: at most the level of random assignments of the statistic to the nodes
    are as sortable, and regressing along its order gives an F1 that at most the level of random
    orders reach. The level is 5 % divided by twice the number of statistics: both directions of
    each are judged together. Gameable backwards: the same from the largest to the smallest.
    Leaning: one of the two tests.
too small
    Even a true order could not pass both tests.
no evidence
    A true order could, and no statistic did. It does not say that there is no artefact.
graph check
    See `graph_check`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from causalassay.arrays import Adjacency, Vector
from causalassay.contracts import NotApplicable
from causalassay.data.dataset import Dataset
from causalassay.diagnostics import PairWeights, pair_weights, series_pair_weights
from causalassay.graphs.orders import is_dag, topological_order
from causalassay.judging.artefacts import Artefact, artefacts_of
from causalassay.judging.chance import LEAST_ORDERS, TIE, RandomAssignments, RandomOrders
from causalassay.judging.findings import Finding
from causalassay.judging.graph_check import GraphCheck, check_graph
from causalassay.judging.order_tests import (
    OrderTest,
    attainable,
    corrected_level,
    measure_order,
)
from causalassay.judging.regression_along import regression_along
from causalassay.judging.sentences import order_finding

_N_TRUE_ORDERS = 20
_MOST_LEVELS = 10


@dataclass(frozen=True)
class Judged:
    """What the judge found, and the numbers it rests on.

    Parameters
    ----------
    findings : tuple of Finding
        On the order; the one on the graph comes last.
    tests : tuple of OrderTest
    random_orders : array of shape (n, 2)
        F1 and SHD along each random order; empty if nothing can be regressed.
    graph_check : GraphCheck
    level : float
        Of each test.
    """

    findings: tuple[Finding, ...]
    tests: tuple[OrderTest, ...]
    random_orders: np.ndarray
    graph_check: GraphCheck
    level: float


def judge_data(
    data: Dataset,
    graph: Adjacency,
    rng: Generator,
    max_lag: int = 1,
    tick: Callable[[], None] = lambda: None,
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
    """
    orders_rng, assignments_rng, ties_rng, small_rng, check_rng = rng.spawn(5)
    artefacts = artefacts_of(data.world)
    level = corrected_level(len(artefacts))
    check = check_graph(data, graph, check_rng)
    weights = series_pair_weights(graph) if data.world == "series" else pair_weights(graph, "paths")
    if not len(weights.weight):
        return _without_order(check, level)
    try:
        orders = RandomOrders(regression_along(data, max_lag), graph, orders_rng, tick)
        orders.scores(LEAST_ORDERS)
    except NotApplicable as reason:
        return _undecided(f"nothing can be regressed along an order: {reason}", check, level)
    tests, told = [], []
    for artefact in artefacts:
        statistic = artefact.measure(data, max_lag)
        if _ties_throughout(statistic):
            told.append(_tied(artefact))
            continue
        assignments = RandomAssignments(weights, statistic, assignments_rng)
        tests += [
            measure_order(
                artefact, statistic, backwards, weights, assignments, orders, level, ties_rng
            )
            for backwards in (False, True)
        ]
    findings = [order_finding(test, orders.drawn) for test in tests]
    found = [finding for finding in findings if finding is not None]
    if not found:
        found = [_nothing_found(graph, weights, orders, tests, told, level, small_rng)]
    codes = _look_like_codes(data)
    if codes:
        found.insert(0, codes)
    return Judged((*found, check.finding), tuple(tests), orders.drawn, check, level)


def _nothing_found(  # noqa: PLR0913, PLR0917  what it rests on
    graph: Adjacency,
    weights: PairWeights,
    orders: RandomOrders,
    tests: list[OrderTest],
    told: list[str],
    level: float,
    rng: Generator,
) -> Finding:
    """Return that there is no evidence, or that there could be none."""
    true_orders = _true_orders(graph, rng)
    perfect, best = attainable(graph, weights, orders, true_orders, level, rng)
    numbers = "; ".join([*_numbers(tests), *told])
    least = max(perfect.p_value, best.p_value)
    if not (perfect.below and best.below):
        sentence = (
            f"Too small to tell: even a true order would be reached by chance in {least:.1%} of "
            f"random ones, more than the level of {level:.2%} ({numbers})."
        )
        return Finding("too small", sentence)
    return Finding("no evidence", f"No evidence that sorting gives the order away: {numbers}.")


def _numbers(tests: list[OrderTest]) -> list[str]:
    upwards = [test for test in tests if not test.backwards]
    return [
        f"sorting by {test.artefact.word} (sortability {test.sortability:.2f}) reaches F1 "
        f"{test.f1:.2f}"
        for test in upwards
    ]


def _true_orders(graph: Adjacency, rng: Generator) -> list[np.ndarray]:
    """Return some orders that agree with a DAG; none for a graph with feedback."""
    if not is_dag(graph):
        return []
    orders = []
    for _ in range(_N_TRUE_ORDERS):
        label = rng.permutation(len(graph))
        orders.append(label[topological_order(graph[np.ix_(label, label)])])
    return orders


def _without_order(check: GraphCheck, level: float) -> Judged:
    finding = Finding("too small", "The graph has no pair of cause and effect to order.")
    return Judged((finding, check.finding), (), np.empty((0, 2)), check, level)


def _undecided(why: str, check: GraphCheck, level: float) -> Judged:
    finding = Finding("undecided", f"Undecided: {why}.")
    return Judged((finding, check.finding), (), np.empty((0, 2)), check, level)


def _ties_throughout(statistic: Vector) -> bool:
    return bool(np.ptp(statistic) <= TIE * np.abs(statistic).max())


def _tied(artefact: Artefact) -> str:
    return f"{artefact.word} is the same in all columns and tells nothing"


def _look_like_codes(data: Dataset) -> Finding | None:
    """Return a finding on columns that look like codes of levels but were not declared so."""
    values = data.observational_values
    if data.world != "continuous" or (values != np.round(values)).any():
        return None
    if max(len(np.unique(column)) for column in values.T) > _MOST_LEVELS:
        return None
    sentence = (
        f"Undecided: every column has at most {_MOST_LEVELS} whole values, as codes of levels "
        "have; variances of codes mean nothing. Declare them discrete to have them judged by entropy."
    )
    return Finding("undecided", sentence)
