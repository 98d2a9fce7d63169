"""The modules beside a Python file that it imports."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from pathlib import Path


def modules_beside(file: Path) -> list[Path]:
    """Return the files of its own folder that a Python file imports, and those that they import.

    Only what import statements name is found; nothing is run.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, imports in {"a": "import os, b", "b": "from c import x", "c": ""}.items():
    ...         _ = Path(folder, f"{name}.py").write_text(imports)
    ...     [path.name for path in modules_beside(Path(folder, "a.py"))]
    ['b.py', 'c.py']
    """
    found: dict[Path, None] = {}
    waiting = [file]
    while waiting:
        for path in _imported(waiting.pop(), file.parent):
            if path != file and path not in found:
                found[path] = None
                waiting.append(path)
    return sorted(found)


def _imported(file: Path, folder: Path) -> Iterator[Path]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # such as an escape that Python will not know for long
            tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
        for name in names:
            top = folder / name.partition(".")[0]
            if top.with_suffix(".py").is_file():
                yield top.with_suffix(".py")
            elif (top / "__init__.py").is_file():
                yield from sorted(path for path in top.rglob("*.py") if path.is_file())
