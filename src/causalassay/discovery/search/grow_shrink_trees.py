"""Grow-shrink trees: the best parents of a node among those before it, looked up in a tree.

Each node of the data has a tree. At the root there are no parents; a branch adds the parent that
gains most beside those before it on the path. So the branches of a place, sorted by gain, tell
for any set of predecessors which is added next, and no score is computed twice.

References
----------
Andrews et al. (2023), Fast scalable and accurate discovery of DAGs using the best order score
search and grow-shrink trees, NeurIPS, section 3.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from causalassay.common.arrays import Adjacency, Vector, Weights
from causalassay.common.kernels import kernel, sorting_order
from causalassay.discovery.search.scores import (
    FamilyScore,
    gain_of_merit,
    losses_of_parents,
    merit_of_gain,
    merits,
    without_one,
)
from causalassay.graphs.orders import Indices

NO_SPACE, DEPENDENT = -1, -2
"""Instead of a place: the arrays are full, or a regression leaves nothing of a column."""

ABOVE, BRANCH, FIRST, COUNT, KEPT_FIRST, KEPT_COUNT, OWNER, DEPTH = range(8)
"""Columns of ``Trees.place``."""

N_PLACES, N_BRANCHES, N_KEPT, CULPRIT, NEW_PARENT = range(5)
"""Indices into ``Trees.used``; the last two name what is linearly dependent."""

Integers = NDArray[np.int64]


class Trees(NamedTuple):
    """The trees of all nodes, in arrays that are filled from the front.

    ``place`` has a row for each place: the place above and the branch that led here; its first
    branch and their number, -1 before they are computed; the first of the parents that
    shrinking keeps and their number, likewise; the node whose tree it is; and its depth.
    ``gain`` has the gain of the parents over none, grown and shrunk. ``branch`` has for each
    branch the parent that it adds and the place that it leads to, -1 if none is there yet, and
    ``branch_gain`` what it gains. Place number y is the root of node y.
    """

    place: Integers
    gain: Weights
    branch: Integers
    branch_gain: Vector
    kept: Integers
    used: Integers
    most_parents: int
    least_gain: float


def plant(n_nodes: int, most_parents: int, least_gain: float) -> Trees:
    """Return trees that have nothing but roots."""
    n_places = 16 * n_nodes + 64
    trees = Trees(
        np.full((n_places, 8), -1, dtype=np.int64),
        np.zeros((n_places, 2)),
        np.full((4 * n_places + n_nodes, 2), -1, dtype=np.int64),
        np.zeros(4 * n_places + n_nodes),
        np.zeros(4 * n_places + n_nodes, dtype=np.int64),
        np.array([n_nodes, 0, 0, -1, -1]),
        most_parents,
        least_gain,
    )
    trees.place[:n_nodes, OWNER] = np.arange(n_nodes)
    trees.place[:n_nodes, DEPTH] = 0
    return trees


def with_more_space(trees: Trees) -> Trees:
    """Return the same trees in arrays of twice the length."""
    return trees._replace(
        place=np.concatenate([trees.place, np.full_like(trees.place, -1)]),
        gain=np.concatenate([trees.gain, np.zeros_like(trees.gain)]),
        branch=np.concatenate([trees.branch, np.full_like(trees.branch, -1)]),
        branch_gain=np.concatenate([trees.branch_gain, np.zeros_like(trees.branch_gain)]),
        kept=np.concatenate([trees.kept, np.zeros_like(trees.kept)]),
    )


@kernel
def find_parents(score: FamilyScore, trees: Trees, node: int, before: Adjacency) -> int:
    """Return the place of the parents of `node` among those in the mask, or why there is none.

    The gain of the place's shrunk parents is ``gain[place, 1]``.
    """
    here = node
    while True:
        if trees.place[here, COUNT] < 0:
            trouble = _compute_branches(score, trees, here)
            if trouble < 0:
                return trouble
        first = trees.place[here, FIRST]
        taken = -1
        for b in range(first, first + trees.place[here, COUNT]):
            if before[trees.branch[b, 0]]:
                taken = b
                break
        if taken < 0:
            break
        if trees.branch[taken, 1] < 0:
            if trees.used[N_PLACES] == len(trees.place):
                return NO_SPACE
            _make_place(trees, here, taken)
        here = trees.branch[taken, 1]
    if trees.place[here, KEPT_COUNT] < 0 and _shrink(score, trees, here) < 0:
        return NO_SPACE
    return here


@kernel
def path_to(trees: Trees, here: int) -> Indices:
    """Return the parents that were added on the way, the first first."""
    size = trees.place[here, DEPTH]
    parents = np.empty(size, np.int64)
    for k in range(size - 1, -1, -1):
        parents[k] = trees.branch[trees.place[here, BRANCH], 0]
        here = trees.place[here, ABOVE]
    return parents


@kernel
def kept_parents(trees: Trees, here: int) -> Indices:
    """Return the parents that shrinking keeps."""
    first = trees.place[here, KEPT_FIRST]
    return trees.kept[first : first + trees.place[here, KEPT_COUNT]]


@kernel
def _compute_branches(score: FamilyScore, trees: Trees, here: int) -> int:
    """Sort the parents that gain here; return 0, or what is the trouble.

    A branch that comes before the one taken adds no predecessor, and so need not be looked at
    below.
    """
    d = len(score.bic.half_rows)
    if trees.place[here, DEPTH] >= trees.most_parents:
        trees.place[here, FIRST], trees.place[here, COUNT] = 0, 0
        return 0
    if trees.used[N_BRANCHES] + d > len(trees.branch):
        return NO_SPACE
    node, merit = trees.place[here, OWNER], np.empty(d)
    merits(score, node, path_to(trees, here), merit)
    below = here
    while trees.place[below, ABOVE] >= 0:
        above = trees.place[below, ABOVE]
        for b in range(trees.place[above, FIRST], trees.place[below, BRANCH]):
            merit[trees.branch[b, 0]] = -np.inf
        below = above
    return _append_branches(score, trees, here, merit)


@kernel
def _append_branches(score: FamilyScore, trees: Trees, here: int, merit: Vector) -> int:
    node = trees.place[here, OWNER]
    floor, n_useful = merit_of_gain(score, node, trees.least_gain), 0
    useful, worse_first = np.empty(len(merit), np.int64), np.empty(len(merit))
    for x in range(len(merit)):
        if merit[x] > floor:
            useful[n_useful], worse_first[n_useful] = x, -merit[x]
            n_useful += 1
    order = sorting_order(worse_first[:n_useful])
    first = trees.used[N_BRANCHES]
    for k in range(n_useful):
        x = useful[order[k]]
        gain = gain_of_merit(score, node, merit[x])
        if gain == np.inf:
            trees.used[CULPRIT], trees.used[NEW_PARENT] = here, x
            return DEPENDENT
        trees.branch[first + k, 0] = x
        trees.branch_gain[first + k] = gain
    trees.used[N_BRANCHES] += n_useful
    trees.place[here, FIRST], trees.place[here, COUNT] = first, n_useful
    return 0


@kernel
def _make_place(trees: Trees, here: int, taken: int) -> None:
    """Make the place that a branch leads to."""
    there = trees.used[N_PLACES]
    trees.used[N_PLACES] += 1
    trees.branch[taken, 1] = there
    trees.place[there, ABOVE], trees.place[there, BRANCH] = here, taken
    trees.place[there, OWNER] = trees.place[here, OWNER]
    trees.place[there, DEPTH] = trees.place[here, DEPTH] + 1
    trees.gain[there, 0] = trees.gain[here, 0] + trees.branch_gain[taken]


@kernel
def _shrink(score: FamilyScore, trees: Trees, here: int) -> int:
    """Take back the worst parent again and again while that gains."""
    node, parents = trees.place[here, OWNER], path_to(trees, here)
    if trees.used[N_KEPT] + len(parents) > len(trees.kept):
        return NO_SPACE
    gain = trees.gain[here, 0]
    while len(parents) > 0:
        losses = np.empty(len(parents))
        losses_of_parents(score, node, parents, losses)
        worst = 0
        for k in range(1, len(parents)):
            if losses[k] < losses[worst]:
                worst = k
        if -losses[worst] <= trees.least_gain:
            break
        gain -= losses[worst]
        parents = without_one(parents, worst)
    first = trees.used[N_KEPT]
    for k in range(len(parents)):
        trees.kept[first + k] = parents[k]
    trees.used[N_KEPT] += len(parents)
    trees.place[here, KEPT_FIRST], trees.place[here, KEPT_COUNT] = first, len(parents)
    trees.gain[here, 1] = gain
    return 0


@kernel
def find_along(
    score: FamilyScore, trees: Trees, order: Indices, first: int, last: int, places: Indices
) -> int:
    """Look up the nodes from position `first` to `last` of an order; return 0 or the trouble.

    ``places[node]`` gets the place of each.
    """
    before = np.empty(len(order), np.bool_)
    for position in range(len(order)):
        before[order[position]] = position < first
    for position in range(first, last + 1):
        node = order[position]
        place = find_parents(score, trees, node, before)
        if place < 0:
            return place
        places[node] = place
        before[node] = True
    return 0


def dag_at(trees: Trees, places: Indices) -> Adjacency:
    """Return the DAG in which each node has the parents of its place."""
    dag = np.zeros((len(places), len(places)), dtype=bool)
    for node, place in enumerate(places.tolist()):
        dag[kept_parents(trees, place), node] = True
    return dag
