"""Writes records into a store: a row, its numbers, its estimate."""

from __future__ import annotations

import json
import math
import sqlite3
from typing import Any

from causalassay.study.plan import Record, Study, task_key
from causalassay.study.storage.parts import Parts


class Writer:
    """Writes the records of one session; its caller begins and commits.

    Parameters
    ----------
    connection : sqlite3.Connection
    study : Study
    session : int
    parts : Parts
    """

    def __init__(
        self, connection: sqlite3.Connection, study: Study, session: int, parts: Parts
    ) -> None:
        self._connection = connection
        self._study = study
        self._session = session
        self._parts = parts

    def put(self, record: Record) -> None:
        """Write a record: as a new row, in place of its row, or as more numbers of its row."""
        key = task_key(self._study, record.task)
        found = self._connection.execute("SELECT id FROM rows WHERE key = ?", (key,)).fetchone()
        if record.task.estimate is not None and found is None:
            raise ValueError(f"scores came for {key}, which has no row to add them to")
        if found is None:
            row = self._insert(key, record)
        else:
            row = found[0]
            # New diagnostics come alone, like new scores; a run comes with all its scores.
            if record.task.estimate is not None or record.task.algorithm is None:
                self._add_notes(row, record)
            else:
                self._replace(row, record)
        self._add_numbers(row, record)

    def _insert(self, key: str, record: Record) -> int:
        task = record.task
        algorithm = None if task.algorithm is None else self._parts.algorithms[task.algorithm]
        place = (key, task.purpose, self._parts.problems[task.problem], task.replicate, algorithm)
        cursor = self._connection.execute(
            "INSERT INTO rows (key, purpose, problem, replicate, algorithm, "
            "status, reason, seconds, notes, session, host) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (*place, *self._outcome(record)),
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
        notes, seconds = _as_text(dict(record.notes)), stored(record.seconds)
        return record.status, record.reason or None, seconds, notes, self._session, record.host

    def _add_notes(self, row: int, record: Record) -> None:
        """Add why numbers are undefined; if their task came to grief, each of them says so."""
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
        places = record.task.metrics
        if record.task.algorithm is None:
            return [self._study.diagnostics[place] for place in places]
        entries = (self._study.metrics[place] for place in places)
        return [entry.label or entry.name for entry in entries]

    def _add_numbers(self, row: int, record: Record) -> None:
        if record.task.algorithm is None:
            table, parts = "measurements", self._parts.diagnostics
        else:
            table, parts = "scores", self._parts.metrics
        numbers = zip(record.task.metrics, record.scores, strict=True)
        self._connection.executemany(
            f"INSERT OR REPLACE INTO {table} VALUES (?, ?, ?)",
            [(row, parts[place], stored(value)) for place, value in numbers],
        )
        if record.estimate is not None:
            self._connection.execute(
                "INSERT OR REPLACE INTO estimates VALUES (?, ?)", (row, record.estimate)
            )


def delete_rows(connection: sqlite3.Connection, condition: str, values: tuple[Any, ...]) -> int:
    """Delete the rows that meet a condition with all that belongs to them; return how many."""
    doomed = f"SELECT id FROM rows WHERE {condition}"
    for table in ("scores", "measurements", "estimates"):
        connection.execute(f"DELETE FROM {table} WHERE row IN ({doomed})", values)
    return connection.execute(f"DELETE FROM rows WHERE id IN ({doomed})", values).rowcount


def stored(value: float) -> float | None:
    """Return a number as SQLite holds it: NULL for nan; infinities stay.

    Examples
    --------
    >>> stored(float("nan")), stored(float("-inf"))
    (None, -inf)
    """
    return None if math.isnan(value) else float(value)


def _as_text(notes: dict[str, Any]) -> str | None:
    return json.dumps(notes, sort_keys=True, default=str) if notes else None
