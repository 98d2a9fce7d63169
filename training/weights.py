"""The file of weights: the package's own reader and writer, loaded without the rest of it.

The machine that trains has torch and numpy; most of the package needs more than that.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

SOURCE = Path(__file__).parents[1] / "src"

Arrays = dict[str, np.ndarray[Any, np.dtype[Any]]]


@cache
def _module() -> ModuleType:
    path = SOURCE / "causalassay" / "discovery" / "amortized_weights.py"
    if str(SOURCE) not in sys.path:
        sys.path.append(str(SOURCE))
    spec = importlib.util.spec_from_file_location("amortized_weights_alone", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def shapes(width: int, channels: int, blocks: int) -> dict[str, tuple[int, ...]]:
    """Return the names of a network's arrays with their shapes."""
    found: dict[str, tuple[int, ...]] = _module().shapes(width, channels, blocks)
    return found


def write(path: Path, arrays: Arrays, card: dict[str, Any]) -> None:
    """Write a file of weights."""
    _module().write(path, arrays, card)


def format_written() -> int:
    """Return the number of the format."""
    number: int = _module().FORMAT
    return number


def read(path: Path) -> tuple[Arrays, dict[str, Any]]:
    """Return the arrays of a file of weights, in single precision, and its card."""
    reader: Callable[[Path], tuple[Arrays, dict[str, Any]]] = _module().read
    return reader(path)
