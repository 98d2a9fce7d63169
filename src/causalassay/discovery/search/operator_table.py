"""The gains of all operators on an essential graph, kept while the graph changes.

An operator is as in `gaussian.class_operators`. A change of the graph changes the operators of
few nodes, so that a search from a class beside one that was searched before costs little.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from causalassay.common.arrays import Adjacency, Vector, Weights
from causalassay.common.kernels import kernel
from causalassay.discovery.search.gaussian_operators import (
    Operator,
    family_of,
    is_valid,
    largest_at,
    mask_of,
    near_both,
    next_clique,
    no_nodes,
    nodes_into,
    parents_beside,
)
from causalassay.discovery.search.scores import (
    FamilyScore,
    gain_of_merit,
    gain_of_parent,
    losses_of_parents,
    merit_of_gain,
    merits,
)
from causalassay.graphs.orders import Indices, kahn


class OperatorTable(NamedTuple):
    """The largest gain of an operator on the pair, in row y and column x, -inf without one.

    ``insert`` and ``turn`` are upper bounds: the test for directed cycles is left out. For an
    arrow y→x, ``lost[y, x]`` is what it is worth, to be taken from ``turn``; elsewhere 0.
    ``delete`` has an undirected edge in one of its two places.
    """

    insert: Weights
    delete: Weights
    turn: Weights
    lost: Weights


def empty_table(n_nodes: int) -> OperatorTable:
    """Return a table to be filled in."""
    shape = (n_nodes, n_nodes)
    return OperatorTable(
        np.full(shape, -np.inf), np.full(shape, -np.inf), np.full(shape, -np.inf), np.zeros(shape)
    )


class _Row(NamedTuple):
    """What the operators of y have in common: how many of ``near`` each node is adjacent to."""

    y: int
    near: Indices
    parents: Indices
    needed: Indices
    merit: Vector


@kernel
def refresh(
    score: FamilyScore, graph: Adjacency, y: int, most: int, least: float, table: OperatorTable
) -> None:
    """Fill in the row of y, and the column of y in ``lost``.

    y gets at most `most` parents. Inserts that gain no more than `least` are left out.
    """
    d = len(graph)
    near, parents = nodes_into(graph, y, True, y), nodes_into(graph, y, False, y)
    row = _Row(y, near, parents, np.empty(d, np.int64), np.empty(d))
    _count_adjacent(graph, near, len(near), row.needed)
    for x in range(d):
        table.insert[y, x] = table.delete[y, x] = table.turn[y, x] = -np.inf
        table.lost[x, y] = 0.0
    _fill_without_deleted_arrows(score, graph, row, most, table)
    _to_gains(score, graph, y, least, table)
    losses = np.empty(len(parents))
    losses_of_parents(score, y, parents, losses)
    for k in range(len(parents)):
        x = parents[k]
        table.lost[x, y] = losses[k]
        table.delete[y, x] = -losses[k]
        if len(near) > 0:
            table.delete[y, x] = best_without_edge(score, graph, (x, y), -losses[k])[0]


@kernel
def _count_adjacent(graph: Adjacency, nodes: Indices, size: int, counts: Indices) -> None:
    """Fill in for each node how many of the first `size` of `nodes` are adjacent to it."""
    for x in range(len(graph)):
        counts[x] = 0
    for k in range(size):
        z = nodes[k]
        for x in range(len(graph)):
            counts[x] += graph[x, z] or graph[z, x]


@kernel
def _fill_without_deleted_arrows(
    score: FamilyScore, graph: Adjacency, row: _Row, most: int, table: OperatorTable
) -> None:
    """Fill in merits of Inserts and of Turns of arrows, and gains at undirected edges."""
    y, near = row.y, row.near
    chosen, n_chosen = np.empty(len(near), np.int64), 0
    inside = np.empty(len(graph), np.int64)
    while True:
        clique = family_of(near[:0], near, chosen, n_chosen)
        _count_adjacent(graph, clique, n_chosen, inside)
        merits(score, y, family_of(row.parents, near, chosen, n_chosen), row.merit)
        full = len(row.parents) + n_chosen >= most
        if not full:
            _note_arrows(graph, row, inside, table)
        _note_lines(score, graph, row, clique, full, table)
        n_chosen = next_clique(graph, near, chosen, n_chosen, len(near))
        if n_chosen == 0:
            return


@kernel
def _note_arrows(graph: Adjacency, row: _Row, inside: Indices, table: OperatorTable) -> None:
    """Note the merits of Inserts, whose clique has all it needs, and of Turns of arrows."""
    y, merit = row.y, row.merit
    insert, turn = table.insert[y], table.turn[y]
    for x in range(len(graph)):
        if not graph[y, x]:
            if inside[x] == row.needed[x]:
                insert[x] = max(insert[x], merit[x])
        elif not graph[x, y]:
            turn[x] = max(turn[x], merit[x])


@kernel
def _note_lines(
    score: FamilyScore,
    graph: Adjacency,
    row: _Row,
    clique: Indices,
    full: bool,
    table: OperatorTable,
) -> None:
    """Note the gains of deleting or turning the undirected edges of y outside the clique."""
    y = row.y
    for x in row.near:
        if row.merit[x] == -np.inf:
            continue
        joined = True
        for z in clique:
            joined &= graph[x, z]
        if joined:
            if x < y:
                gain = -gain_of_merit(score, y, row.merit[x])
                table.delete[y, x] = max(table.delete[y, x], gain)
        elif not full:
            gain = gain_of_merit(score, y, row.merit[x])
            gain -= _worth_beside(score, graph, y, x, clique)
            table.turn[y, x] = max(table.turn[y, x], gain)


@kernel
def _to_gains(
    score: FamilyScore, graph: Adjacency, y: int, least: float, table: OperatorTable
) -> None:
    """Turn the merits of Inserts, and of Turns of arrows, into gains."""
    insert, turn = table.insert[y], table.turn[y]
    floor = merit_of_gain(score, y, least)
    for x in range(len(graph)):
        insert[x] = gain_of_merit(score, y, insert[x]) if insert[x] > floor else -np.inf
        if graph[y, x] and not graph[x, y]:
            turn[x] = gain_of_merit(score, y, turn[x])


@kernel
def _worth_beside(score: FamilyScore, graph: Adjacency, y: int, x: int, clique: Indices) -> float:
    """Return what y→x is worth beside the arrows to x and those of the clique joined to x."""
    return gain_of_parent(score, x, parents_beside(graph, x, clique, y), y)


@kernel
def mark_stale(before: Adjacency, after: Adjacency, x: int, y: int, stale: Adjacency) -> None:
    """Mark the nodes whose rows no longer hold after a change of the edge x, y.

    An edge at the node changed, or x or y is a neighbour of the node.
    """
    for i in range(len(after)):
        for j in range(len(after)):
            if before[i, j] != after[i, j]:
                stale[i] = stale[j] = True
        stale[i] |= (after[x, i] and after[i, x]) or (after[y, i] and after[i, y])
        stale[i] |= (before[x, i] and before[i, x]) or (before[y, i] and before[i, y])


@kernel
def directed_walks(graph: Adjacency) -> tuple[Adjacency, Adjacency]:
    """Return where arrows lead from each node, and where two or more arrows lead."""
    d = len(graph)
    reach, detour = np.empty((d, d), np.bool_), np.empty((d, d), np.bool_)
    start, child, filled = np.empty(d + 1, np.int64), np.empty(d * (d - 1) // 2, np.int64), 0
    start[0] = 0
    for i in range(d):
        for j in range(d):
            detour[i, j] = False
            if graph[i, j] and not graph[j, i]:
                child[filled] = j
                filled += 1
        start[i + 1] = filled
    order = kahn(start, child[:filled])
    for k in range(d - 1, -1, -1):
        node = order[k]
        for c in child[start[node] : start[node + 1]]:
            for there in range(d):
                detour[node, there] |= reach[c, there]
        for there in range(d):
            reach[node, there] = detour[node, there]
        for c in child[start[node] : start[node + 1]]:
            reach[node, c] = True
    return reach, detour


@kernel
def can_be_made(graph: Adjacency, reach: Adjacency, x: int, y: int, clique: Adjacency) -> bool:
    """Whether x→y can be made, as `class_operators.is_valid` tells it, by `directed_walks`.

    In an essential graph the arrows to a node come to all nodes that undirected edges join to
    it. So a walk that begins with an arrow can be made of arrows; all others begin with
    undirected edges from y, and go on with arrows.
    """
    d = len(graph)
    if graph[x, y]:
        return is_valid(graph, x, y, clique)
    seen, stack, height = np.empty(d, np.bool_), np.empty(d, np.int64), 1
    for z in range(d):
        seen[z] = clique[z] or z == y
    stack[0] = y
    while height > 0:
        height -= 1
        here = stack[height]
        for there in range(d):
            if graph[here, there] and graph[there, here] and not seen[there]:
                if there == x or reach[there, x]:
                    return False
                seen[there] = True
                stack[height] = there
                height += 1
    return True


@kernel
def best_with_arrow(
    score: FamilyScore,
    graph: Adjacency,
    reach: Adjacency,
    arrow: tuple[int, int],
    most: int,
    best: float,
) -> tuple[float, Adjacency]:
    """Return the best gain above `best` of making x→y, and its clique, with all tests."""
    x, y = arrow
    near, parents, mask = nodes_into(graph, y, True, x), nodes_into(graph, y, False, y), graph[y]
    chosen, n_chosen = np.empty(len(near), np.int64), 0
    lost = _worth_beside(score, graph, y, x, near[:0]) if graph[y, x] else 0.0
    while len(parents) < most:
        gain = gain_of_parent(score, y, family_of(parents, near, chosen, n_chosen), x)
        if graph[x, y]:
            clique = family_of(near[:0], near, chosen, n_chosen)
            lost = _worth_beside(score, graph, y, x, clique)
        if gain - lost > best:
            wanted = mask_of(near, chosen[:n_chosen], len(graph))
            if can_be_made(graph, reach, x, y, wanted):
                best, mask = gain - lost, wanted
        n_chosen = next_clique(graph, near, chosen, n_chosen, most - len(parents) - 1)
        if n_chosen == 0:
            break
    return best, mask


@kernel
def best_without_edge(
    score: FamilyScore, graph: Adjacency, arrow: tuple[int, int], best: float
) -> tuple[float, Adjacency]:
    """Return the best gain above `best` of deleting x→y or x—y, and its clique."""
    x, y = arrow
    parents, near, mask = nodes_into(graph, y, False, x), near_both(graph, x, y), graph[y]
    chosen, n_chosen = np.empty(len(near), np.int64), 0
    while True:
        gain = -gain_of_parent(score, y, family_of(parents, near, chosen, n_chosen), x)
        if gain > best:
            best, mask = gain, mask_of(near, chosen[:n_chosen], len(graph))
        n_chosen = next_clique(graph, near, chosen, n_chosen, len(near))
        if n_chosen == 0:
            return best, mask


@kernel
def best_delete(
    score: FamilyScore, graph: Adjacency, table: OperatorTable, least: float
) -> Operator:
    """Return the best Delete above `least`."""
    x, y = 0, 0
    for row in range(len(graph)):
        column = largest_at(table.delete[row])
        if table.delete[row, column] > table.delete[y, x]:
            x, y = column, row
    if table.delete[y, x] <= least:
        return least, -1, -1, no_nodes(len(graph))
    gain, clique = best_without_edge(score, graph, (x, y), -np.inf)
    return gain, x, y, clique


@kernel
def best_turn(
    score: FamilyScore,
    graph: Adjacency,
    walks: tuple[Adjacency, Adjacency],
    table: OperatorTable,
    limits: tuple[int, float],
    barred: Adjacency,
) -> Operator:
    """Return the best valid Turn that makes no barred arrow.

    x→y is barred by row y and column x. `limits` are the most parents and the gain to exceed.
    """
    reach, detour = walks
    candidates = _candidates(table, True, (detour, barred), limits[1])
    return _best_of(score, graph, reach, candidates, limits)


@kernel
def best_insert(
    score: FamilyScore,
    graph: Adjacency,
    walks: tuple[Adjacency, Adjacency],
    table: OperatorTable,
    limits: tuple[int, float],
    barred: Adjacency,
) -> Operator:
    """Return the best valid Insert that makes no barred arrow."""
    candidates = _candidates(table, False, (walks[0], barred), limits[1])
    return _best_of(score, graph, walks[0], candidates, limits)


@kernel
def _candidates(
    table: OperatorTable, turning: bool, out: tuple[Adjacency, Adjacency], least: float
) -> tuple[Vector, Indices]:
    """Return the bounds of Turns or Inserts above `least`, and their y and x.

    Those in one of the masks `out` are left out.
    """
    d = len(table.turn)
    values, pairs, n = np.empty(d * d), np.empty((d * d, 2), np.int64), 0
    for y in range(d):
        for x in range(d):
            bound = table.turn[y, x] - table.lost[y, x] if turning else table.insert[y, x]
            if not (bound <= least or out[0][y, x] or out[1][y, x]):
                values[n] = bound
                pairs[n, 0], pairs[n, 1] = y, x
                n += 1
    return values[:n], pairs[:n]


@kernel
def _best_of(
    score: FamilyScore,
    graph: Adjacency,
    reach: Adjacency,
    candidates: tuple[Vector, Indices],
    limits: tuple[int, float],
) -> Operator:
    """Return the best valid operator, the best bounds first."""
    bounds, pairs = candidates
    most, best = limits
    at_x, at_y, clique = -1, -1, no_nodes(len(graph))
    while len(bounds) > 0:
        k = largest_at(bounds)
        if bounds[k] <= best:
            break
        bounds[k] = -np.inf
        y, x = pairs[k, 0], pairs[k, 1]
        gain, mask = best_with_arrow(score, graph, reach, (x, y), most, best)
        if gain > best:
            best, at_x, at_y, clique = gain, x, y, mask
    return best, at_x, at_y, clique
