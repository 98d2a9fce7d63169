"""What every metric must satisfy."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, get_args

import numpy as np

from causalassay.common.arrays import Adjacency
from causalassay.contracts import Metric
from causalassay.data import Problem
from causalassay.graphs import erdos_renyi, to_cpdag
from causalassay.metrics.registry import RESOLUTIONS, Better
from causalassay.testing.breaches import (
    class_breaches,
    number_breaches,
    raise_breaches,
    same_number,
)
from causalassay.testing.models import LABELS, N_NODES, linear_problem, relabelled


def check_metric(metric: Metric) -> None:
    """Raise an AssertionError that lists every breach of a metric's contract.

    It must be a frozen dataclass with a ``version`` and ``better``; give the same number
    twice; leave its input alone; return a number, nan where it is undefined; not change
    when the nodes are relabelled, unless it declares ``invariant = False``; not rank the
    truth below the truth with all edges reversed; and answer tiny graphs with a number
    or a ValueError.

    Parameters
    ----------
    metric : Metric

    Examples
    --------
    >>> from causalassay.metrics.registry import METRICS
    >>> check_metric(METRICS["sid"])
    """
    raise_breaches(metric, [partial(check, metric) for check in CHECKS])


def _declares_its_use(metric: Metric) -> Iterator[str]:
    better, takes = getattr(metric, "better", None), _takes(metric)
    if better not in get_args(Better):
        yield (
            f'its `better` is {better!r}: declare `better: ClassVar[str]` as "high", "low" or, for '
            'a control that is no score, "none"'
        )
    if takes not in RESOLUTIONS:
        yield f'its `takes` is {takes!r}, expected "any", "class", "dag" or "estimate"'


def _takes(metric: Metric) -> Any:
    return getattr(metric, "takes", "any")


def _guesses(metric: Metric) -> dict[str, Adjacency]:
    """Return graphs that a metric says it takes; what takes estimates takes graphs too."""
    dag = erdos_renyi(N_NODES, 1.5, np.random.default_rng(1))
    guesses = {"a DAG": dag, "an empty graph": np.zeros_like(dag)}
    if _takes(metric) != "dag":
        guesses["a CPDAG"] = to_cpdag(dag)
    if _takes(metric) in ("any", "estimate"):
        partly = dag.copy()
        partly[tuple(np.argwhere(dag)[0][::-1])] = True
        guesses["a graph with an undirected edge"] = partly
    return guesses


def _returns_a_number(metric: Metric) -> Iterator[str]:
    problem = linear_problem()
    for what, guess in _guesses(metric).items():
        yield from number_breaches(metric.score(problem, guess), what)


def _is_deterministic(metric: Metric) -> Iterator[str]:
    problem = linear_problem()
    for guess in _guesses(metric).values():
        if not same_number(metric.score(problem, guess), metric.score(problem, guess)):
            yield "two calls with the same input gave different numbers"


def _leaves_its_input_alone(metric: Metric) -> Iterator[str]:
    problem = linear_problem()
    for guess in _guesses(metric).values():
        given, rows = guess.copy(), problem.data.pooled.copy()
        try:
            metric.score(problem, given)
        except ValueError as reason:
            if "read-only" not in str(reason):
                raise
            yield f"it writes into the problem: {reason}; work on a copy"
        if not np.array_equal(given, guess) or not np.array_equal(rows, problem.data.pooled):
            yield "it changed its input: work on a copy"


def _ignores_labels(metric: Metric) -> Iterator[str]:
    if not getattr(metric, "invariant", True):
        return
    problem = linear_problem()
    turned = relabelled(problem)
    for what, guess in _guesses(metric).items():
        renamed = guess[np.ix_(LABELS, LABELS)]
        if not same_number(metric.score(problem, guess), metric.score(turned, renamed)):
            yield (
                f"{what}: relabelling the nodes changed the number; mend it, or declare "
                "`invariant: ClassVar[bool] = False`"
            )


def _prefers_the_truth(metric: Metric) -> Iterator[str]:
    if metric.better == "none":
        return
    problem = linear_problem()
    truth = metric.score(problem, problem.graph.copy())
    reversed_truth = metric.score(problem, problem.graph.T.copy())
    sign = 1 if metric.better == "high" else -1
    if sign * truth < sign * reversed_truth:
        yield (
            f"the truth scores {truth:.4g} and the truth with all edges reversed "
            f"{reversed_truth:.4g}: is {metric.better!r} really better?"
        )


def _survives_tiny_graphs(metric: Metric) -> Iterator[str]:
    for what, problem in (
        ("one node", linear_problem(1, 0)),
        ("no edges", linear_problem(3, 0)),
    ):
        yield from _tiny_breaches(metric, what, problem)


def _tiny_breaches(metric: Metric, what: str, problem: Problem) -> Iterator[str]:
    try:
        yield from number_breaches(metric.score(problem, problem.graph.copy()), what)
    except ValueError:  # the study records nan and the reason
        return
    except Exception as reason:  # anything else is the breach
        yield f"{what}: {type(reason).__name__}: {reason}; return nan or raise a ValueError"


CHECKS = (
    class_breaches,
    _declares_its_use,
    _returns_a_number,
    _is_deterministic,
    _leaves_its_input_alone,
    _ignores_labels,
    _prefers_the_truth,
    _survives_tiny_graphs,
)
