"""Small tasks travel together, as long as little is lost when one of them ends a process."""

from __future__ import annotations

from collections.abc import Iterator

from causalassay.processes.limits import Limits
from causalassay.study.plan import MeasureTask, Record, RescoreTask, RunTask, Study, Task

Batch = tuple[Task, ...]

MOST_TASKS = 256


class Batcher:
    """Takes tasks off a stream in batches that are expected to last some time.

    A task of a kind that has not ended yet goes alone. The time expected of the
    others is the longest of the last tasks of their kind, which slowly fades.

    Parameters
    ----------
    tasks : iterator of Task
    """

    def __init__(self, tasks: Iterator[Task]) -> None:
        self._tasks = tasks
        self._held: Task | None = None
        self._expected: dict[_Kind, float] = {}

    def observe(self, record: Record) -> None:
        """Learn from a task that has ended."""
        kind = _kind(record.task)
        self._expected[kind] = max(record.wall, 0.9 * self._expected.get(kind, 0.0))

    def next(self, seconds: float) -> Batch:
        """Return tasks for about so many seconds; empty when there are none left."""
        taken: list[Task] = []
        total = 0.0
        while (task := self._take()) is not None:
            expected = self._expected.get(_kind(task), float("inf"))
            if taken and total + expected > seconds:
                self._held = task
                break
            taken.append(task)
            total += expected
            if total >= seconds or len(taken) >= MOST_TASKS:
                break
        return tuple(taken)

    def _take(self) -> Task | None:
        held, self._held = self._held, None
        return next(self._tasks, None) if held is None else held


_Kind = tuple[type[Task], int | None]
"""What tasks of about the same length share: their type and the algorithm they run."""


def _kind(task: Task) -> _Kind:
    return type(task), None if isinstance(task, MeasureTask) else task.run


def batch_limits(study: Study, batch: Batch) -> Limits:
    """Return the limits of what a worker itself does for a batch: making problems and scoring.

    The least of its tasks', since it can be tried apart again; measuring a problem has the
    most generous of the study. The limits of memory are for the algorithms' own processes.
    """
    seconds = [_seconds(study, task) for task in batch]
    return Limits(min((one for one in seconds if one is not None), default=None), memory=None)


def _seconds(study: Study, task: Task) -> float | None:
    match task:
        case MeasureTask():
            all_limits = [entry.limits.seconds for entry in study.algorithms]
            limited = [seconds for seconds in all_limits if seconds is not None]
            return max(limited) if limited and len(limited) == len(all_limits) else None
        case RunTask() | RescoreTask():
            return study.algorithms[task.run].limits.seconds
