"""Which kernels have been compiled: a mark for each job, beside the compiled kernels.

Marks decide which tasks begin and what the progress line says, and nothing else: a wrong one
costs time and changes no row.
"""

from __future__ import annotations

import contextlib
import os
import platform
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from pathlib import Path
from platform import python_version

import numpy as np

from causalassay.common.kernel_cache import checksum
from causalassay.data import Dataset, Discrete, Problem, Regime
from causalassay.data.dataset import World
from causalassay.graphs import erdos_renyi, lagged_erdos_renyi
from causalassay.models import SCM, Dirichlet, SeriesSCM
from causalassay.study.keys import digest
from causalassay.study.plan import AlgorithmEntry, Study
from causalassay.study.problem_specs import world
from causalassay.study.programs import is_ours

WITHOUT_KERNELS = frozenset({"acor", "empty", "random-sorting", "single-edge", "variance-sorting"})
"""Algorithms of ours that compile nothing."""

_UNDER_WAY = "compiling-"


def is_ready(job: str) -> bool:
    """Tell whether the kernels of a job have been compiled by this installation."""
    return _mark(job).exists()


@contextlib.contextmanager
def compiling(job: str, folder: Path | None) -> Iterator[None]:
    """Note in a folder that a job is compiled, unless it is ready, and mark it afterwards.

    Parameters
    ----------
    job : str
    folder : Path, optional
        Where whoever shows progress looks; see `n_under_way`.
    """
    if is_ready(job):
        yield
        return
    note = None if folder is None else folder / f"{_UNDER_WAY}{digest(job)}"
    with contextlib.suppress(OSError):
        if note is not None:
            note.touch()
    try:
        yield
        with contextlib.suppress(OSError):
            _mark(job).parent.mkdir(parents=True, exist_ok=True)
            _mark(job).touch()
    finally:
        with contextlib.suppress(OSError):
            if note is not None:
                note.unlink(missing_ok=True)


def n_under_way(folder: Path) -> int:
    """Return how many jobs are being compiled.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     n_under_way(Path(folder))
    0
    """
    return sum(1 for _ in folder.glob(f"{_UNDER_WAY}*"))


def algorithm_job(use: str, kind: World) -> str:
    """Return the name of the job that compiles an algorithm of ours for a kind of data."""
    return f"{kind} algorithm {use}"


def has_kernels(entry: AlgorithmEntry) -> bool:
    """Return whether an algorithm of ours is compiled: those that compute many use torch."""
    return entry.use not in WITHOUT_KERNELS and not entry.computes_many


def worlds(study: Study) -> tuple[World, ...]:
    """Return the kinds of data that a study has."""
    return tuple(dict.fromkeys(world(entry.spec) for entry in study.problems))


def algorithm_jobs(study: Study) -> dict[str, str]:
    """Return the name of each algorithm of ours with kernels, by the job that compiles it."""
    uses = dict.fromkeys(
        entry.use for entry in study.algorithms if is_ours(entry.algorithm) and has_kernels(entry)
    )
    kinds = worlds(study)
    return {algorithm_job(use, kind): use for use in uses for kind in kinds}


def ready_before_others(study: Study) -> frozenset[int]:
    """Return the algorithms of ours that can begin while others are still to be compiled.

    None if there is nothing to compile: the order of tasks is then the study's own.
    """
    cold = {use for job, use in algorithm_jobs(study).items() if not is_ready(job)}
    if not cold:
        return frozenset()
    return frozenset(
        index
        for index, entry in enumerate(study.algorithms)
        if is_ours(entry.algorithm) and entry.use not in cold
    )


def _mark(job: str) -> Path:
    return Path(os.environ["NUMBA_CACHE_DIR"]) / "ready" / digest(job, _installation())


@cache
def _installation() -> str:
    """Return what decides, beside the sources, whether a compiled kernel can be used."""
    sources = checksum(Path(__file__).parents[1])
    return " ".join((sources, python_version(), version("numba"), cpu()))


# The processor of this machine.


def cpu() -> str:
    """Return the processor's model, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, "") or platform.processor() or platform.machine()


# Problems as small as can be, on which kernels are compiled, or loaded, before the first task.

_N_ROWS = 60


@cache
def tiny_problem(world: World) -> Problem | None:
    """Return a tiny problem of a world; None for mixed data, for which there is no kernel.

    Examples
    --------
    >>> tiny_problem("continuous").data.n_nodes
    5
    """
    rng = np.random.default_rng(0)
    match world:
        case "continuous":
            graph = erdos_renyi(5, 1.0, rng)
            linear = SCM().draw(graph, rng)
            observed = Regime("o", linear.sample(_N_ROWS, rng))
            regimes = (observed, Regime("i", linear.sample(_N_ROWS, rng), (0,)))
            return Problem(Dataset(tuple("abcde"), regimes, observational="o"), graph, linear)
        case "discrete":
            graph = erdos_renyi(5, 1.0, rng)
            tables = Dirichlet().draw(graph, rng)
            kinds = tuple(Discrete(levels) for levels in tables.levels)
            levels = (Regime("o", tables.sample(_N_ROWS, rng)),)
            return Problem(Dataset(tables.names, levels, "o", kinds), graph, tables)
        case "series":
            lagged = lagged_erdos_renyi(4, 0.5, 1, rng)
            series = SeriesSCM().draw(lagged, rng)
            data = Dataset.from_values(series.sample(_N_ROWS, rng), rows="series")
            return Problem.of_series(data, lagged)
        case "mixed":
            return None
