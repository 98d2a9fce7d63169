"""Numbers of a problem with experiments that need its true graph: references for causal risk.

ACor is told how many edges the true graph has, so it is no algorithm of a study, where none sees
the truth: its risks are numbers of the problem.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import numpy as np

from causalassay.common.arrays import Adjacency
from causalassay.common.registry import first_line
from causalassay.common.seeding import stream
from causalassay.contracts import Estimate
from causalassay.data import Dataset, Problem
from causalassay.diagnostics.registry import ProblemDiagnostic
from causalassay.discovery.baselines import ACor
from causalassay.graphs import erdos_renyi, to_cpdag
from causalassay.metrics.registry import GraphMetric, Undefined
from causalassay.risk.descendant_tests import (
    Descendants,
    estimate_descendants,
    implied_descendants,
    true_descendants,
)
from causalassay.risk.estimators import oracle
from causalassay.risk.experiments import find_experiments, jaccard
from causalassay.risk.refitting import HELD_OUT, Refitted, held_out_descendants

FOLDS = 5
"""As in the authors' code."""

N_RANDOM_GRAPHS = 10


def acor_oracle_risk(problem: Problem) -> float:
    """Return the true risk of ACor, which is told the true number of edges."""
    n_edges = int(problem.graph.sum())
    found = ACor(n_edges).discover(problem.data, stream(0, "acor"))
    return oracle(problem.graph, found.graph)


def acor_weighted_risk(problem: Problem) -> float:
    """Return the weighted risk of ACor, which is told the true number of edges; 5 folds."""
    n_edges = int(problem.graph.sum())
    found: Estimate = Refitted(ACor(n_edges), FOLDS).discover(problem.data, stream(0, "acor"))
    return weighted_risk(problem, found)


def random_graph_risk(problem: Problem) -> float:
    """Return the mean true risk of 10 random DAGs with the true number of edges."""
    n_nodes, n_edges = len(problem.graph), int(problem.graph.sum())
    # Named after the graph: other systems have other random graphs.
    rng = stream(0, "random graphs", hashlib.sha256(problem.graph.tobytes()).hexdigest())
    drawn = (erdos_renyi(n_nodes, n_edges / n_nodes, rng) for _ in range(N_RANDOM_GRAPHS))
    return float(np.mean([oracle(problem.graph, to_cpdag(graph)) for graph in drawn]))


def descendant_sensitivity(problem: Problem) -> float:
    """Return the share of the intervened nodes' true descendants that t tests find."""
    found, real = tested_descendants(problem.data), true_descendants(problem.graph, problem.data)
    hits = sum(len(found.of[node] & real.of[node]) for node in real.nodes)
    n_real = sum(len(real.of[node]) for node in real.nodes)
    return hits / n_real if n_real else np.nan


def descendant_false_positives(problem: Problem) -> float:
    """Return the share of the intervened nodes' other columns that t tests declare."""
    found, real = tested_descendants(problem.data), true_descendants(problem.graph, problem.data)
    wrong = sum(len(found.of[node] - real.of[node]) for node in real.nodes)
    n_others = sum(problem.data.n_nodes - 1 - len(real.of[node]) for node in real.nodes)
    return wrong / n_others if n_others else np.nan


def _diagnostic(measure: Callable[[Problem], float], **parts: bool) -> ProblemDiagnostic:
    return ProblemDiagnostic(measure, description=first_line(measure), **parts)


ACOR_ORACLE_RISK = _diagnostic(acor_oracle_risk)
ACOR_WEIGHTED_RISK = _diagnostic(acor_weighted_risk)
RANDOM_GRAPH_RISK = _diagnostic(random_graph_risk, invariant=False)
DESCENDANT_SENSITIVITY = _diagnostic(descendant_sensitivity)
DESCENDANT_FALSE_POSITIVES = _diagnostic(descendant_false_positives)


# Causal risk as metrics of studies: of a graph, with and without the truth.


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
