"""Structural causal models of discrete variables: one conditional probability table per node."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from causalassay.common.arrays import Adjacency, Values, Vector, as_graph
from causalassay.common.seeding import as_generator
from causalassay.graphs.orders import Indices, topological_order
from causalassay.models.discrete.tables import (
    MOST_CELLS,
    CompiledTables,
    Factor,
    ProbabilityTable,
    TooWide,
    bucket_marginals,
    compile_tables,
    draw_levels,
    product,
)
from causalassay.models.interventions import (
    Do,
    Intervention,
    LevelIntervention,
    Randomize,
    RandomizeLevels,
    Shift,
    check_intervention,
)
from causalassay.present import Document, Shown
from causalassay.present.formatting import counted

Levels = tuple[str, ...] | tuple[float, ...]


class Marginals(NamedTuple):
    """The distribution of each node.

    Parameters
    ----------
    probabilities : tuple of ndarray
        One a node, of each level.
    standard_errors : tuple of ndarray
        The standard errors of these probabilities; 0 where they are exact.
    exact : bool
        Whether the probabilities are exact; otherwise they are estimates from a sample.
    """

    probabilities: tuple[Vector, ...]
    standard_errors: tuple[Vector, ...]
    exact: bool


@dataclass(frozen=True, eq=False, repr=False, init=False)
class DiscreteSCM(Shown):
    """Each node has a level whose probabilities depend on the levels of its parents.

    Parameters
    ----------
    graph : Adjacency
        A DAG.
    tables : sequence of array_like
        One a node: its axes are the node's parents in ascending order, and last the node
        itself, along which probabilities sum to 1 (up to 1e-6; they are divided by the sum).
    levels : sequence of int or of levels, optional
        For each node the number of its levels, which are then 0, 1, …; or their names, all
        text or all numbers. By default as many as the table has.
    names : sequence of str, optional
        The names of the nodes; x0, x1, … by default.

    Notes
    -----
    Values are codes: k stands for the node's level number k, from 0 on. Codes carry no
    order and no distance.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import chain
    >>> from causalassay.models import Do
    >>> model = DiscreteSCM(chain(2), [[0.5, 0.5], [[0.9, 0.1], [0.3, 0.7]]])
    >>> model
    DiscreteSCM(2 nodes, 1 edge, 2 to 2 levels)
    >>> model.marginals().probabilities[1].round(12)
    array([0.6, 0.4])
    >>> model.marginals((Do(0, 1),)).probabilities[1].round(12)
    array([0.3, 0.7])
    """

    graph: Adjacency
    tables: tuple[ProbabilityTable, ...]
    levels: tuple[Levels, ...]
    names: tuple[str, ...]
    _order: Indices = field(init=False)

    def __init__(
        self,
        graph: Adjacency,
        tables: Sequence[ArrayLike],
        levels: Sequence[int | Sequence[str] | Sequence[float]] | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        order = topological_order(graph)
        graph = as_graph(graph).copy()
        graph.setflags(write=False)
        d = len(graph)
        if len(tables) != d:
            raise ValueError(f"tables: expected one per node, {d} in all, got {len(tables)}")
        arrays = [np.array(table, dtype=float) for table in tables]
        if levels is None:
            levels = [table.shape[-1] if table.ndim else 0 for table in arrays]
        checked = {
            "graph": graph,
            "levels": check_levels(levels, d),
            "names": _check_names(names, d),
            "_order": order,
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        for node in range(d):
            self._check_table(node, arrays[node])
        object.__setattr__(self, "tables", tuple(arrays))

    @property
    def size_text(self) -> str:
        """Its nodes, edges and levels, in words."""
        return (
            f"{counted(self.n_nodes, 'node')}, {counted(int(self.graph.sum()), 'edge')}, "
            f"{min(self.n_levels)} to {max(self.n_levels)} levels"
        )

    def __repr__(self) -> str:
        return f"DiscreteSCM({self.size_text})"

    def document(self) -> Document:
        """Return what the model shows."""
        from causalassay.models.document import discrete_document  # noqa: PLC0415

        return discrete_document(self)

    @property
    def n_nodes(self) -> int:
        """The number of nodes d."""
        return len(self.graph)

    @property
    def n_levels(self) -> tuple[int, ...]:
        """The number of levels of each node."""
        return tuple(len(levels) for levels in self.levels)

    def parents(self, node: int) -> tuple[int, ...]:
        """Return the parents in ascending order: those of the table's axes.

        Examples
        --------
        >>> from causalassay.graphs import chain
        >>> DiscreteSCM(chain(2), [[1, 0], [[1, 0], [0, 1]]]).parents(1)
        (0,)
        """
        return tuple(np.flatnonzero(self.graph[:, node]).tolist())

    def under(self, intervention: LevelIntervention) -> DiscreteSCM:
        """Return the model after an intervention.

        `Do` sets a node to the level of a code; `RandomizeLevels` draws its level. `Shift`
        and `Randomize` are errors: levels have neither sums nor means.

        Examples
        --------
        >>> from causalassay.graphs import chain
        >>> from causalassay.models import RandomizeLevels
        >>> pair = DiscreteSCM(chain(2), [[0.5, 0.5], [[0.9, 0.1], [0.3, 0.7]]])
        >>> pair.under((RandomizeLevels(1, (0.2, 0.8)),)).tables[1]
        array([0.2, 0.8])
        """
        changes = check_level_intervention(intervention, self.n_levels)
        if not changes:
            return self
        graph, tables = self.graph.copy(), list(self.tables)
        for node, probabilities in changes.items():
            graph[:, node] = False
            tables[node] = probabilities
        return DiscreteSCM(graph, tables, self.levels, self.names)

    def sample(
        self, n_samples: int, rng: Generator | int, intervention: LevelIntervention = ()
    ) -> Values:
        """Draw `n_samples` rows of codes.

        One uniform number for every node of a row is drawn whatever the intervention, so
        equal states of `rng` give equal rows in all that the intervention does not reach.

        Examples
        --------
        >>> import numpy as np
        >>> from causalassay.graphs import chain
        >>> model = DiscreteSCM(chain(2), [[0.5, 0.5], [[1, 0], [0, 1]]])
        >>> model.sample(4, np.random.default_rng(0))
        array([[1., 1.],
               [0., 0.],
               [1., 1.],
               [1., 1.]])
        """
        rng = as_generator(rng)
        if n_samples < 1:
            raise ValueError(f"n_samples: expected at least 1, got {n_samples}")
        model = self.under(intervention)
        values = rng.random((n_samples, model.n_nodes))
        draw_levels(values, model._order, model._compiled)
        return values

    def marginals(
        self,
        intervention: LevelIntervention = (),
        *,
        rng: Generator | None = None,
        n_samples: int = 100_000,
        most_cells: int = MOST_CELLS,
    ) -> Marginals:
        """Return the law of each node: exact, or from a sample where the network is too dense.

        Parameters
        ----------
        intervention : LevelIntervention
            What is done to nodes; by default nothing.
        rng : Generator, optional
            To sample from where no table of `most_cells` suffices for exact laws; without
            one, that is an error.
        n_samples : int
            How many rows to draw then; a probability p has the standard error
            sqrt(p (1 - p) / n_samples).
        most_cells : int
            The largest table that is built for exact laws.

        Raises
        ------
        TooWide
            Without `rng`, where the network is too dense.

        Examples
        --------
        >>> import numpy as np
        >>> from causalassay.graphs import chain
        >>> model = DiscreteSCM(chain(2), [[0.5, 0.5], [[0.9, 0.1], [0.3, 0.7]]])
        >>> sampled = model.marginals(rng=np.random.default_rng(0), most_cells=1)
        >>> sampled.exact, bool(abs(sampled.probabilities[1][0] - 0.6) < 0.01)
        (False, True)
        """
        try:
            exact = self.laws(range(self.n_nodes), intervention, most_cells)
        except TooWide:
            if rng is None:
                raise
            return _shares(self.sample(n_samples, rng, intervention), self.n_levels)
        laws = tuple(exact[node] for node in range(self.n_nodes))
        return Marginals(laws, tuple(np.zeros_like(law) for law in laws), exact=True)

    def laws(
        self,
        nodes: Iterable[int],
        intervention: LevelIntervention = (),
        most_cells: int = MOST_CELLS,
    ) -> dict[int, Vector]:
        """Return the exact laws of some nodes, for which only their ancestors are needed.

        Examples
        --------
        >>> from causalassay.graphs import chain
        >>> model = DiscreteSCM(chain(2), [[0.5, 0.5], [[0.9, 0.1], [0.3, 0.7]]])
        >>> model.laws([1])[1].round(12)
        array([0.6, 0.4])
        """
        changes = check_level_intervention(intervention, self.n_levels)
        wanted, left = set(), list(nodes)
        asked = list(left)
        while left:
            node = left.pop()
            if node not in wanted:
                wanted.add(node)
                left += () if node in changes else self.parents(node)
        factors = [
            Factor((node,), changes[node]) if node in changes else self.factors[node]
            for node in sorted(wanted)
        ]
        marginals = bucket_marginals(factors, self.n_levels, most_cells)
        return {node: marginals[node] for node in asked}

    def joint(self, intervention: LevelIntervention = ()) -> ProbabilityTable:
        """Return the probability of every configuration, an axis a node; for small models.

        Examples
        --------
        >>> from causalassay.graphs import chain
        >>> DiscreteSCM(chain(2), [[0.5, 0.5], [[0.9, 0.1], [0.3, 0.7]]]).joint()
        array([[0.45, 0.05],
               [0.15, 0.35]])
        """
        model = self.under(intervention)
        if np.prod(model.n_levels, dtype=float) > MOST_CELLS:
            raise TooWide(
                f"the joint distribution of {self.n_nodes} nodes has "
                f"{np.prod(model.n_levels):.2g} cells, more than {MOST_CELLS}; ask for `marginals`"
            )
        return product(model.factors).table

    @cached_property
    def factors(self) -> tuple[Factor, ...]:
        """The tables with their axes in ascending order of the nodes."""
        factors = []
        for node, table in enumerate(self.tables):
            nodes = (*self.parents(node), node)
            axes = np.argsort(nodes)
            factors.append(Factor(tuple(sorted(nodes)), np.transpose(table, axes)))
        return tuple(factors)

    @cached_property
    def _compiled(self) -> CompiledTables:
        return compile_tables([self.parents(node) for node in range(self.n_nodes)], self.tables)

    def _check_table(self, node: int, table: ProbabilityTable) -> None:
        """Raise unless the table has the shape it should; make its sums 1, in place."""
        where = f"tables: node {node} ({self.names[node]!r})"
        parents = self.parents(node)
        shape = tuple(len(self.levels[axis]) for axis in (*parents, node))
        if table.shape != shape:
            raise ValueError(
                f"{where} has the parents {list(parents)}, so its table has the shape {shape}: "
                f"their levels, then its own; got {table.shape}"
            )
        if not np.isfinite(table).all() or (table < 0).any():
            raise ValueError(f"{where}: expected probabilities of at least 0")
        total = table.sum(axis=-1, keepdims=True)
        far = np.abs(total - 1)
        if far.max() > SUM_TOLERANCE:
            raise ValueError(
                f"{where}: probabilities sum to {float(total.flat[far.argmax()]):.9g} where they "
                "should sum to 1; divide them by their sum"
            )
        table /= total
        table.setflags(write=False)


def check_levels(
    levels: Sequence[int | Sequence[str] | Sequence[float]], n_nodes: int
) -> tuple[Levels, ...]:
    """Return the levels of each node, of a number k the levels 0 to k - 1, or raise.

    Examples
    --------
    >>> check_levels([2, ("no", "yes")], 2)
    ((0.0, 1.0), ('no', 'yes'))
    """
    if len(levels) != n_nodes:
        raise ValueError(f"levels: expected those of {n_nodes} nodes, got {len(levels)}")
    checked: list[Any] = []
    for node, stated in enumerate(levels):
        if isinstance(stated, Integral):
            checked.append(tuple(float(k) for k in range(int(stated))))
        elif isinstance(stated, str) or not isinstance(stated, Sequence | np.ndarray):
            raise TypeError(
                f"levels: node {node}: expected a number of levels or their names, got {stated!r}"
            )
        else:
            checked.append(tuple(stated))
        if len(set(checked[-1])) < max(len(checked[-1]), 1):
            raise ValueError(
                f"levels: node {node}: expected one level or more, each once, got {stated!r}"
            )
    return tuple(checked)


def _check_names(names: Sequence[str] | None, n_nodes: int) -> tuple[str, ...]:
    if names is None:
        return tuple(f"x{node}" for node in range(n_nodes))
    if len(names) != n_nodes or len(set(names)) < n_nodes:
        raise ValueError(f"names: expected {n_nodes} different ones, got {list(names)}")
    return tuple(names)


def _shares(values: NDArray[Any], n_levels: Sequence[int]) -> Marginals:
    laws = [
        np.bincount(values[:, node].astype(int), minlength=size) / len(values)
        for node, size in enumerate(n_levels)
    ]
    errors = [np.sqrt(law * (1 - law) / len(values)) for law in laws]
    return Marginals(tuple(laws), tuple(errors), exact=False)


# What an intervention does to discrete nodes: it gives each another law.

SUM_TOLERANCE = 1e-6
"""How far probabilities may be from a sum of 1; they are then divided by it."""


def check_level_intervention(
    intervention: LevelIntervention, n_levels: Sequence[int]
) -> dict[int, Vector]:
    """Return the probabilities that each node intervened upon gets, or raise.

    Examples
    --------
    >>> check_level_intervention((Do(1, 0),), [2, 3])
    {1: array([1., 0., 0.])}
    """
    if isinstance(intervention, tuple):
        plain: Intervention = tuple(
            Do(action.node, 0) if isinstance(action, RandomizeLevels) else action
            for action in intervention
        )
        check_intervention(plain, len(n_levels))
    else:
        check_intervention(intervention, len(n_levels))
    return {action.node: _law_of(action, n_levels[action.node]) for action in intervention}


def _law_of(action: Any, n_levels: int) -> Vector:
    match action:
        case Do(node, value, scale):
            if scale != "observed" or value not in range(n_levels):
                raise ValueError(
                    f"intervention: node {node} has {n_levels} levels, so it is set to a code "
                    f"from 0 to {n_levels - 1} on the observed scale, got {action}"
                )
            return np.eye(n_levels)[int(value)]
        case RandomizeLevels(node, None):
            return np.full(n_levels, 1 / n_levels)
        case RandomizeLevels(node, probabilities):
            law = np.array(probabilities, dtype=float)
            if law.shape != (n_levels,) or (law < 0).any() or abs(law.sum() - 1) > SUM_TOLERANCE:
                raise ValueError(
                    f"intervention: node {node} has {n_levels} levels, so it takes as many "
                    f"probabilities with a sum of 1, got {probabilities}"
                )
            return law
        case Randomize(node):
            raise TypeError(
                f"intervention: node {node} is discrete, and levels have no mean or variance; "
                f"write RandomizeLevels({node}) or RandomizeLevels({node}, probabilities)"
            )
        case Shift(node):
            raise TypeError(
                f"intervention: node {node} is discrete, and nothing can be added to a level; "
                f"write Do({node}, code) or RandomizeLevels({node}, probabilities)"
            )
        case _:
            raise TypeError(f"intervention: expected Do or RandomizeLevels, got {action!r}")
