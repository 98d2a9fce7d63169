"""A bank of instances for studies: algorithms of known nature on the same graphs in eight schemes.

Erdős–Rényi graphs with 2 edges per node, 20 nodes, 1000 rows; studies draw instances from it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator

from calibration.audits import BASE
from calibration.rows_on_disk import Job, Row, compute
from causalassay.common.arrays import Adjacency, Values
from causalassay.common.seeding import stream
from causalassay.contracts import Estimate
from causalassay.data import Problem
from causalassay.diagnostics import r2_sortability, var_sortability
from causalassay.discovery import discover
from causalassay.discovery.regression.lasso_along_order import sort_regress
from causalassay.discovery.statistics import random_ties_order
from causalassay.graphs.orders import topological_order
from causalassay.judging.artefacts import KURTOSIS
from causalassay.judging.order_measures import N_ORDERS, order_measures, random_orders
from causalassay.judging.order_tests import DIRECTION, SKELETON_F1, reached
from causalassay.metrics import direction_score, f1, order_score, skeleton_f1, skeleton_p
from causalassay.models import ISCM, UUMC
from causalassay.study.worker.problem_making import make

SEED = 20261117
N_UNITS = 1000
THRESHOLD = 0.3
TURNED = 0.1
"""The share of all true edges that the stand-in for a lead of known size turns."""
SCHEMES = {
    "raw": BASE,
    "raw + rescale-in-order": replace(BASE, transform=("rescale-in-order",)),
    "raw + rescale-at-random": replace(BASE, transform=("rescale-at-random",)),
    "standardized": replace(BASE, transform=("standardize",)),
    "iscm": replace(BASE, model=ISCM()),
    "uumc": replace(BASE, model=UUMC()),
    "iscm laplace": replace(BASE, model=ISCM(noise="laplace")),
    "iscm mixed": replace(BASE, model=ISCM(noise="mixed")),
}


def _random_graph(problem: Problem, rng: Generator) -> Estimate:
    d = len(problem.graph)
    order = rng.permutation(d)
    pairs = np.triu(rng.random((d, d)) < 0.2, 1)
    graph = np.zeros((d, d), dtype=bool)
    graph[np.ix_(order, order)] = pairs
    return Estimate(graph, "dag", order=tuple(int(node) for node in order))


def _joins_everything(problem: Problem, _: Generator) -> Estimate:
    d = len(problem.graph)
    return Estimate(~np.eye(d, dtype=bool), "pdag")


def _true_order_ols(problem: Problem, _: Generator) -> Estimate:
    values = problem.data.observational_values
    order = topological_order(problem.graph)
    weights = np.zeros(problem.graph.shape)
    covariance = np.cov(values, rowvar=False)
    for place in range(1, len(order)):
        before = order[:place]
        weights[before, order[place]] = np.linalg.solve(
            covariance[np.ix_(before, before)], covariance[before, order[place]]
        )
    return Estimate(np.abs(weights) > THRESHOLD, "dag", order=tuple(int(node) for node in order))


def _along(order: np.ndarray, problem: Problem) -> Estimate:
    weights = sort_regress(problem.data.observational_values, order)
    return Estimate(weights != 0, "dag", order=tuple(int(node) for node in order))


def _true_order_lasso(problem: Problem, _: Generator) -> Estimate:
    return _along(np.asarray(topological_order(problem.graph)), problem)


def _r2_downwards(problem: Problem, rng: Generator) -> Estimate:
    upwards = discover("r2-sortnregress", problem.data, rng).order
    return _along(np.array(upwards)[::-1], problem)


def _random_order(problem: Problem, rng: Generator) -> Estimate:
    return _along(rng.permutation(len(problem.graph)), problem)


def _turned(problem: Problem, rng: Generator) -> Estimate:
    """Return a random order's graph, with a tenth of all true edges turned from wrong to right.

    With as many edges as the truth this gives +0.1 in F1, and always +0.2 in the direction score,
    where a turned edge loses a wrong direction and gains a right one. The skeleton stays.
    """
    graph = _random_order(problem, rng).graph.copy()
    wrong = np.argwhere(problem.graph & graph.T)
    count = min(len(wrong), round(TURNED * problem.graph.sum()))
    cause, effect = rng.permutation(wrong)[:count].T
    graph[effect, cause] = False
    graph[cause, effect] = True
    return Estimate(graph, "pdag")  # the turned edges may close cycles


def _true_skeleton(problem: Problem, rng: Generator) -> Estimate:
    """Return the true adjacencies, directed along a random order."""
    place = rng.permutation(len(problem.graph))
    joined = problem.graph | problem.graph.T
    return Estimate(joined & (place[:, None] < place), "dag")


def _correlation_graph(problem: Problem, _: Generator) -> Estimate:
    """Return undirected edges between the most correlated columns, as many as are true."""
    size = np.abs(np.corrcoef(problem.data.observational_values, rowvar=False))
    pairs = np.triu(size, 1)
    least = np.sort(pairs, axis=None)[-int(problem.graph.sum())]
    graph = pairs >= least
    return Estimate(graph | graph.T, "pdag")


def _kurtosis_downwards(problem: Problem, rng: Generator) -> Estimate:
    order = random_ties_order(KURTOSIS.measure(problem.data, 1), rng, 1e-9)
    return _along(order[::-1], problem)


def _named(name: str, **parameters: Any) -> Callable[[Problem, Generator], Estimate]:
    return lambda problem, rng: discover(name, problem.data, rng, **parameters)


ALGORITHMS: dict[str, Callable[[Problem, Generator], Estimate]] = {
    "random graph": _random_graph,
    "joins everything": _joins_everything,
    "sorts by variance": _named("var-sortnregress"),
    "sorts by R²": _named("r2-sortnregress"),
    "sorts by falling R²": _r2_downwards,
    "true order, OLS": _true_order_ols,
    "true order, lasso": _true_order_lasso,
    "uniform lead": _turned,
    "ges": _named("ges", penalty_discount=1.0),
    "true skeleton, random directions": _true_skeleton,
    "correlation graph": _correlation_graph,
    "sorts by falling kurtosis": _kurtosis_downwards,
}


def run(folder: Path, n_units: int, workers: int) -> dict[Job, Row]:
    """Return the bank: a row for each scheme and instance."""
    jobs = [(scheme, unit) for unit in range(n_units) for scheme in SCHEMES]
    return compute(folder / "units.jsonl", jobs, unit_of, workers)


def unit_of(job: Job) -> Row:
    """Return what is measured of one instance on one scheme, and what each algorithm reaches."""
    scheme, unit = job
    problem = make(SEED, SCHEMES[scheme], "main", unit).problem
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        measures = order_measures(problem).numbers
        values = problem.data.observational_values
        measures = measures | {
            "var_sortability": var_sortability(values, problem.graph),
            "r2_sortability": r2_sortability(values, problem.graph),
        }
        random_scores = random_orders(problem).scores(N_ORDERS)
        scores = {
            name: _scored(name, algorithm, problem, random_scores, unit)
            for name, algorithm in ALGORITHMS.items()
        }
    return {"cell": scheme, "draw": unit, "measures": measures, "scores": scores}


def _scored(
    name: str,
    algorithm: Callable[[Problem, Generator], Estimate],
    problem: Problem,
    random_scores: Values,
    unit: int,
) -> dict[str, float]:
    # The same random numbers on each scheme: what does not read the scale gives the same graph.
    estimate = algorithm(problem, stream(SEED, "algorithm", name, unit))
    truth: Adjacency = problem.graph
    direction = direction_score(truth, estimate.graph)
    skeleton = skeleton_f1(truth, estimate.graph)

    def share(score: int, value: float) -> float:
        return (1 + int(reached(random_scores, score, value).sum())) / (1 + N_ORDERS)

    return {
        "f1": f1(truth, estimate.graph),
        "direction_score": direction,
        "direction_p": share(DIRECTION, direction),
        "skeleton_f1": skeleton,
        "skeleton_f1_p": share(SKELETON_F1, skeleton),
        "skeleton_p": skeleton_p(truth, estimate.graph),
        "order_score": order_score(truth, estimate),
    }
