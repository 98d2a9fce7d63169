"""What a worker process does: keeps the study, makes problems, runs batches of tasks."""

from __future__ import annotations

import contextlib
import fcntl
import time
import warnings
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from causalassay.contracts import Algorithm
from causalassay.data import Dataset, Problem, Regime
from causalassay.discovery.registry import BUILT_IN
from causalassay.graphs import erdos_renyi
from causalassay.models import SCM
from causalassay.study.plan import Purpose, Record, Study, Task
from causalassay.study.tasks.making import Made, NoProblem, make
from causalassay.study.tasks.measuring import DIAGNOSTICS
from causalassay.study.tasks.scoring import Scorer
from causalassay.study.tasks.work import run_task

_KEPT = 2
"""Problems a worker keeps: tasks come problem by problem."""

_NOT_WARMED = ("command", "causal-learn-boss", "causal-learn-ges", "causal-learn-grasp")
"""Built-ins without kernels of ours; other people's algorithms might hang."""


@dataclass
class _Workplace:
    """The one piece of state of a worker process."""

    study: Study | None = None
    problems: OrderedDict[tuple[Purpose, int, int], Made | Exception] = field(
        default_factory=OrderedDict
    )


_here = _Workplace()


def start(study: Study, warm_lock: Path | None = None) -> None:
    """Prepare this process: hold the study and load the kernels it needs.

    Parameters
    ----------
    study : Study
    warm_lock : Path, optional
        A file to lock while kernels are compiled, so that on a fresh machine one
        worker compiles and the others then load what it left.
    """
    # An algorithm's warnings are not the study's: its record says what came of it.
    warnings.simplefilter("ignore")
    _here.study = study
    _here.problems.clear()
    with _locked(warm_lock):
        warm(study)


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


def warm(study: Study) -> None:
    """Run what the study needs of our own kernels once on tiny data.

    Compiling, or loading compiled code, then counts neither against a task's
    time limit nor in its seconds.
    """
    problem = _tiny_problem()
    rng = np.random.default_rng(0)
    for algorithm in _native(study):
        with contextlib.suppress(Exception):
            estimate = algorithm.discover(problem.data, rng)
            scorer = Scorer(problem, estimate, lambda: np.random.default_rng(0))
            for entry in study.metrics:
                scorer.score(entry)
    for name in study.diagnostics:
        with contextlib.suppress(Exception):
            DIAGNOSTICS[name](problem)


def _native(study: Study) -> Iterator[Algorithm]:
    for entry in {entry.use: entry for entry in study.algorithms}.values():
        if entry.use in BUILT_IN and entry.use not in _NOT_WARMED:
            yield entry.algorithm


def _tiny_problem() -> Problem:
    rng = np.random.default_rng(0)
    graph = erdos_renyi(5, 1.0, rng)
    model = SCM().draw(graph, rng)
    regimes = (Regime("o", model.sample(60, rng)), Regime("i", model.sample(60, rng), (0,)))
    return Problem(Dataset(tuple("abcde"), regimes, observational="o"), graph, model)


@contextlib.contextmanager
def _locked(path: Path | None) -> Iterator[None]:
    if path is None:
        yield
        return
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
