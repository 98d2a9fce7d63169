"""What searches over orders share: trees that grow, a state of an order, the way to a CPDAG."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from causalassay.common.arrays import Adjacency
from causalassay.discovery.search.discrete_scores import check_score
from causalassay.discovery.search.equivalence_classes import (
    LEAST_GAIN,
    SearchSettings,
    refuse_dependent,
)
from causalassay.discovery.search.family_scores import FamilyScore
from causalassay.discovery.search.grow_shrink_trees import (
    CULPRIT,
    DEPENDENT,
    NEW_PARENT,
    NO_SPACE,
    OWNER,
    Trees,
    dag_at,
    find_along,
    kept_parents,
    path_to,
    plant,
    with_more_space,
)
from causalassay.graphs.orders import Indices


def check_order_settings(
    starts: int,
    penalty_discount: float,
    max_parents: int | None,
    score: str,
    equivalent_sample_size: float,
) -> None:
    """Raise unless the settings that searches over orders share make sense."""
    SearchSettings(penalty_discount, ("backward",), False, max_parents)
    check_score(score, equivalent_sample_size)
    if not isinstance(starts, int) or isinstance(starts, bool) or starts < 1:
        raise ValueError(f"starts: expected a whole number from 1 on, got {starts!r}")


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
