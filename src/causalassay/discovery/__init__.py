"""Algorithms, which see the data but never the truth, and two of their objectives.

The class of every built-in algorithm is here too, imported on first use.

>>> from causalassay.discovery import PC, acyclicity, golem_loss
>>> PC(alpha=0.05)
PC(alpha=0.05, max_condition=None, stable=True, test='fisher-z')
>>> weights = [[0.0, 1.0], [0.0, 0.0]]
>>> acyclicity(weights)[0]
0.0
>>> round(golem_loss(weights, [[1.0, 1.0], [1.0, 2.0]], n_samples=1, variant="nv")[0], 6)
0.0
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from causalassay.discovery.registry import (
    ALGORITHMS,
    AlgorithmList,
    AlgorithmRecord,
    algorithms,
    as_algorithm,
    discover,
    make_algorithm,
)

if TYPE_CHECKING:
    from causalassay.discovery.continuous.golem_objective import golem_loss
    from causalassay.discovery.continuous.matrix_functions import acyclicity

_LAZY = {
    "acyclicity": "causalassay.discovery.continuous.matrix_functions",
    "golem_loss": "causalassay.discovery.continuous.golem_objective",
} | {
    address.partition(":")[2]: address.partition(":")[0] for address in ALGORITHMS.built_in.values()
}
"""The modules of what brings numba, or a package that may be absent."""

__all__ = [  # noqa: PLE0604  # the classes are those that the registry has
    "AlgorithmList",
    "AlgorithmRecord",
    "acyclicity",
    "algorithms",
    "as_algorithm",
    "discover",
    "golem_loss",
    "make_algorithm",
    *sorted(_LAZY.keys() - {"acyclicity", "golem_loss"}),
]


def __getattr__(name: str) -> Any:
    """Import a class or an objective on first use."""
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'causalassay.discovery' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
