"""Three models of three nodes, and super-graphs (Garant and Jensen 2016, sections 1, 3 and 4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.random import Generator

from causalassay.common.arrays import Adjacency
from causalassay.common.seeding import stream
from causalassay.graphs import erdos_renyi, topological_order
from causalassay.lab.reproducing.estimates import Cases, Estimate, Ours
from causalassay.metrics import shd, sid, tv_dag, tv_matrix
from causalassay.models import SCM, LinearSCM, fit, fit_covariance

Name = Literal["G1", "G2", "G3"]

_ZERO = 1e-8
_N_NODES, _N_ROWS = 8, 500


def _model(on_1: float, on_2: float) -> LinearSCM:
    """Return V1 and V2 as causes of V3, all with unit noise."""
    return LinearSCM(np.array([[0, 0, on_1], [0, 0, on_2], [0, 0, 0]]), 1.0)


MODELS: dict[str, LinearSCM] = {
    "G1": _model(1.0, 0.1),
    "G2": _model(1.0, 0.0),
    "G3": _model(0.0, 0.1),
}


def structural_distance(*, truth: Name, guess: Name, measure: Literal["SHD", "SID"]) -> Estimate:
    """Return the SHD or the SID between two of the three models.

    Examples
    --------
    >>> structural_distance(truth="G1", guess="G2", measure="SID").value
    1.0
    """
    distance = {"SHD": shd, "SID": sid}[measure]
    return Estimate(float(distance(MODELS[truth].graph, MODELS[guess].graph)))


def pair_variation(*, guess: Name, cause: int, at: float, held: float) -> Estimate:
    """Return the total variation of V3 between G1 and another model under an intervention.

    Parameters
    ----------
    guess : {"G2", "G3"}
    cause : int
        Which of V1 and V2 is set, from 1.
    at : float
        To what it is set.
    held : float
        Where the other cause is held.

    Examples
    --------
    >>> round(pair_variation(guess="G3", cause=1, at=2.0, held=0.0).value, 4)
    0.6827
    """
    return Estimate(float(tv_matrix(MODELS["G1"], MODELS[guess], at=at, held=held)[cause - 1, 2]))


def omission_difference(*, at: float, held: float) -> Estimate:
    """Return the total variation of G3 less that of G2, all pairs."""
    without_1, without_2 = (
        tv_dag(MODELS["G1"], MODELS[name], at=at, held=held) for name in ("G3", "G2")
    )
    return Estimate(float(without_1 - without_2))


def consistent_super_graph() -> Cases:
    """Return whether G1, fitted to the population of G3, has SID 0 and no total variation."""
    truth, guess = MODELS["G3"], MODELS["G1"].graph
    fitted = fit_covariance(guess, truth.covariance())
    return Cases(2, int(sid(truth.graph, guess) != 0) + int(tv_dag(truth, fitted) > _ZERO))


def super_graph_sid(*, draws: int) -> Cases:
    """Return in how many of random DAGs the SID of a random super-graph is not 0."""
    violated = 0
    for draw in range(draws):
        rng = stream(1, "super-graph", draw)
        graph = erdos_renyi(_N_NODES, 1, rng)
        violated += int(sid(graph, _super_graph(graph, rng)) != 0)
    return Cases(draws, violated)


def variation_implication(*, draws: int) -> Cases:
    """Return where a TV of 0 goes with a SID above 0, or a SID of 0 with a TV of 0 in samples.

    Each draw has a random truth and three guesses: a super-graph and an unrelated DAG, both
    fitted to the population, and the super-graph fitted to a sample, which shows that the
    converse does not hold.
    """
    violated = 0
    for draw in range(draws):
        rng = stream(1, "implication", draw)
        truth = SCM().draw(erdos_renyi(_N_NODES, 1, rng), rng)
        larger = _super_graph(truth.graph, rng)
        for guess in (larger, erdos_renyi(_N_NODES, 1, rng)):
            fitted = fit_covariance(guess, truth.covariance())
            violated += int(tv_dag(truth, fitted) < _ZERO and sid(truth.graph, guess) > 0)
        violated += int(tv_dag(truth, fit(larger, truth.sample(_N_ROWS, rng))) < _ZERO)
    return Cases(3 * draws, violated)


def _super_graph(graph: Adjacency, rng: Generator) -> Adjacency:
    """Return the DAG with some further edges along its order."""
    position = np.argsort(topological_order(graph))
    further = (position[:, None] < position) & (rng.random(graph.shape) < 0.3)  # noqa: PLR2004
    return graph | further


THREE_MODELS: dict[str, Callable[..., Ours]] = {
    "structural-distance": structural_distance,
    "pair-variation": pair_variation,
    "omission-difference": omission_difference,
    "consistent-super-graph": consistent_super_graph,
    "super-graph-sid": super_graph_sid,
    "variation-implication": variation_implication,
}
