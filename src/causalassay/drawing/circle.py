"""Where nodes stand on a circle, for graphs without a causal order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from causalassay.arrays import Adjacency
from causalassay.graphs.cpdag import skeleton

ROUNDS = 6
"""Of the search for an order with few crossings; it stops when a round finds none."""


def circle_order(graph: Adjacency) -> list[int]:
    """Return the nodes in an order around a circle in which few edges cross.

    Starts from a walk along the edges, then moves one node after the other to its
    best position.

    Examples
    --------
    >>> from causalassay.graphs import from_edges, skeleton
    >>> square = skeleton(from_edges([(0, 2), (2, 1), (1, 3), (0, 3)], 4))
    >>> circle_order(square)
    [0, 2, 1, 3]
    """
    joined = skeleton(graph)
    edges = np.argwhere(np.triu(joined))
    order = _walk(joined)
    fewest = _count_crossings(order, edges)
    for _ in range(ROUNDS):
        before = fewest
        for node in range(len(graph)):
            order, fewest = _best_position(node, order, edges, fewest)
        if fewest in (0, before):
            break
    start = order.index(0)
    return order[start:] + order[:start]


def _walk(joined: Adjacency) -> list[int]:
    """Return the nodes as a depth-first walk meets them, which keeps neighbours together."""
    seen: list[int] = []
    for start in range(len(joined)):
        waiting = [start]
        while waiting:
            node = waiting.pop()
            if node not in seen:
                seen.append(node)
                waiting += reversed(np.flatnonzero(joined[node]).tolist())
    return seen


def _best_position(
    node: int, order: list[int], edges: NDArray[np.int64], fewest: int
) -> tuple[list[int], int]:
    """Return the order with `node` where the fewest edges cross, and that number."""
    best = order
    others = [other for other in order if other != node]
    for k in range(len(order)):
        moved = [*others[:k], node, *others[k:]]
        crossings = _count_crossings(moved, edges)
        if crossings < fewest:
            best, fewest = moved, crossings
    return best, fewest


def _count_crossings(order: list[int], edges: NDArray[np.int64]) -> int:
    """Return the number of pairs of chords whose ends alternate around the circle."""
    position = np.empty(len(order), dtype=np.int64)
    position[order] = np.arange(len(order))
    low, high = np.sort(position[edges], axis=1).T
    inside = (low[:, None] < low) & (low < high[:, None]) & (high[:, None] < high)
    return int(inside.sum())
