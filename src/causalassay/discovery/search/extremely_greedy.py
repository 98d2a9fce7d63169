"""XGES: greedy search over classes that deletes before it turns, and turns before it inserts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from causalassay.common.arrays import Adjacency
from causalassay.common.kernels import kernel
from causalassay.discovery.search.class_changes import (
    DELETE,
    INSERT,
    TURN,
    changed_class,
    delete_gain,
    deletes,
)
from causalassay.discovery.search.equivalence_classes import (
    LEAST_GAIN,
    MOST_IN_CLIQUE,
    refuse_cliques,
    refuse_dependent,
)
from causalassay.discovery.search.gaussian_operators import Operator
from causalassay.discovery.search.operator_table import (
    OperatorTable,
    best_delete,
    best_insert,
    best_turn,
    directed_walks,
    empty_table,
    mark_stale,
    refresh,
)
from causalassay.discovery.search.scores import FamilyScore
from causalassay.graphs.cpdag import directed_part
from causalassay.graphs.orders import Indices
from causalassay.graphs.validity import extend

ENDED, DEPENDENT, LARGE_CLIQUE, CIRCLE = 0, 1, 2, 3
"""Why a climb ended: nothing gains more, or what `ExtremelyGreedySearch` refuses."""


class Limits(NamedTuple):
    """What is the same in all climbs of a search."""

    separated: Adjacency
    most_parents: int
    least_gain: float
    most_in_clique: int


class Place(NamedTuple):
    """A class with its operators, changed in place; rows of ``stale`` nodes do not hold.

    ``barred`` has, in row y and column x, the arrows x→y that may not be made, ``steps`` how
    many operators were applied, by kind.
    """

    graph: Adjacency
    table: OperatorTable
    stale: Adjacency
    barred: Adjacency
    steps: Indices


@kernel
def _best_operator(score: FamilyScore, limits: Limits, place: Place) -> tuple[int, Operator]:
    """Return the best Delete that gains, without one the best Turn, without one the best Insert."""
    graph, table = place.graph, place.table
    operator = best_delete(score, graph, table, limits.least_gain)
    if operator[1] >= 0:
        return DELETE, operator
    walks, bounds = directed_walks(graph), (limits.most_parents, limits.least_gain)
    operator = best_turn(score, graph, walks, table, bounds, place.barred)
    if operator[1] >= 0:
        return TURN, operator
    return INSERT, best_insert(score, graph, walks, table, bounds, place.barred)


@kernel
def apply(limits: Limits, place: Place, kind: int, operator: Operator) -> bool:
    """Apply an operator; return whether no undirected clique has become too large."""
    _, x, y, clique = operator
    after, largest = changed_class(place.graph, kind, x, y, clique, limits.separated)
    mark_stale(place.graph, after, x, y, place.stale)
    for i in range(len(after)):
        for j in range(len(after)):
            place.graph[i, j] = after[i, j]
    place.steps[kind] += 1
    return largest <= limits.most_in_clique


@kernel
def climb(score: FamilyScore, limits: Limits, place: Place) -> tuple[float, int, Operator]:
    """Apply the best operators until none gains; return their gains, why it ended, and the last."""
    d = len(place.graph)
    total, most_steps = 0.0, 100 * d * d + 1000
    for _ in range(most_steps):
        for y in range(d):
            if place.stale[y]:
                refresh(score, place.graph, y, limits.most_parents, limits.least_gain, place.table)
            place.stale[y] = False
        kind, operator = _best_operator(score, limits, place)
        if operator[1] < 0:
            return total, ENDED, operator
        if operator[0] == np.inf:
            return total, DEPENDENT, operator
        total += operator[0]
        if not apply(limits, place, kind, operator):
            return total, LARGE_CLIQUE, operator
    return total, CIRCLE, operator


@kernel
def climb_after(
    score: FamilyScore, limits: Limits, place: Place, delete: Operator
) -> tuple[float, float, int, Operator]:
    """Apply a Delete, if its x is not -1, and bar its arrow; then `climb`.

    One kernel for both, because what they have in common is compiled once for each kernel that
    Python calls. The first result is what the Delete gains, nan if it is none of this graph:
    then nothing is done.
    """
    gain, (_, x, y, clique) = 0.0, delete
    if x >= 0:
        gain = delete_gain(score, place.graph, x, y, clique)
        if np.isnan(gain):
            return gain, 0.0, ENDED, delete
        place.barred[y, x] = True
        apply(limits, place, DELETE, delete)
    total, ended, operator = climb(score, limits, place)
    return gain, total, ended, operator


def copied(place: Place) -> Place:
    """Return a copy that can be changed alone."""
    graph, (insert, delete, turn, lost), stale, barred, steps = place
    table = OperatorTable(insert.copy(), delete.copy(), turn.copy(), lost.copy())
    return Place(graph.copy(), table, stale.copy(), barred.copy(), steps.copy())


def place_at(graph: Adjacency) -> Place:
    """Return a place at a class whose operators are not yet known."""
    d = len(graph)
    stale, steps = np.ones(d, dtype=bool), np.zeros(3, dtype=np.int64)
    return Place(graph.copy(), empty_table(d), stale, np.zeros_like(graph), steps)


@dataclass
class ExtremelyGreedySearch:
    """XGES-0 from the empty graph, then, if extended, forced deletions with XGES-0 after each.

    The arrow of a deletion that helped stays barred until no deletion helps. Then all arrows may
    come back, and the deletions are tried again, as long as that gains.

    Parameters
    ----------
    score : FamilyScore
    separated : Adjacency, shape (d, d)
        The pairs that some intervention tells apart; none without interventions.
    most_parents : int
    columns : sequence of str
        Their names, for messages.
    """

    score: FamilyScore
    separated: Adjacency
    most_parents: int
    columns: Sequence[str]
    gained: float = 0.0
    converged: bool = True
    tried: int = 0
    accepted: int = 0
    place: Place = field(init=False)

    def __post_init__(self) -> None:
        self.place = place_at(np.zeros_like(self.separated))
        self._nothing: Operator = (0.0, -1, -1, np.zeros(len(self.separated), dtype=bool))
        self._limits = Limits(self.separated, self.most_parents, LEAST_GAIN, MOST_IN_CLIQUE)

    @property
    def graph(self) -> Adjacency:
        """The class that the search has come to."""
        return self.place.graph

    @property
    def steps(self) -> dict[str, int]:
        """How many operators led there, by kind."""
        names = {"insert": INSERT, "delete": DELETE, "turn": TURN}
        return {name: int(self.place.steps[kind]) for name, kind in names.items()}

    def run(self, extended: bool) -> None:
        """Search until nothing gains."""
        _, self.gained = self._climb(self.place, self._nothing)
        gained = -np.inf
        while extended and self.gained > gained + LEAST_GAIN:
            gained = self.gained
            while self._force_deletions():
                pass
            self.place.barred[:] = False
            self.gained += self._climb(self.place, self._nothing)[1]

    def _force_deletions(self) -> bool:
        """Try each Delete of the present class, the least harmful first; whether one helped."""
        gains, pairs, cliques = deletes(self.score, self.graph)
        improved = False
        for k in np.argsort(-gains, kind="stable").tolist():
            x, y = pairs[k].tolist()
            improved |= self._try((0.0, x, y, cliques[k]))
        return improved

    def _try(self, delete: Operator) -> bool:
        """Search on after a Delete of x→y, which may not be made again; keep what scores more."""
        trial = copied(self.place)
        gain, total = self._climb(trial, delete)
        if np.isnan(gain):  # after another Delete, this is no Delete of the graph
            return False
        self.tried += 1
        gain += total
        if gain <= LEAST_GAIN:
            return False
        self.place = trial
        self.gained += gain
        self.accepted += 1
        return True

    def _climb(self, place: Place, delete: Operator) -> tuple[float, float]:
        """Return the gains of a Delete, if one is given, and of the climb after it."""
        gain, total, ended, operator = climb_after(self.score, self._limits, place, delete)
        if ended == DEPENDENT:
            _, x, y, clique = operator
            given = directed_part(place.graph)[:, y] | clique
            given[x] = True
            refuse_dependent(y, given, round(2 * self.score.bic.half_rows[y]), self.columns)
        if ended == LARGE_CLIQUE:
            refuse_cliques(place.graph, extend(place.graph), self.columns)
        self.converged &= ended != CIRCLE
        return float(gain), float(total)
