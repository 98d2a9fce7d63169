"""Where graphs come from: the families as frozen dataclasses that draw, for studies."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Literal, Protocol

from numpy.random import Generator

from causalassay.arrays import Adjacency
from causalassay.graphs import families


class GraphSource(Protocol):
    """A frozen dataclass whose fields are a family's parameters."""

    version: ClassVar[int]

    def draw(self, rng: Generator) -> Adjacency:
        """Draw a DAG."""
        ...


@dataclass(frozen=True)
class ErdosRenyi:
    """Every pair equally likely to be joined; see `families.erdos_renyi`.

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

    def draw(self, rng: Generator) -> Adjacency:
        """Draw a DAG."""
        return families.erdos_renyi(self.n_nodes, self.edges_per_node, rng, self.exact)


@dataclass(frozen=True)
class ScaleFree:
    """Grown by preferential attachment; see `families.scale_free`."""

    n_nodes: int
    edges_per_node: int
    hubs: Literal["in", "any"] = "in"
    version: ClassVar[int] = 1

    def draw(self, rng: Generator) -> Adjacency:
        """Draw a DAG."""
        return families.scale_free(self.n_nodes, self.edges_per_node, rng, self.hubs)


@dataclass(frozen=True)
class Chain:
    """A chain with its labels shuffled; see `families.chain`."""

    n_nodes: int
    version: ClassVar[int] = 1

    def draw(self, rng: Generator) -> Adjacency:
        """Draw a DAG."""
        return families.shuffle_labels(families.chain(self.n_nodes), rng)


@dataclass(frozen=True)
class Forest:
    """Trees; see `families.forest`."""

    n_nodes: int
    n_trees: int = 1
    orientation: Literal["away", "random"] = "away"
    version: ClassVar[int] = 1

    def draw(self, rng: Generator) -> Adjacency:
        """Draw a DAG."""
        return families.forest(self.n_nodes, rng, self.n_trees, self.orientation)


@dataclass(frozen=True)
class Complete:
    """All edges that a random order allows; see `families.complete`."""

    n_nodes: int
    version: ClassVar[int] = 1

    def draw(self, rng: Generator) -> Adjacency:
        """Draw a DAG."""
        return families.complete(self.n_nodes, rng)


@dataclass(frozen=True)
class Bipartite:
    """Treatments that may cause outcomes; see `families.bipartite`."""

    n_treatments: int
    n_outcomes: int
    edge_probability: float
    version: ClassVar[int] = 1

    def draw(self, rng: Generator) -> Adjacency:
        """Draw a DAG."""
        return families.bipartite(self.n_treatments, self.n_outcomes, self.edge_probability, rng)


GRAPH_SOURCES: MappingProxyType[str, type[GraphSource]] = MappingProxyType(
    {
        "erdos-renyi": ErdosRenyi,
        "scale-free": ScaleFree,
        "chain": Chain,
        "forest": Forest,
        "complete": Complete,
        "bipartite": Bipartite,
    }
)
"""By the family's name in a study file."""
