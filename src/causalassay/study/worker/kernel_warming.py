"""Kernels are compiled, or loaded, before the first task: a time limit is for the work itself."""

from __future__ import annotations

import contextlib
import fcntl
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from causalassay.contracts import Algorithm
from causalassay.data import Dataset, Discrete, Problem, Regime
from causalassay.diagnostics.registry import DIAGNOSTICS
from causalassay.discovery.registry import ALGORITHMS
from causalassay.graphs import erdos_renyi, lagged_erdos_renyi
from causalassay.metrics.registry import METRICS
from causalassay.models import SCM, Dirichlet, SeriesSCM
from causalassay.models.registry import MODELS, makes, named
from causalassay.study.plan import AlgorithmEntry, Study
from causalassay.study.problem_specs import Generated, World, world
from causalassay.study.worker.scoring import Scorer

_NOT_OURS = ("command", "causal-learn-boss", "causal-learn-ges", "causal-learn-grasp")
"""Built-ins without kernels of ours. Plug-ins of other packages are not run: they might hang."""

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
    for kind, problem in _tiny_problems(study).items():
        jobs[f"{kind} numbers"] = partial(_measure, study, problem)
        for name, algorithm in _native(study).items():
            if getattr(algorithm, "rows", "independent") in (problem.data.rows, "any"):
                jobs[f"{kind} {name}"] = partial(_discover, study, problem, algorithm)
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


def _discover(study: Study, problem: Problem, algorithm: Algorithm) -> None:
    with contextlib.suppress(Exception):
        estimate = algorithm.discover(problem.data, np.random.default_rng(0))
        scorer = Scorer(problem, estimate, lambda: np.random.default_rng(0))
        for entry in study.metrics:
            if entry.name in METRICS.built_in:
                scorer.score(entry)


def _measure(study: Study, problem: Problem) -> None:
    for name in filter(DIAGNOSTICS.built_in.__contains__, study.diagnostics):
        with contextlib.suppress(Exception):
            DIAGNOSTICS[name].measure(problem)


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


def _tiny_problems(study: Study) -> dict[str, Problem]:
    """Return a tiny problem for each kind of data that the study has."""
    makers: dict[World, Callable[[], Problem]] = {
        "continuous": _tiny_problem,
        "series": _tiny_series,
        "discrete": _tiny_levels,
    }
    worlds = {world(entry.spec) for entry in study.problems}
    return {name: make() for name, make in makers.items() if name in worlds}


def _native(study: Study) -> dict[str, Algorithm]:
    """Return one of each algorithm of ours, and one for each of its textual settings."""
    algorithms: dict[str, Algorithm] = {}
    for entry in study.algorithms:
        if entry.use in ALGORITHMS.built_in and entry.use not in _NOT_OURS:
            algorithms.setdefault(_kernel_name(entry), entry.algorithm)
    return algorithms


def _kernel_name(entry: AlgorithmEntry) -> str:
    """Return a name without the numbers among the parameters: they need no other kernels."""
    words = [str(value) for value in entry.parameters.values() if isinstance(value, str | bool)]
    return "-".join([entry.use, *words]).replace("/", "-")


def _tiny_problem() -> Problem:
    rng = np.random.default_rng(0)
    graph = erdos_renyi(5, 1.0, rng)
    model = SCM().draw(graph, rng)
    regimes = (Regime("o", model.sample(60, rng)), Regime("i", model.sample(60, rng), (0,)))
    return Problem(Dataset(tuple("abcde"), regimes, observational="o"), graph, model)


def _tiny_levels() -> Problem:
    rng = np.random.default_rng(0)
    graph = erdos_renyi(5, 1.0, rng)
    model = Dirichlet().draw(graph, rng)
    kinds = tuple(Discrete(levels) for levels in model.levels)
    regimes = (Regime("o", model.sample(60, rng)),)
    return Problem(Dataset(model.names, regimes, "o", kinds), graph, model)


def _tiny_series() -> Problem:
    rng = np.random.default_rng(0)
    graph = lagged_erdos_renyi(4, 0.5, 1, rng)
    model = SeriesSCM().draw(graph, rng)
    return Problem.of_series(Dataset.from_values(model.sample(60, rng), rows="series"), graph)
