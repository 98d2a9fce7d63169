"""Tasks, the records they end in, and the keys of their rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from causalassay.study.keys import digest
from causalassay.study.plan import Purpose, Study

Status = Literal["ok", "skipped", "failed", "timeout"]


@dataclass(frozen=True)
class MeasureTask:
    """Compute diagnostics of a problem.

    Parameters
    ----------
    purpose : {"main", "tuning"}
    problem, replicate : int
    diagnostics : tuple of int
        Which ones, by index in `Study.diagnostics`.
    """

    purpose: Purpose
    problem: int
    replicate: int
    diagnostics: tuple[int, ...]


@dataclass(frozen=True)
class RunTask:
    """Run an algorithm on a problem and score its estimate.

    Parameters
    ----------
    purpose : {"main", "tuning"}
    problem, replicate : int
    algorithm : int
        The row's algorithm.
    run : int
        The algorithm to run: for a tuned one the candidate that was chosen.
    metrics : tuple of int
        Which scores to compute, by index in `Study.metrics`.
    """

    purpose: Purpose
    problem: int
    replicate: int
    algorithm: int
    run: int
    metrics: tuple[int, ...]


@dataclass(frozen=True)
class RescoreTask:
    """Score a stored estimate with more metrics; nothing is run again.

    Parameters
    ----------
    purpose, problem, replicate, algorithm, run, metrics
        As for `RunTask`.
    estimate : bytes
        From the store (`estimate_encoding.encode`).
    """

    purpose: Purpose
    problem: int
    replicate: int
    algorithm: int
    run: int
    metrics: tuple[int, ...]
    estimate: bytes = field(repr=False)


Task = MeasureTask | RunTask | RescoreTask


@dataclass(frozen=True)
class Record:
    """What came of a task.

    Parameters
    ----------
    task : Task
    status : {"ok", "skipped", "failed", "timeout"}
    reason : str
        Of a status that is not ok; the same text on each run.
    seconds : float
        Wall time of discovery; nan where it did not end.
    scores : tuple of float
        One for each of the task's metrics or diagnostics; nan where undefined.
    estimate : bytes, optional
        A new estimate (`estimate_encoding.encode`).
    notes : mapping
        Why a score is nan, which candidate ran.
    host : str
    wall : float
        Seconds of the whole task, problem and scores included: for batching, not stored.
    """

    task: Task
    status: Status
    reason: str = ""
    seconds: float = float("nan")
    scores: tuple[float, ...] = ()
    estimate: bytes | None = field(default=None, repr=False)
    notes: Mapping[str, Any] = field(default_factory=dict)
    host: str = ""
    wall: float = 0.0

    @classmethod
    def without_scores(cls, task: Task, status: Status, reason: str, **others: Any) -> Record:
        """Return the record of a task that computed nothing: each of its scores is nan.

        Examples
        --------
        >>> Record.without_scores(MeasureTask("main", 0, 0, (3, 5)), "timeout", "late").scores
        (nan, nan)
        """
        undefined = (float("nan"),) * len(number_indices(task))
        return cls(task, status, reason, scores=undefined, **others)


def number_indices(task: Task) -> tuple[int, ...]:
    """Return the indices of the numbers that a task computes: diagnostics or metrics."""
    match task:
        case MeasureTask():
            return task.diagnostics
        case RunTask() | RescoreTask():
            return task.metrics


def task_key(study: Study, task: Task) -> str:
    """Return the key of a task's row: it does not depend on the order of the study's parts."""
    algorithm = None if isinstance(task, MeasureTask) else task.algorithm
    return row_key(study, task.purpose, task.problem, task.replicate, algorithm)


def row_key(
    study: Study, purpose: Purpose, problem: int, replicate: int, algorithm: int | None
) -> str:
    """Return the key of an algorithm's row, or with None of the row of the diagnostics."""
    algorithm_key = None if algorithm is None else study.algorithms[algorithm].key
    return digest(study.seed, purpose, study.problems[problem].key, replicate, algorithm_key)
