"""The study of a results folder, as it ran and as the bundle has it, and the files it names."""

from __future__ import annotations

import ast
import os
import re
import sqlite3
import tomllib
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from causalassay.common.opening import check_regular, unsaid
from causalassay.discovery.command import Command
from causalassay.discovery.python_files import PythonFile
from causalassay.lab.bundling.archives import WHEEL_NAME
from causalassay.lab.bundling.contents import DATA, OURS, STUDY
from causalassay.lab.bundling.identity import Identity
from causalassay.study.keys import file_sha256
from causalassay.study.language import parse_study
from causalassay.study.language.mistakes import StudyMistakes
from causalassay.study.plan import AlgorithmEntry, ProblemEntry, Study
from causalassay.study.problem_specs import FromFile, Network
from causalassay.study.storage import StoreReader


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


@dataclass(frozen=True)
class NamedFile:
    """A file that a study names.

    Parameters
    ----------
    source : Path
        Where it is.
    place : str
        Where it is in the bundle.
    size : int
        In bytes.
    sha256 : str
    in_keys : bool
        Whether the keys of rows change with its content; not so of a module that code imports.
    """

    source: Path
    place: str
    size: int
    sha256: str
    in_keys: bool = True


def code_files(study: Study, folder: Path) -> list[NamedFile]:
    """Return the code that a study names, and the modules beside it that this imports.

    Its path is a part of the keys of rows and of the streams of random numbers, so it must
    lie in the folder of the study and stays where it is.

    Raises
    ------
    ValueError
        It lies elsewhere.
    """
    found: dict[str, Path] = {}
    named: set[Path] = set()
    for entry in study.algorithms:
        for stated, path in _code_of(entry):
            named.add(path)
            for one in (path, *(modules_beside(path) if path.suffix == ".py" else ())):
                found[_place(stated, one, folder)] = one
    return [_named(path, place, path in named) for place, path in sorted(found.items())]


def _code_of(entry: AlgorithmEntry) -> Iterator[tuple[str, Path]]:
    """Yield the code files of an algorithm, each as it is stated and where it is."""
    algorithm = entry.algorithm
    if isinstance(algorithm, PythonFile):
        yield algorithm.use.rpartition(":")[0], Path(algorithm.path)
    elif isinstance(algorithm, Command):
        for word, path, _ in algorithm.named_files():
            yield word, Path(path)


def _place(stated: str, path: Path, folder: Path) -> str:
    inside = os.path.relpath(path, os.path.realpath(folder))
    named = stated.partition("=")[2] if stated.startswith("-") else stated
    if inside.startswith("..") or Path(named).is_absolute() or ".." in Path(named).parts:
        raise ValueError(
            f"the study names the code {stated!r} by a path out of its folder; put it beside the "
            "study file, name it without folders above, and run the study again"
        )
    if inside in OURS or WHEEL_NAME.fullmatch(inside):
        raise ValueError(f"{inside} is a file of the bundle itself; give the code another name")
    return Path(inside).as_posix()


def data_files(problems: Iterable[ProblemEntry]) -> list[NamedFile]:
    """Return the files with data, true graphs and networks that problems are read from."""
    sources: dict[Path, None] = {}
    for entry in problems:
        if isinstance(entry.spec, FromFile):
            sources |= {entry.spec.file: None, entry.spec.graph_file: None}
        elif isinstance(entry.spec, Network):
            sources[entry.spec.file] = None
    taken: set[str] = set()
    return [_named(source, _free(source, taken)) for source in sources]


def _free(source: Path, taken: set[str]) -> str:
    """Return a place among the data that no other file has."""
    number, place = 1, f"{DATA}/{source.name}"
    while place.lower() in taken:
        number += 1
        place = f"{DATA}/{source.stem}-{number}{source.suffix}"
    taken.add(place.lower())
    return place


def _named(path: Path, place: str, in_keys: bool = True) -> NamedFile:
    return NamedFile(path, place, check_regular(path), file_sha256(path), in_keys)


def with_places(text: str, folder: Path, data: Sequence[NamedFile]) -> str:
    """Return the text of a study with the data files where the bundle has them.

    Examples
    --------
    >>> file = NamedFile(Path("/d/sachs.csv"), "data/sachs.csv", 0, "")
    >>> with_places('file = "../d/sachs.csv" # from Sachs', Path("/study"), [file])
    'file = "data/sachs.csv" # from Sachs'
    """
    places = {os.path.normpath(file.source): file.place for file in data}
    for stated in sorted(set(_strings(tomllib.loads(text))), key=len, reverse=True):
        place = places.get(os.path.normpath((folder / stated).absolute()))
        if place:
            for quote in ('"', "'"):
                text = text.replace(f"{quote}{stated}{quote}", f"{quote}{place}{quote}")
    return text


def _strings(value: Any) -> Iterator[str]:
    """Yield the texts in nested tables, none that could not be a path."""
    if isinstance(value, str):
        if value and "\0" not in value:
            yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _strings(part)


# A comment, after what holds no quotation mark or whole texts in them.
_COMMENT = re.compile(r"""^((?:[^"'#\n]|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')*)(#.*)$""", re.MULTILINE)


@dataclass(frozen=True)
class NamedStudy:
    """A study that ran, and the files that it names.

    Parameters
    ----------
    study : Study
    folder : Path
        What its paths are relative to.
    code, data : list of NamedFile
    """

    study: Study
    folder: Path
    code: list[NamedFile]
    data: list[NamedFile]

    def text_in_bundle(self, identity: Identity | None) -> str:
        """Return the study's text as the bundle has it; comments without names of people.

        Parameters
        ----------
        identity : Identity, optional
            What to leave out.
        """
        text = with_places(self.study.text, self.folder, self.data)
        if identity is None:
            return text
        return _COMMENT.sub(lambda match: match[1] + identity.cleaned(match[2]), text)


def read_named(store: StoreReader, folder: Path) -> NamedStudy:
    """Return the study that a store was last run with, and its files.

    Raises
    ------
    ValueError
        A file that it names is absent, or was changed since it ran.
    """
    study = _parsed(store.text, folder)
    if study.name != store.name or study.seed != store.seed:
        raise ValueError(f"{store.path} was not written by this version; run the study again")
    refuse_changed(store.connection, study)
    return NamedStudy(study, folder, code_files(study, folder), data_files(study.problems))


def _parsed(text: str, folder: Path) -> Study:
    try:
        with unsaid():
            return parse_study(text, folder)
    except StudyMistakes as error:
        raise ValueError(
            f"the study cannot be read again in {folder}: {error.mistakes[0]}; name the study "
            "file with --study, or put what is missing beside it"
        ) from None


_KEYS = {
    "problem": "SELECT name, key FROM problems WHERE place IS NOT NULL",
    "algorithm": "SELECT name, key FROM algorithms WHERE place IS NOT NULL",
    "metric": "SELECT label, key FROM metrics WHERE place IS NOT NULL",
}


def refuse_changed(connection: sqlite3.Connection, study: Study) -> None:
    """Refuse a study that is not the one whose rows a store has."""
    parts: dict[str, set[str]] = {
        "problem": {entry.key for entry in study.problems},
        "algorithm": {entry.key for entry in study.algorithms},
        "metric": {entry.key for entry in study.metrics},
    }
    for part, query in _KEYS.items():
        changed = [name for name, key in connection.execute(query) if key not in parts[part]]
        if changed:
            raise ValueError(
                f"the {part} {changed[0]!r} is not the one that ran: a file that it names was "
                "edited, or this is another version of causalassay; run the study again"
            )


def placed_study(text: str, folder: Path, ran: Study) -> Study:
    """Return the study as it reads in the bundle, if it is still the one that ran.

    Raises
    ------
    ValueError
        The text could not be changed without changing the study.
    """
    with unsaid():
        try:
            study = parse_study(text, folder, STUDY)
        except StudyMistakes as error:
            raise ValueError(_unlike(error.mistakes[0])) from None
    if _names(study.problems) != _names(ran.problems):
        raise ValueError(_unlike("a problem has another name or key"))
    if _names(study.algorithms) != _names(ran.algorithms):
        raise ValueError(_unlike("an algorithm has another name or key"))
    return study


def _unlike(reason: str) -> str:
    return (
        f"the study cannot be moved into the bundle ({reason}); put its data files beside the "
        "study file, name them in plain quotation marks, and run it again: no row is computed anew"
    )


def _names(entries: Iterable[object]) -> Sequence[tuple[str, str]]:
    return [(entry.name, entry.key) for entry in entries]  # type: ignore[attr-defined]
