"""Where graphs come from: the families as frozen dataclasses that draw, and their names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

from numpy.random import Generator

from causalassay.common.arrays import Adjacency
from causalassay.common.registry import Registry, dataclass_with_version
from causalassay.graphs import families
from causalassay.graphs.lagged import LaggedGraph, check_lagged_erdos_renyi, lagged_erdos_renyi


class GraphSource(Protocol):
    """A frozen dataclass whose fields are a family's parameters.

    One that draws the lagged graphs of series declares ``lagged: ClassVar[bool] = True``.
    """

    version: ClassVar[int]
    """Raised when behaviour changes: it is part of the cache key."""

    def draw(self, rng: Generator) -> Adjacency | LaggedGraph:
        """Draw a DAG, or the lagged graph of a series."""
        ...


@dataclass(frozen=True)
class ErdosRenyi:
    """Every pair equally likely to be joined; see `ca.graphs.erdos_renyi`.

    Examples
    --------
    >>> import numpy as np
    >>> int(ErdosRenyi(10, 2).draw(np.random.default_rng(0)).sum())
    20
    """

    n_nodes: int
    edges_per_node: float
    exact: bool = True
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        families.check_erdos_renyi(self.n_nodes, self.edges_per_node)

    def draw(self, rng: Generator) -> Adjacency:
        """Draw a DAG."""
        return families.erdos_renyi(self.n_nodes, self.edges_per_node, rng, self.exact)


@dataclass(frozen=True)
class ScaleFree:
    """Grown by preferential attachment; see `ca.graphs.scale_free`."""

    n_nodes: int
    edges_per_node: int
    hubs: Literal["in", "any"] = "in"
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        families.check_scale_free(self.n_nodes, self.edges_per_node, self.hubs)

    def draw(self, rng: Generator) -> Adjacency:
        """Draw a DAG."""
        return families.scale_free(self.n_nodes, self.edges_per_node, rng, self.hubs)


@dataclass(frozen=True)
class Chain:
    """A chain with its labels shuffled."""

    n_nodes: int
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        families.check_n_nodes(self.n_nodes)

    def draw(self, rng: Generator) -> Adjacency:
        """Draw a DAG."""
        return families.shuffle_labels(families.chain(self.n_nodes), rng)


@dataclass(frozen=True)
class Forest:
    """Random trees, side by side; see `ca.graphs.forest`."""

    n_nodes: int
    n_trees: int = 1
    orientation: Literal["away", "random"] = "away"
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        families.check_forest(self.n_nodes, self.n_trees, self.orientation)

    def draw(self, rng: Generator) -> Adjacency:
        """Draw a DAG."""
        return families.forest(self.n_nodes, rng, self.n_trees, self.orientation)


@dataclass(frozen=True)
class Complete:
    """All edges that a random order allows; see `ca.graphs.complete`."""

    n_nodes: int
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        families.check_n_nodes(self.n_nodes)

    def draw(self, rng: Generator) -> Adjacency:
        """Draw a DAG."""
        return families.complete(self.n_nodes, rng)


@dataclass(frozen=True)
class Bipartite:
    """Treatments that may cause outcomes; see `ca.graphs.bipartite`."""

    n_treatments: int
    n_outcomes: int
    edge_probability: float
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        families.check_bipartite(self.n_treatments, self.n_outcomes, self.edge_probability)

    def draw(self, rng: Generator) -> Adjacency:
        """Draw a DAG."""
        return families.bipartite(self.n_treatments, self.n_outcomes, self.edge_probability, rng)


@dataclass(frozen=True)
class LaggedErdosRenyi:
    """Links of a series, every summary link equally likely; see `ca.graphs.lagged_erdos_renyi`.

    Examples
    --------
    >>> import numpy as np
    >>> LaggedErdosRenyi(5, 0.3, 2).draw(np.random.default_rng(0)).max_lag
    2
    """

    n_nodes: int
    probability: float
    max_lag: int
    self_probability: float = 0.8
    feedback: bool = True
    version: ClassVar[int] = 1
    lagged: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_lagged_erdos_renyi(
            self.n_nodes, self.probability, self.max_lag, self.self_probability
        )

    def draw(self, rng: Generator) -> LaggedGraph:
        """Draw a lagged graph."""
        return lagged_erdos_renyi(
            self.n_nodes, self.probability, self.max_lag, rng, self.self_probability, self.feedback
        )


# The graph families by name.

_CLASSES = {
    "erdos-renyi": "ErdosRenyi",
    "scale-free": "ScaleFree",
    "chain": "Chain",
    "forest": "Forest",
    "complete": "Complete",
    "bipartite": "Bipartite",
    "lagged-erdos-renyi": "LaggedErdosRenyi",
}

GRAPHS: Registry[type[GraphSource]] = Registry(
    "graph family",
    "causalassay.graphs",
    {name: f"causalassay.graphs.sources:{kind}" for name, kind in _CLASSES.items()},
    dataclass_with_version,
)
"""Graph sources by the family's name in a study file."""
