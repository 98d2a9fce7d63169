"""Reads a store from any process, while a driver writes it or afterwards."""

from __future__ import annotations

import dataclasses
import json
import sqlite3
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, get_args

from causalassay.present.formatting import counted
from causalassay.study.plan import Purpose, Status
from causalassay.study.reasons import most_often
from causalassay.study.storage import schema
from causalassay.study.storage.checks import row_damage, seals_of
from causalassay.study.storage.opening import open_to_read, running_driver
from causalassay.study.storage.outputs import (
    PrintedTask,
    count_printed,
    printed_tasks,
    read_output,
)
from causalassay.study.storage.refusals import StoreRefused, rows_refusal, sound_content_needed
from causalassay.study.storage.running import RunningTask, read_running, span

# How far a study is, in words and as plain values.


@dataclass(frozen=True)
class StudyStatus:
    """Where a study stands.

    Parameters
    ----------
    name : str
    seed : int
    driver : str, optional
        Which driver works on it now.
    ended : str, optional
        How the last run ended, if none works on it.
    totals : mapping
        Rows of the complete study, by purpose.
    counts : mapping
        Stored rows, by purpose and status.
    algorithms : mapping
        Those of the main part, by algorithm and status.
    reasons : mapping
        Rows that are not ok, by purpose and reason.
    rate : float, optional
        Records per second of the last run.
    first_write, last_write : str, optional
        Times in UTC.
    again : mapping
        Rows that are to be computed again, by algorithm.
    printed : int
        Rows whose algorithm printed something.
    running : tuple of RunningTask
        The tasks that run now, but those that have just begun.
    """

    name: str
    seed: int
    driver: str | None
    ended: str | None
    totals: Mapping[Purpose, int]
    counts: Mapping[Purpose, Mapping[str, int]]
    algorithms: Mapping[str, Mapping[str, int]]
    reasons: Mapping[Purpose, Mapping[str, int]]
    rate: float | None
    first_write: str | None
    last_write: str | None
    again: Mapping[str, int] = field(default_factory=dict)
    printed: int = 0
    running: tuple[RunningTask, ...] = ()

    @property
    def left(self) -> int:
        """Rows that are still to come, those to be computed again included."""
        done = sum(sum(counts.values()) for counts in self.counts.values())
        return sum(self.totals.values()) - done + sum(self.again.values())

    @property
    def seconds_left(self) -> float | None:
        """The time until the end at the present rate, of a study that runs."""
        return self.left / self.rate if self.driver and self.rate else None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        values = dataclasses.asdict(self) | {"left": self.left, "seconds_left": self.seconds_left}
        return values | {"running": [task.to_dict() for task in self.running]}

    def lines(self) -> list[str]:
        """Return what to print."""
        lines = [f"study {self.name}, seed {self.seed}: {self._state()}"]
        for purpose in ("tuning", "main"):
            total, counts = self.totals[purpose], self.counts[purpose]
            if total:
                rows = counted(total, "row")
                lines.append(
                    f"{purpose}: {sum(counts.values())} of {rows} ({_counts_text(counts)})"
                )
                if why := most_often(self.reasons[purpose]):
                    lines.append(f"  not ok, {why}")
        lines += [
            f"to be computed again: {counted(count, 'row')} of {name}; the earlier rows stay "
            "until then"
            for name, count in self.again.items()
        ]
        if self.printed:
            lines.append(
                f"output of {counted(self.printed, 'task')} is kept: `causalassay log` shows it"
            )
        if self.seconds_left is not None:
            lines.append(f"{self.rate:.3g} rows per second, about {span(self.seconds_left)} left")
        if self.running:
            now = time.time()
            lines += ["running now:", *(f"  {task.line(now)}" for task in self.running)]
        if self.last_write is not None:
            lines.append(f"first row {self.first_write}, last row {self.last_write}")
        width = max((len(name) for name in self.algorithms), default=0)
        lines += [
            f"  {name:<{width}}  {_counts_text(counts)}" for name, counts in self.algorithms.items()
        ]
        return lines

    def _state(self) -> str:
        if self.driver:
            return f"running ({self.driver})"
        if self.left == 0:
            return "complete"
        return f"not complete, last run: {self.ended}; run it again to continue"


def _counts_text(counts: Mapping[str, int]) -> str:
    """Return counts in words, without the zeros."""
    return ", ".join(f"{count} {status}" for status, count in counts.items() if count) or "none yet"


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
        was killed and no other run has started since.
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
class Choice:
    """What tuning chose for a problem.

    Parameters
    ----------
    problem, algorithm : str
    parameters : dict
        Of the candidate: those that differ from their defaults.
    value : float, optional
        The criterion, over the held-out systems.
    """

    problem: str
    algorithm: str
    parameters: dict[str, Any]
    value: float | None


def read_store(folder: Path | str) -> StoreReader:
    """Open a store for reading; all that is read is of the moment it was opened.

    Parameters
    ----------
    folder : Path or str
        The results folder of a study, or the store in it.

    Raises
    ------
    FileNotFoundError
        There is no store.
    StoreRefused
        It is damaged, of another version, or no store.
    """
    folder = Path(folder)
    if folder.name == schema.FILE and folder.is_file():
        folder = folder.parent
    path = folder / schema.FILE
    if not path.exists():
        raise FileNotFoundError(_why_no_store(folder))
    connection = open_to_read(path)
    try:
        with sound_content_needed(path):
            return StoreReader(folder, connection)
    except BaseException:
        connection.close()
        raise


def _why_no_store(folder: Path) -> str:
    if folder.suffix == ".toml" and folder.is_file():
        return f"{folder} is a study file; expected the results folder that `causalassay run` made"
    if not folder.is_dir():
        return f"there is no folder {folder}; expected a study's results folder"
    return f"{folder} has no {schema.FILE}: expected the results folder of a study that has begun"


class StoreReader:
    """What a store holds; made with `read_store`, used as a context manager."""

    def __init__(self, folder: Path, connection: sqlite3.Connection) -> None:
        self.folder = folder
        self.path = folder / schema.FILE
        self.connection = connection
        meta = dict(connection.execute("SELECT name, value FROM meta"))
        if not meta:
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

    def sound(self) -> AbstractContextManager[None]:
        """Turn what goes wrong when the store is read, inside, into a refusal."""
        return sound_content_needed(self.path)

    @property
    def text(self) -> str:
        """The study file as of the last run."""
        return self.sessions()[-1].text

    def sessions(self) -> list[Session]:
        """Return the runs of drivers on this store, the earliest first."""
        with self.sound():
            rows = self.connection.execute(
                "SELECT versions, started, host, cpu, text, records, first_write, last_write, "
                "ended, how FROM sessions ORDER BY id"
            )
            return [Session(json.loads(versions), *others) for versions, *others in rows]

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
        rows = self.connection.execute(
            "SELECT algorithm_place, status, count(*) FROM wanted WHERE purpose = ? GROUP BY 1, 2",
            (purpose,),
        )
        for index, status, count in rows:
            counts[names[index]][status] = count
        return counts

    def choices(self) -> list[Choice]:
        """Return what tuning chose, by problem and algorithm in the order of the study."""
        with self.sound():
            rows = self.connection.execute(
                "SELECT problems.name, algorithms.name, candidates.parameters, choices.value "
                "FROM choices JOIN problems ON problems.id = choices.problem "
                "JOIN algorithms ON algorithms.id = choices.algorithm "
                "JOIN algorithms AS candidates ON candidates.id = choices.candidate "
                "WHERE choices.settled AND problems.place IS NOT NULL "
                "AND algorithms.replicates > 0 ORDER BY algorithms.place, problems.place"
            )
            return [
                Choice(str(problem), str(algorithm), json.loads(parameters), value)
                for problem, algorithm, parameters, value in rows
            ]

    def totals(self) -> dict[Purpose, int]:
        """Return how many rows the study has when it is complete, by purpose."""
        problems, single = self.connection.execute(
            f"SELECT count(*), count(CASE WHEN {schema.HAS_ONE_DATA_SET} THEN 1 END) FROM problems "
            "WHERE place IS NOT NULL"
        ).fetchone()
        replicates, systems, listed = self.connection.execute(
            "SELECT total(replicates), total(systems), total(replicates > 0) FROM algorithms"
        ).fetchone()
        main = (problems - single) * replicates + single * listed
        return {"tuning": int(problems * systems), "main": int(main)}

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

    def printed_tasks(self) -> list[PrintedTask]:
        """Return the tasks whose algorithm printed something, in the order of the study."""
        with self.sound():
            return printed_tasks(self.connection)

    def output(self, key: str) -> bytes:
        """Return the end of what the task of a row printed.

        Raises
        ------
        ValueError
            If it is damaged.
        """
        with self.sound():
            return read_output(self.connection, key)

    def status(self) -> StudyStatus:
        """Return how far the study is."""
        with self.sound():
            return self._status()

    def _status(self) -> StudyStatus:
        # Only whether rows are missing: to check each would take long for a look in between.
        present = "SELECT count(*), coalesce(sum(checksum), 0) FROM rows NOT INDEXED"
        if self.connection.execute(present).fetchone() != seals_of(self.connection)["rows"]:
            raise rows_refusal(self.path, row_damage(self.connection))
        first, last = self.times()
        driver = running_driver(self.folder)
        # A session without an end and without a driver was killed.
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
            {purpose: counts_by_reason(self.connection, purpose) for purpose in get_args(Purpose)},
            self.rate(),
            first,
            last,
            self._again(),
            count_printed(self.connection),
            tuple(read_running(self.folder)) if driver else (),
        )

    def _again(self) -> dict[str, int]:
        """Return how many rows are to be computed again, by algorithm."""
        names = dict(self.connection.execute("SELECT place, name FROM algorithms"))
        again: dict[str, int] = {}
        for purpose in get_args(Purpose):
            for place, _, _, count in outdated_counts(self.connection, purpose):
                again[names[place]] = again.get(names[place], 0) + count
        return again


def counts_by_reason(connection: sqlite3.Connection, purpose: Purpose) -> dict[str, int]:
    """Return the number of rows that the study asks for and are not ok, by reason."""
    query = (
        "SELECT coalesce(reason, ''), count(*) FROM wanted "
        "WHERE purpose = ? AND status != 'ok' GROUP BY 1"
    )
    return dict(connection.execute(query, (purpose,)).fetchall())


def outdated_counts(
    connection: sqlite3.Connection, purpose: Purpose
) -> list[tuple[int, str, str, int]]:
    """Return how many rows are to be computed again, by algorithm's index, status and reason."""
    marks = f"SELECT 1 FROM meta WHERE name LIKE '{schema.AGAIN}%'"
    if connection.execute(marks).fetchone() is None:
        return []  # nearly always, and the query below reads all rows
    query = (
        "SELECT algorithm_place, status, coalesce(reason, ''), count(*) FROM wanted "
        f"WHERE purpose = ? AND {schema.outdated('wanted')} GROUP BY 1, 2, 3"
    )
    return connection.execute(query, (purpose,)).fetchall()


def counts_by_status(connection: sqlite3.Connection, purpose: Purpose) -> dict[str, int]:
    """Return the number of rows that the study asks for, by status, zeros included."""
    counts = dict.fromkeys(get_args(Status), 0)
    query = "SELECT status, count(*) FROM wanted WHERE purpose = ? GROUP BY status"
    for status, count in connection.execute(query, (purpose,)):
        if status not in counts:
            raise ValueError(f"a row has the status {status!r}")
        counts[status] = count
    return counts
