"""Draws and writes what an analysis found: the page to send on, figures, LaTeX, the terminal.

>>> from causalassay import report
>>> report.write_report("no-such-folder")
Traceback (most recent call last):
FileNotFoundError: ...
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from causalassay.analysis.report.files import write_report, write_report_and_figures

__all__ = ["write_report", "write_report_and_figures"]


def __getattr__(name: str) -> Any:
    """Import on first use: the terminal needs no charts."""
    if name in __all__:
        return getattr(importlib.import_module("causalassay.analysis.report.files"), name)
    raise AttributeError(f"module 'causalassay.analysis.report' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
