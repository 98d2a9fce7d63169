"""Whether a graph can be that of the data: the independences that it implies.

A graph is refuted only by two things together. An independence that it implies is rejected at 1 %,
corrected for all of them; and it violates no fewer than most graphs do whose names were shuffled
(Eulig et al. 2023). So neither one odd pair nor a test that fits the data badly refutes a graph
that describes them better than chance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import ndtri, stdtr

from causalassay.common.arrays import Adjacency, Values, Vector, Weights
from causalassay.data.dataset import Dataset
from causalassay.discovery.independence import GTest
from causalassay.discovery.statistics import level_statistics
from causalassay.graphs.orders import reachability
from causalassay.judging.findings import Finding, FindingKind
from causalassay.judging.order_tests import all_orders
from causalassay.judging.p_values import MonteCarlo, decide, enumerated
from causalassay.present.formatting import percent

# Tests of the independence of all pairs of columns, given nothing or given one other column.

NOTHING = -1
"""The column to condition on where there is none."""

LEAST_ROWS = 30

PairTest = Callable[[int], Weights]
"""Takes a column, or `NOTHING`; returns minus the log p-values of all pairs given it, nan where
a pair cannot be tested."""

_MOST_KNOTS = 20
_ROWS_PER_KNOT = 15
_DETERMINED = 1e-8
_LEAST_P = 1e-300


def pair_test(data: Dataset) -> PairTest:
    """Return a test that is valid in the world of the data: of tables, or of ranks.

    Parameters
    ----------
    data : Dataset
        The rows must be independent.
    """
    if data.world == "discrete":
        return _table_test(GTest(level_statistics(data)), data.n_nodes)
    scores = normal_scores(data.observational_values)
    return lambda given: residual_test(scores, given)


def average_ranks(values: Vector) -> Vector:
    """Return the ranks from 1 on; equal values share the mean of theirs.

    As scipy.stats.rankdata does, which takes half a second to import.

    Examples
    --------
    >>> average_ranks(np.array([3.0, 1.0, 3.0]))
    array([2.5, 1. , 2.5])
    """
    _, where, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: Vector = (np.cumsum(counts) - (counts - 1) / 2)[where]
    return ranks


def normal_scores(values: Values) -> Values:
    """Return the columns as quantiles of the normal law; equal values get equal ones.

    A transform of each column by itself changes no independence, and takes heavy tails away.

    Examples
    --------
    >>> normal_scores(np.array([[1.0], [100.0], [2.0]])).ravel().round(2)
    array([-0.97,  0.97,  0.  ])
    """
    ranks = np.column_stack([average_ranks(column) for column in values.T])
    scores: Values = ndtri((ranks - 0.5) / len(values))
    return scores - scores.mean(axis=0)


def residual_test(scores: Values, given: int) -> Weights:
    """Return minus the log p-values of the generalised covariance measure of all pairs.

    Each column is regressed on cubic splines of the given one. Of two columns that are
    independent given it the products of residuals have mean 0; the mean over its standard error
    is compared with Student's law, which allows for unequal variances.

    References
    ----------
    Shah, Peters (2020), The hardness of conditional independence testing and the generalised
    covariance measure, Annals of Statistics 48.
    """
    residuals = scores if given == NOTHING else _without(scores, scores[:, given])
    freedom = len(scores) - (1 if given == NOTHING else 4 + _n_knots(len(scores)))
    squares = np.square(residuals)
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = residuals.T @ residuals / np.sqrt(squares.T @ squares)
    surprise = two_sided(statistic * np.sqrt(freedom / len(scores)), freedom)
    determined = squares.mean(axis=0) <= _DETERMINED
    surprise[determined] = surprise[:, determined] = np.nan
    return surprise


def two_sided(statistic: Weights, freedom: int) -> Weights:
    """Return minus the log of the two-sided p-value by Student's law."""
    p_value = 2 * stdtr(freedom, -np.abs(statistic))
    surprise: Weights = -np.log(np.maximum(p_value, _LEAST_P))
    return surprise


def _n_knots(n_samples: int) -> int:
    return min(_MOST_KNOTS, n_samples // _ROWS_PER_KNOT)


def _without(scores: Values, given: Vector) -> Values:
    """Return what cubic splines of a column leave of each column."""
    inner = np.linspace(0, 1, _n_knots(len(given)) + 2)[1:-1]
    powers = [np.ones_like(given), given, given**2, given**3]
    bends = [np.maximum(given - knot, 0.0) ** 3 for knot in np.quantile(given, inner)]
    basis = np.column_stack(powers + [bend for bend in bends if bend.any()])
    left, size, _ = np.linalg.svd(basis / np.linalg.norm(basis, axis=0), full_matrices=False)
    # Knots coincide where values tie.
    left = left[:, size > size[0] * 1e-10]
    return scores - left @ (left.T @ scores)


def _table_test(test: GTest, n_nodes: int) -> PairTest:
    def surprises(given: int) -> Weights:
        minus_log_p = np.full((n_nodes, n_nodes), np.nan)
        condition = () if given == NOTHING else (given,)
        for node in range(n_nodes):
            others = np.array([j for j in range(n_nodes) if j not in {node, given}])
            if node != given and len(others):
                minus_log_p[node, others] = test.minus_log_p(node, others, condition)
        return minus_log_p

    return surprises


# Columns that look like codes of levels, but were not declared discrete.

MOST_LEVELS = 10


def why_codes(data: Dataset) -> str:
    """Return why variances of these columns may mean nothing; empty if they may.

    Examples
    --------
    >>> why_codes(Dataset.from_values([[0, 1.5], [1, 0], [2, 1]]))
    ''
    >>> "declare the columns discrete" in why_codes(Dataset.from_values([[0, 1], [1, 0], [2, 1]]))
    True
    """
    values = data.pooled if data.observational is None else data.observational_values
    if data.world != "continuous" or (values != np.round(values)).any():
        return ""
    if max(len(np.unique(column)) for column in values.T) > MOST_LEVELS:
        return ""
    return (
        f"every column holds at most {MOST_LEVELS} whole numbers, as codes of levels do, and codes "
        "have no variance; declare the columns discrete to sort them by entropy"
    )


REFUTED_LEVEL = 0.01
VIOLATED_LEVEL = 0.05
NOT_FEWER_LEVEL = 0.05
MOST_RELABELLED = 2000
RULE = "graph check"
REVERSED = "reversed"
"""The variant of a refuted graph whose transpose is not refuted; in the name of that of several."""

_MOST_ENUMERATED = 6

Statements = NDArray[np.int64]
"""Rows (i, j, k): columns i and j are independent given k, or given `NOTHING`."""


MOST_OF_LEVELS = 250
"""Columns of levels whose pairs are tested: each pair takes a table, of which many take hours."""


@dataclass(frozen=True)
class GraphCheck:
    """How well the independences that a graph implies hold.

    Parameters
    ----------
    finding : Finding
        Whether the graph is refuted, in words.
    n_implied : int
        Independences that were tested.
    n_violated : int
        Those rejected at 5 % each.
    least_p : float
        The least p-value, corrected for their number.
    share_as_few : float
        The share of relabelled graphs with no more violations; nan if that was not needed.
    transposed : FindingKind, optional
        What the same check finds of the transposed graph; None unless the graph is refuted.
    """

    finding: Finding
    n_implied: int = 0
    n_violated: int = 0
    least_p: float = float("nan")
    share_as_few: float = float("nan")
    transposed: FindingKind | None = None


def check_graph(data: Dataset, graph: Adjacency, rng: Generator) -> GraphCheck:
    """Test the independences that a DAG implies given at most one column.

    Of a refuted graph the transpose is checked as well: rows and columns of a matrix are easily
    confused.

    Parameters
    ----------
    data : Dataset
    graph : Adjacency
        A DAG; the summary graph of a series is not checked.
    rng : Generator
        For the relabelled graphs.
    """
    check = _check(data, graph, rng)
    if check.finding.kind != FindingKind.GRAPH_REFUTED:
        return check
    transposed = _check(data, graph.T, rng).finding.kind
    variant = REVERSED if transposed == FindingKind.GRAPH_NOT_REFUTED else ""
    return replace(check, finding=replace(check.finding, variant=variant), transposed=transposed)


def _check(  # noqa: PLR0911  each reason not to
    data: Dataset, graph: Adjacency, rng: Generator
) -> GraphCheck:
    """Test the independences that one graph implies."""
    if data.world == "series":
        return _not_checked("there is no valid test of what a summary graph implies")
    if data.world == "mixed":
        return _not_checked("there is no valid test where columns are of two kinds")
    n_rows = len(data.observational_values)
    if n_rows < LEAST_ROWS:
        return _not_checked(f"it takes {LEAST_ROWS} rows, and there are {n_rows}")
    if data.world == "discrete" and data.n_nodes > MOST_OF_LEVELS:
        return _not_checked(f"it has {data.n_nodes} columns of levels, more than {MOST_OF_LEVELS}")
    statements = implied_independences(graph)
    test = pair_test(data)
    surprise = _surprises(test, statements)
    if not len(surprise):
        return _not_checked("it implies no independence given at most one column")
    n_violated = int(_violated(surprise).sum())
    least = min(1.0, len(surprise) * float(np.exp(-surprise.max())))
    numbers: dict[str, float] = {
        "n_implied": len(surprise),
        "n_violated": n_violated,
        "least_p": least,
    }
    if least > REFUTED_LEVEL:
        words = {"level": percent(REFUTED_LEVEL)}
        finding = Finding(FindingKind.GRAPH_NOT_REFUTED, numbers=numbers, rule=RULE, words=words)
        return GraphCheck(finding, len(surprise), n_violated, least)
    as_few = _as_few_by_chance(test, statements, n_violated, rng, len(graph))
    words = {
        "violated_level": percent(VIOLATED_LEVEL),
        "share_as_few": percent(as_few.p_value),
    }
    if as_few.below:
        kind, variant = FindingKind.GRAPH_NOT_REFUTED, "fewer"
    else:
        kind, variant = FindingKind.GRAPH_REFUTED, ""
    finding = Finding(kind, numbers=numbers, rule=RULE, words=words, variant=variant)
    return GraphCheck(finding, len(surprise), n_violated, least, as_few.p_value)


def implied_independences(graph: Adjacency) -> Statements:
    """Return the independences that a DAG implies given at most one column.

    Two nodes without a common ancestor are independent. A node with one parent is independent
    of each node that is no descendant of it, given that parent.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> implied_independences(chain(3)).tolist()
    [[2, 0, 1]]
    >>> collider = np.zeros((3, 3), dtype=bool)
    >>> collider[:2, 2] = True
    >>> implied_independences(collider).tolist()
    [[0, 1, -1]]
    """
    reaches = reachability(graph) | np.eye(len(graph), dtype=bool)
    shared = reaches.T.astype(float) @ reaches > 0
    apart = np.argwhere(np.triu(~shared, 1))
    statements = [np.column_stack([apart, np.full(len(apart), NOTHING)])]
    for node in np.flatnonzero(graph.sum(axis=0) == 1).tolist():
        parent = int(np.flatnonzero(graph[:, node])[0])
        # Those without a common ancestor with the node are independent given nothing already.
        others = np.flatnonzero(~reaches[node] & shared[node] & ~graph[:, node])
        statements.append(np.array([(node, other, parent) for other in others.tolist()]))
    return np.concatenate([part.reshape(-1, 3) for part in statements]).astype(np.int64)


def _surprises(test: PairTest, statements: Statements) -> Vector:
    """Return minus the log p-values of the independences that can be tested."""
    surprises = np.empty(len(statements))
    for given in np.unique(statements[:, 2]).tolist():
        rows = statements[:, 2] == given
        surprises[rows] = test(given)[statements[rows, 0], statements[rows, 1]]
    return surprises[np.isfinite(surprises)]


def _violated(surprise: NDArray[np.floating]) -> NDArray[np.bool_]:
    return np.nan_to_num(surprise) > -np.log(VIOLATED_LEVEL)


def _as_few_by_chance(
    test: PairTest, statements: Statements, n_violated: int, rng: Generator, n_nodes: int
) -> MonteCarlo:
    """Tell whether at most 5 % of relabelled graphs violate no more than so many."""
    violated = cache(lambda given: _violated(test(given)))
    groups = [
        (given, statements[statements[:, 2] == given, :2])
        for given in np.unique(statements[:, 2]).tolist()
    ]

    def no_more(label: NDArray[np.int64]) -> bool:
        count = 0
        for given, pairs in groups:
            table = violated(NOTHING if given == NOTHING else int(label[given]))
            count += int(table[label[pairs[:, 0]], label[pairs[:, 1]]].sum())
        return count <= n_violated

    if n_nodes <= _MOST_ENUMERATED:
        return enumerated(
            np.array([no_more(label) for label in all_orders(n_nodes)]), NOT_FEWER_LEVEL
        )

    def draw(count: int) -> NDArray[np.bool_]:
        return np.array([no_more(rng.permutation(n_nodes)) for _ in range(count)])

    return decide(draw, NOT_FEWER_LEVEL, MOST_RELABELLED)


def _not_checked(why: str) -> GraphCheck:
    return GraphCheck(Finding(FindingKind.GRAPH_NOT_CHECKED, rule=RULE, words={"why": why}))
