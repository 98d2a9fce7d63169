"""Small problems to try plug-ins on, and the same problems with their nodes relabelled."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causalassay.data import Dataset, Discrete, Problem, Regime
from causalassay.graphs import erdos_renyi, lagged_erdos_renyi
from causalassay.models import SCM, Dirichlet, LinearSCM, SeriesSCM, Shift

N_NODES = 6
LABELS: NDArray[Any] = np.array([3, 0, 5, 1, 4, 2])
"""A relabelling that moves every node but one."""


def linear_problem(n_nodes: int = N_NODES, edges_per_node: float = 1.5) -> Problem:
    """Return independent continuous rows of a linear Gaussian model, which is known.

    If there are more than two columns, two of them are shifted in regimes of their own.
    """
    rng = np.random.default_rng(0)
    graph = erdos_renyi(n_nodes, edges_per_node, rng)
    model = SCM().draw(graph, rng)
    regimes = [Regime("observational", model.sample(300, rng))]
    for node in (0, 1) if n_nodes > 2 else ():
        action = (Shift(node, 5.0),)
        regimes.append(Regime(f"shift {node}", model.sample(100, rng, action), (node,), action))
    columns = tuple(f"x{node}" for node in range(n_nodes))
    return Problem(Dataset(columns, tuple(regimes), "observational"), graph, model)


def series_problem() -> Problem:
    """Return a series whose links are known."""
    rng = np.random.default_rng(0)
    graph = lagged_erdos_renyi(N_NODES, 0.4, 1, rng)
    values = SeriesSCM().draw(graph, rng).sample(300, rng)
    return Problem.of_series(Dataset.from_values(values, rows="series"), graph)


def discrete_problem() -> Problem:
    """Return independent rows of levels."""
    rng = np.random.default_rng(0)
    graph = erdos_renyi(N_NODES, 1.5, rng)
    model = Dirichlet().draw(graph, rng)
    kinds = tuple(Discrete(levels) for levels in model.levels)
    regimes = (Regime("observational", model.sample(300, rng)),)
    return Problem(Dataset(model.names, regimes, "observational", kinds), graph)


def relabelled(problem: Problem) -> Problem:
    """Return a problem with its nodes in the order of `LABELS`."""
    both = np.ix_(LABELS, LABELS)
    model, lagged = problem.model, problem.lagged
    if isinstance(model, LinearSCM):
        model = replace(
            model,
            weights=model.weights[both],
            noise_variance=model.noise_variance[LABELS],
            intercept=model.intercept[LABELS],
        )
    return Problem(
        problem.data.permute_columns(LABELS),
        problem.graph[both],
        model,
        problem.name,
        None if lagged is None else lagged.relabel(LABELS),
    )
