"""An assay office for causal discovery.

>>> import causalassay as ca
>>> ca.graphs.chain(2).astype(int)
array([[0, 1],
       [0, 0]])
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from causalassay.common.kernel_cache import ensure_folder
from causalassay.common.on_demand import names_on_demand

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


_get, __dir__ = names_on_demand(__name__)


def __getattr__(name: str) -> Any:
    """Import a part on first use: the command line answers `--help` without numba."""
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415  # takes 20 ms to import

        return version("causalassay")
    return _get(name)
