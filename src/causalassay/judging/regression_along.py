"""The graphs that regressing along orders of the columns gives, in every world."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from causalassay.common.arrays import Adjacency, Values, Vector, Weights
from causalassay.common.kernels import kernel
from causalassay.data.dataset import Dataset
from causalassay.diagnostics.explained_variance import correlations
from causalassay.discovery.granger_lasso import lagged_design
from causalassay.discovery.regression.bic_lasso import adaptive_lasso, lasso_bic
from causalassay.discovery.regression.lasso_along_order import PATH_END
from causalassay.discovery.search.any_score_search import LEAST_GAIN
from causalassay.discovery.search.scores import LevelScore, level_families, merits
from causalassay.discovery.statistics import (
    LevelStatistics,
    determined_values,
    level_statistics,
)
from causalassay.graphs.orders import Indices

# The graphs that sparse regressions along many orders give, in compiled loops.


class LassoGraphs:
    """Regressions of the same rows along any orders.

    Parameters
    ----------
    values : Values, shape (n, d)
        n > d, no column a linear combination of others.

    Examples
    --------
    >>> values = np.random.default_rng(0).normal(size=(200, 3)).cumsum(axis=1)
    >>> LassoGraphs(values)(np.array([[0, 1, 2]]))[0].astype(int)
    array([[0, 1, 0],
           [0, 0, 1],
           [0, 0, 0]])
    """

    def __init__(self, values: Values) -> None:
        centred = values - values.mean(axis=0)
        scale = np.sqrt(np.einsum("ij,ij->j", centred, centred) / len(values))
        triangle = np.asarray(np.linalg.qr(centred / (scale * np.sqrt(len(values))), mode="r"))
        self._columns = np.ascontiguousarray(triangle.T)
        self._correlation = self._columns @ triangle
        self._stop = PATH_END / np.maximum(np.square(scale), 1.0)
        self._n_samples = len(values)

    def __call__(self, orders: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return the graph along each order, shape (n_orders, d, d)."""
        return _graphs_along(
            self._columns, self._correlation, self._stop, self._n_samples, orders.astype(np.int64)
        )


@kernel
def _graphs_along(
    columns: Weights,
    correlation: Weights,
    stop: Vector,
    n_samples: int,
    orders: NDArray[np.int64],
) -> NDArray[np.bool_]:
    n_orders, d = orders.shape
    graphs = np.zeros((n_orders, d, d), dtype=np.bool_)
    ordered = np.empty((d, d))
    ols = np.zeros((d, d))
    residual = np.empty(d)
    for index in range(n_orders):
        order = orders[index]
        for i in range(d):
            for j in range(d):
                ordered[i, j] = correlation[order[i], order[j]]
        _prefix_fits(columns[order], ols, residual)
        coefficients = adaptive_lasso(ordered, ols, residual, n_samples, stop[order])
        for j in range(d):
            for i in range(j):
                graphs[index, order[i], order[j]] = coefficients[i, j] != 0.0
    return graphs


@kernel
def _prefix_fits(columns: Weights, ols: Weights, residual: Vector) -> None:
    """Write least squares of each column on those before it, and what they leave of it.

    By modified Gram-Schmidt, whose triangle is as exact as that of reflections. `columns` holds a
    column in each row, and is overwritten.
    """
    d = len(columns)
    triangle = np.zeros((d, d))
    for k in range(d):
        size = 0.0
        for i in range(d):
            size += columns[k, i] ** 2
        residual[k] = size
        triangle[k, k] = np.sqrt(size)
        for i in range(d):
            columns[k, i] /= triangle[k, k]
        for j in range(k + 1, d):
            share = 0.0
            for i in range(d):
                share += columns[k, i] * columns[j, i]
            for i in range(d):
                columns[j, i] -= share * columns[k, i]
            triangle[k, j] = share
        for i in range(k - 1, -1, -1):
            rest = triangle[i, k]
            for j in range(i + 1, k):
                rest -= triangle[i, j] * ols[j, k]
            ols[i, k] = rest / triangle[i, i]


class LaggedLassoGraphs:
    """Regressions of the same series along any orders of its processes within a step.

    Parameters
    ----------
    design : Values, shape (n, (max_lag + 1)·d)
        From `lagged_design`.
    max_lag : int

    Examples
    --------
    >>> values = np.random.default_rng(0).normal(size=(300, 2)).cumsum(axis=1)
    >>> design = np.hstack([values[1:], values[:-1]])
    >>> LaggedLassoGraphs(design, 1)(np.array([[0, 1], [1, 0]])).astype(int)[:, 0, 1]
    array([1, 0])
    """

    def __init__(self, design: Values, max_lag: int) -> None:
        n_nodes = design.shape[1] // (max_lag + 1)
        self._correlation = correlations(design)
        self._stop = PATH_END / np.maximum(design[:, :n_nodes].var(axis=0), 1.0)
        self._n_samples = len(design)

    def __call__(self, orders: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return the summary graph along each order, shape (n_orders, d, d)."""
        return _lagged_graphs_along(
            self._correlation, self._stop, self._n_samples, orders.astype(np.int64)
        )


@kernel
def _lagged_graphs_along(
    correlation: Weights, stop: Vector, n_samples: int, orders: NDArray[np.int64]
) -> NDArray[np.bool_]:
    n_orders, d = orders.shape
    graphs = np.zeros((n_orders, d, d), dtype=np.bool_)
    n_past = len(correlation) - d
    regressors = np.empty(len(correlation), dtype=np.int64)
    for k in range(n_past):
        regressors[k] = d + k
    for index in range(n_orders):
        for position in range(d):
            node = orders[index, position]
            count = n_past + position
            for k in range(position):
                regressors[n_past + k] = orders[index, k]
            chosen = _needed(correlation, regressors[:count], node, n_samples, stop[node])
            for k in range(count):
                source = regressors[k] % d
                if chosen[k] and source != node:
                    graphs[index, source, node] = True
    return graphs


@kernel
def _needed(
    correlation: Weights, regressors: NDArray[np.int64], node: int, n_samples: int, stop: float
) -> NDArray[np.bool_]:
    """Tell which regressors the adaptive lasso keeps (Zou 2006, equation 4, γ = 1)."""
    count = len(regressors)
    gram = np.empty((count, count))
    moment = np.empty(count)
    for i in range(count):
        moment[i] = correlation[regressors[i], node]
        for j in range(count):
            gram[i, j] = correlation[regressors[i], regressors[j]]
    ols = _solved(gram, moment)
    size = np.abs(ols)
    residual = max(1.0 - np.sum(moment * ols), np.finfo(np.float64).tiny)
    for i in range(count):
        for j in range(count):
            gram[i, j] *= size[i] * size[j]
    return lasso_bic(gram, moment * size, np.sign(ols), residual, n_samples, stop) * size != 0.0


@kernel
def _solved(gram: Weights, moment: Vector) -> Vector:
    """Return the solution by Cholesky's factorisation; `gram` is not singular."""
    d = len(moment)
    lower = np.zeros((d, d))
    solution = moment.copy()
    for i in range(d):
        for j in range(i + 1):
            rest = gram[i, j]
            for k in range(j):
                rest -= lower[i, k] * lower[j, k]
            lower[i, j] = np.sqrt(rest) if i == j else rest / lower[j, j]
        for k in range(i):
            solution[i] -= lower[i, k] * solution[k]
        solution[i] /= lower[i, i]
    for i in range(d - 1, -1, -1):
        for k in range(i + 1, d):
            solution[i] -= lower[k, i] * solution[k]
        solution[i] /= lower[i, i]
    return solution


ROUNDING = 1e-6
"""How far two ways to compute a gain may be apart: the exact score decides between those nearer."""


class LevelGraphs:
    """Parents of discrete columns along any orders, as `parents_along` has them by the BIC.

    What each column gains as a further parent is computed once for each family, for all columns
    together, and kept where it is a gain at all.

    Parameters
    ----------
    statistics : LevelStatistics

    Examples
    --------
    >>> codes = np.array([[0, 0, 1, 1] * 9, [0, 0, 1, 1] * 9, [0, 1, 1, 0] * 9], dtype=np.int32)
    >>> along = LevelGraphs(LevelStatistics(codes, np.array([2, 2, 2])))
    >>> along(np.array([2, 1, 0])).astype(int)
    array([[0, 0, 0],
           [1, 0, 0],
           [0, 0, 0]])
    """

    def __init__(self, statistics: LevelStatistics) -> None:
        self._score = LevelScore(statistics)
        self._families = level_families(self._score)
        self._gaining: dict[tuple[int, frozenset[int]], tuple[Indices, Vector]] = {}

    def __call__(self, order: Indices) -> Adjacency:
        """Return the graph along an order."""
        d = len(order)
        graph = np.zeros((d, d), dtype=bool)
        before = np.zeros(d, dtype=bool)
        for node in order.tolist():
            graph[list(self._parents(node, before)), node] = True
            before[node] = True
        return graph

    def _parents(self, node: int, before: NDArray[np.bool_]) -> frozenset[int]:
        parents: frozenset[int] = frozenset()
        while True:
            candidates, gains = self._gains(node, parents)
            there = before[candidates]
            candidates, gains = candidates[there], gains[there]
            if not len(candidates):
                return parents
            near = candidates[gains >= gains.max() - ROUNDING]
            scores = {other: self._score(node, parents | {other}) for other in near.tolist()}
            best = max(scores, key=scores.__getitem__)
            if scores[best] <= self._score(node, parents) + LEAST_GAIN:
                return parents
            parents |= {best}

    def _gains(self, node: int, parents: frozenset[int]) -> tuple[Indices, Vector]:
        """Return which columns gain anything as a further parent, and how much."""
        family = (node, parents)
        if family not in self._gaining:
            members = np.array(sorted(parents), dtype=np.int64)
            gains = np.empty(len(self._families.codes))
            merits(self._families, node, members, gains)
            candidates = np.flatnonzero(gains > 0)
            self._gaining[family] = candidates, gains[candidates]
        return self._gaining[family]


class RegressionAlong:
    """Takes an order, causes first; returns the graph of what each column needs of those before it.

    Parameters
    ----------
    each : callable
        Takes orders, shape (n, d); returns their graphs, shape (n, d, d).

    Examples
    --------
    >>> order = np.array([1, 0])
    >>> one_by_one(lambda order: np.argsort(order)[:, None] < np.argsort(order))(order)
    array([[False, False],
           [ True, False]])
    """

    def __init__(self, each: Callable[[NDArray[np.int64]], NDArray[np.bool_]]) -> None:
        self.each = each

    def __call__(self, order: Indices) -> Adjacency:
        """Return the graph along one order."""
        graph: Adjacency = self.each(np.asarray(order)[None])[0]
        return graph


def one_by_one(along: Callable[[Indices], Adjacency]) -> RegressionAlong:
    """Return a regression that takes many orders one after the other."""
    return RegressionAlong(lambda orders: np.array([along(order) for order in orders]))


def regression_along(data: Dataset, max_lag: int) -> RegressionAlong:
    """Return how to regress along an order: what does not depend on the order is done once.

    Parameters
    ----------
    data : Dataset
    max_lag : int
        The largest lag of a link; used for series only.

    Raises
    ------
    NotApplicable
        If the data do not allow it, along any order.
    """
    match data.world:
        case "discrete":
            return one_by_one(LevelGraphs(level_statistics(data)))
        case "series":
            return RegressionAlong(LaggedLassoGraphs(lagged_design(data, max_lag), max_lag))
        case _:
            return RegressionAlong(LassoGraphs(determined_values(data)))
