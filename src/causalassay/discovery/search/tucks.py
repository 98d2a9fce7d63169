"""GRaSP: tuck a variable, with its ancestors, before one of its parents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from causalassay.discovery.search.equivalence_classes import LEAST_GAIN
from causalassay.discovery.search.order_search import Orchard, Ordered


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
