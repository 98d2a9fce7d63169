"""The files that a study names: code, which stays in its place, and data, which moves."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from causalassay.bundling.file_names import DATA, OURS
from causalassay.bundling.own_modules import modules_beside
from causalassay.bundling.wheel import WHEEL_NAME
from causalassay.discovery.command import Command
from causalassay.discovery.python_file import PythonFile
from causalassay.opening import check_regular
from causalassay.study.keys import file_sha256
from causalassay.study.plan import AlgorithmEntry, ProblemEntry, Study
from causalassay.study.problem_specs import FromFile, Network


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
