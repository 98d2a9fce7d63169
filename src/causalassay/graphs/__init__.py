"""Graphs as adjacency matrices: families, orders, separation, equivalence classes."""

from causalassay.graphs.families import (
    bipartite,
    chain,
    complete,
    erdos_renyi,
    forest,
    scale_free,
)
from causalassay.graphs.orders import (
    ancestors,
    descendants,
    is_dag,
    reachability,
    topological_order,
)
from causalassay.graphs.paths import path_counts

__all__ = [
    "ancestors",
    "bipartite",
    "chain",
    "complete",
    "descendants",
    "erdos_renyi",
    "forest",
    "is_dag",
    "path_counts",
    "reachability",
    "scale_free",
    "topological_order",
]
