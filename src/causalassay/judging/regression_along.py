"""The graph that regressing along an order of the columns gives, in every world."""

from __future__ import annotations

from collections.abc import Callable

from causalassay.arrays import Adjacency
from causalassay.data.dataset import Dataset
from causalassay.discovery.regression.lagged_lasso import lagged_design, lagged_estimate
from causalassay.discovery.regression.lasso_along_order import PATH_END, regression_of
from causalassay.discovery.search.any_score.parents_along_order import parents_along
from causalassay.discovery.search.discrete_scores import LevelScore
from causalassay.discovery.statistics.discrete import level_statistics
from causalassay.discovery.statistics.usable_rows import determined_values
from causalassay.graphs.orders import Indices

RegressionAlong = Callable[[Indices], Adjacency]
"""Takes an order, causes first; returns the graph of what each column needs of those before it."""


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
            return lambda order: parents_along(order.tolist(), score)
        case "series":
            design = lagged_design(data, max_lag)
            return lambda order: lagged_estimate(design, max_lag, PATH_END, order).graph
        case _:
            regress = regression_of(determined_values(data))
            return lambda order: regress(order) != 0
