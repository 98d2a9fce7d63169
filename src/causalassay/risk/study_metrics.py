"""Causal risk as metrics of studies: of a graph, with and without the truth."""

from __future__ import annotations

import numpy as np

from causalassay.arrays import Adjacency
from causalassay.data import Problem
from causalassay.metrics.registry import GraphMetric, Undefined
from causalassay.registry import first_line
from causalassay.risk.descendant_tests import estimate_descendants
from causalassay.risk.descendants import implied_descendants
from causalassay.risk.estimators import oracle
from causalassay.risk.experiments import find_experiments
from causalassay.risk.losses import jaccard
from causalassay.seeding import stream


def oracle_risk(problem: Problem, guess: Adjacency) -> float:
    """Return the mean Jaccard distance of all nodes' true and guessed descendants."""
    return oracle(problem.graph, guess)


def naive_risk(problem: Problem, guess: Adjacency) -> float:
    """Return the risk estimated from experiments, with the guess from all data."""
    if len(find_experiments(problem.data).on) < 2:
        raise Undefined(
            "an estimated risk needs experiments on at least 2 columns; state the problem's "
            "`interventions`"
        )
    descendants = estimate_descendants(problem.data, stream(0, "naive_risk"))
    implied = implied_descendants(guess)
    return float(np.mean([jaccard(found, implied[i]) for i, found in descendants.of.items()]))


ORACLE_RISK = GraphMetric(oracle_risk, "low", description=first_line(oracle_risk))
NAIVE_RISK = GraphMetric(naive_risk, "low", description=first_line(naive_risk))
