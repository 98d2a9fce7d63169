"""Studies: declared in a file, run on any machine, resumed after any interruption.

>>> from causalassay import study
>>> callable(study.read_study)
True
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from causalassay.study.cluster_executor import DaskExecutor
    from causalassay.study.driver import run_study
    from causalassay.study.executors import LocalExecutor
    from causalassay.study.language import parse_study, read_study
    from causalassay.study.plan import Study
    from causalassay.study.storage import export, study_table

_MODULES = {
    "DaskExecutor": "cluster_executor",
    "LocalExecutor": "executors",
    "Study": "plan",
    "export": "storage",
    "parse_study": "language",
    "read_study": "language",
    "run_study": "driver",
    "study_table": "storage",
}

__all__ = [
    "DaskExecutor",
    "LocalExecutor",
    "Study",
    "export",
    "parse_study",
    "read_study",
    "run_study",
    "study_table",
]


def __getattr__(name: str) -> Any:
    """Import a part on first use: a worker needs neither the language nor the storage."""
    if name in _MODULES:
        return getattr(importlib.import_module(f"causalassay.study.{_MODULES[name]}"), name)
    raise AttributeError(f"module 'causalassay.study' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
