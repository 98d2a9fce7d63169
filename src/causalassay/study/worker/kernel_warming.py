"""A worker's kernels are compiled, or loaded, before its first task: limits are for the work."""

from __future__ import annotations

import contextlib
import fcntl
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from causalassay.contracts import Estimate
from causalassay.data import Problem
from causalassay.diagnostics.registry import DIAGNOSTICS
from causalassay.graphs import erdos_renyi, lagged_erdos_renyi, to_cpdag
from causalassay.metrics.registry import METRICS
from causalassay.models.registry import MODELS, makes, named
from causalassay.study.measures import N_DRAWS
from causalassay.study.plan import Study
from causalassay.study.problem_specs import Generated, world
from causalassay.study.tiny_problems import tiny_problem
from causalassay.study.worker.scoring import Scorer

Job = Callable[[], None]


def warm(study: Study, folder: Path | None = None) -> None:
    """Run what the study needs of our own kernels once on tiny data.

    Parameters
    ----------
    study : Study
    folder : Path, optional
        Where several workers agree, by locked files, who compiles what. On a
        fresh machine each then compiles a part and loads what the others compiled.
    """
    jobs: dict[str, Job] = {"models": partial(_draw, study)}
    for kind in dict.fromkeys(world(entry.spec) for entry in study.problems):
        if (problem := tiny_problem(kind)) is not None:
            jobs[f"{kind} diagnostics"] = partial(_measure, study, problem)
            jobs[f"{kind} metrics"] = partial(_score, study, problem)
    if folder is None:
        for job in jobs.values():
            job()
    else:
        _share(jobs, folder)


def _share(jobs: dict[str, Job], folder: Path) -> None:
    """Do all jobs, beginning with those that no other worker is doing."""
    remaining = dict(jobs)
    while remaining:
        name = next(
            (name for name in remaining if _try(remaining[name], folder / f"{name}.lock")), None
        )
        if name is None:
            name = next(iter(remaining))
            with _locked(folder / f"{name}.lock"):
                remaining[name]()
        del remaining[name]


def _try(job: Job, path: Path) -> bool:
    """Do a job unless another worker is doing it; return whether it was done."""
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        job()
        return True


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _score(study: Study, problem: Problem) -> None:
    """Score the truth, and its class where there is one."""
    estimates = [Estimate(problem.graph, "summary" if problem.lagged else "dag")]
    if problem.lagged is None:
        estimates.append(Estimate(to_cpdag(problem.graph), "cpdag"))
    for estimate in estimates:
        scorer = Scorer(problem, estimate, lambda: np.random.default_rng(0))
        for entry in study.metrics:
            if entry.name in METRICS.built_in:
                with contextlib.suppress(Exception):
                    scorer.score(entry)


def _measure(study: Study, problem: Problem) -> None:
    for name in filter(DIAGNOSTICS.built_in.__contains__, study.diagnostics):
        with contextlib.suppress(Exception):
            DIAGNOSTICS[name].measure(problem)
    if not {*study.diagnostics} <= {*DIAGNOSTICS, N_DRAWS}:
        from causalassay.judging.order_measures import (  # noqa: PLC0415 (not for every study)
            order_measures,
        )

        with contextlib.suppress(Exception):
            order_measures(problem)


def _draw(study: Study) -> None:
    """Draw from each model source: some have kernels of their own."""
    rng = np.random.default_rng(0)
    for entry in study.problems:
        if isinstance(entry.spec, Generated):
            source: Any = entry.spec.model
            series = makes(source, "var")
            graph = lagged_erdos_renyi(4, 0.5, 1, rng) if series else erdos_renyi(5, 1.0, rng)
            with contextlib.suppress(Exception):
                if ".".join(named(source)) in MODELS.built_in:
                    source.draw(graph, rng).sample(10, rng)
