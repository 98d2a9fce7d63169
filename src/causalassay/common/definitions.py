"""Classes and functions in Python files of users: read as text, never run."""

from __future__ import annotations

import ast
import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from causalassay.common.files import read_bytes
from causalassay.common.spelling import cut, did_you_mean, listed, visible

SUFFIX = ".py"
MOST_BYTES = 1_000_000
"""The most that a Python file may have; one that a person writes has a tenth of it."""


@dataclass(frozen=True)
class Role:
    """What a class or a function in a file is to be.

    Parameters
    ----------
    noun : str
        Such as "metric".
    method : str
        What a class must have.
    signature, returns : str
        How the method is called, and what it gives: for messages.
    arguments : tuple of str, or None
        What a plain function is given by us, by name or place; the others are its parameters.
        None: only a class will do.
    decorator : tuple of str
        The parameters of the decorator that is called like the noun; empty if there is none.
    """

    noun: str
    method: str
    signature: str
    returns: str
    arguments: tuple[str, ...] | None = None
    decorator: tuple[str, ...] = ()

    @property
    def example(self) -> str:
        """How one is named."""
        return f"my_{self.noun.replace(' ', '_')}.py:MyClass"


ALGORITHM = Role("algorithm", "discover", "discover(self, data, rng)", "an Estimate")


@dataclass(frozen=True)
class Definition:
    """A class or a function in a Python file.

    Parameters
    ----------
    use : str
        As it was asked for, ``my_algorithm.py:MyClass``.
    path : str
        The full path of the file.
    source : bytes
        What the file holds.
    parameters : tuple of str, or None
        What it takes; None if that can only be known by running the file.
    required : tuple of str
        Those of them that have no default.
    is_class : bool
    declared : mapping
        What its text says of it: the class variables that are plain values, or the arguments of
        the role's decorator.
    """

    use: str
    path: str
    source: bytes
    parameters: tuple[str, ...] | None
    required: tuple[str, ...]
    is_class: bool = True
    declared: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name of the class or the function."""
        return self.use.rpartition(":")[2]

    def check_parameters(self, given: Sequence[str]) -> None:
        """Raise a TypeError unless it takes all that is given, and needs no more."""
        legal = given if self.parameters is None else self.parameters
        unknown = [key for key in given if key not in legal]
        if unknown:
            takes = ", ".join(legal) or "none"
            raise TypeError(f"{self.use}: no hyperparameter {unknown[0]!r}; it takes {takes}")
        missing = [key for key in self.required if key not in given]
        if missing:
            raise TypeError(f"{self.use}: the hyperparameter {missing[0]!r} is missing")


def names_file(use: object) -> bool:
    """Tell whether a part of a study is named as a class or a function in a Python file.

    Examples
    --------
    >>> names_file("my_algorithm.py:MyClass"), names_file("pc")
    (True, False)
    """
    return isinstance(use, str) and use.partition(":")[0].endswith(SUFFIX)


def find_definition(use: str, folder: Path, role: Role) -> Definition:
    """Return what ``my_algorithm.py:MyClass`` names.

    Parameters
    ----------
    use : str
    folder : Path
        What the path is relative to.
    role : Role
        What it is to be.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If it is no Python, or has nothing of that name that could be it.
    """
    stated, _, name = use.partition(":")
    path = os.path.normpath(Path(os.path.realpath(folder)) / stated)
    source = _read(Path(path), stated, role)
    stated = cut(visible(stated))
    body = parsed(source, stated).body
    # Of two of one name the last counts, as in Python.
    classes = {node.name: node for node in body if isinstance(node, ast.ClassDef)}
    functions = {
        node.name: node
        for node in body
        if isinstance(node, ast.FunctionDef) and role.arguments is not None
    }
    what = "class" if role.arguments is None else "class or function"
    if not classes and not functions:
        expected = f"one with a method `{role.method}`"
        raise ValueError(f"{stated} has no {what}; expected {expected}")
    if not name:
        able = [known for known in classes if _has(role.method, known, classes)]
        able = [*able, *functions] or list(classes)
        also = f"expected the {what} too, as in {role.example!r}"
        raise ValueError(f"{also}; {stated} has {listed(able)}")
    if name in functions and name not in classes:
        return _function(use, path, source, functions[name], role)
    if name not in classes:
        hint = did_you_mean(name, [*classes, *functions])
        raise ValueError(f"{stated} has no {what} {name!r}; {hint}")
    if not _has(role.method, name, classes):
        raise ValueError(
            f"{use}: the class has no method `{role.signature}`, which returns {role.returns}"
        )
    parameters, required = _taken(name, classes)
    return Definition(
        use, path, source, parameters, required, declared=_class_values(name, classes)
    )


def parsed(source: bytes, stated: str) -> ast.Module:
    """Return the tree of a Python file; a ValueError says why there is none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python tells of them when the file is run
            return ast.parse(source)
    except SyntaxError as error:
        reason = cut(visible(f"line {error.lineno}: {error.msg}"))
        raise ValueError(f"{stated} is not Python: {reason}") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise ValueError(f"{stated} is not Python: {cut(visible(str(error)))}") from None


def _read(path: Path, stated: str, role: Role) -> bytes:
    try:
        return read_bytes(path, "a Python file", MOST_BYTES)
    except FileNotFoundError:
        beside = sorted(file.name for file in path.parent.glob(f"*{SUFFIX}"))
        hint = did_you_mean(path.name, beside) if beside else f"expected {role.example!r}"
        raise FileNotFoundError(f"there is no file {stated!r}; {hint}") from None


def _family(name: str, classes: dict[str, ast.ClassDef]) -> tuple[list[ast.ClassDef], bool]:
    """Return a class and those of the file it inherits from, and whether these are all."""
    family: dict[str, ast.ClassDef] = {}
    whole, waiting = True, [name]
    while waiting:
        member = waiting.pop()
        if member in classes and member not in family:
            family[member] = classes[member]
            waiting += [_last_name(base) for base in classes[member].bases]
        elif member not in family:
            whole = whole and member in ("object", "Protocol", "Algorithm")
    return list(family.values()), whole


def _has(method: str, name: str, classes: dict[str, ast.ClassDef]) -> bool:
    """Tell whether a class has a method, or may inherit it from elsewhere."""
    family, whole = _family(name, classes)
    defined = [name for cls in family for node in cls.body for name in _defined(node)]
    return not whole or method in defined


def _defined(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.Assign):
        return [_last_name(target) for target in node.targets]
    return [node.name] if isinstance(node, ast.FunctionDef) else []


def _class_values(name: str, classes: dict[str, ast.ClassDef]) -> dict[str, Any]:
    """Return the class variables whose values are plain; those of the class itself win."""
    values: dict[str, Any] = {}
    for cls in reversed(_family(name, classes)[0]):
        for node in cls.body:
            targets: list[ast.expr] = []
            if isinstance(node, ast.Assign):
                targets = node.targets
            elif isinstance(node, ast.AnnAssign):
                targets = [node.target]
            value = getattr(node, "value", None)
            if targets and isinstance(value, ast.Constant):
                values |= {_last_name(target): value.value for target in targets}
    return values


def _taken(
    name: str, classes: dict[str, ast.ClassDef]
) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
    """Return what a class takes, and what of it has no default; None where it is not known."""
    family, whole = _family(name, classes)
    if not whole:
        return None, ()
    begin = next((node for cls in family for node in cls.body if _is_init(node)), None)
    if isinstance(begin, ast.FunctionDef):
        return _arguments(begin.args, 1)
    if not any(_is_dataclass(cls) for cls in family):
        return (), ()
    fields = [field for cls in reversed(family) for field in cls.body if _is_field(field)]
    named = {_last_name(field.target): field.value for field in fields}  # type: ignore[attr-defined]
    return tuple(named), tuple(key for key, default in named.items() if default is None)


def _function(use: str, path: str, source: bytes, node: ast.FunctionDef, role: Role) -> Definition:
    taken, required = _arguments(node.args, 0)
    ours = role.arguments or ()
    missing = [name for name in ours if name == "rng" and taken is not None and name not in taken]
    if missing or (taken is not None and len(taken) < len(ours)):
        expected = f"{role.noun.replace(' ', '_')}({', '.join(ours)})"
        raise ValueError(f"{use}: the function does not take what `{expected}` takes")
    # A generator is given by name, the others by place.
    places = [name for name in (taken or ()) if name != "rng"][: len(ours) - ("rng" in ours)]
    given = {*places, *(name for name in ours if name == "rng")}
    parameters = None if taken is None else tuple(name for name in taken if name not in given)
    declared = _decorated(node, role)
    needed = tuple(name for name in required if name not in given)
    return Definition(use, path, source, parameters, needed, is_class=False, declared=declared)


def _decorated(node: ast.FunctionDef, role: Role) -> dict[str, Any]:
    """Return the arguments of the role's decorator, as far as they are plain values."""
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and _last_name(decorator) == role.noun:
            stated = [*zip(role.decorator, decorator.args, strict=False)]
            stated += [(word.arg or "", word.value) for word in decorator.keywords]
            return {name: value.value for name, value in stated if isinstance(value, ast.Constant)}
    return {}


def _arguments(
    taken: ast.arguments, n_left_out: int
) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
    if taken.kwarg is not None:
        return None, ()
    plain = [argument.arg for argument in (*taken.posonlyargs, *taken.args)][n_left_out:]
    first_default = len(plain) - len(taken.defaults)
    keywords = zip(taken.kwonlyargs, taken.kw_defaults, strict=True)
    required = plain[:first_default]
    required += [argument.arg for argument, default in keywords if default is None]
    return (*plain, *(argument.arg for argument in taken.kwonlyargs)), tuple(required)


def _is_init(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef) and node.name == "__init__"


def _is_dataclass(cls: ast.ClassDef) -> bool:
    return any(_last_name(decorator) == "dataclass" for decorator in cls.decorator_list)


def _is_field(node: ast.stmt) -> bool:
    return isinstance(node, ast.AnnAssign) and "ClassVar" not in ast.dump(node.annotation)


def _last_name(node: ast.expr) -> str:
    """Return the name in `name`, `module.name`, `name(...)` and `name[...]`; empty elsewhere."""
    while isinstance(node, ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return getattr(node, "id", getattr(node, "attr", ""))
