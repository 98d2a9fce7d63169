"""What is left to do: the plan less what the store has, one problem at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set

from causalassay.study.plan import Purpose, Study, coordinates
from causalassay.study.storage import Store
from causalassay.study.tasks import MeasureTask, RescoreTask, RunTask, Task


def pending_tasks(
    study: Study, store: Store, purpose: Purpose, at_once: Set[int] = frozenset()
) -> Iterator[Task]:
    """Yield the tasks that have no row yet, and those whose row lacks a number.

    The store is asked as the work goes on, so that a plan of 10^6 tasks is
    never in memory.

    Parameters
    ----------
    study : Study
    store : Store
    purpose : {"main", "tuning"}
    at_once : set of int
        Algorithms whose tasks of the first replicate come before all others: those that need
        not wait until kernels have been compiled.
    """
    wanted = _wanted_metrics(study, purpose)
    for problem, replicate, algorithms, measured in _in_order(study, purpose, at_once):
        stored = store.rows(purpose, problem, replicate)
        if measured:
            missing = _missing(range(len(study.diagnostics)), stored.diagnostics)
            if missing:
                yield MeasureTask(purpose, problem, replicate, missing)
        for algorithm in algorithms:
            run = _algorithm_to_run(study, store, problem, algorithm)
            row = stored.algorithms.get(algorithm)
            address = (purpose, problem, replicate, algorithm)
            if row is None:
                yield RunTask(*address, run, wanted[algorithm])
                continue
            missing = _missing(wanted[algorithm], row.metrics)
            if missing and row.status == "ok":
                estimate = store.estimate(*address)
                if estimate is None:
                    yield RunTask(*address, run, wanted[algorithm])
                else:
                    yield RescoreTask(*address, run, missing, estimate)


def _in_order(
    study: Study, purpose: Purpose, at_once: Set[int]
) -> Iterator[tuple[int, int, tuple[int, ...], bool]]:
    """Yield problem, replicate, algorithms, and whether the problem is measured then."""
    if at_once:
        for problem, replicate, algorithms in coordinates(study, purpose):
            early = tuple(one for one in algorithms if one in at_once)
            if replicate == 0 and early:
                yield problem, replicate, early, False
    for problem, replicate, algorithms in coordinates(study, purpose):
        late = algorithms
        if replicate == 0:
            late = tuple(one for one in algorithms if one not in at_once)
        yield problem, replicate, late, purpose == "main"


def _missing(wanted: Iterable[int], stored: frozenset[int]) -> tuple[int, ...]:
    return tuple(index for index in wanted if index not in stored)


def _algorithm_to_run(study: Study, store: Store, problem: int, algorithm: int) -> int:
    entry = study.algorithms[algorithm]
    if entry.tuning is None:
        return algorithm
    chosen = store.choice(problem, algorithm)
    if chosen is None:
        raise ValueError(f"{entry.name} is to be tuned before its tasks are planned")
    return chosen


def _wanted_metrics(study: Study, purpose: Purpose) -> dict[int, tuple[int, ...]]:
    """Return the scores to compute for each algorithm: in a tuning its criterion only."""
    if purpose == "main":
        every_metric = tuple(range(len(study.metrics)))
        return dict.fromkeys(study.listed, every_metric)
    wanted: dict[int, set[int]] = {}
    for entry in study.algorithms:
        if entry.tuning:
            for candidate in entry.tuning.candidates:
                wanted.setdefault(candidate, set()).add(entry.tuning.criterion)
    return {candidate: tuple(sorted(metrics)) for candidate, metrics in wanted.items()}
