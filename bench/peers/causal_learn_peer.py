"""The package causal-learn."""

from __future__ import annotations

import random
from functools import partial
from typing import Any

import numpy as np
from causallearn.graph.Dag import Dag
from causallearn.graph.GraphNode import GraphNode
from causallearn.search.ConstraintBased.PC import pc as search_pc
from causallearn.search.PermutationBased.BOSS import boss as search_boss
from causallearn.search.PermutationBased.GRaSP import grasp as search_grasp
from causallearn.search.ScoreBased.GES import ges as search_ges
from causallearn.utils.DAG2CPDAG import dag2cpdag

from bench.worker import Arrays, Call, Read


def _matrix(endpoints: Any) -> Arrays:
    """Return the adjacency: an end point 1 at row j against column i is an arrowhead at j."""
    head_at_row_only = (endpoints == 1) & (endpoints.T == -1)
    return {"graph": (endpoints != 0) & ~head_at_row_only}


def cpdag(data: Arrays) -> tuple[Call, Read]:
    """Prepare the CPDAG of a DAG that is there already as their graph."""
    nodes = [GraphNode(f"x{j}") for j in range(len(data["graph"]))]
    dag = Dag(nodes)
    for i, j in np.argwhere(data["graph"]):
        dag.add_directed_edge(nodes[i], nodes[j])
    return partial(dag2cpdag, dag), lambda cpdag: _matrix(cpdag.graph)


def pc(data: Arrays) -> tuple[Call, Read]:
    """Prepare PC-stable at level 0.01 with Fisher's z."""
    return _pc(data, "fisherz")


def pc_kci(data: Arrays) -> tuple[Call, Read]:
    """Prepare PC-stable at level 0.01 with the kernel test, by the gamma law as is its default."""
    return _pc(data, "kci")


def pc_rcit(data: Arrays) -> tuple[Call, Read]:
    """Prepare PC-stable at level 0.01 with the randomised kernel test."""
    return _pc(data, "rcit")


def _pc(data: Arrays, test: str) -> tuple[Call, Read]:
    def call() -> Any:
        np.random.seed(0)  # noqa: NPY002 (rcit draws its features from the global generator)
        return search_pc(data["values"], 0.01, test, show_progress=False)

    return call, lambda result: _matrix(result.G.graph)


def ges(data: Arrays) -> tuple[Call, Read]:
    """Prepare GES with the Gaussian BIC from the covariance."""
    call = partial(search_ges, data["values"], score_func="local_score_BIC_from_cov")
    return call, lambda result: _matrix(result["G"].graph)


def boss(data: Arrays) -> tuple[Call, Read]:
    """Prepare BOSS, which has no backward search, with the penalty of the BIC."""
    return _over_orders(search_boss, data)


def grasp(data: Arrays) -> tuple[Call, Read]:
    """Prepare GRaSP at its usual depth, with the penalty of the BIC."""
    return _over_orders(search_grasp, data)


def _over_orders(search: Any, data: Arrays) -> tuple[Call, Read]:
    def call() -> Any:
        random.seed(0)
        return search(
            data["values"],
            score_func="local_score_BIC_from_cov",
            parameters={"lambda_value": 0.5},
            verbose=False,
        )

    return call, lambda graph: _matrix(graph.graph)
