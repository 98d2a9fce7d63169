"""Tasks that one call of their algorithm computes: their problems first, their scores afterwards.

A call has data sets of one size, and no more of them than a process can well hold at once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from causalassay.data import Dataset
from causalassay.processes.stages import limited, not_limited
from causalassay.study.plan import AlgorithmEntry, Record, RunTask, Study, Task
from causalassay.study.worker.discovering import BlindDiscovery, Discovered, ShownData
from causalassay.study.worker.problem_making import MadeProblem
from causalassay.study.worker.task_runner import discovery_entropy, run_task, shown_data

MOST_BYTES = 2**28
"""Bytes of the data of one call."""

MakeProblem = Callable[[Study, Task], MadeProblem | Exception]


@dataclass(frozen=True)
class Member:
    """A task of a call, and its problem.

    Parameters
    ----------
    task : RunTask
    made : MadeProblem
    shown : ShownData
        The data as the algorithm sees them.
    """

    task: RunTask
    made: MadeProblem
    shown: ShownData


def members_of_calls(
    study: Study, tasks: Sequence[Task], make: MakeProblem
) -> Iterator[list[Member] | Record]:
    """Yield the members of each call that some tasks need, and records of those without a problem.

    Parameters
    ----------
    study : Study
    tasks : sequence of Task
        Of one algorithm.
    make : callable
        Returns the problem of a task, or the error that came instead.
    """
    by_size: dict[int, list[Member]] = {}
    n_bytes = 0
    for task in tasks:
        if not isinstance(task, RunTask):
            raise TypeError(f"expected runs of an algorithm, got {task}")
        with limited():
            made = make(study, task)
            shown = None if isinstance(made, Exception) else shown_data(study, task, made)
        if isinstance(made, Exception) or shown is None:
            yield run_task(study, task, made)
            continue
        by_size.setdefault(shown.data.n_nodes, []).append(Member(task, made, shown))
        n_bytes += _size(shown.data)
        if n_bytes > MOST_BYTES:
            yield from by_size.values()
            by_size, n_bytes = {}, 0
    yield from by_size.values()


def run_call(
    study: Study, tasks: Sequence[Task], make: MakeProblem, discovery: BlindDiscovery
) -> list[Record]:
    """Return the records of tasks that one call computes, or a few if their data are large.

    Parameters
    ----------
    study : Study
    tasks : sequence of Task
        Of one algorithm.
    make : callable
        Returns the problem of a task, or the error that came instead.
    discovery : BlindDiscovery
        How algorithms are run.
    """
    began, records = time.perf_counter(), []
    for came in members_of_calls(study, tasks, make):
        if isinstance(came, Record):
            records.append(came)
            continue
        entry = study.algorithms[came[0].task.run]
        shown = [member.shown for member in came]
        entropies = [discovery_entropy(study, member.task) for member in came]
        with not_limited():  # an algorithm's time is watched where its process is
            outcomes = discovery.together(entry, shown, entropies)
        for member, outcome in zip(came, outcomes, strict=True):
            with limited():
                records.append(scored(study, member, outcome))
    wall = (time.perf_counter() - began) / len(tasks)
    return [replace(record, wall=wall) for record in records]


def scored(study: Study, member: Member, outcome: Discovered) -> Record:
    """Return the record of a task whose algorithm has run."""

    def discovered(_: AlgorithmEntry, __: ShownData, ___: int) -> Discovered:
        return outcome

    return run_task(study, member.task, member.made, discovered)


def _size(data: Dataset) -> int:
    return sum(regime.values.nbytes for regime in data.regimes)
