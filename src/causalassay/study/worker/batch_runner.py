"""The state of a worker process: it holds the study, makes problems and runs batches of tasks."""

from __future__ import annotations

import time
import warnings
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from causalassay.study.plan import AlgorithmEntry, MeasureTask, Purpose, Record, Study, Task
from causalassay.study.processes.stages import limited, not_limited
from causalassay.study.worker.discovering import Discovered, Discovery, ShownData, discover_here
from causalassay.study.worker.kernel_warming import measuring_jobs, scoring_jobs, warm
from causalassay.study.worker.problem_making import MadeProblem, NoProblem, make
from causalassay.study.worker.task_runner import run_task

_N_KEPT = 2
"""Problems a worker keeps: tasks come problem by problem."""


@dataclass
class _WorkerState:
    """The one piece of state of a worker process."""

    study: Study | None = None
    discover: Discovery = discover_here
    warm_folder: Path | None = None
    can_measure: bool = False
    problems: OrderedDict[tuple[Purpose, int, int], MadeProblem | Exception] = field(
        default_factory=OrderedDict
    )


_state = _WorkerState()


def start_worker(
    study: Study, discover: Discovery = discover_here, warm_folder: Path | None = None
) -> None:
    """Prepare this process: hold the study and load the kernels that scores need.

    Parameters
    ----------
    study : Study
    discover : Discovery
        How algorithms are run.
    warm_folder : Path, optional
        Where workers agree who compiles which kernels; see `kernel_warming.warm`.
    """
    warnings.simplefilter("ignore")  # a record says what came of it
    _state.study = study
    _state.discover = discover
    _state.warm_folder = warm_folder
    _state.can_measure = False
    _state.problems.clear()
    warm(scoring_jobs(study), warm_folder)


def run_batch(batch: Sequence[Task]) -> list[Record]:
    """Return the records of some tasks, in their order."""
    study = _state.study
    if study is None:
        raise RuntimeError("the worker has no study; call start_worker first")
    return [_timed(study, task) for task in batch]


def _timed(study: Study, task: Task) -> Record:
    if isinstance(task, MeasureTask) and not _state.can_measure:
        with not_limited():
            warm(measuring_jobs(study), _state.warm_folder)
        _state.can_measure = True
    began = time.perf_counter()
    with limited():
        record = run_task(study, task, _problem(study, task), _discover)
    return replace(record, wall=time.perf_counter() - began)


def _discover(entry: AlgorithmEntry, shown: ShownData, entropy: int) -> Discovered:
    with not_limited():  # an algorithm's time is watched where its process is
        return _state.discover(entry, shown, entropy)


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
