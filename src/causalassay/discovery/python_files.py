"""Classes in Python files as algorithms: read as text first, run only where they discover."""

from __future__ import annotations

import ast
import hashlib
import os
import sys
import sysconfig
import traceback
import warnings
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

from numpy.random import Generator

from causalassay.common.files import read_bytes
from causalassay.common.spelling import cut, did_you_mean, listed, visible
from causalassay.contracts import Algorithm, Estimate
from causalassay.data.dataset import Dataset
from causalassay.processes.stages import loading

SUFFIX = ".py"
MOST_BYTES = 1_000_000
"""The most that a Python file may have; one that a person writes has a tenth of it."""

_EXAMPLE = "my_algorithm.py:MyClass"


@dataclass(frozen=True)
class ClassText:
    """A class in a Python file.

    Parameters
    ----------
    use : str
        As it was asked for, ``my_algorithm.py:MyClass``.
    path : str
        The full path of the file.
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
        able = [known for known in classes if _has_discover(known, classes)] or list(classes)
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
        beside = sorted(file.name for file in path.parent.glob(f"*{SUFFIX}"))
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


def _has_discover(name: str, classes: dict[str, ast.ClassDef]) -> bool:
    """Tell whether a class has the method, or may inherit it from elsewhere."""
    family, whole = _family(name, classes)
    defined = [name for cls in family for node in cls.body for name in _defined(node)]
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
    begin = next((node for cls in family for node in cls.body if _is_init(node)), None)
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
    plain = [argument.arg for argument in (*taken.posonlyargs, *taken.args)][1:]
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


# A class in a Python file as an algorithm, without a package around it.


@dataclass(frozen=True)
class PythonFile:
    """Run a class of a Python file; the file is run where its algorithm is, and nowhere else.

    The text of the file travels with the algorithm, so what runs is what was read, on any
    machine. What it imports from its own folder is found there, and is no part of the key.

    Parameters
    ----------
    use : str
        ``my_algorithm.py:MyClass``, as it was asked for.
    sha256 : str
        The SHA-256 hash of the file.
    parameters : tuple of (name, value)
        What the class is made with.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> text = '''
    ... import numpy as np
    ... from causalassay.contracts import Estimate
    ... class Chain:
    ...     def discover(self, data, rng):
    ...         return Estimate(np.eye(data.n_nodes, k=1, dtype=bool), "dag")
    ... '''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "mine.py").write_text(text)
    ...     algorithm = from_file("mine.py:Chain", Path(folder), {})
    >>> data = Dataset.from_values([[0.0, 1.0], [1.0, 3.0]])
    >>> algorithm.discover(data, np.random.default_rng(0)).graph.astype(int)
    array([[0, 1],
           [0, 0]])
    """

    use: str
    sha256: str
    parameters: tuple[tuple[str, Any], ...] = ()
    path: str = field(default="", compare=False, repr=False)
    """Where the file is on the machine where it was read."""
    text: bytes = field(default=b"", compare=False, repr=False)
    """The packed file. As it is, "__main__" in it would be taken for the driver's script."""
    version: ClassVar[int] = 1

    @property
    def rows(self) -> Any:
        """Which rows the class is for."""
        return getattr(self.load(), "rows", "independent")

    def load(self) -> type[Any]:
        """Return the class; the file is run if it has not been in this process."""
        name = self.use.rpartition(":")[2]
        kind = getattr(self._module(), name, None)
        if not isinstance(kind, type):
            raise TypeError(f"{self.use}: {name!r} is not a class after the file has run")
        if not callable(getattr(kind, "discover", None)):
            raise TypeError(f"{self.use}: the class has no method `discover(self, data, rng)`")
        return kind

    def made(self) -> Algorithm:
        """Return a new object of the class."""
        made: Algorithm = self.load()(**dict(self.parameters))
        return made

    def discover(self, data: Dataset, rng: Generator) -> Estimate:
        """Run a new object of the class on the data: it knows nothing of earlier data."""
        with loading():
            made = self.made()
        return made.discover(data, rng)

    def _module(self) -> ModuleType:
        name = f"causalassay_file_{self.sha256}"
        if name in sys.modules:
            return sys.modules[name]
        module = ModuleType(name)
        module.__file__ = self.path
        folder = str(Path(self.path).parent)
        if folder not in sys.path:
            sys.path.append(folder)  # last: a file there must not hide an installed module
        sys.modules[name] = module  # dataclasses look for their module there
        try:
            exec(compile(zlib.decompress(self.text), self.path, "exec"), module.__dict__)
        except BaseException:
            del sys.modules[name]
            raise
        return module


def from_file(use: str, folder: Path, parameters: Mapping[str, Any]) -> PythonFile:
    """Return the algorithm that a class of a Python file is.

    Parameters
    ----------
    use : str
        ``my_algorithm.py:MyClass``.
    folder : Path
        What the path is relative to.
    parameters : mapping
        What the class is made with.

    Raises
    ------
    OSError, ValueError
        If there is no such class: see `find_class`.
    TypeError
        If the class does not take these parameters.
    """
    text = find_class(use, folder)
    text.check_parameters(list(parameters))
    return made_of(text, parameters)


def made_of(found: ClassText, parameters: Mapping[str, Any]) -> PythonFile:
    """Return the algorithm that a class with these parameters is."""
    return PythonFile(
        found.use,
        hashlib.sha256(found.source).hexdigest(),
        tuple(sorted(parameters.items())),
        found.path,
        zlib.compress(found.source),
    )


# Where in a user's own code an error was raised.

_OURS = Path(__file__).parents[1]


def place_of_mistake(error: BaseException) -> str:
    """Return the file and line of the user's code at which an error was raised, else nothing.

    What is installed is nobody's own: of a call into a library the line that calls it counts.

    Examples
    --------
    >>> place_of_mistake(KeyError("never raised"))
    ''
    """
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if not _is_installed(frame.filename):
            return f"{Path(frame.filename).name}, line {frame.lineno}"
    return ""


def _is_installed(filename: str) -> bool:
    if filename.startswith("<"):  # of text that was run without a file
        return True
    paths = sysconfig.get_paths()
    folders = [paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    folders.append(str(_OURS))
    return any(Path(filename).is_relative_to(folder) for folder in folders)
