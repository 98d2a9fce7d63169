"""Numbers of a problem with experiments that need its true graph: references for causal risk.

ACor is told how many edges the true graph has, so it is no algorithm of a study, where none sees
the truth: its risks are numbers of the problem.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import numpy as np

from causalassay.contracts import Estimate
from causalassay.data import Problem
from causalassay.diagnostics.registry import ProblemDiagnostic
from causalassay.discovery.correlation_graphs import ACor
from causalassay.graphs import erdos_renyi, to_cpdag
from causalassay.registry import first_line
from causalassay.risk.descendants import true_descendants
from causalassay.risk.estimators import oracle
from causalassay.risk.refitting import Refitted
from causalassay.risk.study_metrics import tested_descendants, weighted_risk
from causalassay.seeding import stream

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
