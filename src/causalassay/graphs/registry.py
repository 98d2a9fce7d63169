"""The graph families by name."""

from __future__ import annotations

from causalassay.common.registry import Registry, dataclass_with_version
from causalassay.graphs.sources import GraphSource

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
