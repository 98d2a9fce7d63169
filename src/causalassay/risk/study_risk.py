"""Causal risk in studies: diagnostics, metrics, and how often estimates rank as the oracle does.

ACor is given how many edges the true graph has, so it is no algorithm of a study, where none sees
the truth: its risks are numbers of the problem.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from causalassay.common.arrays import Adjacency
from causalassay.common.registry import first_line
from causalassay.common.seeding import stream
from causalassay.common.spelling import listed
from causalassay.contracts import Estimate
from causalassay.data import Dataset, Problem
from causalassay.diagnostics.registry import ProblemDiagnostic
from causalassay.discovery.baselines import ACor
from causalassay.graphs import erdos_renyi, to_cpdag
from causalassay.metrics.registry import GraphMetric, Undefined
from causalassay.risk.descendants import (
    Descendants,
    estimate_descendants,
    find_experiments,
    implied_descendants,
    jaccard,
    true_descendants,
)
from causalassay.risk.estimators import oracle
from causalassay.risk.fits import HELD_OUT, Refitted, held_out_descendants

if TYPE_CHECKING:
    import pandas as pd


FOLDS = 5
"""The folds of the authors' code."""

N_RANDOM_GRAPHS = 10


def acor_oracle_risk(problem: Problem) -> float:
    """Return the true risk of ACor, which is told the true number of edges."""
    n_edges = int(problem.graph.sum())
    estimate = ACor(n_edges).discover(problem.data, stream(0, "acor"))
    return oracle(problem.graph, estimate.graph)


def acor_weighted_risk(problem: Problem) -> float:
    """Return the weighted risk of ACor, which is told the true number of edges; 5 folds."""
    n_edges = int(problem.graph.sum())
    estimate: Estimate = Refitted(ACor(n_edges), FOLDS).discover(problem.data, stream(0, "acor"))
    return weighted_risk(problem, estimate)


def random_graph_risk(problem: Problem) -> float:
    """Return the mean true risk of 10 random DAGs with the true number of edges."""
    n_nodes, n_edges = len(problem.graph), int(problem.graph.sum())
    # Named after the graph: other systems have other random graphs.
    rng = stream(0, "random graphs", hashlib.sha256(problem.graph.tobytes()).hexdigest())
    drawn = (erdos_renyi(n_nodes, n_edges / n_nodes, rng) for _ in range(N_RANDOM_GRAPHS))
    return float(np.mean([oracle(problem.graph, to_cpdag(graph)) for graph in drawn]))


def descendant_sensitivity(problem: Problem) -> float:
    """Return the share of the intervened nodes' true descendants that t tests find."""
    tested, real = tested_descendants(problem.data), true_descendants(problem.graph, problem.data)
    hits = sum(len(tested.of[node] & real.of[node]) for node in real.nodes)
    n_real = sum(len(real.of[node]) for node in real.nodes)
    return hits / n_real if n_real else np.nan


def descendant_false_positives(problem: Problem) -> float:
    """Return the share of the intervened nodes' other columns that t tests declare."""
    tested, real = tested_descendants(problem.data), true_descendants(problem.graph, problem.data)
    wrong = sum(len(tested.of[node] - real.of[node]) for node in real.nodes)
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
    withheld = np.mean([jaccard(effects, guessed[i]) for i, effects in descendants.of.items()])
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
    return float(np.mean([jaccard(effects, implied[i]) for i, effects in descendants.of.items()]))


ORACLE_RISK = GraphMetric(oracle_risk, "low", description=first_line(oracle_risk))
NAIVE_RISK = GraphMetric(naive_risk, "low", description=first_line(naive_risk))
WEIGHTED_RISK = GraphMetric(
    weighted_risk, "low", takes="estimate", description=first_line(weighted_risk)
)


# Whether estimated risks rank two algorithms as the oracle does, over many systems.

LEAST_DESCENDANTS = 3
LEAST_DIFFERENCE = 0.1
FEWEST_SYSTEMS = 3
"""Below which Eigenmann et al. leave a cell of their picture empty."""

_DESCENDANTS = "intervened_descendants"


@dataclass(frozen=True)
class Agreement:
    """How often the sign of an estimated difference of risks is that of the true one.

    Parameters
    ----------
    first, second : str
        The algorithms.
    setting : tuple
        The values of the columns that the rows were grouped by.
    n_systems : int
        Systems whose true risks differ enough.
    share : float
        The share of these with the same sign; an estimated difference of 0 has none. nan
        with fewer than 3 systems.
    interval : (float, float)
        95 % of the share (Wilson).
    median_difference : float
        The median over these systems of the first true risk minus the second.
    """

    first: str
    second: str
    setting: tuple[Any, ...]
    n_systems: int
    share: float
    interval: tuple[float, float]
    median_difference: float


def agreement(
    rows: pd.DataFrame,
    by: Sequence[str] = (),
    estimated: str = "naive_risk",
    true: str = "oracle_risk",
    least_difference: float = LEAST_DIFFERENCE,
) -> tuple[Agreement, ...]:
    """Return the agreement of signs for each pair of algorithms.

    Parameters
    ----------
    rows : DataFrame
        The rows of a study, ``study_table(folder).frame``: ``problem``, ``replicate``,
        ``algorithm``, both risks, and ``intervened_descendants``. Systems in which
        the intervened nodes have fewer than 3 true descendants in total do not count.
    by : sequence of str
        Columns that make a setting, as ``samples``; settings are kept apart.
    estimated, true : str
        The columns of the risks.
    least_difference : float
        A system counts if its true risks differ by at least this much.

    References
    ----------
    Eigenmann, Mukherjee, Maathuis (2020), section 4.1, the conditions on settings, and figure 1.

    Examples
    --------
    In three of four systems the estimate ranks the two as the truth does.

    >>> import pandas as pd
    >>> rows = pd.DataFrame({
    ...     "problem": "p", "replicate": [0, 1, 2, 3] * 2, "algorithm": ["a"] * 4 + ["b"] * 4,
    ...     "naive_risk": [0.1, 0.2, 0.3, 0.6] + [0.5] * 4,
    ...     "oracle_risk": [0.2] * 4 + [0.4] * 4, "intervened_descendants": 5.0,
    ... })
    >>> agreement(rows)[0].share
    0.75
    """
    needed = ["problem", "replicate", "algorithm", estimated, true, _DESCENDANTS, *by]
    missing = [name for name in needed if name not in rows]
    if missing:
        raise ValueError(
            f"rows: there is no column {listed(missing)}; give the study the metrics "
            f"{estimated!r} and {true!r} and the diagnostic {_DESCENDANTS!r}"
        )
    counted_rows = rows[rows[_DESCENDANTS] >= LEAST_DESCENDANTS].dropna(subset=[estimated, true])
    names = list(dict.fromkeys(counted_rows["algorithm"]))
    agreements = []
    for setting, group in _settings(counted_rows, by):
        risks = {
            name: group[group["algorithm"] == name].set_index(["problem", "replicate"])
            for name in names
        }
        for first, second in combinations(names, 2):
            difference = (
                risks[first][[estimated, true]] - risks[second][[estimated, true]]
            ).dropna()
            counted = difference[difference[true].abs() >= least_difference - 1e-9]
            agreements.append(_agreement(first, second, setting, counted[estimated], counted[true]))
    return tuple(agreements)


def _settings(rows: pd.DataFrame, by: Sequence[str]) -> list[tuple[tuple[Any, ...], pd.DataFrame]]:
    if not by:
        return [((), rows)]
    groups = rows.groupby(list(by), observed=True, sort=True)
    return [(tuple(key) if isinstance(key, tuple) else (key,), group) for key, group in groups]


def _agreement(
    first: str, second: str, setting: tuple[Any, ...], estimated: Any, true: Any
) -> Agreement:
    n_systems = len(true)
    if n_systems < FEWEST_SYSTEMS:
        return Agreement(first, second, setting, n_systems, math.nan, (math.nan,) * 2, math.nan)
    n_agreeing = int((np.sign(estimated) == np.sign(true)).sum())
    share = n_agreeing / n_systems
    median = float(np.median(true))
    return Agreement(first, second, setting, n_systems, share, _wilson(share, n_systems), median)


def _wilson(share: float, trials: int, z: float = 1.959964) -> tuple[float, float]:
    extra = z * z / trials
    middle = (share + extra / 2) / (1 + extra)
    reach = z * math.sqrt(share * (1 - share) / trials + extra / (4 * trials)) / (1 + extra)
    return max(0.0, middle - reach), min(1.0, middle + reach)
