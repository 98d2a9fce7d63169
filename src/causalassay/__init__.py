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

from causalassay.common.kernel_cache import ensure_folder

if TYPE_CHECKING:
    from causalassay import (
        analysis,
        auditing,
        data,
        diagnostics,
        discovery,
        graphs,
        metrics,
        models,
        resampling,
        risk,
        study,
        testing,
    )
    from causalassay.analysis import report
    from causalassay.analysis.running import run
    from causalassay.auditing.audit import audit
    from causalassay.common import seeding
    from causalassay.common.spelling import RefusedValue
    from causalassay.contracts import Estimate, NotApplicable
    from causalassay.data import Dataset
    from causalassay.discovery import algorithms, discover
    from causalassay.lab import factorial
    from causalassay.present import drawing
    from causalassay.risk import choosing
    from causalassay.risk.choosing.choose import choose

    __version__: str

_ADDRESSES = {
    "Dataset": "data:Dataset",
    "Estimate": "contracts:Estimate",
    "NotApplicable": "contracts:NotApplicable",
    "RefusedValue": "common.spelling:RefusedValue",
    "algorithms": "discovery:algorithms",
    "analysis": "analysis",
    "audit": "auditing:audit",
    "auditing": "auditing",
    "choose": "risk.choosing:choose",
    "choosing": "risk.choosing",
    "data": "data",
    "diagnostics": "diagnostics",
    "discover": "discovery:discover",
    "discovery": "discovery",
    "drawing": "present.drawing",
    "factorial": "lab.factorial",
    "graphs": "graphs",
    "metrics": "metrics",
    "models": "models",
    "report": "analysis.report",
    "resampling": "resampling",
    "risk": "risk",
    "run": "analysis.running:run",
    "seeding": "common.seeding",
    "study": "study",
    "testing": "testing",
}
"""Each public name, and the module below this package that has it."""

__all__ = [
    "Dataset",
    "Estimate",
    "NotApplicable",
    "RefusedValue",
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
    "run",
    "seeding",
    "study",
    "testing",
]

ensure_folder(Path(__file__).parent)


def __getattr__(name: str) -> Any:
    """Import a part on first use: the command line answers `--help` without numba."""
    if name in _ADDRESSES:
        module, _, attribute = _ADDRESSES[name].partition(":")
        value = importlib.import_module(f"causalassay.{module}")
        return getattr(value, attribute) if attribute else value
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415  # takes 20 ms to import

        return version("causalassay")
    raise AttributeError(f"module 'causalassay' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
