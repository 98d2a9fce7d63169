"""What is left of a study: the plan less what the store has, one problem at a time."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Set

from causalassay.study.plan import (
    Batch,
    MeasureTask,
    Purpose,
    RescoreTask,
    RunTask,
    Study,
    Task,
    coordinates,
    is_batched,
    most_members,
    row_key,
    task_key,
)
from causalassay.study.problem_specs import n_nodes_of
from causalassay.study.storage import Store
from causalassay.study.storage.store import StoredRows


def pending_tasks(
    study: Study, store: Store, purpose: Purpose, at_once: Set[int] = frozenset()
) -> Iterator[Task]:
    """Yield the tasks without a row, those to be computed again, and those that lack a number.

    Those that are computed many in one call are left to `pending_calls`. The store is asked as
    the work goes on, so that a plan of 10^6 tasks is never in memory.

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
            task = RunTask(purpose, problem, replicate, algorithm, run, wanted[algorithm])
            left = _left_of(store, stored, task)
            if left is not None and not is_batched(study, left):
                yield left


def pending_calls(
    study: Study, store: Store, purpose: Purpose, retry: Collection[str] = ()
) -> list[Iterator[Batch]]:
    """Return the pending runs of each algorithm that computes many in one call, call by call.

    A call has tasks of one algorithm with its settings and, as far as the plan tells, of one size.

    Parameters
    ----------
    study : Study
    store : Store
    purpose : {"main", "tuning"}
    retry : collection of status
        Runs whose rows have these statuses count as pending, too.
    """
    batched = [
        index
        for index, entry in enumerate(study.algorithms)
        if any(study.algorithms[run].is_batched for run in _candidates(study, index))
    ]
    return [_calls_of(study, store, purpose, index, retry) for index in batched]


def _candidates(study: Study, algorithm: int) -> tuple[int, ...]:
    """Return what runs for an algorithm: of a tuned one the candidate that is chosen."""
    tuning = study.algorithms[algorithm].tuning
    return (algorithm,) if tuning is None else tuning.candidates


def _calls_of(
    study: Study, store: Store, purpose: Purpose, algorithm: int, retry: Collection[str]
) -> Iterator[Batch]:
    wanted = _wanted_metrics(study, purpose)
    by_size: dict[int | None, list[int]] = {}
    for problem, problem_entry in enumerate(study.problems):
        by_size.setdefault(n_nodes_of(problem_entry.spec), []).append(problem)
    for n_nodes, problems in by_size.items():
        waiting: dict[int, list[Task]] = {}
        for problem, replicate, algorithms in coordinates(study, purpose, problems):
            if algorithm not in algorithms:
                continue
            run = _algorithm_to_run(study, store, problem, algorithm)
            task = RunTask(purpose, problem, replicate, algorithm, run, wanted[algorithm])
            left = _left_of(store, store.rows(purpose, problem, replicate), task, retry)
            if left is None or not is_batched(study, left):
                continue
            waiting.setdefault(run, []).append(left)
            if len(waiting[run]) == most_members(study.algorithms[run], n_nodes):
                yield tuple(waiting.pop(run))
        yield from map(tuple, waiting.values())


def _left_of(
    store: Store, stored: StoredRows, task: RunTask, retry: Collection[str] = ()
) -> RunTask | RescoreTask | None:
    """Return what is left of a run: all of it, numbers of its stored estimate, or nothing."""
    row = stored.algorithms.get(task.algorithm)
    if row is None or row.outdated or row.status in retry:
        return task
    missing = _missing(task.metrics, row.metrics)
    if not missing or row.status != "ok":
        return None
    address = (task.purpose, task.problem, task.replicate, task.algorithm)
    estimate = store.estimate(*address)
    return task if estimate is None else RescoreTask(*address, task.run, missing, estimate)


def row_keys(study: Study) -> set[str]:
    """Return the keys of all rows of algorithms that a study asks for."""
    return {
        row_key(study, purpose, problem, replicate, algorithm)
        for purpose in _PURPOSES
        for problem, replicate, algorithms in coordinates(study, purpose)
        for algorithm in algorithms
    }


def run_tasks_by_key(study: Study, store: Store) -> dict[str, RunTask]:
    """Return the runs that a study asks for of algorithms that can compute many, by the row's key.

    Also of those for which `batch = 1` turned calls off, which is in no key. Of a tuned algorithm
    only where the candidate has been chosen.
    """
    by_key: dict[str, RunTask] = {}
    for purpose in _PURPOSES:
        wanted = _wanted_metrics(study, purpose)
        for problem, replicate, algorithms in coordinates(study, purpose):
            for algorithm in algorithms:
                if _is_undecided(study, store, problem, algorithm):
                    continue
                run = _algorithm_to_run(study, store, problem, algorithm)
                task = RunTask(purpose, problem, replicate, algorithm, run, wanted[algorithm])
                if study.algorithms[run].computes_many:
                    by_key[task_key(study, task)] = task
    return by_key


def _is_undecided(study: Study, store: Store, problem: int, algorithm: int) -> bool:
    is_tuned = study.algorithms[algorithm].tuning is not None
    return is_tuned and store.choice(problem, algorithm) is None


_PURPOSES: tuple[Purpose, ...] = ("tuning", "main")


def _in_order(
    study: Study, purpose: Purpose, at_once: Set[int]
) -> Iterator[tuple[int, int, tuple[int, ...], bool]]:
    """Yield problem, replicate, algorithms, and whether the problem is measured then."""
    if at_once:
        for problem, replicate, algorithms in coordinates(study, purpose):
            early = tuple(index for index in algorithms if index in at_once)
            if replicate == 0 and early:
                yield problem, replicate, early, False
    for problem, replicate, algorithms in coordinates(study, purpose):
        late = algorithms
        if replicate == 0:
            late = tuple(index for index in algorithms if index not in at_once)
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
