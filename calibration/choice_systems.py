"""Simulated systems with known truth, on which algorithms are chosen by experiments alone.

Every system is drawn anew: a graph of 10 nodes, a model, observational rows and experiments. The
data set that is chosen by does not say what was done to a target, as a file does not. Worlds,
sizes, candidates and the rule of `choose` were fixed before the systems of the cell "system" were
drawn; rules were tuned on systems of other seeds.
"""

from __future__ import annotations

import warnings
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
from causalassay.graphs import NoExtension, erdos_renyi
from causalassay.metrics import repair, sid
from causalassay.models import Do, Model, Shift
from causalassay.risk import prediction
from causalassay.risk.choosing.choose import likelihood_opinion
from causalassay.risk.choosing.claims import DEFAULTS, challenge
from causalassay.risk.choosing.running import Work, run_all
from causalassay.risk.cross_validation import Scoring, prepare_cross_validation
from causalassay.risk.descendants import DEFAULT_TESTS
from causalassay.risk.estimators import compare_fits
from causalassay.risk.prediction.comparing import member_dags
from causalassay.risk.prediction.likelihood import compare_likelihoods

PENALTY = 2.0
"""The penalty discount of the searches by BIC, stated so that a new default changes nothing."""

ALGORITHMS: dict[str, dict[str, Any]] = {
    "pc": {},
    "ges": {"penalty_discount": PENALTY},
    "ges-pooled": {"penalty_discount": PENALTY},
    "gies": {"penalty_discount": PENALTY},
    "xges": {"penalty_discount": PENALTY},
    "xgies": {"penalty_discount": PENALTY},
    "boss": {"penalty_discount": PENALTY},
    "grasp": {"penalty_discount": PENALTY},
    "mmhc": {},
    "direct-lingam": {},
    "notears": {},
    "golem-ev": {},
    "golem-nv": {},
    "mse-gds": {},
}
"""What is chosen from, with the settings that are not left to defaults."""

PAIRS = (("ges", "mse-gds"), ("pc", "direct-lingam"))
"""Of algorithms that read observational rows only: their graphs stay as experiments change."""

SEED = 20261200
"""Of the systems of the tables, and of none on which a rule was tuned or mended before."""

N_SYSTEMS = 200
N_NODES = 10
N_OBSERVED = 500
N_ROWS = 100
_N_ROWS_OF_TRUTH = 500
_MOVED_BY = 2.0
"""Observational standard deviations."""


WORLDS = ("raw", "iSCM", "UUMC", "nonlinear")
"""Linear models of three schemes, and nonlinear ones, raw or iSCMs; a quarter of the systems each.
"""


@dataclass(frozen=True)
class Kind:
    """What a system is like.

    Parameters
    ----------
    world : {"raw", "iSCM", "UUMC", "nonlinear"}
    mechanism : {"linear", "gp-additive", "sigmoid"}
    scheme : {"scm", "iscm", "uumc"}
    edges_per_node : float
    n_experiments : int
    action : {"do", "shift"}
    """

    world: str
    mechanism: str
    scheme: str
    edges_per_node: float
    n_experiments: int
    action: str


_MODELS = {
    "raw": [("linear", "scm")],
    "iSCM": [("linear", "iscm")],
    "UUMC": [("linear", "uumc")],
    "nonlinear": list(product(("gp-additive", "sigmoid"), ("scm", "iscm"))),
}
"""The mechanisms and schemes of each world."""

_ACTIONS = ("do", "shift")


def kinds(n_systems: int = N_SYSTEMS) -> list[Kind]:
    """Return the kind of each system: the worlds in turn, and in each world no kind is rare."""
    of_world: dict[str, list[Kind]] = {}
    for world in WORLDS:
        every = [
            Kind(world, *model, *sizes)
            for model, sizes in product(_MODELS[world], product((1, 2, 3), (3, 6, 10), _ACTIONS))
        ]
        rng = stream(SEED, "kinds", world)
        shuffled = of_world.setdefault(world, [])
        while len(shuffled) < n_systems // len(WORLDS) + 1:
            shuffled += [every[k] for k in rng.permutation(len(every))]
    return [of_world[WORLDS[k % len(WORLDS)]][k // len(WORLDS)] for k in range(n_systems)]


def kind_of(draw: int) -> Kind:
    """Return the kind of a system by its number."""
    return kinds(max(draw + 1, N_SYSTEMS))[draw]


def candidates() -> dict[str, Algorithm]:
    """Return the algorithms that are chosen from, with their settings."""
    return {name: make_algorithm(name, **settings) for name, settings in ALGORITHMS.items()}


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


def run(folder: Path, n_systems: int, workers: int, cell: str = "system") -> list[Row]:
    """Return what each algorithm has on each system: what it is chosen by, and what it is worth.

    Of a cell by another name, such as "tuning", other systems are drawn.
    """
    jobs = [(cell, draw) for draw in range(n_systems)]
    return list(compute(folder / f"choice_{cell}.jsonl", jobs, system_row, workers).values())


def system_row(job: Job) -> Row:
    """Return one system: by algorithm all scores that it is chosen by, its SID and true risk."""
    name, draw = job
    kind = kind_of(draw)
    rng = stream(SEED, name, draw)
    graph, model, observed, data = draw_system(kind, rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        validation = prepare_cross_validation(
            data, rng, DEFAULT_TESTS, None, Scoring(n_bootstrap=0)
        )
        work = Work(data, validation.folds, validation.seed)
        fits = run_all(candidates(), work).fits
        found = compare_fits(fits, validation, {})
    graphs = {one: fit.held_out_graphs for one, fit in fits.items()}
    predicted = prediction.compare(graphs, data, rng)
    default = next(one for one in DEFAULTS if one in fits)
    likely = compare_likelihoods(fits, data, draw)
    opinion = likelihood_opinion(likely, fits, default)
    all_nodes = experiments(
        model, observed, range(N_NODES), kind.action, _N_ROWS_OF_TRUTH, stream(SEED, "truth", draw)
    )
    return {
        "cell": name,
        "draw": draw,
        "kind": asdict(kind),
        "doubts": len(predicted.doubts),
        "taken": challenge(opinion, default, list(fits)).taken,
        "default": default,
        "risk": {one: of_one.weighted for one, of_one in found.risks.items()},
        "prediction": {one: predicted.score(one).value for one in predicted.of},
        "bic": {one: -score.value for one, score in opinion.bic.items()},
        "held_out": {one: (-each).tolist() for one, each in likely.held_out.items()},
        "sid": {one: mean_sid(graph, fit.graph, rng) for one, fit in fits.items()},
        "oracle": {one: risk.oracle(graph, fit.graph) for one, fit in fits.items()},
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
