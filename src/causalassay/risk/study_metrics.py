"""Causal risk as metrics of studies: of a graph, with and without the truth."""

from __future__ import annotations

import numpy as np

from causalassay.arrays import Adjacency
from causalassay.contracts import Estimate
from causalassay.data import Dataset, Problem
from causalassay.metrics.registry import GraphMetric, Undefined
from causalassay.registry import first_line
from causalassay.risk.descendant_tests import estimate_descendants
from causalassay.risk.descendants import Descendants, implied_descendants
from causalassay.risk.estimators import oracle
from causalassay.risk.experiments import find_experiments
from causalassay.risk.losses import jaccard
from causalassay.risk.refitting import HELD_OUT, held_out_descendants
from causalassay.seeding import stream


def oracle_risk(problem: Problem, guess: Adjacency) -> float:
    """Return the mean Jaccard distance of all nodes' true and guessed descendants."""
    return oracle(problem.graph, guess)


def naive_risk(problem: Problem, guess: Adjacency) -> float:
    """Return the risk estimated from experiments, with the guess from all data."""
    return _naive(tested_descendants(problem.data), guess)


def weighted_risk(problem: Problem, estimate: Estimate | Adjacency) -> float:
    """Return the risk estimated from experiments that are withheld, and from all (equation 7)."""
    if not isinstance(estimate, Estimate):
        return np.nan  # a graph by itself says nothing of experiments that are withheld
    if HELD_OUT not in estimate.info:
        raise Undefined(
            "a weighted risk needs graphs found without some experiments; state the algorithm's "
            "`held_out_folds`"
        )
    descendants = tested_descendants(problem.data)
    guessed = held_out_descendants(estimate.info, problem.data)
    withheld = np.mean([jaccard(found, guessed[i]) for i, found in descendants.of.items()])
    p, seen = problem.data.n_nodes, len(descendants.of)
    return float((seen * _naive(descendants, estimate.graph) + (p - seen) * withheld) / p)


def tested_descendants(data: Dataset) -> Descendants:
    """Return what t tests show to descend from each of 2 or more nodes with experiments."""
    if len(find_experiments(data).on) < 2:
        raise Undefined(
            "an estimated risk needs experiments on at least 2 columns; state the problem's "
            "`interventions`"
        )
    return estimate_descendants(data, stream(0, "naive_risk"))


def _naive(descendants: Descendants, guess: Adjacency) -> float:
    implied = implied_descendants(guess)
    return float(np.mean([jaccard(found, implied[i]) for i, found in descendants.of.items()]))


ORACLE_RISK = GraphMetric(oracle_risk, "low", description=first_line(oracle_risk))
NAIVE_RISK = GraphMetric(naive_risk, "low", description=first_line(naive_risk))
WEIGHTED_RISK = GraphMetric(
    weighted_risk, "low", takes="estimate", description=first_line(weighted_risk)
)
