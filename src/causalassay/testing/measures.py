"""What every metric, every diagnostic and every artefact must satisfy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from types import MappingProxyType
from typing import Any, get_args

import numpy as np

from causalassay.common.arrays import Adjacency
from causalassay.contracts import Diagnostic, Metric
from causalassay.data import Dataset, Problem
from causalassay.graphs import erdos_renyi, to_cpdag
from causalassay.metrics.registry import RESOLUTIONS, Better
from causalassay.testing.algorithms import (
    class_breaches,
    number_breaches,
    raise_breaches,
    same_number,
)
from causalassay.testing.sources import (
    LABELS,
    N_NODES,
    discrete_problem,
    linear_problem,
    relabelled,
    series_problem,
)


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
        An instance of your class.

    Examples
    --------
    >>> from causalassay.metrics.registry import METRICS
    >>> check_metric(METRICS["sid"])
    """
    raise_breaches(metric, [partial(check, metric) for check in METRIC_CHECKS])


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


def _score_is_a_number(metric: Metric) -> Iterator[str]:
    problem = linear_problem()
    for what, guess in _guesses(metric).items():
        yield from number_breaches(metric.score(problem, guess), what)


def _score_is_repeatable(metric: Metric) -> Iterator[str]:
    problem = linear_problem()
    for guess in _guesses(metric).values():
        if not same_number(metric.score(problem, guess), metric.score(problem, guess)):
            yield "two calls with the same input gave different numbers"


def _score_leaves_its_input_alone(metric: Metric) -> Iterator[str]:
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


def _score_ignores_labels(metric: Metric) -> Iterator[str]:
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


METRIC_CHECKS = (
    class_breaches,
    _declares_its_use,
    _score_is_a_number,
    _score_is_repeatable,
    _score_leaves_its_input_alone,
    _score_ignores_labels,
    _prefers_the_truth,
    _survives_tiny_graphs,
)


# What every diagnostic must satisfy.

_PROBLEMS: MappingProxyType[str, Callable[[], Problem]] = MappingProxyType(
    {
        "independent rows": linear_problem,
        "a series": series_problem,
        "discrete columns": discrete_problem,
        "one column": partial(linear_problem, 1, 0),
        "a graph without edges": partial(linear_problem, 3, 0),
    }
)


def check_diagnostic(diagnostic: Diagnostic) -> None:
    """Raise an AssertionError that lists every breach of a diagnostic's contract.

    It must be a frozen dataclass with a ``version``; give the same number twice; leave
    its input alone; return a number, nan where it is undefined; not change when the
    columns are relabelled, unless it declares ``invariant = False``; and refuse problems
    that it is not for (series, discrete columns, a single column) with a ValueError.

    Parameters
    ----------
    diagnostic : Diagnostic
        An instance of your class.

    Examples
    --------
    >>> from causalassay.diagnostics.registry import DIAGNOSTICS
    >>> check_diagnostic(DIAGNOSTICS["r2_sortability"])
    """
    raise_breaches(diagnostic, [partial(check, diagnostic) for check in DIAGNOSTIC_CHECKS])


def _measurable(diagnostic: Diagnostic) -> Iterator[tuple[str, Problem, Any]]:
    """Yield the problems that a diagnostic does not refuse, with their numbers."""
    for what, make in _PROBLEMS.items():
        problem = make()
        try:
            value = diagnostic.measure(problem)
        except ValueError as reason:
            if "read-only" in str(reason):
                raise
            continue
        yield what, problem, value


def _measure_is_a_number(diagnostic: Diagnostic) -> Iterator[str]:
    measured = list(_measurable(diagnostic))
    for what, _, value in measured:
        yield from number_breaches(value, what)
    if not measured:
        yield "it refuses every problem: independent rows, a series and discrete columns"


def _measure_is_repeatable(diagnostic: Diagnostic) -> Iterator[str]:
    for what, problem, value in _measurable(diagnostic):
        if not same_number(value, diagnostic.measure(problem)):
            yield f"{what}: two calls gave different numbers"


def _measure_leaves_its_input_alone(diagnostic: Diagnostic) -> Iterator[str]:
    for what, problem, _ in _measurable(diagnostic):
        untouched = _PROBLEMS[what]()
        if not np.array_equal(untouched.data.pooled, problem.data.pooled):
            yield "it changed the data: work on a copy"
        if not np.array_equal(untouched.graph, problem.graph):
            yield "it changed the graph: work on a copy"


def _measure_ignores_labels(diagnostic: Diagnostic) -> Iterator[str]:
    if not getattr(diagnostic, "invariant", True):
        return
    for what in ("independent rows", "a series", "discrete columns"):
        problem = _PROBLEMS[what]()
        try:
            numbers = diagnostic.measure(problem), diagnostic.measure(relabelled(problem))
        except ValueError:
            continue
        if not same_number(*numbers):
            yield (
                f"{what}: relabelling the columns changed the number; mend it, or declare "
                "`invariant: ClassVar[bool] = False`"
            )


DIAGNOSTIC_CHECKS = (
    class_breaches,
    _measure_is_a_number,
    _measure_is_repeatable,
    _measure_leaves_its_input_alone,
    _measure_ignores_labels,
)


# What every artefact, a statistic that may give an order away, must satisfy.

_WORLDS: MappingProxyType[str, Callable[[], Problem]] = MappingProxyType(
    {"continuous": linear_problem, "discrete": discrete_problem, "series": series_problem}
)


def check_artefact(artefact: Any) -> None:
    """Raise an AssertionError that lists every breach of an artefact's contract.

    Its world must be continuous, discrete or series; its measure must give a finite number for
    each column, the same twice, leave the data alone, and permute with the columns.

    Parameters
    ----------
    artefact : judging.artefacts.Artefact
        Your declaration.

    Examples
    --------
    >>> from causalassay.judging.artefacts import ARTEFACTS
    >>> check_artefact(ARTEFACTS["r2"])
    """
    raise_breaches(artefact, [partial(_breaches, artefact)])


def _breaches(artefact: Any) -> Iterator[str]:
    if artefact.world not in _WORLDS:
        yield f"its world is {artefact.world!r}, expected one of {', '.join(_WORLDS)}"
        return
    data, untouched = (_WORLDS[artefact.world]().data for _ in range(2))
    scores = _measured(artefact, data)
    if scores.shape != (data.n_nodes,) or not np.isfinite(scores).all():
        yield f"it returned {scores!r}; expected a finite number for each of {data.n_nodes} columns"
        return
    if not np.array_equal(scores, _measured(artefact, data)):
        yield "two calls gave different numbers"
    if not np.array_equal(untouched.pooled, data.pooled):
        yield "it changed the data: work on a copy"
    moved = _measured(artefact, data.permute_columns(LABELS))
    if moved.shape != scores.shape or not np.allclose(moved, scores[LABELS], 1e-6, 1e-9):
        yield "the numbers do not move with the columns"


def _measured(artefact: Any, data: Dataset) -> np.ndarray:
    return np.asarray(artefact.measure(data, 1), dtype=float)
