"""Runs one task of a study again, in this process, where a debugger can look at it."""

from __future__ import annotations

from dataclasses import dataclass

from causalassay.study.plan import Purpose, Record, Study, Task
from causalassay.study.worker.problem_making import make
from causalassay.study.worker.task_runs import run_task


@dataclass(frozen=True)
class Place:
    """Where a row stands, by the keys of its parts.

    Parameters
    ----------
    purpose : {"main", "tuning"}
    problem, algorithm : str
        Keys; no algorithm is the record of the problem's diagnostics.
    replicate : int
    chose : str, optional
        Key of the candidate that a tuned algorithm ran.
    """

    purpose: Purpose
    problem: str
    replicate: int
    algorithm: str | None
    chose: str | None = None


def task_at(study: Study, place: Place) -> Task:
    """Return the task of a row.

    Raises
    ------
    ValueError
        If the study has no such problem or algorithm, since its file was changed.
    """
    problems = {entry.key: number for number, entry in enumerate(study.problems)}
    algorithms = {entry.key: number for number, entry in enumerate(study.algorithms)}
    missing = [
        what
        for what, key, known in (
            ("problem", place.problem, problems),
            ("algorithm", place.algorithm, algorithms),
        )
        if key is not None and key not in known
    ]
    if missing:
        raise ValueError(
            f"the study has no such {' and no such '.join(missing)} any more; "
            "its file was changed, or a version was raised"
        )
    problem = problems[place.problem]
    if place.algorithm is None:
        numbers = tuple(range(len(study.diagnostics)))
        return Task(place.purpose, problem, place.replicate, None, None, numbers)
    algorithm = algorithms[place.algorithm]
    run = algorithm if place.chose is None else algorithms[place.chose]
    numbers = tuple(range(len(study.metrics)))
    return Task(place.purpose, problem, place.replicate, algorithm, run, numbers)


def replay(study: Study, task: Task) -> Record:
    """Run a task here and now; an error of the problem or of the algorithm is raised as it is."""
    made = make(study.seed, study.problems[task.problem].spec, task.purpose, task.replicate)
    return run_task(study, task, made, raising=True)
