"""Where nodes stand: those of a DAG in columns, those of any other graph on a circle.

The steps of the first are Sugiyama's: columns, bends where an edge passes a column, an order in
each column with few crossings, and heights that keep edges straight.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from causalassay.common.arrays import Adjacency
from causalassay.graphs.cpdag import skeleton
from causalassay.graphs.orders import topological_order

SWEEPS = 24
"""Of the search for an order with few crossings; on graphs of 30 nodes more did not help."""
ROUNDS = 6
"""Of the search for an order on the circle; it stops when a round finds none."""

Column = list[int]
Segments = list[tuple[int, int]]


@dataclass(frozen=True)
class Layers:
    """A DAG in columns; nodes from d on are the bends of edges that pass a column.

    Parameters
    ----------
    columns : list of list of int
        The nodes and bends of each column, from top to bottom.
    height : array, shape (nodes and bends,)
        In rows; two nodes of a column are at least 1 apart.
    routes : dict
        For each edge the nodes and bends along it, its ends included.
    """

    columns: list[Column]
    height: NDArray[np.float64]
    routes: dict[tuple[int, int], list[int]]


def layers_of(dag: Adjacency) -> Layers:
    """Return the columns and heights of the nodes of a DAG.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> layers_of(chain(3)).columns
    [[0], [1], [2]]
    """
    column_of = _columns(dag)
    routes, column_of = _routes(dag, column_of)
    segments = [pair for route in routes.values() for pair in zip(route, route[1:], strict=False)]
    columns: list[Column] = [[] for _ in range(max(column_of) + 1)]
    for item, column in enumerate(column_of):
        columns[column].append(item)
    neighbours = _Neighbours(segments, len(column_of))
    columns = _with_few_crossings(columns, neighbours)
    return Layers(columns, _heights(columns, neighbours, len(dag)), routes)


def _columns(dag: Adjacency) -> list[int]:
    """Return each node's column: after all its parents, and sources next to their children."""
    order = topological_order(dag).tolist()
    column = [0] * len(dag)
    for node in order:
        parents = np.flatnonzero(dag[:, node]).tolist()
        column[node] = 1 + max((column[parent] for parent in parents), default=-1)
    for node in reversed(order):
        children = np.flatnonzero(dag[node]).tolist()
        if children and not dag[:, node].any():
            column[node] = min(column[child] for child in children) - 1
    _position_isolated(dag, column)
    return column


def _position_isolated(dag: Adjacency, column: list[int]) -> None:
    """Put the nodes without edges where there is room: into the shortest columns."""
    alone = np.flatnonzero(~(dag | dag.T).any(axis=1)).tolist()
    length = [0] * max(max(column) + 1, math.isqrt(max(len(alone) - 1, 0)) + 1)
    for node in set(range(len(dag))) - set(alone):
        length[column[node]] += 1
    for node in alone:
        column[node] = min(range(len(length)), key=lambda k: length[k])
        length[column[node]] += 1


def _routes(
    dag: Adjacency, column: list[int]
) -> tuple[dict[tuple[int, int], list[int]], list[int]]:
    """Return the route of each edge, with a bend for each column it passes, and all columns."""
    column = list(column)
    routes = {}
    for parent, child in np.argwhere(dag).tolist():
        bends = list(range(len(column), len(column) + column[child] - column[parent] - 1))
        column += range(column[parent] + 1, column[child])
        routes[parent, child] = [parent, *bends, child]
    return routes, column


class _Neighbours:
    """The items that segments join, to the left and to the right."""

    def __init__(self, segments: Segments, n_items: int) -> None:
        self.left: list[list[int]] = [[] for _ in range(n_items)]
        self.right: list[list[int]] = [[] for _ in range(n_items)]
        for start, end in segments:
            self.right[start].append(end)
            self.left[end].append(start)


def _with_few_crossings(columns: list[Column], neighbours: _Neighbours) -> list[Column]:
    """Return the columns reordered by barycentres and swaps, the best of all sweeps."""
    best, fewest = columns, _count_crossings(columns, neighbours)
    current = [list(column) for column in columns]
    for sweep in range(SWEEPS):
        if fewest == 0:
            break
        rightwards = sweep % 2 == 0
        beside = neighbours.left if rightwards else neighbours.right
        indices = range(1, len(current)) if rightwards else range(len(current) - 2, -1, -1)
        for k in indices:
            fixed = current[k - 1 if rightwards else k + 1]
            _sort_by_barycentre(current[k], fixed, beside, reverse_ties=sweep % 4 > 1)
        _swap(current, neighbours)
        crossings = _count_crossings(current, neighbours)
        if crossings < fewest:
            best, fewest = [list(column) for column in current], crossings
    return best


def _sort_by_barycentre(
    column: Column, fixed: Column, beside: list[list[int]], *, reverse_ties: bool
) -> None:
    """Sort a column by the mean position of the neighbours; items without any keep their place."""
    position = {item: k for k, item in enumerate(fixed)}
    means = {
        item: sum(position[other] for other in beside[item]) / len(beside[item])
        for item in column
        if beside[item]
    }
    joined = [item for item in column if item in means]
    if reverse_ties:
        joined.reverse()
    ordered = iter(sorted(joined, key=lambda item: means[item]))
    column[:] = [next(ordered) if item in means else item for item in column]


def _swap(columns: list[Column], neighbours: _Neighbours) -> None:
    """Exchange items next to each other as long as that removes crossings."""
    improved = True
    while improved:
        improved = False
        for index, column in enumerate(columns):
            beside = [
                (_positions(columns, index - 1), neighbours.left),
                (_positions(columns, index + 1), neighbours.right),
            ]
            for k in range(len(column) - 1):
                upper, lower = column[k], column[k + 1]
                gain = sum(
                    _crossings(position, side[upper], side[lower])
                    - _crossings(position, side[lower], side[upper])
                    for position, side in beside
                )
                if gain > 0:
                    column[k], column[k + 1] = lower, upper
                    improved = True


def _positions(columns: list[Column], index: int) -> dict[int, int]:
    """Return where each item of a column stands; nothing beyond the first and the last."""
    inside = 0 <= index < len(columns)
    return {item: k for k, item in enumerate(columns[index])} if inside else {}


def _crossings(position: dict[int, int], of_upper: Sequence[int], of_lower: Sequence[int]) -> int:
    """Return how often the segments of two items cross if one stands above the other."""
    return sum(position[above] > position[below] for above in of_upper for below in of_lower)


def _count_crossings(columns: list[Column], neighbours: _Neighbours) -> int:
    count = 0
    for index, column in enumerate(columns[:-1]):
        position = _positions(columns, index + 1)
        ends = [
            position[other]
            for item in column
            for other in sorted(neighbours.right[item], key=position.__getitem__)
        ]
        array = np.array(ends)
        count += int(np.triu(array[:, None] > array[None, :]).sum())
    return count


def _heights(columns: list[Column], neighbours: _Neighbours, n_nodes: int) -> NDArray[np.float64]:
    """Return heights near the neighbours' that keep the order and the distances."""
    n_items = sum(map(len, columns))
    height = np.zeros(n_items)
    for column in columns:
        height[column] = np.arange(len(column)) - (len(column) - 1) / 2
    # A bend between bends pulls hardest: a long edge is to be straight.
    pull = np.where(np.arange(n_items) < n_nodes, 1.0, 4.0)
    for sweep in range(SWEEPS):
        indices = range(len(columns)) if sweep % 2 == 0 else range(len(columns) - 1, -1, -1)
        for index in indices:
            column = columns[index]
            wanted = np.array([_wanted(item, neighbours, height, pull) for item in column])
            height[column] = _apart(wanted, [_room(item, n_nodes) for item in column])
    return height - height.min()


def _wanted(
    item: int, neighbours: _Neighbours, height: NDArray[np.float64], pull: NDArray[np.float64]
) -> float:
    beside = neighbours.left[item] + neighbours.right[item]
    return (
        float(np.average(height[beside], weights=pull[beside])) if beside else float(height[item])
    )


def _room(item: int, n_nodes: int) -> float:
    return 0.5 if item < n_nodes else 0.25


def _apart(wanted: NDArray[np.float64], room: Sequence[float]) -> NDArray[np.float64]:
    """Return the heights nearest to those wanted (least squares) that leave each item its room.

    Without the room that the items above take, the heights only have to ascend:
    an isotonic regression, solved by pooling neighbours that are out of order.
    """
    taken = np.concatenate(
        [[0.0], np.cumsum([a + b for a, b in zip(room, room[1:], strict=False)])]
    )
    pools: list[tuple[float, int]] = []
    for value in (wanted - taken).tolist():
        pools.append((value, 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (low, n_low), (high, n_high) = pools.pop(), pools.pop()
            pools.append(((low * n_low + high * n_high) / (n_low + n_high), n_low + n_high))
    return taken + np.repeat([value for value, _ in pools], [n for _, n in pools])


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
    fewest = _count_chord_crossings(order, edges)
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
        crossings = _count_chord_crossings(moved, edges)
        if crossings < fewest:
            best, fewest = moved, crossings
    return best, fewest


def _count_chord_crossings(order: list[int], edges: NDArray[np.int64]) -> int:
    """Return the number of pairs of chords whose ends alternate around the circle."""
    position = np.empty(len(order), dtype=np.int64)
    position[order] = np.arange(len(order))
    low, high = np.sort(position[edges], axis=1).T
    inside = (low[:, None] < low) & (low < high[:, None]) & (high[:, None] < high)
    return int(inside.sum())
