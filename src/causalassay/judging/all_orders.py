"""All orders of few columns, so that what chance gives is counted and not drawn."""

from __future__ import annotations

from functools import cache
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from causalassay.common.arrays import Adjacency
from causalassay.judging.regression_along import RegressionAlong

MOST_COLUMNS = 8
"""Of which all orders are looked at: 40 320."""

Orders = NDArray[np.int64]


@cache
def all_orders(n_nodes: int) -> Orders:
    """Return all orders of so many nodes, shape (n!, n).

    Examples
    --------
    >>> all_orders(2).tolist()
    [[0, 1], [1, 0]]
    """
    orders = np.array(list(permutations(range(n_nodes))), dtype=np.int64)
    orders.setflags(write=False)
    return orders


def graphs_along_all_orders(along: RegressionAlong, n_nodes: int) -> NDArray[np.bool_]:
    """Return the graph along each of `all_orders`, shape (n!, n, n).

    What a node gets depends on which nodes come before it and not on their order, so that there
    are only n·2^(n-1) regressions.
    """
    orders = all_orders(n_nodes)
    parents = _parents_after_sets(along, n_nodes)
    position = np.argsort(orders, axis=1)
    sets = np.zeros_like(orders)
    for node in range(n_nodes):
        sets += (position[:, [node]] < position) << node
    # Entry [o, j] of what is looked up is column j of the graph along order o.
    return parents[np.arange(n_nodes), sets].transpose(0, 2, 1)


def _parents_after_sets(along: RegressionAlong, n_nodes: int) -> NDArray[np.bool_]:
    """Return the parents of each node after each set of nodes, shape (n, 2^n, n)."""
    parents = np.zeros((n_nodes, 2**n_nodes, n_nodes), dtype=bool)
    known = np.zeros((n_nodes, 2**n_nodes), dtype=bool)
    for first in range(2**n_nodes):
        for node in range(n_nodes):
            if not first >> node & 1 and not known[node, first]:
                order = _beginning_with(first, node, n_nodes)
                _remember(along(order), order, parents, known)
    return parents


def _beginning_with(first: int, node: int, n_nodes: int) -> NDArray[np.int64]:
    nodes = np.arange(n_nodes)
    inside = (first >> nodes & 1).astype(bool)
    after = ~inside & (nodes != node)
    return np.concatenate([nodes[inside], [node], nodes[after]])


def _remember(
    graph: Adjacency, order: Orders, parents: NDArray[np.bool_], known: NDArray[np.bool_]
) -> None:
    before = 0
    for node in order.tolist():
        parents[node, before] = graph[:, node]
        known[node, before] = True
        before |= 1 << node
