"""The state of a worker process: it holds the study, makes problems and runs batches of tasks."""

from __future__ import annotations

import time
import warnings
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from causalassay.study.plan import Purpose, Study
from causalassay.study.tasks import Record, Task
from causalassay.study.worker.kernel_warming import warm
from causalassay.study.worker.problem_making import MadeProblem, NoProblem, make
from causalassay.study.worker.task_runner import run_task

_N_KEPT = 2
"""Problems a worker keeps: tasks come problem by problem."""


@dataclass
class _WorkerState:
    """The one piece of state of a worker process."""

    study: Study | None = None
    problems: OrderedDict[tuple[Purpose, int, int], MadeProblem | Exception] = field(
        default_factory=OrderedDict
    )


_state = _WorkerState()


def start_worker(study: Study, warm_folder: Path | None = None) -> None:
    """Prepare this process: hold the study and load the kernels it needs.

    Parameters
    ----------
    study : Study
    warm_folder : Path, optional
        Where workers agree who compiles which kernels; see `kernel_warming.warm`.
    """
    # An algorithm's warnings are not shown: its record says what came of it.
    warnings.simplefilter("ignore")
    _state.study = study
    _state.problems.clear()
    warm(study, warm_folder)


def run_batch(batch: Sequence[Task]) -> list[Record]:
    """Return the records of some tasks, in their order."""
    study = _state.study
    if study is None:
        raise RuntimeError("the worker has no study; call start_worker first")
    return [_timed(study, task) for task in batch]


def _timed(study: Study, task: Task) -> Record:
    began = time.perf_counter()
    record = run_task(study, task, _problem(study, task))
    return replace(record, wall=time.perf_counter() - began)


def _problem(study: Study, task: Task) -> MadeProblem | Exception:
    """Return the problem of a task, made now or kept from the task before."""
    address = (task.purpose, task.problem, task.replicate)
    if address not in _state.problems:
        while len(_state.problems) >= _N_KEPT:
            _state.problems.popitem(last=False)
        _state.problems[address] = attempt_problem(study, task)
    return _state.problems[address]


def attempt_problem(study: Study, task: Task) -> MadeProblem | Exception:
    """Return the problem of a task, or the error that came instead."""
    try:
        spec = study.problems[task.problem].spec
        return make(study.seed, spec, task.purpose, task.replicate)
    except (NoProblem, Exception) as error:  # a problem that cannot be made costs only its rows
        return error
