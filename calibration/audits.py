"""Audits of data of known nature: how often each finding is made, cell by cell.

The base cell is Erdős–Rényi graphs with 2 edges per node, 20 nodes, 1000 rows of raw linear
Gaussian data; each other cell differs from it in one thing. What each audit measured is kept, so
that audits of one cell can be judged together as well.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator

from calibration.rows_on_disk import Job, Row, compute
from causalassay.common.arrays import Adjacency, Values
from causalassay.common.seeding import stream
from causalassay.data import Dataset, Problem
from causalassay.diagnostics import aligned_share, pair_weights, series_pair_weights
from causalassay.graphs.families import shuffle_labels
from causalassay.graphs.orders import topological_order
from causalassay.graphs.sources import ErdosRenyi, LaggedErdosRenyi, ScaleFree
from causalassay.judging.artefacts import Artefact, artefacts_of
from causalassay.judging.data_set import Judged, judge_data
from causalassay.judging.order_tests import DIRECTION
from causalassay.models import ISCM, SCM, UUMC, Dirichlet, NonlinearSCM, SeriesSCM
from causalassay.study.problem_specs import Generated
from causalassay.study.worker.problem_making import make

Change = Callable[[Values, Adjacency, Generator], tuple[Values, Adjacency]]

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
    change : callable, optional
        Takes values, graph and a generator; returns both changed.
    found_by : str
        The statistic that a pool of such data is to be called gameable by.
    """

    spec: Generated
    graph: str = "true"
    permuted: bool = False
    change: Change | None = None
    found_by: str = ""


def coin_flip_chain(values: Values, _: Adjacency, rng: Generator) -> tuple[Values, Adjacency]:
    """Return a chain whose edges point either way by a coin flip, and data of it (iSCM)."""
    d = 12
    label, forwards = rng.permutation(d), rng.random(d - 1) < 0.5
    graph = np.zeros((d, d), dtype=bool)
    for place in range(d - 1):
        pair = label[place : place + 2] if forwards[place] else label[place : place + 2][::-1]
        graph[tuple(pair)] = True
    return ISCM().draw(graph, rng).sample(len(values), rng), graph


def drift_of_means(values: Values, graph: Adjacency, _: Generator) -> tuple[Values, Adjacency]:
    """Return data whose means rise along a causal order, a tenth of a standard deviation a step."""
    drift = np.empty(len(graph))
    drift[topological_order(graph)] = 0.1 * np.arange(len(graph))
    return values + drift * values.std(axis=0), graph


def in_causal_order(values: Values, graph: Adjacency, _: Generator) -> tuple[Values, Adjacency]:
    """Return data whose columns stand in a causal order."""
    order = topological_order(graph)
    return values[:, order], graph[np.ix_(order, order)]


def printed(values: Values, graph: Adjacency, _: Generator) -> tuple[Values, Adjacency]:
    """Return standardised data as a file with 6 significant digits holds them."""
    scores = (values - values.mean(axis=0)) / values.std(axis=0)
    return np.vectorize(lambda value: float(f"{value:.6g}"))(scores), graph


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
    for source, word in ((ISCM, "iSCM"), (UUMC, "UUMC")):
        mixed = other(BASE, model=source(noise="mixed"))
        found[f"{word}, mixed noise"] = Cell(mixed)
    iscm, uumc = specs["iSCM"], specs["UUMC"]
    laplace, exponential = ISCM(noise="laplace"), UUMC(noise="exponential")
    found["iSCM, Laplace noise"] = Cell(other(BASE, model=laplace), found_by="kurtosis")
    found["UUMC, exponential noise"] = Cell(other(BASE, model=exponential), found_by="skewness")
    found["iSCM, drift of means"] = Cell(iscm, change=drift_of_means, found_by="mean")
    found["UUMC, columns in causal order"] = Cell(uumc, change=in_causal_order, found_by="position")
    found["standardized, 6 digits"] = Cell(BASE, change=printed, found_by="R2")
    found["chains, directions by coin flip"] = Cell(iscm, change=coin_flip_chain)
    for name in ("raw", "10 nodes", "6 edges per node", "iSCM", "nonlinear", "discrete", "series"):
        found[f"{name}, statistics permuted"] = Cell(specs[name], permuted=True)
    found["labels permuted"] = Cell(BASE, graph="permuted")
    found["transposed"] = Cell(BASE, graph="transposed")
    return found


def run(
    folder: Path, n_audits: int, workers: int, names: Iterable[str] | None = None
) -> dict[Job, Row]:
    """Return what the judge found in each cell and draw; in some cells only, if they are named."""
    chosen = list(cells() if names is None else names)
    jobs = [(name, draw) for draw in range(n_audits) for name in chosen]
    return compute(folder / "audits.jsonl", jobs, audit_one, workers)


def audit_one(job: Job) -> Row:
    """Return what the judge finds of one data set."""
    name, draw = job
    cell = cells()[name]
    problem = make(SEED, cell.spec, "main", draw).problem
    rng = stream(SEED, "judge", name, draw)
    if cell.change is not None:
        change_rng = stream(SEED, "change", name, draw)
        changed = cell.change(problem.data.observational_values, problem.graph, change_rng)
        problem = Problem(Dataset.from_values(changed[0]), changed[1])
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
        "evidence": _evidence(judged),
    }


def _evidence(judged: Judged) -> dict[str, list[float]]:
    """Return of each statistic what `OrderEvidence` has of an instance.

    The p-values are those of the level at which the tests stopped.
    """
    random = float(judged.random_orders[:, DIRECTION].mean()) if judged.tests else np.nan
    pairs = zip(judged.tests[::2], judged.tests[1::2], strict=True)
    return {
        up.artefact.statistic: [
            up.sortability,
            up.sortable.p_value,
            down.sortable.p_value,
            up.winning.p_value,
            down.winning.p_value,
            up.scores.direction - random,
            down.scores.direction - random,
        ]
        for up, down in pairs
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
