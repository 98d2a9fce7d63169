"""From a table `data`, or a key `network`, to files that are checked now and read again later."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any

import numpy as np

from causalassay.common.arrays import Adjacency
from causalassay.common.files import ReadingNote, note
from causalassay.common.spelling import did_you_mean
from causalassay.data import read
from causalassay.data.file_pairs import (
    DATA_ENDINGS,
    Pair,
    PairingFault,
    by_name,
    data_files_in,
    files_in,
    pair_by_name,
)
from causalassay.graphs import read_graph
from causalassay.graphs.formats.reading import holds_graph
from causalassay.graphs.validity import check_true_dag
from causalassay.models import read_bif
from causalassay.study.keys import digest, file_sha256
from causalassay.study.language.grids import is_pattern
from causalassay.study.language.mistakes import Location, Mistakes
from causalassay.study.language.tables import DataSchema, validated
from causalassay.study.problem_specs import FromFile

NO_GRAPH = (
    "missing; a study scores against a true graph. Without one, `causalassay.risk` ranks "
    "algorithms by experiments"
)
NO_GRAPHS = (
    "missing; each file needs its true graph: `graphs` (a folder of files of the same names) or "
    "`graph` (one for all files)"
)


@dataclass(frozen=True)
class _Look:
    """What a data file and its graph hold, or at which key there is a mistake, and why."""

    key: str = ""
    reason: str = ""
    graph_digest: str = ""


def _graph_digest(graph: Adjacency, columns: Sequence[str]) -> str:
    """Return a checksum of the nodes and edges by name, whatever their order."""
    edges = sorted([columns[i], columns[j]] for i, j in np.argwhere(graph).tolist())
    return digest(sorted(columns), edges)


@dataclass(frozen=True)
class DataFiles:
    """The data files of a study; each is read once, however many problems use it.

    Parameters
    ----------
    folder : Path
        What paths are relative to.
    mistakes : Mistakes
    """

    folder: Path
    mistakes: Mistakes
    _sums: dict[Path, str] = field(default_factory=dict)
    _looks: dict[tuple[Any, ...], _Look] = field(default_factory=dict)

    def read(
        self, table: Any, transform: tuple[Any, ...], location: Location, scheme: str = ""
    ) -> list[FromFile]:
        """Return the problem of a file, or those of a folder; none if a file does not fit.

        Parameters
        ----------
        table : Any
            As the study has it.
        transform : tuple of str
        location : Location
        scheme : str
            What the scheme of a folder is called.
        """
        before = self.mistakes.noted
        given = validated(DataSchema, table, location, self.mistakes)
        if isinstance(table, Mapping):
            self._check_keys(table, location)
        if given is None or (given.file is None) == (given.files is None):
            return []
        specs: list[FromFile | None] = []
        if given.files is not None:
            specs += self._of_folder(given, given.files, transform, location, scheme)
        elif given.graph is not None:
            specs.append(self._spec(given, transform, location, {}))
        if given.rows == "series" and given.bootstrap is not False:
            message = "rows of a series cannot be drawn one by one; leave it out"
            self.mistakes.add(location.at("bootstrap"), message)
        if self.mistakes.noted > before:
            return []
        return [spec for spec in specs if spec is not None]

    def _of_folder(
        self,
        given: DataSchema,
        folder: str,
        transform: tuple[Any, ...],
        location: Location,
        scheme: str,
    ) -> list[FromFile]:
        """Return the problems of a folder; what was taken for granted of many is said once."""
        each = self._pairs(given, folder, location)
        where = {"file": "files", "graph": "graph" if given.graph else "graphs"}
        notes: Counter[str] = Counter()
        specs = []
        for one in each:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                specs.append(self._spec(one, transform, location, where))
            for warning in caught:
                if not issubclass(warning.category, ReadingNote):
                    warnings.warn(warning.message, warning.category, stacklevel=2)
                    continue
                text = str(warning.message)
                for path in (self._path(one.file or ""), self._path(one.graph or "")):
                    text = text.removeprefix(f"{path}: ").removeprefix(f"{path.name}: ")
                notes[text] += 1
        _say_once(folder, notes, len(each))
        return [
            replace(spec, of_folder=True, folder_scheme=scheme)
            for spec in specs
            if spec is not None
        ]

    def _check_keys(self, table: Mapping[str, Any], location: Location) -> None:
        """Note keys that are missing, or that exclude each other."""
        if "file" in table and "files" in table:
            message = "a problem has `file` or `files`, a folder; remove one of the two"
            self.mistakes.add(location.at("files"), message)
        elif "files" in table:
            if "graph" in table and "graphs" in table:
                message = "state `graphs`, or `graph` for all files; remove one of the two"
                self.mistakes.add(location.at("graph"), message)
            return
        elif "file" not in table:
            expected = DataSchema.model_fields["file"].description
            message = f"missing; expected {expected}, or `files`, a folder of them"
            self.mistakes.add(location.at("file"), message)
        if "graphs" in table:
            message = "it goes with `files`, a folder; state `graph` for one file"
            self.mistakes.add(location.at("graphs"), message)
        elif "graph" not in table:
            self.mistakes.add(location.at("graph"), NO_GRAPH)

    def _pairs(self, given: DataSchema, stated: str, location: Location) -> list[DataSchema]:
        """Return a table for each file of a folder with its graph; notes all that do not fit."""
        before = self.mistakes.noted
        data = self._listed(stated, location.at("files"), data_files_in)
        if given.graph is not None:
            data = [path for path in data if path != self._path(given.graph)]
        pairs, faults = self._paired(data, given, location)
        for fault in faults:
            key = {"data": "files", "graph": "graphs"}[fault.role]
            self.mistakes.add(
                location.at(key), self._as_stated(fault.message, stated, given.graphs)
            )
        if self.mistakes.noted > before:
            return []
        return [
            given.model_copy(
                update={
                    "file": self._stated(pair.data, stated),
                    "graph": self._stated(pair.graph, given.graphs)
                    if pair.graph
                    else given.graph or self._stated(pair.data, stated),
                }
            )
            for pair in pairs
        ]

    def _paired(
        self, data: list[Path], given: DataSchema, location: Location
    ) -> tuple[list[Pair], list[PairingFault]]:
        try:
            if given.graphs is not None:
                graphs = self._listed(given.graphs, location.at("graphs"), files_in)
                if not graphs or not data:  # noted already
                    return [], []
                pairs, faults = pair_by_name(data, graphs, given.graphs)
            else:
                files, faults = by_name(data, "data")
                pairs = [Pair(name, path, None) for name, path in files.items()]
            holding = {pair.data for pair in pairs if holds_graph(pair.data)}
        except (ValueError, OSError) as reason:  # an NPZ file that cannot be opened
            return [], [PairingFault("data", str(reason))]
        for pair in pairs:
            if pair.graph == pair.data:
                message = f"{pair.data} is named as data and as a graph; name one by a pattern"
                faults.append(PairingFault("graph", message))
            elif pair.data in holding and (pair.graph or given.graph):
                message = f"{pair.data} has its own graph; leave out {pair.graph or given.graph}"
                faults.append(PairingFault("graph", message))
        bare = any(pair.data not in holding for pair in pairs)
        if bare and given.graph is None and given.graphs is None:
            faults.append(PairingFault("graph", NO_GRAPHS))
        return pairs, faults

    def _listed(
        self, stated: str, location: Location, inside: Callable[[Path], list[Path]]
    ) -> list[Path]:
        """Return the files of a folder or a pattern; notes a mistake if there are none."""
        path = self._path(stated)
        try:
            if path.is_dir():
                files = inside(path)
            elif is_pattern(path.name) and path.parent.is_dir():
                hidden = path.name.startswith(".")
                files = [
                    file
                    for file in path.parent.glob(path.name)
                    if file.is_file() and (hidden or not file.name.startswith("."))
                ]
            else:
                self.mistakes.add(location, _no_folder(stated, path))
                return []
        except (OSError, ValueError) as reason:  # not to be read, or a NUL in the name
            self.mistakes.add(location, _relative(str(reason), path, stated))
            return []
        if not files:
            what = (
                f"a data file ({', '.join(DATA_ENDINGS)})" if inside is data_files_in else "a file"
            )
            self.mistakes.add(location, f"{stated}: there is no file in it; expected {what}")
        return files

    def _stated(self, path: Path, stated: str | None) -> str:
        """Return the path of a folder's file as the study would have it."""
        folder = PurePath(stated or "")
        return str((folder.parent if is_pattern(folder.name) else folder) / path.name)

    def _as_stated(self, message: str, *stated: str | None) -> str:
        """Return a message with the paths of folders as the study has them."""
        for name in stated:
            if name:
                path = self._path(name)
                folder = path.parent if is_pattern(path.name) else path
                message = message.replace(f"{folder}/", self._stated(Path(), name) + "/")
        return message

    def _spec(
        self,
        given: DataSchema,
        transform: tuple[Any, ...],
        location: Location,
        where: Mapping[str, str],
    ) -> FromFile | None:
        """Return the problem of one file, unless it does not fit.

        Parameters
        ----------
        given : DataSchema
        transform : tuple of str
        location : Location
        where : mapping
            At which key a mistake in the file or the graph is told, if at another.
        """
        before = self.mistakes.noted
        sums = [
            self._sum(getattr(given, key), location.at(where.get(key, key)))
            for key in ("file", "graph")
        ]
        look = _Look()
        if None not in sums:
            look = self._looked_at(given)
            if look.reason:
                self.mistakes.add(location.at(where.get(look.key, look.key)), look.reason)
        if self.mistakes.noted > before:
            return None
        return FromFile(
            sha256=sums[0] or "",
            graph_sha256=sums[1] or "",
            file=self._path(given.file or ""),
            graph_file=self._path(given.graph or ""),
            condition=given.condition,
            target=given.target,
            observational=given.observational,
            only_observational=given.only_observational,
            bootstrap=_bootstrap(given.bootstrap),
            transform=transform,
            rows=given.rows,
            discrete=_discrete(given.discrete),
            drop=tuple(given.drop or ()),
            separator=given.separator,
            transpose=given.transpose,
            graph_digest=look.graph_digest,
        )

    def network(self, stated: str, location: Location) -> tuple[Path, str] | None:
        """Return where the BIF file of a network is and its checksum, unless it does not fit."""
        sha256 = self._sum(stated, location)
        if sha256 is None:
            return None
        path = self._path(stated)
        try:
            read_bif(path)
        except (ValueError, OSError) as reason:
            self.mistakes.add(location, _relative(str(reason), path, stated))
            return None
        return path, sha256

    def _path(self, stated: str) -> Path:
        return (self.folder / stated).absolute()

    def _sum(self, stated: str, location: Location) -> str | None:
        path = self._path(stated)
        if path not in self._sums:
            try:
                self._sums[path] = file_sha256(path)
            except OSError as reason:
                self.mistakes.add(location, _absent(stated, path, reason))
                return None
        return self._sums[path]

    def _looked_at(self, given: DataSchema) -> _Look:
        """Return what the files hold, or why they cannot be used."""
        columns = (given.target, given.condition, given.observational, given.only_observational)
        reading = (tuple(given.drop or ()), given.separator, given.transpose)
        request = (
            *(given.file, given.graph, *columns, given.rows, _discrete(given.discrete)),
            *reading,
        )
        if request not in self._looks:
            self._looks[request] = self._look(given)
        return self._looks[request]

    def _look(self, given: DataSchema) -> _Look:
        path = self._path(given.file or "")
        try:
            data = read(
                path,
                given.target,
                given.condition,
                given.observational,
                given.discrete,
                drop=given.drop,
                separator=given.separator,
            )
        except (ValueError, OSError) as reason:
            return _Look("file", _relative(str(reason), path, given.file or ""))
        if given.only_observational and data.observational is None:
            message = "say which condition that is: `observational = ...`"
            return _Look("only_observational", message)
        path = self._path(given.graph or "")
        try:
            graph, _ = read_graph(path, columns=data.columns, transpose=given.transpose)
        except (ValueError, OSError) as reason:
            return _Look("graph", _relative(str(reason), path, given.graph or ""))
        try:
            if given.rows == "independent":
                check_true_dag(graph, data.columns, given.graph or "graph")
        except ValueError as reason:
            return _Look("graph", str(reason))
        return _Look(graph_digest=_graph_digest(graph, data.columns))


def _discrete(stated: Any) -> bool | tuple[tuple[str, Any], ...]:
    """Return the discrete columns as a key can hold them; () where there are none."""
    if isinstance(stated, bool):
        return stated or ()
    if isinstance(stated, dict):
        return tuple((name, tuple(levels)) for name, levels in sorted(stated.items()))
    return tuple((name, None) for name in sorted(stated))


def _say_once(folder: str, notes: Counter[str], n_files: int) -> None:
    """Say what was taken for granted of the files of a folder once, with their number."""
    for text, count in notes.items():
        note(f"{folder} ({count} of {n_files} files): {text}")


def _no_folder(stated: str, path: Path) -> str:
    if path.is_file():
        return f"{stated} is a file, expected a folder or a pattern; for one file state `file`"
    if any(is_pattern(part) for part in path.parent.parts):
        return f"got {stated!r}; only the names of files may be a pattern, not those of folders"
    parent = path.parent
    beside = (
        sorted(item.name for item in parent.iterdir() if item.is_dir()) if parent.is_dir() else []
    )
    hint = f"; {did_you_mean(path.name, beside)}" if beside else ""
    return f"there is no folder {stated!r}{hint}"


def _bootstrap(stated: bool | int) -> int | None:
    if stated is True:
        return 0
    return None if stated is False else stated


def _absent(stated: str, path: Path, reason: OSError) -> str:
    try:
        beside = sorted(file.name for file in path.parent.iterdir() if file.is_file())
    except OSError:
        beside = []
    if isinstance(reason, FileNotFoundError) and beside:
        return f"there is no file {stated!r}; {did_you_mean(path.name, beside)}"
    return _relative(str(reason), path, stated)


def _relative(message: str, path: Path, stated: str) -> str:
    """Return the message with the path as the study has it."""
    return message.replace(str(path), stated)
