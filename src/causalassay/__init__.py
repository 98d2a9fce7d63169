"""An assay office for causal discovery.

>>> import causalassay as ca
>>> ca.graphs.chain(2).astype(int)
array([[0, 1],
       [0, 0]])
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from causalassay.kernel_cache import ensure_folder

if TYPE_CHECKING:
    from causalassay import (
        analysis,
        auditing,
        data,
        diagnostics,
        discovery,
        drawing,
        graphs,
        metrics,
        models,
        risk,
        seeding,
        study,
    )
    from causalassay.auditing import audit
    from causalassay.discovery import algorithms, discover

_MODULES = (
    "analysis",
    "auditing",
    "data",
    "diagnostics",
    "discovery",
    "drawing",
    "graphs",
    "metrics",
    "models",
    "risk",
    "seeding",
    "study",
)
_FUNCTIONS = {
    "algorithms": "causalassay.discovery",
    "audit": "causalassay.auditing",
    "discover": "causalassay.discovery",
}

__all__ = [
    "algorithms",
    "analysis",
    "audit",
    "auditing",
    "data",
    "diagnostics",
    "discover",
    "discovery",
    "drawing",
    "graphs",
    "metrics",
    "models",
    "risk",
    "seeding",
    "study",
]

ensure_folder(Path(__file__).parent)


def __getattr__(name: str) -> Any:
    """Import a part on first use: the command line answers `--help` without numba."""
    if name in _MODULES:
        return importlib.import_module(f"causalassay.{name}")
    if name in _FUNCTIONS:
        return getattr(importlib.import_module(_FUNCTIONS[name]), name)
    raise AttributeError(f"module 'causalassay' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
