"""Whether a graph can be that of the data: the independences that it implies.

A graph is refuted only by two things together. An independence that it implies is rejected at 1 %,
corrected for all of them; and it violates no fewer than most graphs do whose names were shuffled
(Eulig et al. 2023). So neither one odd pair nor a test that fits the data badly refutes a graph
that describes them better than chance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from scipy.special import log_ndtr

from causalassay.arrays import Adjacency, Vector
from causalassay.data.dataset import Dataset
from causalassay.discovery.independence.g_test import GTest
from causalassay.discovery.statistics.discrete import level_statistics
from causalassay.graphs.orders import Indices, reachability
from causalassay.judging.findings import Finding

REFUTED_LEVEL = 0.01
VIOLATED_LEVEL = 0.05
FEWER_THAN = 0.95
N_RELABELLED = 199

_LEAST_FREEDOM = 5

IndependenceTest = Callable[[int, Indices, Indices], Vector]
"""Takes a column, others and a set; returns minus the log p-values of independence given the set;
nan where it cannot be tested."""


@dataclass(frozen=True)
class GraphCheck:
    """How well the independences that a graph implies hold.

    Parameters
    ----------
    finding : Finding
    n_implied : int
        Independences that were tested.
    n_violated : int
        Those rejected at 5 % each.
    least_p : float
        The least p-value, corrected for their number.
    share_fewer : float
        The share of relabelled graphs with more violations; nan if that was not needed.
    """

    finding: Finding
    n_implied: int = 0
    n_violated: int = 0
    least_p: float = float("nan")
    share_fewer: float = float("nan")


def check_graph(data: Dataset, graph: Adjacency, rng: Generator) -> GraphCheck:
    """Test the independences that a DAG implies: of each node and its non-descendants.

    Parameters
    ----------
    data : Dataset
        Of independent rows.
    graph : Adjacency
    rng : Generator
        For the relabelled graphs.
    """
    if data.world == "series":
        return _not_checked("there is no valid test of what a summary graph implies")
    surprise = _implied(_test_of(data), graph)
    if not len(surprise):
        return _not_checked(
            "the graph implies no independence" if _is_complete(graph) else "there are too few rows"
        )
    n_violated = _n_violated(surprise)
    least = min(1.0, len(surprise) * float(np.exp(-surprise.max())))
    if least > REFUTED_LEVEL:
        sentence = (
            f"The graph is not refuted: of {len(surprise)} independences that it implies none is "
            f"rejected at {REFUTED_LEVEL:.0%}, corrected for their number."
        )
        return GraphCheck(Finding("graph not refuted", sentence), len(surprise), n_violated, least)
    share = _share_with_more(data, graph, n_violated, rng)
    numbers = (
        f"{n_violated} of {len(surprise)} implied independences are rejected at "
        f"{VIOLATED_LEVEL:.0%}, and {share:.0%} of relabelled graphs violate more"
    )
    if share >= FEWER_THAN:
        sentence = f"The graph is not refuted: {numbers}."
        kind = "graph not refuted"
    else:
        sentence = (
            f"The graph is refuted: {numbers}; check that its names and the columns mean the same "
            "variables."
        )
        kind = "graph refuted"
    return GraphCheck(Finding(kind, sentence), len(surprise), n_violated, least, share)  # type: ignore[arg-type]


def _not_checked(why: str) -> GraphCheck:
    return GraphCheck(Finding("graph not checked", f"The graph was not checked: {why}."))


def _is_complete(graph: Adjacency) -> bool:
    return bool((graph | graph.T | np.eye(len(graph), dtype=bool)).all())


def _n_violated(surprise: Vector) -> int:
    return int((surprise > -np.log(VIOLATED_LEVEL)).sum())


def _share_with_more(data: Dataset, graph: Adjacency, n_violated: int, rng: Generator) -> float:
    """Return the share of relabelled graphs that violate more than so many independences."""
    test = _test_of(data)
    more = 0
    for _ in range(N_RELABELLED):
        label = rng.permutation(len(graph))
        more += _n_violated(_implied(test, graph[np.ix_(label, label)])) > n_violated
    return more / N_RELABELLED


def _implied(test: IndependenceTest, graph: Adjacency) -> Vector:
    """Return how surprising each implied independence is: minus the log of its p-value."""
    surprises = []
    below = reachability(graph)
    for node in range(len(graph)):
        parents = np.flatnonzero(graph[:, node])
        others = np.flatnonzero(~below[node] & ~graph[:, node])
        others = others[others != node]
        if len(others):
            surprises.append(test(node, others, parents))
    flat = np.concatenate(surprises) if surprises else np.empty(0)
    return flat[np.isfinite(flat)]


def _test_of(data: Dataset) -> IndependenceTest:
    if data.world == "discrete":
        test = GTest(level_statistics(data))
        return lambda node, others, given: test.minus_log_p(
            node, others, tuple(int(one) for one in given)
        )
    values = data.observational_values
    correlation = np.atleast_2d(np.corrcoef(values, rowvar=False))
    n_samples = len(values)
    return lambda node, others, given: _fisher_z(correlation, n_samples, node, others, given)


def _fisher_z(
    correlation: np.ndarray, n_samples: int, node: int, others: Indices, given: Indices
) -> Vector:
    """Return minus the log p-values of vanishing partial correlations."""
    freedom = n_samples - len(given) - 3
    if freedom < _LEAST_FREEDOM:
        return np.full(len(others), np.nan)
    targets = np.concatenate(([node], others))
    block = correlation[np.ix_(targets, targets)]
    if len(given):
        cross = correlation[np.ix_(given, targets)]
        try:
            block = block - cross.T @ np.linalg.solve(correlation[np.ix_(given, given)], cross)
        except np.linalg.LinAlgError:
            return np.full(len(others), np.nan)
    scale = np.sqrt(np.maximum(np.diag(block), 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        partial = np.clip(block[0, 1:] / (scale[0] * scale[1:]), -1 + 1e-15, 1 - 1e-15)
    z = np.sqrt(freedom) * np.arctanh(np.abs(partial))
    return -(np.log(2) + log_ndtr(-z))
