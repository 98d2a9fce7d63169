"""Tests of the independence of all pairs of columns, given nothing or given one other column.

Given one column, a smooth regression on it can be trusted, whatever the mechanism. Given several,
it cannot: a linear one leaves traces of nonlinear causes, and rejects independences that hold.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import ndtri, stdtr

from causalassay.common.arrays import Values, Vector, Weights
from causalassay.data.dataset import Dataset
from causalassay.discovery.independence import GTest
from causalassay.discovery.statistics import level_statistics

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
        Of independent rows.
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
        found = np.full((n_nodes, n_nodes), np.nan)
        condition = () if given == NOTHING else (given,)
        for node in range(n_nodes):
            others = np.array([j for j in range(n_nodes) if j not in {node, given}])
            if node != given and len(others):
                found[node, others] = test.minus_log_p(node, others, condition)
        return found

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
