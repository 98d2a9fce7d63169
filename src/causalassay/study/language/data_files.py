"""From a table `data`, or a key `network`, to files that are checked now and read again later."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from causalassay.common.spelling import did_you_mean
from causalassay.data import read
from causalassay.graphs import read_graph
from causalassay.graphs.validity import check_true_dag
from causalassay.models import read_bif
from causalassay.study.keys import file_sha256
from causalassay.study.language.mistakes import Location, Mistakes
from causalassay.study.language.tables import DataSchema, validated
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
    _misfits: dict[tuple[Any, ...], tuple[str, str]] = field(default_factory=dict)

    def read(self, table: Any, transform: tuple[Any, ...], location: Location) -> FromFile | None:
        """Return the problem, unless a file is absent or does not fit."""
        before = self.mistakes.noted
        given = validated(DataSchema, table, location, self.mistakes)
        if isinstance(table, dict) and "graph" not in table:
            self.mistakes.add(location.at("graph"), NO_GRAPH)
        if given is None or given.graph is None:
            return None
        sums = [self._sum(getattr(given, key), location.at(key)) for key in ("file", "graph")]
        if None not in sums:
            key, reason = self._misfit(given)
            if reason:
                self.mistakes.add(location.at(key), reason)
        if given.rows == "series" and given.bootstrap is not False:
            message = "rows of a series cannot be drawn one by one; leave it out"
            self.mistakes.add(location.at("bootstrap"), message)
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
            drop=tuple(given.drop or ()),
            separator=given.separator,
            transpose=given.transpose,
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

    def _misfit(self, given: DataSchema) -> tuple[str, str]:
        """Return the key and the reason why the files cannot be used; empty if they can."""
        columns = (given.target, given.condition, given.observational, given.only_observational)
        reading = (tuple(given.drop or ()), given.separator, given.transpose)
        request = (
            *(given.file, given.graph, *columns, given.rows, _discrete(given.discrete)),
            *reading,
        )
        if request not in self._misfits:
            self._misfits[request] = self._look(given)
        return self._misfits[request]

    def _look(self, given: DataSchema) -> tuple[str, str]:
        path = self._path(given.file)
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
            return "file", _relative(str(reason), path, given.file)
        if given.only_observational and data.observational is None:
            return "only_observational", "say which condition that is: `observational = ...`"
        path = self._path(given.graph or "")
        try:
            graph, _ = read_graph(path, columns=data.columns, transpose=given.transpose)
        except (ValueError, OSError) as reason:
            return "graph", _relative(str(reason), path, given.graph or "")
        try:
            if given.rows == "independent":
                check_true_dag(graph, data.columns, given.graph or "graph")
        except ValueError as reason:
            return "graph", str(reason)
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
    try:
        beside = sorted(one.name for one in path.parent.iterdir() if one.is_file())
    except OSError:
        beside = []
    if isinstance(reason, FileNotFoundError) and beside:
        return f"there is no file {stated!r}; {did_you_mean(path.name, beside)}"
    return _relative(str(reason), path, stated)


def _relative(message: str, path: Path, stated: str) -> str:
    """Return the message with the path as the study has it."""
    return message.replace(str(path), stated)
