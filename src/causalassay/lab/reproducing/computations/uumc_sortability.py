"""Sortabilities of UUMC on stated graphs, and of DaO with a slip (Herman et al. 2025)."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.random import Generator

from causalassay.common.arrays import Adjacency, Values
from causalassay.common.seeding import stream
from causalassay.diagnostics import r2_sortability, var_sortability
from causalassay.graphs import erdos_renyi
from causalassay.lab.reproducing.computations.three_node_losses import three_node_dags
from causalassay.lab.reproducing.estimates import Estimate, Several, mean
from causalassay.models import UUMC, DaO

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
    found = np.empty((draws, 2))
    for k in range(draws):
        rng = stream(1, "sortabilities", graphs, k)
        graph = _graph(graphs, rng)
        values = UUMC().draw(graph, rng).sample(samples, rng)
        found[k] = (
            var_sortability(values, graph, convention="pairs"),
            r2_sortability(values, graph, convention="pairs"),
        )
    return found


def uumc_var_sortability(*, graphs: Graphs, samples: int, draws: int) -> Estimate:
    """Return the mean var-sortability of UUMC on some graphs."""
    return mean(sortabilities(graphs, samples, draws)[:, 0])


def dao_with_slip(*, probabilities: list[float], draws: int) -> Several:
    """Return the mean var-sortability of DaO if noise variances are taken for deviations.

    One number for each probability of an edge; 20 nodes, 100 rows.
    """
    return Several(tuple(mean(_with_slip(one, draws)) for one in probabilities))


@lru_cache(maxsize=8)
def _with_slip(probability: float, draws: int) -> Values:
    found = np.empty(draws)
    for k in range(draws):
        rng = stream(1, "slip", f"{probability:g}", k)
        graph = erdos_renyi(20, probability * 19 / 2, rng, exact=False)
        model = DaO().draw(graph, rng)
        model = replace(model, noise_variance=model.noise_variance**2)
        found[k] = var_sortability(model.sample(100, rng), graph, convention="pairs")
    return found
