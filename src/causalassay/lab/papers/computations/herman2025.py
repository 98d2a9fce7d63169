"""Herman et al. 2025: what UUMC's draws obey exactly, what an iSCM bounds, and sortabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Literal

import numpy as np
import pandas as pd
from numpy.random import Generator

from causalassay.common.arrays import Adjacency, Values, Vector
from causalassay.common.seeding import stream
from causalassay.diagnostics import r2, r2_sortability, var_sortability
from causalassay.graphs import erdos_renyi
from causalassay.lab.papers.computations.reisach2021 import three_node_dags
from causalassay.lab.papers.estimates import (
    Cases,
    Estimate,
    Several,
    computation,
    figure,
    mean,
)
from causalassay.models import ISCM, UUMC, DaO

Hub = Literal["collider", "confounder"]

_TIE = 1e-9


def hub(n_leaves: int, kind: Hub) -> Adjacency:
    """Return a DAG whose node 0 is joined to every leaf: their effect, or their cause.

    Examples
    --------
    >>> hub(2, "collider").astype(int).tolist()
    [[0, 0, 0], [1, 0, 0], [1, 0, 0]]
    """
    graph = np.zeros((n_leaves + 1, n_leaves + 1), dtype=bool)
    if kind == "collider":
        graph[1:, 0] = True
    else:
        graph[0, 1:] = True
    return graph


@computation
def collider_bound(*, draws: int) -> Cases:
    """Count colliders A→B←C whose R² is not the share of B's variance that is not its noise."""
    violated = 0
    for k in range(draws):
        model = UUMC().draw(hub(2, "collider"), stream(1, "collider", k))
        violated += bool(abs(model.r2()[0] - (1 - model.noise_variance[0])) > _TIE)
    return Cases(draws, violated)


@computation
def confounder_bound(*, draws: int) -> Cases:
    """Count confounders A←B→C whose R² is below one less the least noise of their children."""
    violated = 0
    for k in range(draws):
        model = UUMC().draw(hub(2, "confounder"), stream(1, "confounder", k))
        violated += bool(model.r2()[0] < 1 - model.noise_variance[1:].min() - _TIE)
    return Cases(draws, violated)


@computation
def collider_law(*, leaves: list[int], draws: int) -> Several:
    """Return how far the mean of R² to the power k/2 is from one half; it is uniform by the law.

    The mean square is compared with one third as well, for each number k of leaves.
    """
    deviations = []
    for n_leaves in leaves:
        uniform = population_r2(n_leaves, "collider", draws) ** (n_leaves / 2)
        deviations += [mean(uniform - 1 / 2), mean(uniform**2 - 1 / 3)]
    return Several(tuple(deviations))


@computation
def confounder_law(*, leaves: list[int], draws: int) -> Cases:
    """Count hubs whose R² is not 1 - 1/(1 + Σ u²/(1 - u²)), u being their weights."""
    violated = 0
    for n_leaves in leaves:
        for k in range(draws):
            model = UUMC().draw(hub(n_leaves, "confounder"), stream(1, "law", n_leaves, k))
            square = model.weights[0, 1:] ** 2
            expected = 1 - 1 / (1 + np.sum(square / (1 - square)))
            violated += bool(abs(model.r2()[0] - expected) > _TIE)
    return Cases(draws * len(leaves), violated)


@lru_cache(maxsize=32)
def population_r2(n_leaves: int, kind: Hub, draws: int) -> Vector:
    """Return the exact R² of the hub in random models."""
    graph = hub(n_leaves, kind)
    return np.array(
        [UUMC().draw(graph, stream(1, kind, n_leaves, k)).r2()[0] for k in range(draws)]
    )


@lru_cache(maxsize=32)
def sample_r2(n_leaves: int, kind: Hub, samples: int, draws: int) -> Vector:
    """Return the R² of the hub in samples of random models."""
    graph, values = hub(n_leaves, kind), np.empty(draws)
    for k in range(draws):
        rng = stream(1, "sampled hub", kind, n_leaves, k)
        values[k] = r2(UUMC().draw(graph, rng).sample(samples, rng))[0]
    return values


@computation
def best_leaf(*, leaves: list[int], draws: int) -> Cases:
    """Count confounder hubs that are known less well than from their best leaf alone."""
    violated = 0
    for n_leaves in leaves:
        for k in range(draws):
            model = UUMC().draw(hub(n_leaves, "confounder"), stream(1, "best leaf", n_leaves, k))
            best = (model.weights[0, 1:] ** 2).max()
            violated += bool(model.r2()[0] < best - _TIE)
    return Cases(draws * len(leaves), violated)


@computation
def hub_dominance(*, leaves: list[int], samples: int, draws: int) -> Several:
    """Return how much smaller the confounder's share below each decile of R² is.

    Deciles are those of both kinds together. One kind dominates the other if its share below
    is nowhere larger.
    """
    differences = []
    for n_leaves in leaves:
        confounder = sample_r2(n_leaves, "confounder", samples, draws)
        collider = sample_r2(n_leaves, "collider", samples, draws)
        limits = np.quantile(np.concatenate([confounder, collider]), np.arange(1, 10) / 10)
        for limit in limits:
            below = (collider <= limit).astype(float) - (confounder <= limit)
            differences.append(mean(below))
    return Several(tuple(differences))


@computation
def unit_variances(*, draws: int) -> Cases:
    """Count random DAGs with a variance of UUMC that is not 1."""
    violated = 0
    for k in range(draws):
        rng = stream(1, "unit variances", k)
        model = UUMC().draw(erdos_renyi(10, 2, rng), rng)
        violated += bool(np.abs(np.diag(model.covariance()) - 1).max() > _TIE)
    return Cases(draws, violated)


@computation
def iscm_ratios(*, low: float, high: float, draws: int) -> Cases:
    """Count random DAGs with an iSCM weight outside a range of its node's noise deviations."""
    violated = 0
    for k in range(draws):
        rng = stream(1, "ratios", k)
        model = ISCM(weights=(0.5, 2.0)).draw(erdos_renyi(10, 2, rng), rng)
        ratio = np.abs(model.weights / np.sqrt(model.noise_variance))[model.graph]
        violated += bool(ratio.min() < low - _TIE or ratio.max() > high + _TIE)
    return Cases(draws, violated)


# Sortabilities of UUMC on stated graphs, and of DaO with a slip (Herman et al. 2025).

Graphs = Literal["alarm", "triples"]

ALARM = (
    "HIST|LVF CVP|LVV PCWP|LVV LVV|HYP:LVF STKV|HYP:LVF HRBP|ERLO:HR HREK|ERCA:HR "
    "HRSA|ERCA:HR TPR|APL ECO2|ACO2:VLNG MINV|INT:VLNG PVS|FIO2:VALV SAO2|PVS:SHNT PAP|PMB "
    "SHNT|INT:PMB PRSS|INT:KINK:VTUB VMCH|MVS VTUB|DISC:VMCH VLNG|INT:KINK:VTUB VALV|INT:VLNG "
    "ACO2|VALV CCHL|ACO2:ANES:SAO2:TPR HR|CCHL CO|HR:STKV BP|CO:TPR"
)
"""The ALARM network (Beinlich et al. 1989): node|parents."""


@lru_cache(maxsize=1)
def alarm_graph() -> Adjacency:
    """Return the DAG of the ALARM network.

    Examples
    --------
    >>> alarm_graph().shape, int(alarm_graph().sum())
    ((37, 37), 46)
    """
    families = [family.split("|") for family in ALARM.split()]
    edges = [(cause, node) for node, causes in families for cause in causes.split(":")]
    names = sorted({name for edge in edges for name in edge})
    graph = np.zeros((len(names), len(names)), dtype=bool)
    for cause, effect in edges:
        graph[names.index(cause), names.index(effect)] = True
    return graph


def _graph(graphs: Graphs, rng: Generator) -> Adjacency:
    if graphs == "alarm":
        return alarm_graph()
    ordered = [dag for dag in three_node_dags() if dag.any()]
    return ordered[int(rng.integers(len(ordered)))]


@lru_cache(maxsize=8)
def sortabilities(graphs: Graphs, samples: int, draws: int) -> Values:
    """Return the var- and the R²-sortability by pairs of random UUMC models, (draws, 2).

    "triples" draws one of the 24 DAGs of three nodes that have an edge.
    """
    pairs = np.empty((draws, 2))
    for k in range(draws):
        rng = stream(1, "sortabilities", graphs, k)
        graph = _graph(graphs, rng)
        values = UUMC().draw(graph, rng).sample(samples, rng)
        pairs[k] = (
            var_sortability(values, graph, convention="pairs"),
            r2_sortability(values, graph, convention="pairs"),
        )
    return pairs


@computation
def uumc_var_sortability(*, graphs: Graphs, samples: int, draws: int) -> Estimate:
    """Return the mean var-sortability of UUMC on some graphs."""
    return mean(sortabilities(graphs, samples, draws)[:, 0])


@computation
def dao_with_slip(*, probabilities: list[float], draws: int) -> Several:
    """Return the mean var-sortability of DaO if noise variances are taken for deviations.

    One number for each probability of an edge; 20 nodes, 100 rows.
    """
    return Several(tuple(mean(_with_slip(probability, draws)) for probability in probabilities))


@lru_cache(maxsize=8)
def _with_slip(probability: float, draws: int) -> Values:
    values = np.empty(draws)
    for k in range(draws):
        rng = stream(1, "slip", f"{probability:g}", k)
        graph = erdos_renyi(20, probability * 19 / 2, rng, exact=False)
        model = DaO().draw(graph, rng)
        model = replace(model, noise_variance=model.noise_variance**2)
        values[k] = var_sortability(model.sample(100, rng), graph, convention="pairs")
    return values


@figure
def hub_r2(*, leaves: Sequence[int], samples: int, draws: int) -> pd.DataFrame:
    """Return the R² of collider and confounder hubs of UUMC by their number of leaves."""
    parts = []
    for n_leaves in leaves:
        for kind in ("collider", "confounder"):
            values = sample_r2(n_leaves, kind, samples, draws)
            parts.append(pd.DataFrame({"x": n_leaves, "y": values, "series": kind}))
    return pd.concat(parts, ignore_index=True).assign(panel="")


@figure
def uumc_sortabilities(*, graphs: Graphs, samples: int, draws: int) -> pd.DataFrame:
    """Return the sortabilities of UUMC on some graphs."""
    pairs = sortabilities(graphs, samples, draws)
    parts = [
        pd.DataFrame({"x": name, "y": pairs[:, column], "series": "UUMC"})
        for column, name in enumerate(("variance", "R²"))
    ]
    return pd.concat(parts, ignore_index=True).assign(panel="")
