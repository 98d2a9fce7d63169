"""The best valid Insert, Delete and Turn of an essential graph.

An essential graph is a CPDAG, or an interventional one. An operator is named by an edge x→y to
make or to break and by a clique C of undirected neighbours of y: it stands for the members of
the class in which C, and none of the other neighbours of y, point to y. So its gain is a
difference of local scores, and its validity a matter of cliques and walks.
"""

from __future__ import annotations

import numpy as np

from causalassay.common.arrays import Adjacency, Vector, Weights
from causalassay.common.kernels import kernel
from causalassay.discovery.search.gaussian_bic import (
    BIC,
    GrowingRegression,
    add_regressor,
    explained,
    gain_of,
    start_regression,
)
from causalassay.graphs.orders import Indices

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
def nodes_into(graph: Adjacency, y: int, lines: bool, without: int) -> Indices:
    """Return the z with z—y, or else those with z→y, in their order; not `without`.

    Loops, here and below: numba takes a tenth of a second for every expression of arrays.
    """
    nodes, n_nodes = np.empty(len(graph), np.int64), 0
    for z in range(len(graph)):
        if graph[z, y] and graph[y, z] == lines and z != without:
            nodes[n_nodes] = z
            n_nodes += 1
    return nodes[:n_nodes]


@kernel
def near_both(graph: Adjacency, x: int, y: int) -> Indices:
    """Return the z with z—y that are adjacent to x, in their order."""
    nodes, n_nodes = np.empty(len(graph), np.int64), 0
    for z in range(len(graph)):
        if graph[z, y] and graph[y, z] and (graph[x, z] or graph[z, x]):
            nodes[n_nodes] = z
            n_nodes += 1
    return nodes[:n_nodes]


@kernel
def _reached(graph: Adjacency, start: Adjacency, blocked: Adjacency, lines: bool) -> Adjacency:
    """Return where walks along → and — from `start` lead, without entering `blocked` nodes.

    With `lines`, the walks go along — only.
    """
    d = len(graph)
    reached = np.empty(d, np.bool_)
    stack, height = np.empty(d, np.int64), 0
    for node in range(d):
        reached[node] = start[node] and not blocked[node]
        if reached[node]:
            stack[height] = node
            height += 1
    while height > 0:
        height -= 1
        here = stack[height]
        for there in range(d):
            goes_on = graph[here, there] and (graph[there, here] or not lines)
            if goes_on and not reached[there] and not blocked[there]:
                reached[there] = True
                stack[height] = there
                height += 1
    return reached


@kernel
def best_operator(
    bic: BIC,
    graph: Adjacency,
    phase: int,
    kept: tuple[Weights, Adjacency, Adjacency],
    limits: tuple[int, float],
) -> Operator:
    """Return the best valid operator of a phase: Insert is 0, Delete 1, Turn 2.

    One kernel for all, because they share regressions, which are compiled once for each kernel
    that Python calls.

    Parameters
    ----------
    bic : BIC
    graph : Adjacency, shape (d, d)
    phase : int
    kept : tuple
        For Insert: the bounds that are kept from step to step, the nodes whose bounds must be
        renewed, and the pairs (y, x) where x→y would close a cycle.
    limits : tuple
        The most parents of a node, and the gain to exceed.
    """
    most, least = limits
    if phase == 1:
        return best_delete(bic, graph, least)
    if phase == 2:
        return best_turn(bic, graph, most, least)
    bounds, stale, cyclic = kept
    d = len(graph)
    possible = np.empty((d, d))
    for y in range(d):
        if stale[y]:
            insert_bounds(bic, graph, y, most, bounds[y])
        for x in range(d):
            possible[y, x] = -np.inf if cyclic[y, x] else bounds[y, x]
    return best_insert(bic, graph, possible, most, least)


@kernel
def insert_bounds(bic: BIC, graph: Adjacency, y: int, most: int, bounds: Vector) -> None:
    """Fill in for each x the largest gain of an Insert of x→y whose C is a clique.

    The test for directed cycles is left out, so these are upper bounds, and they depend on the
    edges at y and at the neighbours of y only. C must hold all neighbours of y that are
    adjacent to x, and y gets at most `most` parents.
    """
    d = len(graph)
    near, parents = nodes_into(graph, y, True, y), nodes_into(graph, y, False, y)
    share = np.empty(d)
    lacking = np.empty((len(near) + 1, d), np.int64)
    for x in range(d):
        share[x] = -1.0
        possible = x != y and not graph[x, y] and not graph[y, x] and len(parents) < most
        lacking[0, x] = 0 if possible else d
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
def largest_at(values: Vector) -> int:
    """Return the first position of the largest value, as `numpy.argmax`."""
    at = 0
    for k in range(len(values)):
        if np.isnan(values[k]):
            return k
        if values[k] > values[at]:
            at = k
    return at


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
        first[row] = largest_at(bounds[row])
        top[row] = bounds[row, first[row]]
    best, at_x, at_y, clique = least, -1, -1, no_nodes(d)
    while True:
        y = largest_at(top)
        x = first[y]
        if top[y] <= best:
            return best, at_x, at_y, clique
        gain, mask = _best_with_arrow(bic, graph, x, y, most, best)
        if gain > best:
            best, at_x, at_y, clique = gain, x, y, mask
        bounds[y, x] = -np.inf
        first[y] = largest_at(bounds[y])
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
    best, at_x, at_y, clique = least, -1, -1, no_nodes(d)
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
    best, at_x, at_y, clique = least, -1, -1, no_nodes(d)
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
    parents, near, mask = nodes_into(graph, y, False, x), near_both(graph, x, y), graph[y]
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
    near, parents, mask = nodes_into(graph, y, True, x), nodes_into(graph, y, False, y), graph[y]
    correlation, regression = _regression(bic, parents, near, x, y)
    p = len(parents)
    at_x, at_y = p + len(near), p + len(near) + 1
    chosen, n_chosen = np.empty(len(near), np.int64), 0
    # If y→x is an arrow, x can come first among its neighbours.
    lost = _gain_of_parent(bic, graph, y, x, near[:0]) if graph[y, x] else 0.0
    while p < most:
        gain = gain_of(bic, y, explained(regression, at_y, p + n_chosen, at_x))
        if gain - lost > best or graph[x, y]:
            if graph[x, y]:
                clique = family_of(near[:0], near, chosen, n_chosen)
                lost = _gain_of_parent(bic, graph, y, x, clique)
            if gain - lost > best:
                wanted = mask_of(near, chosen[:n_chosen], len(graph))
                if is_valid(graph, x, y, wanted):
                    best, mask = gain - lost, wanted
        n_chosen = next_clique(graph, near, chosen, n_chosen, most - p - 1)
        if n_chosen == 0:
            break
        add_regressor(correlation, regression, at_y, p + n_chosen - 1, p + chosen[n_chosen - 1])
    return best, mask


@kernel
def no_nodes(n_nodes: int) -> Adjacency:
    """Return the empty mask."""
    mask = np.empty(n_nodes, np.bool_)
    for node in range(n_nodes):
        mask[node] = False
    return mask


@kernel
def mask_of(nodes: Indices, chosen: Indices, n_nodes: int) -> Adjacency:
    """Return the mask of the nodes at the positions `chosen`."""
    mask = no_nodes(n_nodes)
    for position in chosen:
        mask[nodes[position]] = True
    return mask


@kernel
def family_of(parents: Indices, near: Indices, chosen: Indices, size: int) -> Indices:
    """Return `parents`, then the nodes of `near` at the first `size` positions `chosen`."""
    family = np.empty(len(parents) + size, np.int64)
    for k in range(len(parents)):
        family[k] = parents[k]
    for k in range(size):
        family[len(parents) + k] = near[chosen[k]]
    return family


@kernel
def parents_beside(graph: Adjacency, y: int, clique: Indices, without: int) -> Indices:
    """Return the z with z→y and those of the clique joined to y, in order; not `without`."""
    mask = np.empty(len(graph), np.bool_)
    for z in range(len(graph)):
        mask[z] = graph[z, y] and not graph[y, z]
    for z in clique:
        mask[z] |= graph[y, z]
    mask[without] = False
    return nodes_of(mask)


@kernel
def _regression(
    bic: BIC, parents: Indices, near: Indices, x: int, y: int
) -> tuple[Weights, GrowingRegression]:
    """Return the correlations of `parents`, `near`, x and y, and y's regression on `parents`."""
    p, size = len(parents), len(parents) + len(near) + 2
    nodes, correlation = np.empty(size, np.int64), np.empty((size, size))
    for i in range(size):
        nodes[i] = parents[i] if i < p else near[i - p] if i < size - 2 else x
    nodes[size - 1] = y
    for i in range(size):
        for j in range(size):
            correlation[i, j] = bic.correlation[bic.group[y], nodes[i], nodes[j]]
    for i in range(p):
        nodes[i] = i
    return correlation, start_regression(correlation, size - 1, nodes[:p], size - 2)


@kernel
def _gain_of_parent(bic: BIC, graph: Adjacency, x: int, y: int, clique: Indices) -> float:
    """Return what x→y gains beside the other arrows to y and those of the clique joined to y."""
    parents = parents_beside(graph, y, clique, x)
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
    d = len(graph)
    common = near_both(graph, x, y)
    blocked = no_nodes(d)
    blocked[y] = True
    if graph[x, y]:
        blocked[x] = True
        joined = _reached(graph, clique, blocked, True)
        for z in common:
            if joined[z] and not clique[z]:
                return False
        for z in range(d):  # noqa: SIM110, numba knows no generator expressions
            if clique[z] and not graph[x, z]:
                return True
        return False
    for z in common:
        if not clique[z]:
            return False
    start = no_nodes(d)
    for z in range(d):
        start[z] = graph[y, z] and z != x
        blocked[z] |= clique[z] or (graph[y, x] and graph[x, z] and graph[z, x])
    return not _reached(graph, start, blocked, False)[x]
