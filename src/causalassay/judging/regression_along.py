"""The graphs that regressing along orders of the columns gives, in every world."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from causalassay.common.arrays import Adjacency
from causalassay.data.dataset import Dataset
from causalassay.discovery.granger_lasso import lagged_design
from causalassay.discovery.search.any_score_search import parents_along
from causalassay.discovery.search.scores import LevelScore
from causalassay.discovery.statistics import determined_values, level_statistics
from causalassay.graphs.orders import Indices
from causalassay.judging.lasso_graphs import LaggedLassoGraphs, LassoGraphs


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
        Of a series: how far links reach back.

    Raises
    ------
    NotApplicable
        If the data do not allow it, along any order.
    """
    match data.world:
        case "discrete":
            score = LevelScore(level_statistics(data))
            return one_by_one(lambda order: parents_along(order.tolist(), score))
        case "series":
            return RegressionAlong(LaggedLassoGraphs(lagged_design(data, max_lag), max_lag))
        case _:
            return RegressionAlong(LassoGraphs(determined_values(data)))
