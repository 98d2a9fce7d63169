"""Algorithms, which see the data but never the truth, and two of their objectives.

>>> from causalassay.discovery import acyclicity, golem_loss
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
    AlgorithmList,
    AlgorithmRecord,
    algorithms,
    discover,
    make_algorithm,
)

if TYPE_CHECKING:
    from causalassay.discovery.continuous.golem_objective import golem_loss
    from causalassay.discovery.continuous.matrix_functions import acyclicity

_OBJECTIVES = {
    "acyclicity": "causalassay.discovery.continuous.matrix_functions",
    "golem_loss": "causalassay.discovery.continuous.golem_objective",
}

__all__ = [
    "AlgorithmList",
    "AlgorithmRecord",
    "acyclicity",
    "algorithms",
    "discover",
    "golem_loss",
    "make_algorithm",
]


def __getattr__(name: str) -> Any:
    """Import an objective on first use, for it brings numba."""
    if name in _OBJECTIVES:
        return getattr(importlib.import_module(_OBJECTIVES[name]), name)
    raise AttributeError(f"module 'causalassay.discovery' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
