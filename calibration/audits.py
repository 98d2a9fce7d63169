"""Audits of data of known nature: how often each finding is made, cell by cell.

The base cell is Erdős–Rényi graphs with 2 edges per node, 20 nodes, 1000 rows of raw linear
Gaussian data; each other cell differs from it in one thing.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator

from calibration.rows_on_disk import Job, Row, compute
from causalassay.common.seeding import stream
from causalassay.data import Dataset, Problem
from causalassay.diagnostics import aligned_share, pair_weights, series_pair_weights
from causalassay.graphs.families import shuffle_labels
from causalassay.graphs.sources import ErdosRenyi, LaggedErdosRenyi, ScaleFree
from causalassay.judging.artefacts import Artefact, artefacts_of
from causalassay.judging.data_set import judge_data
from causalassay.models import ISCM, SCM, UUMC, Dirichlet, NonlinearSCM, SeriesSCM
from causalassay.study.problem_specs import Generated
from causalassay.study.worker.problem_making import make

SEED = 20261116
N_AUDITS = 400
N_GRAPHS = 1000
"""Over which the mean sortability of a cell is taken."""


@dataclass(frozen=True)
class Cell:
    """One kind of data to audit.

    Parameters
    ----------
    spec : Generated
    graph : {"true", "permuted", "transposed"}
        What is handed to the judge as the true graph.
    permuted : bool
        Whether each statistic is assigned to the columns at random: free of artefacts.
    """

    spec: Generated
    graph: str = "true"
    permuted: bool = False


BASE = Generated(ErdosRenyi(20, 2.0), SCM(), 1000)


def cells() -> dict[str, Cell]:
    """Return the cells by name, the base first."""
    other = replace
    specs = {
        "raw": BASE,
        "5 nodes": other(BASE, graph=ErdosRenyi(5, 1.0)),
        "5 nodes, complete": other(BASE, graph=ErdosRenyi(5, 2.0)),
        "10 nodes": other(BASE, graph=ErdosRenyi(10, 2.0)),
        "50 nodes": other(BASE, graph=ErdosRenyi(50, 2.0)),
        "100 rows": other(BASE, samples=100),
        "1 edge per node": other(BASE, graph=ErdosRenyi(20, 1.0)),
        "6 edges per node": other(BASE, graph=ErdosRenyi(20, 6.0)),
        "scale-free": other(BASE, graph=ScaleFree(20, 2)),
        "standardized": other(BASE, transform=("standardize",)),
        "variances in order": other(BASE, transform=("rescale-in-order",)),
        "variances at random": other(BASE, transform=("rescale-at-random",)),
        "iSCM": other(BASE, model=ISCM()),
        "UUMC": other(BASE, model=UUMC()),
        "nonlinear": other(BASE, model=NonlinearSCM()),
        "nonlinear, standardized": other(BASE, model=NonlinearSCM(), transform=("standardize",)),
        "discrete": other(BASE, model=Dirichlet()),
        "series": Generated(LaggedErdosRenyi(10, 0.2, 1), SeriesSCM(), 1000),
    }
    found = {name: Cell(spec) for name, spec in specs.items()}
    for name in ("raw", "10 nodes", "6 edges per node", "iSCM", "nonlinear", "discrete", "series"):
        found[f"{name}, statistics permuted"] = Cell(specs[name], permuted=True)
    found["labels permuted"] = Cell(BASE, graph="permuted")
    found["transposed"] = Cell(BASE, graph="transposed")
    return found


def run(folder: Path, n_audits: int, workers: int) -> dict[Job, Row]:
    """Return what the judge found in each cell and draw."""
    jobs = [(name, draw) for draw in range(n_audits) for name in cells()]
    return compute(folder / "audits.jsonl", jobs, audit_one, workers)


def audit_one(job: Job) -> Row:
    """Return what the judge finds of one data set."""
    name, draw = job
    cell = cells()[name]
    problem = make(SEED, cell.spec, "main", draw).problem
    rng = stream(SEED, "judge", name, draw)
    graph = {
        "true": lambda: problem.graph,
        "permuted": lambda: shuffle_labels(problem.graph, rng),
        "transposed": lambda: problem.graph.T,
    }[cell.graph]()
    artefacts = artefacts_of(problem.data.world)
    if cell.permuted:
        artefacts = tuple(_permuted(artefact, rng) for artefact in artefacts)
    max_lag = problem.lagged.max_lag if problem.lagged is not None else 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        judged = judge_data(problem.data, graph, rng, max_lag, artefacts=artefacts)
    return {
        "cell": name,
        "draw": draw,
        "findings": [[found.kind, found.statistic] for found in judged.findings],
        "sortability": {
            test.artefact.statistic: test.sortability for test in judged.tests if not test.backwards
        },
    }


def _permuted(artefact: Artefact, rng: Generator) -> Artefact:
    """Return the artefact with its numbers assigned to the columns at random."""
    measure: Callable[[Dataset, int], Any] = artefact.measure
    seed = int(rng.integers(2**62))

    def permuted(data: Dataset, max_lag: int) -> Any:
        return np.random.default_rng(seed).permutation(measure(data, max_lag))

    return replace(artefact, measure=permuted)


def sortability_row(job: Job) -> Row:
    """Return the mean sortability of each statistic over many graphs of a cell."""
    name, draw = job
    cell = cells()[name]
    found: dict[str, list[float]] = {}
    for graph in range(N_GRAPHS):
        problem: Problem = make(SEED + 1, cell.spec, "main", graph).problem
        for key, value in _sortabilities(problem).items():
            found.setdefault(key, []).append(value)
    means = {key: float(np.nanmean(values)) for key, values in found.items()}
    return {"cell": name, "draw": draw, "mean": means}


def _sortabilities(problem: Problem) -> dict[str, float]:
    series = problem.data.world == "series"
    weights = series_pair_weights(problem.graph) if series else pair_weights(problem.graph, "paths")
    max_lag = problem.lagged.max_lag if problem.lagged is not None else 1
    return {
        artefact.statistic: aligned_share(weights, artefact.measure(problem.data, max_lag), 1e-9)
        for artefact in artefacts_of(problem.data.world)
    }
