"""Simulated systems with known truth, on which algorithms are chosen by experiments alone.

Every system is drawn anew: a graph of 10 nodes, a model, observational rows and experiments. The
data set that is chosen by does not say what was done to a target, as a file does not.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from calibration.rows_on_disk import Job, Row, compute
from causalassay import models, risk
from causalassay.common.arrays import Adjacency, Values
from causalassay.common.seeding import stream
from causalassay.contracts import Algorithm
from causalassay.data import Dataset, Regime
from causalassay.discovery import make_algorithm
from causalassay.graphs import NoExtension, erdos_renyi, extend
from causalassay.metrics import repair, sid
from causalassay.models import Do, Model, Shift
from causalassay.risk import prediction
from causalassay.risk.prediction.comparing import member_dags

ALGORITHMS = (
    "pc",
    "ges",
    "ges-pooled",
    "gies",
    "mmhc",
    "direct-lingam",
    "notears",
    "golem-ev",
    "golem-nv",
    "mse-gds",
    "var-sortnregress",
    "r2-sortnregress",
)
SEARCHES = ("ges", "ges-pooled", "gies")
"""Those that have the penalty of the BIC here; their default is another."""
PAIRS = (("ges", "var-sortnregress"), ("pc", "direct-lingam"))
"""Of algorithms that read observational rows only: their graphs stay as experiments change."""

SEED = 20261120
N_SYSTEMS = 200
N_NODES = 10
N_OBSERVED = 500
N_ROWS = 100
_N_ROWS_OF_TRUTH = 500
_MOVED_BY = 2.0
"""Observational standard deviations."""


@dataclass(frozen=True)
class Kind:
    """What a system is like.

    Parameters
    ----------
    mechanism : {"linear", "gp-additive", "sigmoid"}
    scheme : {"scm", "iscm"}
    edges_per_node : float
    n_experiments : int
    action : {"do", "shift"}
    """

    mechanism: str
    scheme: str
    edges_per_node: float
    n_experiments: int
    action: str


def kinds(n_systems: int = N_SYSTEMS) -> list[Kind]:
    """Return the kind of each system; half of them are linear, and no kind is rare."""
    mechanisms = ("linear", "gp-additive", "linear", "sigmoid")
    every = [
        Kind(*one) for one in product(mechanisms, ("scm", "iscm"), (1, 2, 3), (3, 6, 10), _ACTIONS)
    ]
    rng = stream(SEED, "kinds")
    shuffled: list[Kind] = []
    while len(shuffled) < n_systems:
        shuffled += [every[k] for k in rng.permutation(len(every))]
    return shuffled[:n_systems]


_ACTIONS = ("do", "shift")


def kind_of(draw: int) -> Kind:
    """Return the kind of a system by its number."""
    return kinds(max(draw + 1, N_SYSTEMS))[draw]


class System(NamedTuple):
    """A true graph, its model, observational rows, and these with rows of experiments."""

    graph: Adjacency
    model: Model
    observed: Values
    data: Dataset


def draw_system(kind: Kind, rng: Generator) -> System:
    """Draw a system of a kind."""
    graph = erdos_renyi(N_NODES, kind.edges_per_node, rng)
    extra: dict[str, Any] = {"signs": "random"} if kind.mechanism == "sigmoid" else {}
    model = models.draw(kind.scheme, graph, rng, mechanism=kind.mechanism, **extra)
    observed = model.sample(N_OBSERVED, rng)
    nodes = sorted(rng.choice(N_NODES, kind.n_experiments, replace=False).tolist())
    data = experiments(model, observed, nodes, kind.action, N_ROWS, rng)
    return System(graph, model, observed, data)


def run(folder: Path, n_systems: int, workers: int) -> list[Row]:
    """Return what each algorithm has on each system: what it is chosen by, and what it is worth."""
    jobs = [("system", draw) for draw in range(n_systems)]
    return list(compute(folder / "choice.jsonl", jobs, system_row, workers).values())


def candidates(names: Iterable[str]) -> dict[str, str | Algorithm]:
    """Return algorithms by their names, searches with the penalty of the BIC.

    Examples
    --------
    >>> found = candidates(["pc", "ges"])
    >>> found["pc"], found["ges"].penalty_discount
    ('pc', 1.0)
    """
    return {
        name: make_algorithm(name, penalty_discount=1.0) if name in SEARCHES else name
        for name in names
    }


def system_row(job: Job) -> Row:
    """Return one system: by algorithm its estimated risk, prediction score, BIC, SID and risk."""
    name, draw = job
    kind = kind_of(draw)
    rng = stream(SEED, name, draw)
    graph, model, observed, data = draw_system(kind, rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = risk.compare(candidates(ALGORITHMS), data, rng, scoring=risk.Scoring(n_bootstrap=0))
    graphs = {one: of_one.held_out_graphs for one, of_one in found.risks.items()}
    predicted = prediction.compare(graphs, data, rng)
    all_nodes = experiments(
        model, observed, range(N_NODES), kind.action, _N_ROWS_OF_TRUTH, stream(SEED, "truth", draw)
    )
    return {
        "cell": name,
        "draw": draw,
        "kind": asdict(kind),
        "doubts": len(predicted.doubts),
        "risk": {one: of_one.weighted for one, of_one in found.risks.items()},
        "prediction": {one: predicted.score(one).value for one in predicted.of},
        "undoubted": {one: predicted.score(one, undoubted=True).value for one in predicted.of},
        "bic": {one: bic(of_one.graph, observed) for one, of_one in found.risks.items()},
        "sid": {one: mean_sid(graph, of_one.graph, rng) for one, of_one in found.risks.items()},
        "oracle": {one: risk.oracle(graph, of_one.graph) for one, of_one in found.risks.items()},
        "covers": _covers(predicted, graphs, all_nodes, rng),
    }


def experiments(
    model: Model,
    observed: Values,
    nodes: Any,
    action: str,
    n_rows: int,
    rng: Generator,
) -> Dataset:
    """Return the observational rows and one condition for each node."""
    regimes = [Regime("observation", observed)]
    for node in nodes:
        column = observed[:, node]
        moved = _MOVED_BY * float(column.std()) * float(rng.choice((-1, 1)))
        done = Shift(node, moved) if action == "shift" else Do(node, float(column.mean()) + moved)
        regimes.append(Regime(f"on {node}", model.sample(n_rows, rng, (done,)), (node,)))
    columns = tuple(f"x{node}" for node in range(N_NODES))
    return Dataset(columns, tuple(regimes), "observation")


def bic(graph: Adjacency, values: Values) -> float | None:
    """Return the Gaussian BIC of a member on observational rows; None if there is no member.

    Examples
    --------
    >>> rows = np.random.default_rng(0).normal(size=(1000, 2))
    >>> empty = np.zeros((2, 2), dtype=bool)
    >>> bic(empty, rows) < bic(np.triu(~empty, 1), rows)
    True
    """
    try:
        dag = extend(graph)
    except NoExtension:
        return None
    variance = models.fit(dag, values).noise_variance
    n_rows = len(values)
    return float(n_rows * np.log(variance).sum() + np.log(n_rows) * dag.sum())


def mean_sid(truth: Adjacency, graph: Adjacency, rng: Generator) -> float:
    """Return the mean SID over the members of a graph; one without any is repaired first.

    Examples
    --------
    >>> chain = np.eye(2, k=1, dtype=bool)
    >>> mean_sid(chain, chain | chain.T, np.random.default_rng(0))
    1.0
    """
    try:
        dags = member_dags(graph, rng)
    except NoExtension:
        dags = member_dags(repair(graph, rng).graph, rng)
    return float(np.mean([sid(truth, dag) for dag in dags]))


def _covers(
    predicted: prediction.Predictions, graphs: Any, all_nodes: Dataset, rng: Generator
) -> list[bool]:
    """Return whether intervals of differences hold the difference over all nodes, many rows."""
    pairs = [pair for pair in PAIRS if set(pair) <= set(predicted.of)]
    some = {name: next(iter(graphs[name].values())) for pair in pairs for name in pair}
    truth = prediction.compare(some, all_nodes, rng)
    covers = []
    for pair in pairs:
        low, high = predicted.difference(*pair).interval
        covers.append(bool(low <= truth.difference(*pair).value <= high))
    return covers
