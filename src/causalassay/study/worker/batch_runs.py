"""What a worker process does: keeps the study, makes problems, runs batches of tasks."""

from __future__ import annotations

import time
import warnings
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from causalassay.study.plan import Purpose, Record, Study, Task
from causalassay.study.worker.kernel_warming import warm
from causalassay.study.worker.problem_making import Made, NoProblem, make
from causalassay.study.worker.task_runs import run_task

_KEPT = 2
"""Problems a worker keeps: tasks come problem by problem."""


@dataclass
class _Workplace:
    """The one piece of state of a worker process."""

    study: Study | None = None
    problems: OrderedDict[tuple[Purpose, int, int], Made | Exception] = field(
        default_factory=OrderedDict
    )


_here = _Workplace()


def start(study: Study, warm_folder: Path | None = None) -> None:
    """Prepare this process: hold the study and load the kernels it needs.

    Parameters
    ----------
    study : Study
    warm_folder : Path, optional
        Where workers agree who compiles which kernels; see `warming.warm`.
    """
    # An algorithm's warnings are not the study's: its record says what came of it.
    warnings.simplefilter("ignore")
    _here.study = study
    _here.problems.clear()
    warm(study, warm_folder)


def run_batch(batch: Sequence[Task]) -> list[Record]:
    """Return the records of some tasks, in their order."""
    study = _here.study
    if study is None:
        raise RuntimeError("the worker has no study; call start first")
    return [_timed(study, task) for task in batch]


def _timed(study: Study, task: Task) -> Record:
    began = time.perf_counter()
    record = run_task(study, task, _made(study, task))
    return replace(record, wall=time.perf_counter() - began)


def _made(study: Study, task: Task) -> Made | Exception:
    """Return the problem of a task, made now or kept from the task before."""
    place = (task.purpose, task.problem, task.replicate)
    if place not in _here.problems:
        while len(_here.problems) >= _KEPT:
            _here.problems.popitem(last=False)
        _here.problems[place] = attempt(study, task)
    return _here.problems[place]


def attempt(study: Study, task: Task) -> Made | Exception:
    """Return the problem of a task, or the error that came instead."""
    try:
        spec = study.problems[task.problem].spec
        return make(study.seed, spec, task.purpose, task.replicate)
    except (NoProblem, Exception) as error:  # a problem that cannot be made costs its rows
        return error
