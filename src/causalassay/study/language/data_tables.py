"""From a table `data` to a problem in files, which are looked at now and read again later."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from causalassay.data import read
from causalassay.graphs import is_dag, read_graph
from causalassay.models import read_bif
from causalassay.spelling import did_you_mean
from causalassay.study.keys import file_sha256
from causalassay.study.language.mistakes import Mistakes, Place
from causalassay.study.language.tables import DataTable, validated
from causalassay.study.problem_specs import FromFile

NO_GRAPH = (
    "missing; a study scores against a true graph. Without one, `causalassay.risk` ranks "
    "algorithms by experiments"
)


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
    _troubles: dict[tuple[Any, ...], tuple[str, str]] = field(default_factory=dict)

    def read(self, table: Any, transform: tuple[Any, ...], place: Place) -> FromFile | None:
        """Return the problem, unless a file is absent or does not fit."""
        before = self.mistakes.noted
        given = validated(DataTable, table, place, self.mistakes)
        if isinstance(table, dict) and "graph" not in table:
            self.mistakes.add(place.at("graph"), NO_GRAPH)
        if given is None or given.graph is None:
            return None
        sums = [self._sum(getattr(given, key), place.at(key)) for key in ("file", "graph")]
        if None not in sums:
            key, trouble = self._trouble(given)
            if trouble:
                self.mistakes.add(place.at(key), trouble)
        if given.rows == "series" and given.bootstrap is not False:
            told = "rows of a series cannot be drawn one by one; leave it out"
            self.mistakes.add(place.at("bootstrap"), told)
        if self.mistakes.noted > before:
            return None
        return FromFile(
            sha256=sums[0] or "",
            graph_sha256=sums[1] or "",
            file=self._path(given.file),
            graph_file=self._path(given.graph),
            condition=given.condition,
            target=given.target,
            observational=given.observational,
            only_observational=given.only_observational,
            bootstrap=_bootstrap(given.bootstrap),
            transform=transform,
            rows=given.rows,
            discrete=_discrete(given.discrete),
        )

    def network(self, stated: str, place: Place) -> tuple[Path, str] | None:
        """Return where the BIF file of a network is and its checksum, unless it does not fit."""
        found = self._sum(stated, place)
        if found is None:
            return None
        path = self._path(stated)
        try:
            read_bif(path)
        except (ValueError, OSError) as reason:
            self.mistakes.add(place, _relative(str(reason), path, stated))
            return None
        return path, found

    def _path(self, stated: str) -> Path:
        return (self.folder / stated).absolute()

    def _sum(self, stated: str, place: Place) -> str | None:
        path = self._path(stated)
        if path not in self._sums:
            try:
                self._sums[path] = file_sha256(path)
            except OSError as reason:
                self.mistakes.add(place, _absent(stated, path, reason))
                return None
        return self._sums[path]

    def _trouble(self, given: DataTable) -> tuple[str, str]:
        """Return the key and the reason why the files are no problem; empty if they are one."""
        way = (given.file, given.graph, given.target, given.condition, given.observational)
        known = (*way, given.only_observational, given.rows, _discrete(given.discrete))
        if known not in self._troubles:
            self._troubles[known] = self._look(given)
        return self._troubles[known]

    def _look(self, given: DataTable) -> tuple[str, str]:
        path = self._path(given.file)
        try:
            data = read(path, given.target, given.condition, given.observational, given.discrete)
        except (ValueError, OSError) as reason:
            return "file", _relative(str(reason), path, given.file)
        if given.only_observational and data.observational is None:
            return "only_observational", "say which condition that is: `observational = ...`"
        path = self._path(given.graph or "")
        try:
            graph, _ = read_graph(path, columns=data.columns)
        except (ValueError, OSError) as reason:
            return "graph", _relative(str(reason), path, given.graph or "")
        if given.rows == "independent" and not is_dag(graph):
            return "graph", "expected a DAG, got a graph with a cycle or an undirected edge"
        return "", ""


def _discrete(stated: Any) -> bool | tuple[tuple[str, Any], ...]:
    """Return the discrete columns as a key can hold them; () where there are none."""
    if isinstance(stated, bool):
        return stated or ()
    if isinstance(stated, dict):
        return tuple((name, tuple(levels)) for name, levels in sorted(stated.items()))
    return tuple((name, None) for name in sorted(stated))


def _bootstrap(stated: bool | int) -> int | None:
    if stated is True:
        return 0
    return None if stated is False else stated


def _absent(stated: str, path: Path, reason: OSError) -> str:
    if path.is_dir():
        return f"{stated!r} is a folder, expected a file"
    if path.exists() or not path.parent.is_dir():
        return f"{stated!r} cannot be read: {reason.strerror}"
    beside = sorted(one.name for one in path.parent.iterdir() if one.is_file())
    return f"there is no file {stated!r}; {did_you_mean(path.name, beside)}"


def _relative(message: str, path: Path, stated: str) -> str:
    """Return the message with the path as the study has it."""
    return message.replace(str(path), stated)
