"""The state of a worker process: it holds the study, makes problems and runs batches of tasks."""

from __future__ import annotations

import contextlib
import fcntl
import time
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from causalassay.contracts import Estimate
from causalassay.data.dataset import World
from causalassay.diagnostics.registry import DIAGNOSTICS
from causalassay.graphs import erdos_renyi, lagged_erdos_renyi, to_cpdag
from causalassay.metrics.registry import METRICS
from causalassay.models.registry import MODELS, ModelSource, makes, named
from causalassay.processes.stages import limited, not_limited, working_at
from causalassay.study.kernel_marks import compiling, tiny_problem, worlds
from causalassay.study.keys import digest
from causalassay.study.plan import (
    N_DRAWS,
    AlgorithmEntry,
    MeasureTask,
    MetricEntry,
    Purpose,
    Record,
    RunTask,
    Study,
    Task,
    is_call,
    task_place,
)
from causalassay.study.problem_specs import Generated
from causalassay.study.scratch_folders import ScratchFolders
from causalassay.study.worker.calls import run_call
from causalassay.study.worker.discovering import (
    BlindDiscovery,
    Discovered,
    Discovery,
    ShownData,
    TaskDiscovery,
    discover_here,
)
from causalassay.study.worker.problem_making import MadeProblem, NoProblem, make
from causalassay.study.worker.task_runner import Scorer, run_task

# A worker's kernels are compiled, or loaded, before the tasks that use them.

Job = Callable[[], None]

_LONGEST = ("direction_p", "sid")
"""Metrics that take longest to compile: begun first, so that no worker waits for them alone."""


def warm(jobs: dict[str, Job], folder: Path | None = None) -> None:
    """Do jobs that run our own kernels once on tiny data.

    Parameters
    ----------
    jobs : mapping
        From `scoring_jobs` or `measuring_jobs`.
    folder : Path, optional
        Where several workers agree, by locked files, who compiles what. On a
        fresh machine each then compiles a part and loads what the others compiled.
    """
    noted: dict[str, Job] = {name: partial(_noted, name, job, folder) for name, job in jobs.items()}
    if folder is None:
        for job in noted.values():
            job()
    else:
        _share(noted, folder)


def scoring_jobs(study: Study) -> dict[str, Job]:
    """Return what compiles the kernels of a study's metrics and models, by name."""
    entries = [e for e in study.metrics if e.own is None and e.name in METRICS.built_in]
    jobs: dict[str, Job] = {
        f"{kind} metric {entry.label or entry.name}": partial(_score, kind, entry)
        for entry in sorted(entries, key=lambda entry: entry.name not in _LONGEST)
        for kind in worlds(study)
    }
    sources: dict[str, list[ModelSource]] = {}
    for problem in study.problems:
        if isinstance(problem.spec, Generated):
            sources.setdefault(_name(problem.spec.model), []).append(problem.spec.model)
    return jobs | {
        f"model {name}": partial(_draw, models)
        for name, models in sources.items()
        if name in MODELS.built_in
    }


def measuring_jobs(study: Study) -> dict[str, Job]:
    """Return what compiles the kernels of a study's diagnostics, by name."""
    jobs: dict[str, Job] = {
        f"{kind} diagnostic {name}": partial(_measure, kind, name)
        for kind in worlds(study)
        for name in study.diagnostics
        if name in DIAGNOSTICS.built_in
    }
    own = {diagnostic.name for diagnostic in study.own_diagnostics}
    if not {*study.diagnostics} <= {*DIAGNOSTICS, *own, N_DRAWS}:
        jobs |= {f"{kind} order measures": partial(_measure_orders, kind) for kind in worlds(study)}
    return jobs


def _noted(name: str, job: Job, folder: Path | None) -> None:
    with compiling(name, folder):
        job()


def _share(jobs: dict[str, Job], folder: Path) -> None:
    """Do all jobs, beginning with those that no other worker is doing."""
    remaining = dict(jobs)
    while remaining:
        name = next((name for name in remaining if _try(remaining[name], folder, name)), None)
        if name is None:
            name = next(iter(remaining))
            with _lock(folder, name, fcntl.LOCK_EX):
                remaining[name]()
        del remaining[name]


def _try(job: Job, folder: Path, name: str) -> bool:
    """Do a job unless another worker is doing it; return whether it was done."""
    with _lock(folder, name, fcntl.LOCK_EX | fcntl.LOCK_NB) as is_free:
        if is_free:
            job()
    return is_free


@contextlib.contextmanager
def _lock(folder: Path, name: str, how: int) -> Iterator[bool]:
    """Hold the lock of a job, and yield whether it was free.

    Without a file for it, as on a full disk, it is, and two workers may do the same.
    """
    is_free = True
    with contextlib.ExitStack() as stack:
        try:
            folder.mkdir(parents=True, exist_ok=True)  # somebody may have removed it
            file = stack.enter_context((folder / f"{digest(name)}.lock").open("w"))
            fcntl.flock(file, how)
        except BlockingIOError:
            is_free = False
        except OSError:
            pass
        yield is_free


def _score(kind: World, entry: MetricEntry) -> None:
    """Score the truth, and its class where there is one."""
    problem = tiny_problem(kind)
    if problem is None:
        return
    estimates = [Estimate(problem.graph, "summary" if problem.lagged else "dag")]
    if problem.lagged is None:
        estimates.append(Estimate(to_cpdag(problem.graph), "cpdag"))
    for estimate in estimates:
        with contextlib.suppress(Exception):
            Scorer(problem, estimate, lambda: np.random.default_rng(0)).score(entry)


def _measure(kind: World, name: str) -> None:
    problem = tiny_problem(kind)
    if problem is not None:
        with contextlib.suppress(Exception):
            DIAGNOSTICS[name].measure(problem)


def _measure_orders(kind: World) -> None:
    from causalassay.judging.order_measures import (  # noqa: PLC0415 (not for every study)
        order_measures,
    )

    problem = tiny_problem(kind)
    if problem is not None:
        with contextlib.suppress(Exception):
            order_measures(problem)


def _draw(sources: Sequence[Any]) -> None:
    """Draw from model sources: some have kernels of their own."""
    rng = np.random.default_rng(0)
    for source in sources:
        series = makes(source, "var")
        graph = lagged_erdos_renyi(4, 0.5, 1, rng) if series else erdos_renyi(5, 1.0, rng)
        with contextlib.suppress(Exception):
            source.draw(graph, rng).sample(10, rng)


def _name(source: ModelSource) -> str:
    """Return the name of a model source; empty for one that is in no registry."""
    try:
        return ".".join(named(source))
    except TypeError:
        return ""


_N_KEPT = 2
"""Problems a worker keeps: tasks come problem by problem."""


@dataclass
class _WorkerState:
    """The one piece of state of a worker process."""

    study: Study | None = None
    discover: TaskDiscovery = discover_here
    warm_folder: Path | None = None
    scratch: ScratchFolders | None = None
    can_measure: bool = False
    problems: OrderedDict[tuple[Purpose, int, int], MadeProblem | Exception] = field(
        default_factory=OrderedDict
    )


_state = _WorkerState()


def start_worker(
    study: Study,
    discover: TaskDiscovery = discover_here,
    warm_folder: Path | None = None,
    scratch: ScratchFolders | None = None,
) -> None:
    """Prepare this process: hold the study and load the kernels that scores need.

    Parameters
    ----------
    study : Study
    discover : TaskDiscovery
        How algorithms are run.
    warm_folder : Path, optional
        Where workers agree who compiles which kernels; see `warm`.
    scratch : ScratchFolders, optional
        Where algorithms keep what is to survive an interruption.
    """
    warnings.simplefilter("ignore")  # a record says what came of it
    _state.study = study
    _state.discover = discover
    _state.warm_folder = warm_folder
    _state.scratch = scratch
    _state.can_measure = False
    _state.problems.clear()
    warm(scoring_jobs(study), warm_folder)


def run_batch(batch: Sequence[Task]) -> list[Record]:
    """Return the records of some tasks, in their order."""
    study = _state.study
    if study is None:
        raise RuntimeError("the worker has no study; call start_worker first")
    if is_call(study, tuple(batch)) and isinstance(_state.discover, BlindDiscovery):
        with working_at(task_place(batch[0])):
            return run_call(study, batch, attempt_problem, _state.discover)
    return [_timed(study, task) for task in batch]


def _timed(study: Study, task: Task) -> Record:
    if isinstance(task, MeasureTask) and not _state.can_measure:
        with not_limited():
            warm(measuring_jobs(study), _state.warm_folder)
        _state.can_measure = True
    began = time.perf_counter()
    with working_at(task_place(task)), limited():
        record = run_task(study, task, _problem(study, task), _discovery(study, task))
    return replace(record, wall=time.perf_counter() - began)


def _discovery(study: Study, task: Task) -> Discovery:
    """Return how the algorithm of a task is run, if the task runs one."""
    scratch = ""
    if _state.scratch is not None and isinstance(task, RunTask):
        scratch = _state.scratch.path_of_task(study, task)

    def discover(entry: AlgorithmEntry, shown: ShownData, entropy: int) -> Discovered:
        with not_limited():  # an algorithm's time is watched where its process is
            return _state.discover(entry, shown, entropy, scratch)

    return discover


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
