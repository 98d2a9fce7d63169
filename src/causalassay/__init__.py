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
        choosing,
        data,
        diagnostics,
        discovery,
        drawing,
        factorial,
        graphs,
        metrics,
        models,
        report,
        resampling,
        risk,
        seeding,
        study,
        testing,
    )
    from causalassay.auditing import audit
    from causalassay.choosing import choose
    from causalassay.contracts import Estimate, NotApplicable
    from causalassay.data import Dataset
    from causalassay.discovery import algorithms, discover

    __version__: str

_MODULES = (
    "analysis",
    "auditing",
    "choosing",
    "data",
    "diagnostics",
    "discovery",
    "drawing",
    "factorial",
    "graphs",
    "metrics",
    "models",
    "report",
    "resampling",
    "risk",
    "seeding",
    "study",
    "testing",
)
_NAMES = {
    "Dataset": "causalassay.data",
    "Estimate": "causalassay.contracts",
    "NotApplicable": "causalassay.contracts",
    "algorithms": "causalassay.discovery",
    "audit": "causalassay.auditing",
    "choose": "causalassay.choosing",
    "discover": "causalassay.discovery",
}

__all__ = [
    "Dataset",
    "Estimate",
    "NotApplicable",
    "__version__",
    "algorithms",
    "analysis",
    "audit",
    "auditing",
    "choose",
    "choosing",
    "data",
    "diagnostics",
    "discover",
    "discovery",
    "drawing",
    "factorial",
    "graphs",
    "metrics",
    "models",
    "report",
    "resampling",
    "risk",
    "seeding",
    "study",
    "testing",
]

ensure_folder(Path(__file__).parent)


def __getattr__(name: str) -> Any:
    """Import a part on first use: the command line answers `--help` without numba."""
    if name in _MODULES:
        return importlib.import_module(f"causalassay.{name}")
    if name in _NAMES:
        return getattr(importlib.import_module(_NAMES[name]), name)
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415  # takes 20 ms to import

        return version("causalassay")
    raise AttributeError(f"module 'causalassay' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
