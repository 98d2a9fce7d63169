"""What a Python file says of its classes, read as text: nothing of it is run."""

from __future__ import annotations

import ast
import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from causalassay.common.files import read_bytes
from causalassay.common.spelling import cut, did_you_mean, listed, visible

SUFFIX = ".py"
MOST_BYTES = 1_000_000
"""Of a Python file; one that a person writes has a tenth of it."""

_EXAMPLE = "my_algorithm.py:MyClass"


@dataclass(frozen=True)
class ClassText:
    """A class in a Python file.

    Parameters
    ----------
    use : str
        As it was asked for, ``my_algorithm.py:MyClass``.
    path : str
        Of the file, in full.
    source : bytes
        What the file holds.
    parameters : tuple of str, or None
        What the class takes; None if that can only be known by running the file.
    required : tuple of str
        Those of them that have no default.
    """

    use: str
    path: str
    source: bytes
    parameters: tuple[str, ...] | None
    required: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name of the class."""
        return self.use.rpartition(":")[2]

    def check_parameters(self, given: Sequence[str]) -> None:
        """Raise a TypeError unless the class takes all that is given, and needs no more."""
        legal = given if self.parameters is None else self.parameters
        unknown = [key for key in given if key not in legal]
        if unknown:
            takes = ", ".join(legal) or "none"
            raise TypeError(f"{self.use}: no hyperparameter {unknown[0]!r}; it takes {takes}")
        missing = [key for key in self.required if key not in given]
        if missing:
            raise TypeError(f"{self.use}: the hyperparameter {missing[0]!r} is missing")


def names_file(use: str) -> bool:
    """Tell whether an algorithm is named as a class in a Python file.

    Examples
    --------
    >>> names_file("my_algorithm.py:MyClass"), names_file("pc")
    (True, False)
    """
    return use.partition(":")[0].endswith(SUFFIX)


def find_class(use: str, folder: Path) -> ClassText:
    """Return the class that ``my_algorithm.py:MyClass`` names.

    Parameters
    ----------
    use : str
    folder : Path
        What the path is relative to.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If it is no Python, has no such class, or the class has no `discover`.
    """
    stated, _, name = use.partition(":")
    path = os.path.normpath(Path(os.path.realpath(folder)) / stated)
    source = _read(Path(path), stated)
    stated = cut(visible(stated))
    classes = _classes(source, stated)
    if not classes:
        raise ValueError(f"{stated} has no class; expected one with a method `discover`")
    if not name:
        able = [one for one in classes if _has_discover(one, classes)] or list(classes)
        raise ValueError(f"expected the class too, as in {_EXAMPLE!r}; {stated} has {listed(able)}")
    if name not in classes:
        raise ValueError(f"{stated} has no class {name!r}; {did_you_mean(name, classes)}")
    if not _has_discover(name, classes):
        raise ValueError(
            f"{use}: the class has no method `discover(self, data, rng)`, which returns an Estimate"
        )
    parameters, required = _taken(name, classes)
    return ClassText(use, path, source, parameters, required)


def _read(path: Path, stated: str) -> bytes:
    try:
        return read_bytes(path, "a Python file", MOST_BYTES)
    except FileNotFoundError:
        beside = sorted(one.name for one in path.parent.glob(f"*{SUFFIX}"))
        hint = did_you_mean(path.name, beside) if beside else f"expected {_EXAMPLE!r}"
        raise FileNotFoundError(f"there is no file {stated!r}; {hint}") from None


def _classes(source: bytes, stated: str) -> dict[str, ast.ClassDef]:
    """Return the classes of a file by name; of two of one name the last, as Python does."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python tells of them when the file is run
            tree = ast.parse(source)
    except SyntaxError as error:
        reason = cut(visible(f"line {error.lineno}: {error.msg}"))
        raise ValueError(f"{stated} is not Python: {reason}") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise ValueError(f"{stated} is not Python: {cut(visible(str(error)))}") from None
    return {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}


def _family(name: str, classes: dict[str, ast.ClassDef]) -> tuple[list[ast.ClassDef], bool]:
    """Return a class and those of the file it inherits from, and whether these are all."""
    found: dict[str, ast.ClassDef] = {}
    whole, waiting = True, [name]
    while waiting:
        one = waiting.pop()
        if one in classes and one not in found:
            found[one] = classes[one]
            waiting += [_last_name(base) for base in classes[one].bases]
        elif one not in found:
            whole = whole and one in ("object", "Protocol", "Algorithm")
    return list(found.values()), whole


def _has_discover(name: str, classes: dict[str, ast.ClassDef]) -> bool:
    """Tell whether a class has the method, or may inherit it from elsewhere."""
    family, whole = _family(name, classes)
    defined = [name for cls in family for one in cls.body for name in _defined(one)]
    return not whole or "discover" in defined


def _defined(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.Assign):
        return [_last_name(target) for target in node.targets]
    return [node.name] if isinstance(node, ast.FunctionDef) else []


def _taken(
    name: str, classes: dict[str, ast.ClassDef]
) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
    """Return what a class takes, and what of it has no default; None where it is not known."""
    family, whole = _family(name, classes)
    if not whole:
        return None, ()
    begin = next((one for cls in family for one in cls.body if _is_init(one)), None)
    if isinstance(begin, ast.FunctionDef):
        return _arguments(begin.args)
    if not any(_is_dataclass(cls) for cls in family):
        return (), ()
    fields = [field for cls in reversed(family) for field in cls.body if _is_field(field)]
    named = {_last_name(field.target): field.value for field in fields}  # type: ignore[attr-defined]
    return tuple(named), tuple(key for key, default in named.items() if default is None)


def _arguments(taken: ast.arguments) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
    if taken.kwarg is not None:
        return None, ()
    plain = [one.arg for one in (*taken.posonlyargs, *taken.args)][1:]
    first_default = len(plain) - len(taken.defaults)
    keywords = zip(taken.kwonlyargs, taken.kw_defaults, strict=True)
    required = plain[:first_default] + [one.arg for one, value in keywords if value is None]
    return (*plain, *(one.arg for one in taken.kwonlyargs)), tuple(required)


def _is_init(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef) and node.name == "__init__"


def _is_dataclass(cls: ast.ClassDef) -> bool:
    return any(_last_name(one) == "dataclass" for one in cls.decorator_list)


def _is_field(node: ast.stmt) -> bool:
    return isinstance(node, ast.AnnAssign) and "ClassVar" not in ast.dump(node.annotation)


def _last_name(node: ast.expr) -> str:
    """Return the name in `name`, `module.name`, `name(...)` and `name[...]`; empty elsewhere."""
    while isinstance(node, ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return getattr(node, "id", getattr(node, "attr", ""))
