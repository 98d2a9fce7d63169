"""The best valid Insert, Delete and Turn of an essential graph.

An essential graph is a CPDAG, or an interventional one. An operator is named by an edge x→y to
make or to break and by a clique C of undirected neighbours of y: it stands for the members of
the class in which C, and none of the other neighbours of y, point to y. So its gain is a
difference of local scores, and its validity a matter of cliques and walks.
"""

from __future__ import annotations

import numpy as np

from causalassay.arrays import Adjacency, Vector, Weights
from causalassay.discovery.search.gaussian.bic import (
    BIC,
    GrowingRegression,
    add_regressor,
    explained,
    gain_of,
    start_regression,
)
from causalassay.graphs.orders import Indices
from causalassay.kernels import kernel

Operator = tuple[float, int, int, Adjacency]
"""Gain, x, y and the mask of C; x is -1 where no operator gains more than was asked for."""


@kernel
def nodes_of(mask: Adjacency) -> Indices:
    """Return the nodes that are in the mask, in their order."""
    nodes, n_nodes = np.empty(len(mask), np.int64), 0
    for node in range(len(mask)):
        if mask[node]:
            nodes[n_nodes] = node
            n_nodes += 1
    return nodes[:n_nodes]


@kernel
def next_clique(graph: Adjacency, nodes: Indices, chosen: Indices, size: int, most: int) -> int:
    """Move `chosen`, positions in `nodes`, to the next clique; return its size, 0 after the last.

    The first clique is the empty one, and all but the last position of each stood before.
    """
    following = chosen[size - 1] + 1 if size > 0 else 0
    while True:
        for position in range(following, len(nodes) if size < most else 0):
            fits = True
            for k in range(size):
                fits &= graph[nodes[position], nodes[chosen[k]]]
            if fits:
                chosen[size] = position
                return size + 1
        if size == 0:
            return 0
        size -= 1
        following = chosen[size] + 1


@kernel
def _reached(graph: Adjacency, start: Adjacency, blocked: Adjacency) -> Adjacency:
    """Return where walks along → and — from `start` lead, without entering `blocked` nodes."""
    reached = start & ~blocked
    stack, height = np.empty(len(graph), np.int64), 0
    for node in range(len(graph)):
        if reached[node]:
            stack[height] = node
            height += 1
    while height > 0:
        height -= 1
        here = stack[height]
        for there in range(len(graph)):
            if graph[here, there] and not reached[there] and not blocked[there]:
                reached[there] = True
                stack[height] = there
                height += 1
    return reached


@kernel
def insert_bounds(bic: BIC, graph: Adjacency, y: int, most: int, bounds: Vector) -> None:
    """Fill in for each x the largest gain of an Insert of x→y whose C is a clique.

    The test for directed cycles is left out, so these are upper bounds, and they depend on the
    edges at y and at the neighbours of y only. C must hold all neighbours of y that are
    adjacent to x, and y gets at most `most` parents.
    """
    d = len(graph)
    near, parents = nodes_of(graph[y] & graph[:, y]), nodes_of(graph[:, y] & ~graph[y])
    share = np.full(d, -1.0)
    lacking = np.zeros((len(near) + 1, d), np.int64)
    for x in range(d):
        if x == y or graph[x, y] or graph[y, x] or len(parents) >= most:
            lacking[0, x] = d
        for z in near:
            lacking[0, x] += graph[x, z] or graph[z, x]
    correlation = bic.correlation[bic.group[y]]
    regression = start_regression(correlation, y, parents, len(parents) + len(near))
    chosen, n_chosen = np.empty(len(near), np.int64), 0
    while True:
        for x in range(d):
            if lacking[n_chosen, x] == 0:
                share[x] = max(share[x], explained(regression, y, len(parents) + n_chosen, x))
        n_chosen = next_clique(graph, near, chosen, n_chosen, most - len(parents) - 1)
        if n_chosen == 0:
            break
        z = near[chosen[n_chosen - 1]]
        add_regressor(correlation, regression, y, len(parents) + n_chosen - 1, z)
        for x in range(d):
            lacking[n_chosen, x] = lacking[n_chosen - 1, x] - (graph[x, z] or graph[z, x])
    for x in range(d):
        bounds[x] = gain_of(bic, y, share[x]) if share[x] >= 0 else -np.inf


@kernel
def best_insert(bic: BIC, graph: Adjacency, bounds: Weights, most: int, least: float) -> Operator:
    """Return the best valid Insert above `least`, the best bounds first.

    ``bounds[y, x]`` bounds the gain of x→y, see `insert_bounds`; those tried are lowered.

    References
    ----------
    Chickering (2002), theorem 15; Hauser and Bühlmann (2012), section 4.1.
    """
    d = len(graph)
    first, top = np.empty(d, np.int64), np.empty(d)
    for row in range(d):
        first[row] = np.argmax(bounds[row])
        top[row] = bounds[row, first[row]]
    best, at_x, at_y, clique = least, -1, -1, np.zeros(d, np.bool_)
    while True:
        y = int(np.argmax(top))
        x = first[y]
        if top[y] <= best:
            return best, at_x, at_y, clique
        gain, mask = _best_with_arrow(bic, graph, x, y, most, best)
        if gain > best:
            best, at_x, at_y, clique = gain, x, y, mask
        bounds[y, x] = -np.inf
        first[y] = np.argmax(bounds[y])
        top[y] = bounds[y, first[y]]


@kernel
def best_delete(bic: BIC, graph: Adjacency, least: float) -> Operator:
    """Return the best valid Delete above `least`.

    C is any clique of neighbours of y that are adjacent to x. An undirected edge is looked at
    from one end only: the same members, and so the same score, belong to both.

    References
    ----------
    Chickering (2002), theorem 17, where H is what C leaves of these neighbours; Hauser and
    Bühlmann (2012), section 4.2.
    """
    d = len(graph)
    best, at_x, at_y, clique = least, -1, -1, np.zeros(d, np.bool_)
    for y in range(d):
        for x in range(d):
            if graph[x, y] and (x < y or not graph[y, x]):
                gain, mask = _best_without_edge(bic, graph, x, y, best)
                if gain > best:
                    best, at_x, at_y, clique = gain, x, y, mask
    return best, at_x, at_y, clique


@kernel
def best_turn(bic: BIC, graph: Adjacency, most: int, least: float) -> Operator:
    """Return the best valid Turn above `least`: y→x or y—x becomes x→y, in another class.

    References
    ----------
    Hauser and Bühlmann (2012), section 4.3, and algorithm 5 for undirected edges.
    """
    d = len(graph)
    best, at_x, at_y, clique = least, -1, -1, np.zeros(d, np.bool_)
    for y in range(d):
        for x in range(d):
            if graph[y, x]:
                gain, mask = _best_with_arrow(bic, graph, x, y, most, best)
                if gain > best:
                    best, at_x, at_y, clique = gain, x, y, mask
    return best, at_x, at_y, clique


@kernel
def _best_without_edge(
    bic: BIC, graph: Adjacency, x: int, y: int, best: float
) -> tuple[float, Adjacency]:
    """Return the best gain above `best` of deleting x→y or x—y, and its C."""
    mask = graph[:, y] & ~graph[y]
    mask[x] = False
    parents = nodes_of(mask)
    near = nodes_of(graph[y] & graph[:, y] & (graph[x] | graph[:, x]))
    correlation, regression = _regression(bic, parents, near, x, y)
    p = len(parents)
    at_x, at_y = p + len(near), p + len(near) + 1
    chosen, n_chosen = np.empty(len(near), np.int64), 0
    while True:
        gain = -gain_of(bic, y, explained(regression, at_y, p + n_chosen, at_x))
        if gain > best:
            best, mask = gain, mask_of(near, chosen[:n_chosen], len(graph))
        n_chosen = next_clique(graph, near, chosen, n_chosen, len(near))
        if n_chosen == 0:
            return best, mask
        add_regressor(correlation, regression, at_y, p + n_chosen - 1, p + chosen[n_chosen - 1])


@kernel
def _best_with_arrow(
    bic: BIC, graph: Adjacency, x: int, y: int, most: int, best: float
) -> tuple[float, Adjacency]:
    """Return the best gain above `best` of making x→y, and its C.

    x and y are not adjacent, or they are and the edge turns. C is a clique of neighbours of y
    that satisfies `is_valid`; y gets at most `most` parents.
    """
    mask = graph[y] & graph[:, y]
    mask[x] = False
    near, parents = nodes_of(mask), nodes_of(graph[:, y] & ~graph[y])
    correlation, regression = _regression(bic, parents, near, x, y)
    p = len(parents)
    at_x, at_y = p + len(near), p + len(near) + 1
    chosen, n_chosen = np.empty(len(near), np.int64), 0
    # If y→x is an arrow, x can come first among its neighbours.
    lost = _gain_of_parent(bic, graph, y, x, np.zeros_like(mask)) if graph[y, x] else 0.0
    while p < most:
        gain = gain_of(bic, y, explained(regression, at_y, p + n_chosen, at_x))
        if gain - lost > best or graph[x, y]:
            clique = mask_of(near, chosen[:n_chosen], len(graph))
            if graph[x, y]:
                lost = _gain_of_parent(bic, graph, y, x, clique & graph[x])
            if gain - lost > best and is_valid(graph, x, y, clique):
                best, mask = gain - lost, clique
        n_chosen = next_clique(graph, near, chosen, n_chosen, most - p - 1)
        if n_chosen == 0:
            break
        add_regressor(correlation, regression, at_y, p + n_chosen - 1, p + chosen[n_chosen - 1])
    return best, mask


@kernel
def mask_of(nodes: Indices, chosen: Indices, n_nodes: int) -> Adjacency:
    """Return the mask of the nodes at the positions `chosen`."""
    mask = np.zeros(n_nodes, np.bool_)
    for position in chosen:
        mask[nodes[position]] = True
    return mask


@kernel
def _regression(
    bic: BIC, parents: Indices, near: Indices, x: int, y: int
) -> tuple[Weights, GrowingRegression]:
    """Return the correlations of `parents`, `near`, x and y, and y's regression on `parents`."""
    nodes = np.concatenate((parents, near, np.array([x, y])))
    correlation = np.empty((len(nodes), len(nodes)))
    for i in range(len(nodes)):
        for j in range(len(nodes)):
            correlation[i, j] = bic.correlation[bic.group[y], nodes[i], nodes[j]]
    positions = np.arange(len(parents))
    return correlation, start_regression(correlation, len(nodes) - 1, positions, len(nodes) - 2)


@kernel
def _gain_of_parent(bic: BIC, graph: Adjacency, x: int, y: int, given: Adjacency) -> float:
    """Return what x→y gains beside the other arrows to y and those from `given`."""
    others = (graph[:, y] & ~graph[y]) | given
    others[x] = False
    parents = nodes_of(others)
    _, regression = _regression(bic, parents, parents[:0], x, y)
    return gain_of(bic, y, explained(regression, len(parents) + 1, len(parents), len(parents)))


@kernel
def is_valid(graph: Adjacency, x: int, y: int, clique: Adjacency) -> bool:
    """Whether x→y can be made, in another class, where just the clique points to y.

    Unless x—y, the clique must block the walks from y to x, and so hold the common neighbours,
    those of y that are adjacent to x, which is looked at first. Where y→x is an arrow, walks do
    not matter that enter x by one of its own neighbours, for these can come after x.

    If x—y, some node of the clique must not be adjacent to x, or the class would stay the
    same; and x and y must cut the clique off from all other common neighbours, so that these
    can come after x.
    """
    common = graph[y] & graph[:, y] & (graph[x] | graph[:, x]) & ~clique
    blocked = np.zeros(len(graph), np.bool_)
    blocked[y] = True
    if graph[x, y]:
        blocked[x] = True
        joined = _reached(graph & graph.T, clique, blocked) & common
        return bool(np.any(clique & ~graph[x]) and not np.any(joined))
    start = graph[y].copy()
    start[x] = False
    blocked |= clique
    if graph[y, x]:
        blocked |= graph[x] & graph[:, x]
    return bool(not np.any(common) and not _reached(graph, start, blocked)[x])
