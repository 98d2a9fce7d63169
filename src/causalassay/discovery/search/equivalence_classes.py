"""Greedy search over equivalence classes: forward, backward and turning phases."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np

from causalassay.common.arrays import Adjacency, Weights
from causalassay.common.spelling import listed
from causalassay.contracts import NotApplicable
from causalassay.discovery.search.gaussian_bic import BIC, NodeStatistics, gaussian_bic, make_bic
from causalassay.discovery.search.gaussian_operators import Operator, best_operator
from causalassay.discovery.search.scores import PHASES
from causalassay.discovery.statistics import PIVOT
from causalassay.graphs.cpdag import directed_part, interventional_cpdag, undirected_part
from causalassay.graphs.orders import reachability
from causalassay.graphs.validity import extend

LEAST_GAIN = 1e-6
"""An operator must gain more than this, well above the rounding errors of most scores."""

MANY_PARENTS = 10
"""With so many, a regression explains all of a column because there are few rows."""

MOST_IN_CLIQUE = 20
"""The most nodes of an undirected clique: with k, an edge has up to 2^k operators."""


class ClassSettings(Protocol):
    """What `GES` and `GIES` say of their search."""

    @property
    def penalty_discount(self) -> float | None:
        """Multiplies the BIC's penalty."""
        ...

    @property
    def phases(self) -> tuple[str, ...]:
        """Those that run, in this order."""
        ...

    @property
    def iterate(self) -> bool:
        """Whether they run again until none changes the graph."""
        ...

    @property
    def max_parents(self) -> int | None:
        """The most parents that a node may have; None for any number."""
        ...


def search_classes(
    statistics: NodeStatistics,
    separated: Adjacency,
    settings: ClassSettings,
    columns: Sequence[str],
) -> tuple[Adjacency, MappingProxyType[str, Any]]:
    """Return the essential graph that the search ends in, and what `Estimate.info` reports.

    Parameters
    ----------
    statistics : NodeStatistics
    separated : Adjacency, shape (d, d)
        The pairs that some intervention tells apart; none without interventions.
    settings : GES or GIES
    columns : sequence of str
        Their names, for messages.
    """
    operators = GaussianOperators(make_bic(statistics, settings.penalty_discount))
    search = search_with_operators(operators, separated, settings, columns)
    score = gaussian_bic(statistics, search.graph, settings.penalty_discount)
    return search.graph, search_info(search, score)


InsertBounds = tuple[Weights, Adjacency, Adjacency]
"""Bounds on the gains of Inserts, the nodes whose bounds are stale, and pairs that close a cycle;
see `gaussian.class_operators.best_operator`."""


class Operators(Protocol):
    """What a search asks of a score: the best valid operators."""

    def n_rows(self, node: int) -> int:
        """Return how many rows a node's score uses."""
        ...

    def best(
        self, phase: str, graph: Adjacency, kept: InsertBounds, limits: tuple[int, float]
    ) -> Operator:
        """Return the best valid operator of a phase; see `gaussian.class_operators`."""
        ...


@dataclass(frozen=True, eq=False)
class GaussianOperators:
    """The operators by the Gaussian BIC."""

    bic: BIC

    def n_rows(self, node: int) -> int:
        """Return how many rows a node's score uses."""
        return round(2 * self.bic.half_rows[node])

    def best(
        self, phase: str, graph: Adjacency, kept: InsertBounds, limits: tuple[int, float]
    ) -> Operator:
        """Return the best valid operator of a phase."""
        return best_operator(self.bic, graph, PHASES.index(phase), kept, limits)


def search_with_operators(
    operators: Operators, separated: Adjacency, settings: ClassSettings, columns: Sequence[str]
) -> ClassSearch:
    """Return the search, ended, from the empty graph by the operators of some score."""
    most = len(columns) if settings.max_parents is None else settings.max_parents
    search = ClassSearch(operators, separated, most, columns)
    search.run(settings.phases, settings.iterate)
    return search


def search_info(search: ClassSearch, score: float) -> MappingProxyType[str, Any]:
    """Return what `Estimate.info` tells about a search."""
    info = {
        "score": score,
        "iterations": sum(search.steps.values()),
        "steps": dict(search.steps),
        "converged": search.converged,
    }
    return MappingProxyType(info)


@dataclass
class ClassSearch:
    """A walk through essential graphs that takes the best valid operator at each step.

    It begins without edges. ``converged`` turns False, and the walk ends, if rounding errors
    lead back to a graph that it had left: by its score it never could.
    """

    operators: Operators
    separated: Adjacency
    most_parents: int
    columns: Sequence[str]
    steps: dict[str, int] = field(default_factory=dict)
    converged: bool = True

    def __post_init__(self) -> None:
        self.graph = np.zeros_like(self.separated)
        self._seen = {_digest(self.graph)}

    def run(self, phases: Sequence[str], iterate: bool) -> None:
        """Run each phase until nothing gains; with `iterate`, all of them again while one does."""
        going_on = True
        while going_on:
            before = sum(self.steps.values())
            for phase in phases:
                self.steps.setdefault(phase, 0)
                self._run_phase(phase)
            going_on = iterate and self.converged and sum(self.steps.values()) > before

    def _run_phase(self, phase: str) -> None:
        bounds = np.empty(self.graph.shape)
        stale = np.ones(len(self.graph), dtype=bool)
        while self.converged:
            operator = self._best(phase, bounds, stale)
            _, x, y, _ = operator
            if x < 0:
                return
            before = self.graph
            self._apply(phase, operator)
            self.steps[phase] += 1
            stale = _stale(before, self.graph, x, y)

    def _best(self, phase: str, bounds: Weights, stale: Adjacency) -> Operator:
        operators, graph = self.operators, self.graph
        # Where arrows lead from y to x, no Insert of x→y is valid.
        cyclic = reachability(directed_part(graph)) if phase == "forward" else graph
        best = operators.best(
            phase, graph, (bounds, stale, cyclic), (self.most_parents, LEAST_GAIN)
        )
        if np.isinf(best[0]):
            _, x, y, clique = best
            given = directed_part(graph)[:, y] | clique
            given[x] = True
            refuse_dependent(y, given, operators.n_rows(y), self.columns)
        return best

    def _apply(self, phase: str, operator: Operator) -> None:
        """Go to the class of a member that the operator stands for, with its edge changed."""
        _, x, y, clique = operator
        pdag = self.graph.copy()
        into_y = clique.copy()
        into_y[x] = phase == "backward"
        _settle(pdag, y, into_y)
        if phase == "turning":
            _settle(pdag, x, clique)
        dag = extend(pdag)
        dag[x, y] = phase != "backward"
        dag[y, x] = False
        self.graph = interventional_cpdag(dag, self.separated)
        refuse_cliques(self.graph, dag, self.columns)
        digest = _digest(self.graph)
        self.converged = digest not in self._seen
        self._seen.add(digest)


def refuse_dependent(y: int, given: Adjacency, n_rows: int, columns: Sequence[str]) -> None:
    """Raise: y and the nodes `given` are linearly dependent."""
    few = int(given.sum()) < MANY_PARENTS
    advice = "leave one of them out, or take more rows"
    raise NotApplicable(
        f"column {columns[y]!r} and {listed(_names(given, columns))} are linearly dependent "
        f"in the {n_rows} rows used: a regression leaves at most {PIVOT:g} of a variance; "
        + (advice if few else "set max_parents, or take more rows")
    )


def refuse_cliques(graph: Adjacency, member: Adjacency, columns: Sequence[str]) -> None:
    """Raise if a clique is too large: it is a last node and parents by undirected edges."""
    inside = member & undirected_part(graph)
    sizes = 1 + inside.sum(axis=0)
    if sizes.max() > MOST_IN_CLIQUE:
        last = int(sizes.argmax())
        clique = inside[:, last]
        clique[last] = True
        raise NotApplicable(
            f"the columns {listed(_names(clique, columns))} are all joined by undirected edges, "
            f"and a clique of {sizes.max()} has too many subsets to look at; set max_parents "
            f"below {MOST_IN_CLIQUE}"
        )


def _names(mask: Adjacency, columns: Sequence[str]) -> list[str]:
    return [columns[node] for node in np.flatnonzero(mask).tolist()]


def _settle(pdag: Adjacency, node: int, parents: Adjacency) -> None:
    """Direct the undirected edges of `node`, in place: from `parents` to it, from it to others."""
    near = pdag[node] & pdag[:, node]
    pdag[node, near & parents] = False
    pdag[near & ~parents, node] = False


def _stale(before: Adjacency, after: Adjacency, x: int, y: int) -> Adjacency:
    """Return the nodes whose `insert_bounds` no longer hold after a change of the edge x, y.

    An edge at the node changed, or x or y is a neighbour of the node.
    """
    changed = before != after
    beside = (after[x] & after[:, x]) | (after[y] & after[:, y])
    return changed.any(axis=0) | changed.any(axis=1) | beside


def _digest(graph: Adjacency) -> bytes:
    return hashlib.blake2b(np.packbits(graph).tobytes(), digest_size=16).digest()
