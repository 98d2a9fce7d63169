"""BOSS: move one variable after the other to its best position in the order."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from causalassay.common.arrays import Adjacency, Vector
from causalassay.common.kernels import kernel
from causalassay.discovery.search.class_changes import DELETE, changed_class
from causalassay.discovery.search.deletions import deletes
from causalassay.discovery.search.equivalence_classes import (
    LEAST_GAIN,
    MOST_IN_CLIQUE,
    refuse_cliques,
)
from causalassay.discovery.search.family_scores import FamilyScore
from causalassay.discovery.search.grow_shrink_trees import Trees, find_parents
from causalassay.discovery.search.order_search import Orchard, Ordered
from causalassay.graphs.cpdag import to_cpdag
from causalassay.graphs.orders import Indices, topological_order
from causalassay.graphs.validity import extend


@kernel
def _gains_at_positions(
    score: FamilyScore, trees: Trees, order: Indices, at: int, places: Indices, gains: Vector
) -> int:
    """Fill in the total gain with the node at position `at` moved to each position.

    ``places`` are those of the order as it is. Nodes before `at` keep their parents where the
    node stays behind them, those after it where it stays before them. Returns 0, or the trouble.
    """
    d, node = len(order), order[at]
    before, without, with_node = np.empty(d, np.bool_), 0.0, np.empty(d)
    for k in range(d):
        before[k], gains[k] = False, 0.0
    for k in range(d):
        place = find_parents(score, trees, node, before)
        if place < 0:
            return place
        gains[k] += trees.gain[place, 1] + without
        if k == d - 1:
            break
        # The node that stands at k when the moved one is left out.
        other = order[k if k < at else k + 1]
        apart = joined = places[other]
        if k >= at:
            apart = find_parents(score, trees, other, before)
        else:
            before[node] = True
            joined = find_parents(score, trees, other, before)
            before[node] = False
        if apart < 0 or joined < 0:
            return min(apart, joined)
        without += trees.gain[apart, 1]
        with_node[k] = trees.gain[joined, 1]
        before[other] = True
    behind = 0.0
    for k in range(d - 2, -1, -1):
        behind += with_node[k]
        gains[k] += behind
    return 0


def _moved(order: Indices, at: int, to: int) -> Indices:
    """Return the order with the node at one position at another.

    Examples
    --------
    >>> _moved(np.array([5, 6, 7, 8]), 0, 2).tolist()
    [6, 7, 5, 8]
    """
    return np.insert(np.delete(order, at), to, order[at])


def _improve_once(orchard: Orchard, state: Ordered, rng: Generator) -> Ordered:
    """Move each node once, in a random sequence, to where the score is best."""
    for node in rng.permutation(len(state.order)).tolist():
        at = int(np.flatnonzero(state.order == node)[0])
        gains = _gains(orchard, state, at)
        # The first of those that tie: rounding, and so the units, must not decide.
        to = int(np.flatnonzero(gains >= gains.max() - LEAST_GAIN)[0])
        if gains[to] > gains[at] + LEAST_GAIN:
            moved = _moved(state.order, at, to)
            state = orchard.between(moved, min(at, to), max(at, to), state.places.copy())
    return state


def _gains(orchard: Orchard, state: Ordered, at: int) -> Vector:
    gains = np.empty(len(state.order))
    order, places = state.order, state.places
    orchard.repeat(
        lambda trees: _gains_at_positions(orchard.score, trees, order, at, places, gains)
    )
    return gains


def best_order(orchard: Orchard, order: Indices, rng: Generator) -> Ordered:
    """Return an order of which no single node can be moved to a better position."""
    state = orchard.along(order)
    total = -np.inf
    while orchard.total(state) > total + LEAST_GAIN:
        total = orchard.total(state)
        state = _improve_once(orchard, state, rng)
    return state


def without_useless_edges(orchard: Orchard, cpdag: Adjacency) -> tuple[Adjacency, float]:
    """Return the class after the best Deletes, the backward phase of GES, and what they gain."""
    nothing, gained, graph, largest = np.zeros_like(cpdag), 0.0, cpdag, len(cpdag)
    while True:
        if largest > MOST_IN_CLIQUE:
            refuse_cliques(graph, extend(graph), orchard.columns)
        gains, pairs, cliques = deletes(orchard.score, graph)
        if gains.max(initial=-np.inf) <= LEAST_GAIN:
            return graph, gained
        best = int(np.argmax(gains))
        x, y = pairs[best].tolist()
        graph, largest = changed_class(graph, DELETE, x, y, cliques[best], nothing)
        gained += float(gains[best])


def search_orders(orchard: Orchard, rng: Generator) -> tuple[Adjacency, float, int]:
    """Return the class that BOSS ends in from a random order, its gain and the rounds it took.

    A round is the search for an order and the backward phase. Another begins with an order of
    the class as long as that gains.
    """
    order = rng.permutation(len(orchard.columns))
    best, best_gain, n_rounds = np.zeros(2 * (len(order),), dtype=bool), -np.inf, 0
    while True:
        state = best_order(orchard, order, rng)
        graph, gained = without_useless_edges(orchard, to_cpdag(orchard.dag(state)))
        gained += orchard.total(state)
        n_rounds += 1
        if gained <= best_gain + LEAST_GAIN:
            return best, best_gain, n_rounds
        best, best_gain = graph, gained
        order = topological_order(extend(graph))
