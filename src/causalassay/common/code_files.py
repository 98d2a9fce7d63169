"""Python files of users with what they import from their own folder: found, packed and run.

The text travels with whoever runs it, so what runs is what was read, on any machine. Imports are
found in the text, without running it.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import importlib.util
import os
import site
import sys
import sysconfig
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

from causalassay.common.definitions import MOST_BYTES, SUFFIX, parsed
from causalassay.common.files import check_regular, read_bytes

MOST_MODULES = 1000
"""Files of one folder that a file may import, directly or through others."""

_OURS = Path(__file__).parents[1]


@dataclass(frozen=True)
class LocalModule:
    """A module that lies in the folder of the file that imports it.

    Parameters
    ----------
    name : str
        As it is imported, ``package.module``.
    path : str
        The full path of its file, or of the folder of a package without one.
    sha256 : str
        Of the file.
    text : bytes, optional
        The packed file; None for compiled code, which is loaded from where it is.
    is_package : bool
    """

    name: str
    path: str
    sha256: str
    text: bytes | None = None
    is_package: bool = False


@dataclass(frozen=True)
class CodeFile:
    """A Python file with the modules of its own folder that it imports.

    Parameters
    ----------
    path : str
        Where the file is on the machine where it was read.
    sha256 : str
    text : bytes
        The packed file. As it is, "__main__" in it would be taken for the driver's script.
    modules : tuple of LocalModule
        In the order of their names.
    elsewhere : tuple of (name, place)
        What it imports that is neither installed nor in the folder, with where it was found;
        without a place, nowhere. No key changes if such code does.
    """

    path: str
    sha256: str
    text: bytes
    modules: tuple[LocalModule, ...] = ()
    elsewhere: tuple[tuple[str, str], ...] = ()

    @property
    def digests(self) -> tuple[tuple[str, str], ...]:
        """The names of the modules with their hashes, which are a part of keys."""
        return tuple((module.name, module.sha256) for module in self.modules)

    def module(self) -> ModuleType:
        """Return the file as a module; it is run if it has not been in this process."""
        whole = hashlib.sha256(repr((self.sha256, self.digests)).encode()).hexdigest()
        name = f"causalassay_file_{whole}"
        if name in sys.modules:
            return sys.modules[name]
        module = ModuleType(name)
        module.__file__ = self.path
        folder = str(Path(self.path).parent)
        if folder not in sys.path:
            sys.path.append(folder)  # last: a file there must not hide an installed module
        _carried.take(self.modules)
        sys.modules[name] = module  # dataclasses look for their module there
        try:
            exec(compile(zlib.decompress(self.text), self.path, "exec"), module.__dict__)
        except BaseException:
            del sys.modules[name]
            raise
        return module


def code_file(path: str, source: bytes) -> CodeFile:
    """Return a Python file with what it imports.

    Parameters
    ----------
    path : str
        The full path of the file.
    source : bytes
        What it holds.

    Raises
    ------
    ValueError
        If it imports more of its folder than code that a person writes.
    OSError
        If a module in the folder cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, imports in {"a": "import os, b", "b": "from c import x", "c": ""}.items():
    ...         _ = Path(folder, f"{name}.py").write_text(imports)
    ...     [module.name for module in code_file(f"{folder}/a.py", b"import os, b").modules]
    ['b', 'c']
    """
    folder = Path(path).parent
    modules: dict[str, LocalModule] = {}
    elsewhere: dict[str, str] = {}
    waiting: list[tuple[bytes, tuple[str, ...]]] = [(source, ())]
    while waiting:
        text, package = waiting.pop()
        for stated, is_optional in _imports(text, package):
            top = stated[0]
            place = _place(top, folder)
            if place == _INSTALLED:
                continue
            modules_here = list(_modules(folder, stated))
            if not modules_here:
                if (folder / f"{top}{SUFFIX}") != Path(path) and (place or not is_optional):
                    elsewhere.setdefault(top, place)
                continue
            for module, inner in modules_here:
                if module.path != path and module.name not in modules:
                    modules[module.name] = module
                    waiting.append((inner, _package(module)))
            if len(modules) > MOST_MODULES:
                raise ValueError(
                    f"{Path(path).name} imports more than {MOST_MODULES} files of its folder; "
                    "install them as a package"
                )
    return CodeFile(
        path,
        hashlib.sha256(source).hexdigest(),
        zlib.compress(source),
        tuple(modules[name] for name in sorted(modules)),
        tuple(sorted(elsewhere.items())),
    )


def _package(module: LocalModule) -> tuple[str, ...]:
    """Return the package that a module's relative imports begin at."""
    parts = tuple(module.name.split("."))
    return parts if module.is_package else parts[:-1]


_INSTALLED = "installed"


def _place(top: str, folder: Path) -> str:
    """Return where a module is that does not lie in a folder: installed, a path, or nowhere."""
    if top in sys.stdlib_module_names or top in sys.builtin_module_names:
        return _INSTALLED
    spec = None
    for finder in sys.meta_path:
        if isinstance(finder, _Carried) or not hasattr(finder, "find_spec"):
            continue
        if finder is PathFinder:
            others = [path for path in sys.path if Path(os.path.realpath(path)) != folder]
            spec = PathFinder.find_spec(top, others)
        else:
            with contextlib.suppress(Exception):  # somebody else's may do anything
                spec = finder.find_spec(top, None)
        if spec is not None:
            break
    if spec is None:
        return ""
    places = [spec.origin] if spec.has_location else list(spec.submodule_search_locations or ())
    if all(place is None or is_installed(place) for place in places):
        return _INSTALLED
    return next(place for place in places if place is not None and not is_installed(place))


def is_installed(filename: str) -> bool:
    """Return whether a file is of Python, of an installed package or of causalassay.

    Examples
    --------
    >>> is_installed(os.__file__), is_installed("/home/me/mine.py")
    (True, False)
    """
    if filename.startswith("<"):  # of text that was run without a file
        return True
    return any(Path(filename).is_relative_to(folder) for folder in _installed_folders())


@cache
def _installed_folders() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    folders = [paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    return (*folders, *site.getsitepackages(), site.getusersitepackages(), str(_OURS))


def _imports(source: bytes, package: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], bool]]:
    """Yield what a text imports, as parts of names, and whether it can do without.

    Parameters
    ----------
    source : bytes
    package : tuple of str
        What relative imports begin at.
    """
    try:
        tree = parsed(source, "")
    except ValueError:
        return
    optional = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.Try)
        for statement in node.body
        for inner in ast.walk(statement)
    }
    for node in ast.walk(tree):
        for name in _imported(node, package):
            if name and all(name):
                yield name, id(node) in optional


def _imported(node: ast.AST, package: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    match node:
        case ast.Import():
            for alias in node.names:
                yield tuple(alias.name.split("."))
        case ast.ImportFrom():
            base = tuple(node.module.split(".")) if node.module else ()
            if node.level:
                base = package[: len(package) - (node.level - 1)] + base
            yield base
            for alias in node.names:
                yield (*base, alias.name)
        case ast.Call(func=function, args=[ast.Constant(value=str(name)), *_]):
            if getattr(function, "attr", getattr(function, "id", "")) in _BY_NAME:
                yield tuple(name.split("."))


_BY_NAME = ("import_module", "__import__")


def _modules(folder: Path, parts: Sequence[str]) -> Iterator[tuple[LocalModule, bytes]]:
    """Yield the modules of a folder that an import of a dotted name runs, with their texts."""
    for size in range(1, len(parts) + 1):
        name, path = ".".join(parts[:size]), folder.joinpath(*parts[:size])
        compiled = (path.with_name(path.name + suffix) for suffix in EXTENSION_SUFFIXES)
        library = next((file for file in compiled if file.is_file()), None)
        if (path / "__init__.py").is_file():
            yield _text_module(name, path / "__init__.py", is_package=True)
        elif library is not None:
            check_regular(library)
            with library.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            yield LocalModule(name, str(library), digest), b""
            return
        elif path.with_name(path.name + SUFFIX).is_file():
            yield _text_module(name, path.with_name(path.name + SUFFIX), is_package=False)
            return
        elif path.is_dir() and size < len(parts):
            empty = hashlib.sha256(b"").hexdigest()
            yield LocalModule(name, str(path), empty, zlib.compress(b""), is_package=True), b""
        else:  # an attribute of the module before, or not in this folder
            return


def _text_module(name: str, file: Path, *, is_package: bool) -> tuple[LocalModule, bytes]:
    source = read_bytes(file, "a Python file", MOST_BYTES)
    digest = hashlib.sha256(source).hexdigest()
    return LocalModule(name, str(file), digest, zlib.compress(source), is_package), source


class _Carried(MetaPathFinder, Loader):
    """Imports the modules that came with a file: what was read, wherever this runs."""

    def __init__(self) -> None:
        self._modules: dict[str, LocalModule] = {}

    def take(self, modules: Sequence[LocalModule]) -> None:
        """Have these modules; where an earlier file had others of the same name, these now."""
        if modules and self not in sys.meta_path:
            sys.meta_path.insert(0, self)
        for module in modules:
            if self._modules.get(module.name, module) != module:
                sys.modules.pop(module.name, None)
            if module.text is not None:
                self._modules[module.name] = module

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:  # noqa: ARG002
        """Return how a module is loaded that came with a file."""
        module = self._modules.get(fullname)
        if module is None:
            return None
        spec = ModuleSpec(fullname, self, origin=module.path, is_package=module.is_package)
        if module.path.endswith(SUFFIX):
            spec.has_location = True
        if module.is_package:
            inside = module.path.removesuffix(f"{os.sep}__init__.py")
            spec.submodule_search_locations = [inside]
        return spec

    def exec_module(self, module: ModuleType) -> None:
        """Run the text of a module."""
        known = self._modules[module.__name__]
        exec(compile(_unpacked(known), known.path, "exec"), module.__dict__)

    def get_source(self, fullname: str) -> str:
        """Return the text of a module, for tracebacks."""
        return importlib.util.decode_source(_unpacked(self._modules[fullname]))


def _unpacked(module: LocalModule) -> bytes:
    return zlib.decompress(module.text or b"")


_carried = _Carried()
