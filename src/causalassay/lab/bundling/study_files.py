"""The study of a bundle: its text, the files that it names, its sessions and their versions."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import sqlite3
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path, PurePosixPath
from typing import Any, get_args

import pandas as pd
from pydantic import TypeAdapter

from causalassay.common.files import check_regular, read_text, unsaid
from causalassay.discovery.amortized import Amortized
from causalassay.discovery.command import Command
from causalassay.discovery.python_files import PythonFile
from causalassay.discovery.registry import ALGORITHMS
from causalassay.environments.catalogue import EnvironmentDefinition
from causalassay.lab.bundling.contents import DATA, OURS, PACKAGE, STUDY, WHEEL_NAME
from causalassay.lab.bundling.identity import Identity
from causalassay.study.keys import file_sha256
from causalassay.study.language import parse_study
from causalassay.study.language.grids import is_pattern
from causalassay.study.language.mistakes import StudyMistakes
from causalassay.study.own_parts import OwnPart
from causalassay.study.plan import AlgorithmEntry, ProblemEntry, Purpose, Status, Study
from causalassay.study.problem_specs import FromFile, Network
from causalassay.study.programs import needed_environments, own_parts_of
from causalassay.study.storage import StoreReader
from causalassay.study.storage.reader import Choice, Session, StudyStatus


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
    """

    source: Path
    place: str
    size: int
    sha256: str


def code_files(study: Study, folder: Path) -> list[NamedFile]:
    """Return the code that a study names, and the modules of its folder that this imports.

    Its path is a part of the keys of rows and of the streams of random numbers, so it must
    lie in the folder of the study and stays where it is.

    Raises
    ------
    ValueError
        It lies elsewhere.
    """
    by_place = {
        _place(stated, path, folder): path
        for entry in study.algorithms
        for stated, path in _code_of(entry)
    }
    for part in own_parts_of(study):
        by_place |= {_place(stated, path, folder): path for stated, path in _with_modules(part)}
    return [_named(path, inner) for inner, path in sorted(by_place.items())]


def _code_of(entry: AlgorithmEntry) -> Iterator[tuple[str, Path]]:
    """Yield the code files of an algorithm, each as it is stated and where it is."""
    algorithm = entry.algorithm
    if isinstance(algorithm, PythonFile):
        yield from _with_modules(algorithm)
    elif isinstance(algorithm, Command | Amortized):
        for word, path, _ in algorithm.named_files():
            yield word, Path(path)
        if isinstance(algorithm, Command):
            yield from ((Path(path).name, Path(path)) for path in algorithm.modules)


def _with_modules(code: PythonFile | OwnPart) -> Iterator[tuple[str, Path]]:
    """Yield a Python file and the modules of its folder that it imports."""
    stated = code.use.rpartition(":")[0]
    for path in (code.code.path, *(module.path for module in code.code.modules)):
        if Path(path).is_file():  # a package without a file of its own is a folder
            yield stated, Path(path)


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
    """Return the files with data, true graphs and networks that problems are read from.

    Those of a folder stay in a folder, under their names: these pair data with graphs.
    """
    sources: dict[Path, None] = {}
    folders: dict[Path, None] = {}
    for entry in problems:
        if isinstance(entry.spec, FromFile):
            files = (entry.spec.file, entry.spec.graph_file)
            sources |= dict.fromkeys(files)
            if entry.spec.of_folder:
                folders |= dict.fromkeys(file.parent for file in files)
        elif isinstance(entry.spec, Network):
            sources[entry.spec.file] = None
    taken: set[str] = set()
    places = {folder: _free_folder(folder.name, taken) for folder in folders}
    return [
        _named(source, f"{places[source.parent]}/{source.name}")
        if source.parent in places
        else _named(source, _free(source, taken))
        for source in sources
    ]


def _free_folder(name: str, taken: set[str]) -> str:
    """Return a place for a folder, which keeps its name: schemes are called after it."""
    number, inner = 1, f"{DATA}/{name}"
    while inner.lower() in taken:
        number += 1
        inner = f"{DATA}/{number}/{name}"
    taken.add(inner.lower())
    return inner


def _free(source: Path, taken: set[str]) -> str:
    """Return a place among the data that no other file has."""
    number, inner = 1, f"{DATA}/{source.name}"
    while inner.lower() in taken:
        number += 1
        inner = f"{DATA}/{source.stem}-{number}{source.suffix}"
    taken.add(inner.lower())
    return inner


def _named(path: Path, inner: str) -> NamedFile:
    return NamedFile(path, inner, check_regular(path), file_sha256(path))


def with_places(text: str, folder: Path, data: Sequence[NamedFile]) -> str:
    """Return the text of a study with the data files where the bundle has them.

    Examples
    --------
    >>> file = NamedFile(Path("/d/sachs.csv"), "data/sachs.csv", 0, "")
    >>> with_places('file = "../d/sachs.csv" # from Sachs', Path("/study"), [file])
    'file = "data/sachs.csv" # from Sachs'
    >>> file = NamedFile(Path("/d/sets/1.csv"), "data/sets/1.csv", 0, "")
    >>> with_places('files = "../d/sets/*.csv"', Path("/study"), [file])
    'files = "data/sets/*.csv"'
    """
    places = {os.path.normpath(file.source): file.place for file in data}
    folders = {
        os.path.normpath(file.source.parent): str(PurePosixPath(file.place).parent)
        for file in data
        if PurePosixPath(file.place).parent != PurePosixPath(DATA)
    }
    for stated in sorted(set(_strings(tomllib.loads(text))), key=len, reverse=True):
        path = os.path.normpath((folder / stated).absolute())
        inner = places.get(path) or folders.get(path)
        above, name = os.path.split(path)
        if not inner and is_pattern(name) and above in folders:
            inner = f"{folders[above]}/{name}"
        if inner:
            for quote in ('"', "'"):
                text = text.replace(f"{quote}{stated}{quote}", f"{quote}{inner}{quote}")
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


# When a study ran and with which versions: sessions.json and requirements.txt.

_LEFT_OUT = ("host", "text")
"""Fields of a session that are left out: rows have the machines, study.toml has the text."""


def sessions_text(
    status: StudyStatus, sessions: Sequence[Session], choices: Sequence[Choice]
) -> str:
    """Return the file: the runs of the driver, and of tuning, whose rows are not in the bundle."""
    shown = [dataclasses.asdict(session) for session in sessions]
    content = {
        "sessions": [{k: v for k, v in session.items() if k not in _LEFT_OUT} for session in shown],
        "tuning": {
            "total": status.totals["tuning"],
            "counts": status.counts["tuning"],
            "reasons": status.reasons["tuning"],
        },
        "choices": [dataclasses.asdict(choice) for choice in choices],
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


@dataclass(frozen=True)
class SessionsFile:
    """The content of sessions.json.

    Parameters
    ----------
    sessions : list of Session
    choices : list of Choice
    total : int
        Rows of tuning that the complete study has.
    counts, reasons : dict
        Of the rows of tuning, by status and by reason.
    """

    sessions: list[Session]
    choices: list[Choice]
    total: int
    counts: dict[str, int]
    reasons: dict[str, int]

    def status(self, study: Study, rows: pd.DataFrame) -> StudyStatus:
        """Return where a study stands that has these rows."""
        by_status = rows["status"].value_counts()
        failed = rows[rows["status"] != "ok"]["reason"].astype(object).fillna("").value_counts()
        counts = {name: int(by_status.get(name, 0)) for name in get_args(Status)}
        writes = [session.last_write for session in self.sessions if session.last_write]
        first = [session.first_write for session in self.sessions if session.first_write]
        totals: dict[Purpose, int] = {"tuning": self.total, "main": study.n_tasks["main"]}
        return StudyStatus(
            study.name,
            study.seed,
            None,
            self.sessions[-1].how or "killed",
            totals,
            {"main": counts, "tuning": self.counts},
            {},
            {
                "main": {str(reason): int(failed[reason]) for reason in sorted(failed.index)},
                "tuning": self.reasons,
            },
            None,
            min(first, default=None),
            max(writes, default=None),
        )


def read_sessions(path: Path, study: Study) -> SessionsFile:
    """Return what the file of a bundle says, or raise if it is not one."""
    try:
        content: dict[str, Any] = json.loads(read_text(path, "the sessions of a study"))
        shown = [session | {"host": "", "text": study.text} for session in content["sessions"]]
        stated = {"sessions": shown, "choices": content["choices"], **content["tuning"]}
        sessions_file = TypeAdapter(SessionsFile).validate_python(stated)
        times = [
            time
            for session in sessions_file.sessions
            for time in (session.started, session.last_write)
            if time
        ]
        if not [datetime.fromisoformat(time) for time in times]:
            raise ValueError("no session")
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ValueError(f"{path.name} cannot be read; it is not as it was bundled") from None
    return sessions_file


_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_NOT_PACKAGES = ("python", "platform")


def lock_text(study: Study, sessions: Sequence[Session], wheel: str) -> str:
    """Return the requirements file of a study.

    Versions that the sessions recorded are those that ran. Of other packages, which were not
    recorded, it has the versions that are installed now, and says so.

    Parameters
    ----------
    study : Study
    sessions : sequence of Session
    wheel : str
        The name of the wheel of causalassay beside it.
    """
    recorded = sessions[-1].versions
    ran = {name: pinned for name, pinned in recorded.items() if name not in _NOT_PACKAGES}
    roots = [*ran, *(ALGORITHMS.package(entry.use) for entry in study.algorithms)]
    others = {
        name: pinned for name, pinned in installed_with(roots).items() if _plain(name) not in ran
    }
    others.pop(PACKAGE, None)
    ours = ran.pop(PACKAGE, "of an unknown version")
    lines = [
        f"# Python {recorded.get('python', 'of an unknown version')}",
        f"# {PACKAGE} {ours} when the study last ran; in the folder of this file:",
        f"./{wheel}",
        "# Recorded when the study last ran:",
        *_pins(ran),
        "# Installed when this bundle was made; not recorded during the run:",
        *_pins(others),
    ]
    return "\n".join([*lines, *_environments(study)]) + "\n" + _earlier(sessions)


def _environments(study: Study) -> list[str]:
    """Return comments on packages that have environments of their own, with their pins."""
    homes = needed_environments(study.algorithms)
    if not homes:
        return []
    head = "# Third-party packages, each in an environment of its own (causalassay run --install):"
    return [head, *(f"# {environment_text(home)}" for home in homes)]


def environment_text(home: EnvironmentDefinition) -> str:
    """Return an environment with its pins, its licence and the programs that it needs.

    Examples
    --------
    >>> from causalassay.environments.catalogue import environment
    >>> environment_text(environment("tetrad")).endswith("licence GPL-2.0; needs java")
    True
    """
    needs = f"; needs {', '.join(home.programs)}" if home.programs else ""
    return f"{home.name}: {' '.join(home.packages)}; licence {home.licence}{needs}"


def _earlier(sessions: Sequence[Session]) -> str:
    """Return comments on versions of earlier sessions that the last did not have."""
    last = sessions[-1].versions
    older = {
        f"# An earlier run of this study had {name}=={pinned}"
        for session in sessions[:-1]
        for name, pinned in session.versions.items()
        if name != "platform" and pinned != last.get(name)
    }
    return "".join(f"{line}\n" for line in sorted(older))


def _pins(versions: Mapping[str, str]) -> list[str]:
    return [f"{name}=={pinned}" for name, pinned in sorted(versions.items())]


def installed_with(roots: Iterable[str]) -> dict[str, str]:
    """Return the versions of packages and of all that they need, as far as they are installed.

    What is needed only for an extra, or not on this machine, is not there or not counted.

    Examples
    --------
    >>> "pyarrow" in installed_with(["causalassay"])
    True
    """
    versions: dict[str, str] = {}
    waiting = [_plain(name) for name in roots]
    while waiting:
        name = waiting.pop()
        if name in versions:
            continue
        try:
            versions[name] = version(name)
            needed = requires(name) or []
        except PackageNotFoundError:
            continue
        for line in needed:
            requirement, _, condition = line.partition(";")
            match = _NAME.match(requirement.strip())
            if match and "extra" not in condition:
                waiting.append(_plain(match.group()))
    return versions


def _plain(name: str) -> str:
    """Return the name of a package as indices compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()
