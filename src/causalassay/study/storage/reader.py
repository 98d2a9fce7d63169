"""Reads a store from any process, while a driver writes it or afterwards."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import get_args

from causalassay.study.plan import Purpose, Status
from causalassay.study.replay import Place
from causalassay.study.storage import schema
from causalassay.study.storage.lock import running_driver
from causalassay.study.storage.refusals import (
    StoreRefused,
    refuse_foreign,
    refuse_newer,
    sound_file_needed,
)
from causalassay.study.storage.status import StudyStatus


@dataclass(frozen=True)
class Session:
    """One run of a driver on a store.

    Parameters
    ----------
    versions : mapping
    started, first_write, last_write, ended : str, optional
        Times in UTC.
    host, cpu : str
        Of the driver.
    text : str
        The study file.
    records : int
        How many were saved.
    how : str, optional
        "completed", "interrupted", "failed", "killed"; None while it runs, or if it
        was killed and nobody has come since.
    """

    versions: dict[str, str]
    started: str
    host: str
    cpu: str
    text: str
    records: int
    first_write: str | None
    last_write: str | None
    ended: str | None
    how: str | None


@dataclass(frozen=True)
class Found:
    """A row that a key names, as far as running it again needs.

    Parameters
    ----------
    key : str
        In full.
    place : Place
    status, reason : str
    folder : Path
        Of the store.
    text : str
        The study file as of the last run.
    """

    key: str
    place: Place
    status: Status
    reason: str
    folder: Path
    text: str


def read_store(folder: Path | str) -> StoreReader:
    """Open a store for reading; all that is read is of the moment it was opened.

    Raises
    ------
    FileNotFoundError
        There is no store.
    StoreRefused
        It is damaged, of a newer version, or no store.
    """
    folder = Path(folder)
    path = folder / schema.FILE
    if not path.exists():
        raise FileNotFoundError(f"{folder} has no {schema.FILE}; name the folder of a study's run")
    refuse_foreign(path)
    with sound_file_needed(path):
        return StoreReader(folder, _up_to_date(path, _connect(path)))


class StoreReader:
    """What a store holds; made with `read_store`, used as a context manager."""

    def __init__(self, folder: Path, connection: sqlite3.Connection) -> None:
        self.folder = folder
        self.connection = connection
        # The first thing read fixes the moment for all that follows.
        connection.execute("BEGIN")
        meta = dict(connection.execute("SELECT name, value FROM meta"))
        if not meta:
            connection.close()
            raise StoreRefused(f"{folder} has a store in which no run has begun")
        self.name = str(meta["study"])
        self.seed = int(meta["seed"])
        self.replicates = int(meta["replicates"])

    def __enter__(self) -> StoreReader:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.connection.close()

    @property
    def text(self) -> str:
        """The study file as of the last run."""
        return self.sessions()[-1].text

    def sessions(self) -> list[Session]:
        """Return the runs of drivers on this store, the earliest first."""
        found = self.connection.execute(
            "SELECT versions, started, host, cpu, text, records, first_write, last_write, "
            "ended, how FROM sessions ORDER BY id"
        )
        return [Session(json.loads(versions), *others) for versions, *others in found]

    def counts(self, purpose: Purpose = "main") -> dict[str, int]:
        """Return the number of rows by status, of those that the study asks for."""
        return counts_by_status(self.connection, purpose)

    def counts_by_algorithm(self, purpose: Purpose = "main") -> dict[str, dict[str, int]]:
        """Return the number of rows by algorithm and status, in the order of the study."""
        amount = "replicates" if purpose == "main" else "systems"
        names = dict(
            self.connection.execute(
                f"SELECT place, name FROM algorithms WHERE {amount} > 0 ORDER BY place"
            )
        )
        counts = {name: dict.fromkeys(get_args(Status), 0) for name in names.values()}
        found = self.connection.execute(
            "SELECT algorithm_place, status, count(*) FROM wanted WHERE purpose = ? GROUP BY 1, 2",
            (purpose,),
        )
        for place, status, count in found:
            counts[names[place]][status] = count
        return counts

    def totals(self) -> dict[Purpose, int]:
        """Return how many rows the study has when it is complete, by purpose."""
        (problems,) = self.connection.execute(
            "SELECT count(*) FROM problems WHERE place IS NOT NULL"
        ).fetchone()
        (replicates, systems) = self.connection.execute(
            "SELECT total(replicates), total(systems) FROM algorithms"
        ).fetchone()
        return {"tuning": int(problems * systems), "main": int(problems * replicates)}

    def times(self) -> tuple[str | None, str | None]:
        """Return when the first and the last record were written."""
        first, last = self.connection.execute(
            "SELECT min(first_write), max(last_write) FROM sessions"
        ).fetchone()
        return first, last

    def rate(self) -> float | None:
        """Return the records per second of the last run, None before its first."""
        session = self.sessions()[-1]
        if session.last_write is None:
            return None
        began, last = map(datetime.fromisoformat, (session.started, session.last_write))
        return session.records / max((last - began).total_seconds(), 1e-3)

    def status(self) -> StudyStatus:
        """Return how far the study is."""
        first, last = self.times()
        driver = running_driver(self.folder)
        # A driver that is gone without a word was killed.
        ended = None if driver else (self.sessions()[-1].how or "killed")
        counts = {purpose: self.counts(purpose) for purpose in get_args(Purpose)}
        algorithms = self.counts_by_algorithm()
        return StudyStatus(
            self.name,
            self.seed,
            driver,
            ended,
            self.totals(),
            counts,
            algorithms,
            self.rate(),
            first,
            last,
        )

    def find(self, prefix: str) -> list[Found]:
        """Return the rows whose key begins like this, three at most."""
        found = self.connection.execute(
            "SELECT rows.key, status, coalesce(reason, ''), "
            "purpose, problems.key, replicate, algorithms.key, candidates.key FROM rows "
            "JOIN problems ON problems.id = rows.problem "
            "LEFT JOIN algorithms ON algorithms.id = rows.algorithm "
            "LEFT JOIN choices ON choices.problem = rows.problem "
            "AND choices.algorithm = rows.algorithm AND purpose = 'main' "
            "LEFT JOIN algorithms AS candidates ON candidates.id = choices.candidate "
            # Keys are hexadecimal: all that begin like this come before a "g".
            "WHERE rows.key >= :prefix AND rows.key < :prefix || 'g' ORDER BY rows.key LIMIT 3",
            {"prefix": prefix.lower()},
        )
        return [
            Found(key, Place(*place), status, reason, self.folder, self.text)
            for key, status, reason, *place in found
        ]


def find_row(prefix: str, folder: Path | None = None) -> Found:
    """Return the one row whose key begins like this, in a store or in those of the folders here.

    Raises
    ------
    ValueError
        There is none, or there are several.
    """
    if folder is None:
        here = sorted(path.parent for path in Path().glob(f"*/{schema.FILE}"))
        folders = [Path(), *here] if Path(schema.FILE).exists() else here
    else:
        folders = [folder]
    found: list[Found] = []
    for place in folders:
        with read_store(place) as reader:
            found += reader.find(prefix)
    if not found:
        where = ", ".join(str(place) for place in folders) or "the folders here: there is no store"
        raise ValueError(f"no key begins with {prefix!r} in {where}")
    if len(found) > 1:
        shown = ", ".join(f"{row.key} in {row.folder}" for row in found[:3])
        raise ValueError(f"several keys begin with {prefix!r}: {shown}; write more of it")
    return found[0]


def counts_by_status(connection: sqlite3.Connection, purpose: Purpose) -> dict[str, int]:
    """Return the number of rows that the study asks for, by status, zeros included."""
    counts = dict.fromkeys(get_args(Status), 0)
    query = "SELECT status, count(*) FROM wanted WHERE purpose = ? GROUP BY status"
    return counts | dict(connection.execute(query, (purpose,)))


def _connect(path: Path) -> sqlite3.Connection:
    """Return a connection; where SQLite may not make its log in the folder, one without."""
    connection = schema.read_only(path)
    try:
        connection.execute("SELECT 1 FROM sqlite_schema").fetchone()
    except sqlite3.OperationalError:
        connection.close()
        if path.with_name(path.name + "-wal").exists():
            raise
        return schema.read_only(path, alone=True)
    return connection


def _up_to_date(path: Path, connection: sqlite3.Connection) -> sqlite3.Connection:
    """Return the connection, or one to a temporary copy of an older file in the present version."""
    try:
        refuse_newer(path, connection)
        if schema.version_of(connection) == schema.VERSION:
            return connection
        copy = sqlite3.connect("", isolation_level=None)
        connection.backup(copy)
    except BaseException:
        connection.close()
        raise
    connection.close()
    schema.migrate(copy)
    return copy
