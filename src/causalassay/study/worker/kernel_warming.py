"""A worker's kernels are compiled, or loaded, before the tasks that use them.

Limits are for the work, so none holds meanwhile. What scores need comes first, so that the first
rows come soon; what diagnostics need is left until the first problem is measured.
"""

from __future__ import annotations

import contextlib
import fcntl
from collections.abc import Callable, Iterator, Sequence
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
from causalassay.study.kernel_marks import compiling, tiny_problem, worlds
from causalassay.study.keys import digest
from causalassay.study.plan import N_DRAWS, MetricEntry, Study
from causalassay.study.problem_specs import Generated
from causalassay.study.worker.scoring import Scorer

Job = Callable[[], None]

_LONGEST = ("f1_p", "sid")
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
    entries = [entry for entry in study.metrics if entry.name in METRICS.built_in]
    jobs: dict[str, Job] = {
        f"{kind} metric {entry.label or entry.name}": partial(_score, kind, entry)
        for entry in sorted(entries, key=lambda entry: entry.name not in _LONGEST)
        for kind in worlds(study)
    }
    sources: dict[str, list[ModelSource]] = {}
    for problem in study.problems:
        if isinstance(problem.spec, Generated):
            sources.setdefault(_name(problem.spec.model), []).append(problem.spec.model)
    own = {name: models for name, models in sources.items() if name in MODELS.built_in}
    return jobs | {f"model {name}": partial(_draw, models) for name, models in own.items()}


def measuring_jobs(study: Study) -> dict[str, Job]:
    """Return what compiles the kernels of a study's diagnostics, by name."""
    own = [name for name in study.diagnostics if name in DIAGNOSTICS.built_in]
    jobs: dict[str, Job] = {
        f"{kind} diagnostic {name}": partial(_measure, kind, name)
        for kind in worlds(study)
        for name in own
    }
    if not {*study.diagnostics} <= {*DIAGNOSTICS, N_DRAWS}:
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
