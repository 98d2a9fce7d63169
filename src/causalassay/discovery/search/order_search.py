"""Searches over orders: the trees and states that they share, those of BOSS and of GRaSP."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from causalassay.common.arrays import Adjacency, Vector
from causalassay.common.kernels import kernel
from causalassay.discovery.search.class_changes import DELETE, changed_class, deletes
from causalassay.discovery.search.equivalence_classes import (
    LEAST_GAIN,
    MOST_IN_CLIQUE,
    refuse_cliques,
    refuse_dependent,
)
from causalassay.discovery.search.grow_shrink_trees import (
    CULPRIT,
    DEPENDENT,
    NEW_PARENT,
    NO_SPACE,
    OWNER,
    Trees,
    dag_at,
    find_along,
    find_parents,
    kept_parents,
    path_to,
    plant,
    with_more_space,
)
from causalassay.discovery.search.scores import FamilyScore
from causalassay.graphs.cpdag import to_cpdag
from causalassay.graphs.orders import Indices, topological_order
from causalassay.graphs.validity import extend


@dataclass(frozen=True, eq=False)
class Ordered:
    """An order of the nodes, first to last, and the place of each in its tree."""

    order: Indices
    places: Indices


@dataclass
class Orchard:
    """The trees of a search, which get more space when they need it.

    Parameters
    ----------
    score : FamilyScore
    most_parents : int
    columns : sequence of str
        Their names, for messages.
    """

    score: FamilyScore
    most_parents: int
    columns: Sequence[str]
    trees: Trees = field(init=False)
    _parents: dict[int, frozenset[int]] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self.trees = plant(len(self.columns), self.most_parents, LEAST_GAIN)

    def repeat(self, look_up: Callable[[Trees], int]) -> int:
        """Return what a function returns that looks up places, called again with more space.

        Raises
        ------
        NotApplicable
            If columns are linearly dependent.
        """
        while (result := look_up(self.trees)) == NO_SPACE:
            self.trees = with_more_space(self.trees)
        if result == DEPENDENT:
            self._refuse()
        return result

    def along(self, order: Indices) -> Ordered:
        """Return the order with the places of all nodes."""
        return self.between(order, 0, len(order) - 1, np.zeros(len(order), dtype=np.int64))

    def between(self, order: Indices, first: int, last: int, places: Indices) -> Ordered:
        """Look up the positions from `first` to `last` of an order into `places`."""
        self.repeat(lambda trees: find_along(self.score, trees, order, first, last, places))
        return Ordered(order, places)

    def total(self, state: Ordered) -> float:
        """Return the gain of the DAG over the empty graph."""
        return float(self.trees.gain[state.places, 1].sum())

    def parents(self, place: int) -> frozenset[int]:
        """Return the parents at a place, shrunk."""
        if place not in self._parents:
            self._parents[place] = frozenset(kept_parents(self.trees, place).tolist())
        return self._parents[place]

    def dag(self, state: Ordered) -> Adjacency:
        """Return the DAG of an order."""
        return dag_at(self.trees, state.places)

    def _refuse(self) -> None:
        culprit, new = self.trees.used[[CULPRIT, NEW_PARENT]].tolist()
        given = np.zeros(len(self.columns), dtype=bool)
        given[path_to(self.trees, culprit)] = True
        given[new] = True
        node = int(self.trees.place[culprit, OWNER])
        refuse_dependent(node, given, round(2 * self.score.bic.half_rows[node]), self.columns)


# BOSS: move one variable after the other to its best position in the order.


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


# GRaSP: tuck a variable, with its ancestors, before one of its parents.


@dataclass(frozen=True)
class Depths:
    """How many tucks in succession may keep the score the same, and of which kind.

    A tuck x→y is covered if x and its parents are the parents of y, and singular if no other
    directed path leads from x to y.
    """

    all_tucks: int
    uncovered: int
    non_singular: int


@dataclass
class TuckSearch:
    """Depth-first search for tucks that raise the score.

    Parameters
    ----------
    orchard : Orchard
    depths : Depths
    rng : Generator
        Sorts the tucks.
    """

    orchard: Orchard
    depths: Depths
    rng: Generator
    n_tucks: int = 0
    _seen: dict[tuple[frozenset[int], ...], int] = field(default_factory=dict)

    def run(self, state: Ordered) -> Ordered:
        """Return an order from which no allowed succession of tucks gains."""
        while True:
            self._seen.clear()
            better = self._deepen(state, 1)
            if better is None:
                return state
            state = better

    def _deepen(self, state: Ordered, depth: int) -> Ordered | None:
        """Return an order of more score, found by tucks that keep it; None if there is none."""
        total = self.orchard.total(state)
        for x, y in self._edges(state, depth):
            tucked = self._tuck(state, x, y)
            gain = self.orchard.total(tucked) - total
            if gain > LEAST_GAIN:
                return tucked
            if gain > -LEAST_GAIN and depth < self.depths.all_tucks and self._is_new(tucked, depth):
                better = self._deepen(tucked, depth + 1)
                if better is not None:
                    return better
        return None

    def _edges(self, state: Ordered, depth: int) -> Iterator[tuple[int, int]]:
        """Yield the edges x→y that may be tucked at this depth, in a random sequence."""
        parents = [self.orchard.parents(place) for place in state.places.tolist()]
        for y in self.rng.permutation(len(parents)).tolist():
            candidates = sorted(parents[y])
            self.rng.shuffle(candidates)
            for x in candidates:
                if parents[y] - {x} == parents[x] or (
                    depth <= self.depths.uncovered
                    and (depth <= self.depths.non_singular or _is_singular(parents, x, y))
                ):
                    yield x, y

    def _tuck(self, state: Ordered, x: int, y: int) -> Ordered:
        """Return the order with y, and its ancestors after x, moved before x."""
        self.n_tucks += 1
        order = state.order
        position = np.empty(len(order), dtype=np.int64)
        position[order] = np.arange(len(order))
        first, last = int(position[x]), int(position[y])
        above = self._ancestors(state, y)
        between = order[first : last + 1]
        moves = np.array([node in above for node in between.tolist()])
        moves[0] = False
        tucked = order.copy()
        tucked[first : last + 1] = np.concatenate([between[moves], between[~moves]])
        return self.orchard.between(tucked, first, last, state.places.copy())

    def _ancestors(self, state: Ordered, y: int) -> set[int]:
        """Return y and its ancestors."""
        return _above([self.orchard.parents(place) for place in state.places.tolist()], y)

    def _is_new(self, state: Ordered, depth: int) -> bool:
        """Whether this DAG was not searched from before with as many tucks to go."""
        dag = tuple(self.orchard.parents(place) for place in state.places.tolist())
        if self._seen.get(dag, depth + 1) <= depth:
            return False
        self._seen[dag] = depth
        return True


def _above(parents: list[frozenset[int]], y: int) -> set[int]:
    found, waiting = {y}, [y]
    while waiting:
        more = parents[waiting.pop()] - found
        found |= more
        waiting.extend(more)
    return found


def _is_singular(parents: list[frozenset[int]], x: int, y: int) -> bool:
    """Whether x→y is the only directed path from x to y.

    Examples
    --------
    >>> _is_singular([frozenset(), frozenset({0}), frozenset({0, 1})], 0, 2)
    False
    """
    return not any(x in _above(parents, z) for z in parents[y] - {x})
