"""Writes records into a store: a row, its numbers, its estimate."""

from __future__ import annotations

import json
import math
import sqlite3
from typing import Any

from causalassay.study.plan import Study
from causalassay.study.storage.part_ids import PartIds
from causalassay.study.tasks import MeasureTask, Record, RescoreTask, RunTask, task_key


class RecordWriter:
    """Writes the records of one session; its caller begins and commits.

    Parameters
    ----------
    connection : sqlite3.Connection
    study : Study
    session : int
    ids : PartIds
    """

    def __init__(
        self, connection: sqlite3.Connection, study: Study, session: int, ids: PartIds
    ) -> None:
        self._connection = connection
        self._study = study
        self._session = session
        self._ids = ids

    def write(self, record: Record) -> None:
        """Write a record: as a new row, in place of its row, or as more numbers of its row."""
        key = task_key(self._study, record.task)
        stored = self._connection.execute("SELECT id FROM rows WHERE key = ?", (key,)).fetchone()
        match record.task, stored:
            case RescoreTask(), None:
                raise ValueError(f"scores came for {key}, which has no row to add them to")
            case _, None:
                row = self._insert(key, record)
            case RunTask(), (row,):
                self._replace(row, record)
            case _, (row,):
                self._add_notes(row, record)
        self._add_numbers(row, record)

    def _insert(self, key: str, record: Record) -> int:
        task = record.task
        algorithm = None if isinstance(task, MeasureTask) else self._ids.algorithms[task.algorithm]
        address = (key, task.purpose, self._ids.problems[task.problem], task.replicate, algorithm)
        cursor = self._connection.execute(
            "INSERT INTO rows (key, purpose, problem, replicate, algorithm, "
            "status, reason, seconds, notes, session, host) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (*address, *self._outcome(record)),
        )
        return cursor.lastrowid or 0

    def _replace(self, row: int, record: Record) -> None:
        self._connection.execute(
            "UPDATE rows SET status = ?, reason = ?, seconds = ?, notes = ?, session = ?, "
            "host = ? WHERE id = ?",
            (*self._outcome(record), row),
        )
        for table in ("scores", "estimates"):
            self._connection.execute(f"DELETE FROM {table} WHERE row = ?", (row,))

    def _outcome(self, record: Record) -> tuple[Any, ...]:
        notes, seconds = _as_text(dict(record.notes)), sqlite_number(record.seconds)
        return record.status, record.reason or None, seconds, notes, self._session, record.host

    def _add_notes(self, row: int, record: Record) -> None:
        """Add why numbers are undefined; if their task failed, the reason is noted for each."""
        notes = dict(record.notes)
        if record.status != "ok":
            notes |= dict.fromkeys(self._names(record), record.reason)
        if not notes:
            return
        (before,) = self._connection.execute(
            "SELECT notes FROM rows WHERE id = ?", (row,)
        ).fetchone()
        merged = _as_text(json.loads(before or "{}") | notes)
        self._connection.execute("UPDATE rows SET notes = ? WHERE id = ?", (merged, row))

    def _names(self, record: Record) -> list[str]:
        match record.task:
            case MeasureTask(diagnostics=indices):
                return [self._study.diagnostics[index] for index in indices]
            case RunTask(metrics=indices) | RescoreTask(metrics=indices):
                entries = [self._study.metrics[index] for index in indices]
                return [entry.label or entry.name for entry in entries]

    def _add_numbers(self, row: int, record: Record) -> None:
        match record.task:
            case MeasureTask(diagnostics=indices):
                table, ids = "measurements", self._ids.diagnostics
            case RunTask(metrics=indices) | RescoreTask(metrics=indices):
                table, ids = "scores", self._ids.metrics
        self._connection.executemany(
            f"INSERT OR REPLACE INTO {table} VALUES (?, ?, ?)",
            [
                (row, ids[index], sqlite_number(value))
                for index, value in zip(indices, record.scores, strict=True)
            ],
        )
        if record.estimate is not None:
            self._connection.execute(
                "INSERT OR REPLACE INTO estimates VALUES (?, ?)", (row, record.estimate)
            )


def delete_rows(connection: sqlite3.Connection, condition: str, values: tuple[Any, ...]) -> int:
    """Delete the rows that meet a condition with all that belongs to them; return how many."""
    deleted = f"SELECT id FROM rows WHERE {condition}"
    for table in ("scores", "measurements", "estimates"):
        connection.execute(f"DELETE FROM {table} WHERE row IN ({deleted})", values)
    return connection.execute(f"DELETE FROM rows WHERE id IN ({deleted})", values).rowcount


def sqlite_number(value: float) -> float | None:
    """Return a number as SQLite holds it: NULL for nan; infinities stay.

    Examples
    --------
    >>> sqlite_number(float("nan")), sqlite_number(float("-inf"))
    (None, -inf)
    """
    return None if math.isnan(value) else float(value)


def _as_text(notes: dict[str, Any]) -> str | None:
    return json.dumps(notes, sort_keys=True, default=str) if notes else None
