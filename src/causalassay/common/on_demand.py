"""Packages whose names are imported when they are first asked for."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any


def names_on_demand(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package that imports a name on its first use.

    The package states its names as imports below ``if TYPE_CHECKING:``, where type checkers and
    editors see them. To import one of its modules then imports no other.

    Parameters
    ----------
    package : str
        Its ``__name__``.

    Examples
    --------
    >>> import causalassay.models
    >>> get, names = names_on_demand("causalassay.models")
    >>> get("Do").__module__, "draw" in names()
    ('causalassay.models.interventions', True)
    """

    @cache
    def sources() -> dict[str, tuple[str, str]]:
        return _stated(Path(str(sys.modules[package].__file__)))

    def of_package(name: str) -> Any:
        if name not in sources():
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, attribute = sources()[name]
        if module != package and hasattr(import_module(module), attribute):
            return getattr(import_module(module), attribute)
        return import_module(f"{module}.{attribute}")

    def names() -> list[str]:
        return sorted(sys.modules[package].__all__)

    return of_package, names


def _stated(file: Path) -> dict[str, tuple[str, str]]:
    """Return the module and the attribute of each name that a file imports for type checkers."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {
        alias.asname or alias.name: (str(line.module), alias.name)
        for block in tree.body
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for line in block.body
        if isinstance(line, ast.ImportFrom)
        for alias in line.names
    }
