"""Writes records into a store: a row, its numbers, its estimate."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Mapping
from typing import Any

from causalassay.study.plan import MeasureTask, Record, RescoreTask, RunTask, Study, task_key
from causalassay.study.reasons import readable
from causalassay.study.storage.checks import (
    add_to_seal,
    checksum,
    packed,
    resealed,
    row_damage,
    seal,
)
from causalassay.study.storage.records import PartIds
from causalassay.study.storage.schema import CELLS

_NAMES = ", ".join(CELLS)
_MARKS = ", ".join("?" * len(CELLS))


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

    def write(self, record: Record) -> tuple[int, int]:
        """Write a record: as a new row, in place of its row, or as more numbers of its row.

        Returns what that adds to the seal of the rows: their number, their checksums.
        """
        key = task_key(self._study, record.task)
        stored = self._connection.execute(
            "SELECT id, checksum FROM rows WHERE key = ?", (key,)
        ).fetchone()
        if stored is None:
            if isinstance(record.task, RescoreTask):
                raise ValueError(f"scores came for {key}, which has no row to add them to")
            return 1, self._insert(key, record)
        row, before = stored
        if isinstance(record.task, RunTask):
            return 0, self._replace(row, key, record) - before
        return 0, self._add(row, key, record) - before

    def _insert(self, key: str, record: Record) -> int:
        numbers = self._numbers(record)
        cells = (*self._address(key, record), *self._outcome(record))
        total = checksum(cells, packed(numbers))
        row = self._connection.execute(
            f"INSERT INTO rows ({_NAMES}, checksum) VALUES ({_MARKS}, ?)", (*cells, total)
        ).lastrowid
        self._write_numbers(row or 0, key, record, numbers)
        return total

    def _replace(self, row: int, key: str, record: Record) -> int:
        numbers = self._numbers(record)
        outcome = self._outcome(record)
        total = checksum((*self._address(key, record), *outcome), packed(numbers))
        self._connection.execute(
            "UPDATE rows SET status = ?, reason = ?, seconds = ?, notes = ?, session = ?, "
            "host = ?, checksum = ? WHERE id = ?",
            (*outcome, total, row),
        )
        for table in ("scores", "estimates"):
            self._connection.execute(f"DELETE FROM {table} WHERE row = ?", (row,))
        self._write_numbers(row, key, record, numbers)
        return total

    def _add(self, row: int, key: str, record: Record) -> int:
        """Add numbers to a row, and why some are undefined."""
        self._add_notes(row, record)
        self._write_numbers(row, key, record, self._numbers(record))
        table, part = _table(record)
        cells = self._connection.execute(f"SELECT {_NAMES} FROM rows WHERE id = ?", (row,))
        numbers = self._connection.execute(
            f"SELECT {part}, value FROM {table} WHERE row = ?", (row,)
        )
        total = checksum(cells.fetchone(), packed(numbers))
        self._connection.execute("UPDATE rows SET checksum = ? WHERE id = ?", (total, row))
        return total

    def _address(self, key: str, record: Record) -> tuple[Any, ...]:
        task = record.task
        algorithm = None if isinstance(task, MeasureTask) else self._ids.algorithms[task.algorithm]
        return key, task.purpose, self._ids.problems[task.problem], task.replicate, algorithm

    def _outcome(self, record: Record) -> tuple[Any, ...]:
        reason = readable(record.reason) or None
        notes, seconds = _as_text(dict(record.notes)), sqlite_number(record.seconds)
        return record.status, reason, seconds, notes, self._session, readable(record.host)

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

    def _numbers(self, record: Record) -> list[tuple[int, float | None]]:
        """Return the numbers of a record as they are stored, with the ids of what they measure."""
        match record.task:
            case MeasureTask(diagnostics=indices):
                ids = self._ids.diagnostics
            case RunTask(metrics=indices) | RescoreTask(metrics=indices):
                ids = self._ids.metrics
        return [
            (ids[index], sqlite_number(value))
            for index, value in zip(indices, record.scores, strict=True)
        ]

    def _write_numbers(
        self, row: int, key: str, record: Record, numbers: list[tuple[int, float | None]]
    ) -> None:
        table, _ = _table(record)
        self._connection.executemany(
            f"INSERT OR REPLACE INTO {table} VALUES (?, ?, ?)",
            [(row, part, value) for part, value in numbers],
        )
        if record.estimate is not None:
            blob = record.estimate
            self._connection.execute(
                "INSERT OR REPLACE INTO estimates VALUES (?, ?, ?)",
                (row, blob, checksum((key,), blob)),
            )


def _table(record: Record) -> tuple[str, str]:
    """Return which table has a record's numbers, and its column of what they measure."""
    if isinstance(record.task, MeasureTask):
        return "measurements", "diagnostic"
    return "scores", "metric"


def delete_rows(connection: sqlite3.Connection, condition: str, values: tuple[Any, ...]) -> int:
    """Delete the rows that meet a condition with all that belongs to them; return how many."""
    deleted = f"SELECT id FROM rows WHERE {condition}"
    for table in ("scores", "measurements", "estimates"):
        connection.execute(f"DELETE FROM {table} WHERE row IN ({deleted})", values)
    (total,) = connection.execute(
        f"SELECT coalesce(sum(checksum), 0) FROM rows WHERE id IN ({deleted})", values
    ).fetchone()
    count = connection.execute(f"DELETE FROM rows WHERE id IN ({deleted})", values).rowcount
    add_to_seal(connection, "rows", -count, -total)
    return count


def drop_damaged_rows(connection: sqlite3.Connection) -> None:
    """Delete the rows that are not as they were written; tunings are to be decided again."""
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("REINDEX")
    damage = row_damage(connection)
    if damage is not None:
        with resealed(connection, "choices"):
            connection.execute("UPDATE choices SET settled = 0")
        condition = "id IN (SELECT value FROM json_each(?))"
        delete_rows(connection, condition, (json.dumps(damage.ids),))
        left = connection.execute("SELECT count(*), coalesce(sum(checksum), 0) FROM rows")
        seal(connection, "rows", *left.fetchone())
    connection.execute("COMMIT")


def sqlite_number(value: float) -> float | None:
    """Return a number as SQLite holds it: NULL for nan, no negative zero; infinities stay.

    Examples
    --------
    >>> sqlite_number(float("nan")), sqlite_number(float("-inf")), sqlite_number(-0.0)
    (None, -inf, 0.0)
    """
    return None if math.isnan(value) else float(value) + 0.0


def _as_text(notes: Mapping[str, Any]) -> str | None:
    return json.dumps(_cleaned(notes), sort_keys=True) if notes else None


def _cleaned(note: Any) -> Any:
    """Return what JSON can hold of a note; its texts are readable."""
    match note:
        case None | bool() | int() | float():
            return note
        case str():
            return readable(note)
        case Mapping():
            return {readable(str(name)): _cleaned(value) for name, value in note.items()}
        case list() | tuple():
            return [_cleaned(value) for value in note]
        case _:
            return readable(str(note))
