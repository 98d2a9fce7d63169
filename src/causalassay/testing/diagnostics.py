"""What every diagnostic must satisfy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from causalassay.contracts import Diagnostic
from causalassay.data import Problem
from causalassay.testing.breaches import (
    class_breaches,
    number_breaches,
    raise_breaches,
    same_number,
)
from causalassay.testing.models import (
    discrete_problem,
    linear_problem,
    relabelled,
    series_problem,
)

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

    Examples
    --------
    >>> from causalassay.diagnostics.registry import DIAGNOSTICS
    >>> check_diagnostic(DIAGNOSTICS["r2_sortability"])
    """
    raise_breaches(diagnostic, [partial(check, diagnostic) for check in CHECKS])


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


def _returns_a_number(diagnostic: Diagnostic) -> Iterator[str]:
    measured = list(_measurable(diagnostic))
    for what, _, value in measured:
        yield from number_breaches(value, what)
    if not measured:
        yield "it refuses every problem: independent rows, a series and discrete columns"


def _is_deterministic(diagnostic: Diagnostic) -> Iterator[str]:
    for what, problem, value in _measurable(diagnostic):
        if not same_number(value, diagnostic.measure(problem)):
            yield f"{what}: two calls gave different numbers"


def _leaves_its_input_alone(diagnostic: Diagnostic) -> Iterator[str]:
    for what, problem, _ in _measurable(diagnostic):
        untouched = _PROBLEMS[what]()
        if not np.array_equal(untouched.data.pooled, problem.data.pooled):
            yield "it changed the data: work on a copy"
        if not np.array_equal(untouched.graph, problem.graph):
            yield "it changed the graph: work on a copy"


def _ignores_labels(diagnostic: Diagnostic) -> Iterator[str]:
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


CHECKS = (
    class_breaches,
    _returns_a_number,
    _is_deterministic,
    _leaves_its_input_alone,
    _ignores_labels,
)
