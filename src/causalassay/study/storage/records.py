"""Writes a study into its store: its parts, which get ids, and the records of its tasks."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from causalassay.processes.messages import Output
from causalassay.study.keys import canonical
from causalassay.study.plan import (
    AlgorithmEntry,
    MeasureTask,
    MetricEntry,
    ProblemEntry,
    Record,
    RescoreTask,
    RunTask,
    Study,
    task_key,
)
from causalassay.study.problem_specs import graph_address, scheme
from causalassay.study.reasons import readable
from causalassay.study.storage import schema
from causalassay.study.storage.checks import (
    add_to_seal,
    checksum,
    packed,
    resealed,
    row_damage,
    seal,
)
from causalassay.study.storage.outputs import has_outputs, write_output
from causalassay.study.storage.schema import CELLS, STORED, Entry, notes_text, sqlite_number


@dataclass(frozen=True)
class PartIds:
    """The id in the store of each part of the study, in the order of the study.

    Two indices may have one id: a candidate can equal an algorithm that is listed.
    """

    problems: tuple[int, ...]
    algorithms: tuple[int, ...]
    metrics: tuple[int, ...]
    diagnostics: tuple[int, ...]

    @cached_property
    def algorithm_indices(self) -> dict[int, tuple[int, ...]]:
        """The indices in the study of each algorithm, by its id."""
        indices: dict[int, tuple[int, ...]] = {}
        for index, part_id in enumerate(self.algorithms):
            indices[part_id] = (*indices.get(part_id, ()), index)
        return indices

    def metric_indices(self, ids: str) -> frozenset[int]:
        """Return the indices in the study of metrics whose ids are listed as "1,2,5"."""
        return _indices(self.metrics, ids)

    def diagnostic_indices(self, ids: str) -> frozenset[int]:
        """Return the indices in the study of diagnostics whose ids are listed as "1,2,5"."""
        return _indices(self.diagnostics, ids)


@lru_cache(maxsize=256)  # nearly all rows have the same ones
def _indices(parts: tuple[int, ...], ids: str) -> frozenset[int]:
    listed = {int(part_id) for part_id in ids.split(",") if part_id}
    return frozenset(index for index, part_id in enumerate(parts) if part_id in listed)


def refuse_duplicates(study: Study) -> None:
    """Refuse a study two of whose parts would share their rows or columns."""
    listed = [study.algorithms[index] for index in study.listed]
    named: dict[str, list[tuple[str, str]]] = {
        "problems": [(entry.key, entry.name) for entry in study.problems],
        "algorithms": [(entry.key, entry.name) for entry in listed],
        "metrics": [(entry.key, entry.label or entry.name) for entry in study.metrics],
        "diagnostics": [(name, name) for name in study.diagnostics],
    }
    for kind, parts in named.items():
        seen: dict[str, str] = {}
        for key, name in parts:
            if key in seen:
                raise ValueError(
                    f"the {kind} {seen[key]!r} and {name!r} are the same and would share "
                    "their rows; remove one"
                )
            seen[key] = name


def register_parts(connection: sqlite3.Connection, study: Study) -> PartIds:
    """Write a study's parts, mark those it no longer has, and return the ids."""
    measures = study.measure_keys
    tables: dict[str, tuple[str, list[dict[str, Any]], list[str]]] = {
        "problems": (
            "key",
            [_problem(index, entry) for index, entry in enumerate(study.problems)],
            [entry.key for entry in study.problems],
        ),
        "algorithms": ("key", _algorithms(study), [entry.key for entry in study.algorithms]),
        "metrics": (
            "key",
            [_metric(index, entry) for index, entry in enumerate(study.metrics)],
            [entry.key for entry in study.metrics],
        ),
        "diagnostics": (
            "name",
            [{"name": name, "place": index} for index, name in enumerate(measures)],
            measures,
        ),
    }
    connection.execute("UPDATE algorithms SET replicates = 0, systems = 0")
    ids = {}
    for table, (key, entries, keys) in tables.items():
        connection.execute(f"UPDATE {table} SET place = NULL")
        _upsert(connection, table, key, entries)
        by_key = dict(connection.execute(f"SELECT {key}, id FROM {table}"))
        ids[table] = tuple(by_key[name] for name in keys)
    return PartIds(**ids)


def _problem(index: int, entry: ProblemEntry) -> dict[str, Any]:
    spec = entry.spec
    return {
        "key": entry.key,
        "name": readable(entry.name),
        "spec": _json(canonical(spec)),
        "labels": json.dumps(
            {
                readable(name): readable(value) if isinstance(value, str) else value
                for name, value in entry.labels.items()
            }
        ),
        "graph_key": graph_address(spec),
        "scheme": scheme(spec),
        "place": index,
    }


def _algorithms(study: Study) -> list[dict[str, Any]]:
    """Return one entry for each key: one that is listed names it, and its candidates add to it."""
    systems: dict[str, int] = {}
    for tuning in (entry.tuning for entry in study.algorithms if entry.tuning):
        for candidate in tuning.candidates:
            key = study.algorithms[candidate].key
            systems[key] = max(systems.get(key, 0), tuning.systems)
    chosen: dict[str, tuple[int, AlgorithmEntry]] = {}
    for index, entry in enumerate(study.algorithms):
        if entry.key not in chosen or chosen[entry.key][1].role == "candidate":
            chosen[entry.key] = index, entry
    return [
        {
            "key": key,
            "name": readable(entry.name),
            "use": readable(entry.use),
            "parameters": _json(entry.parameters),
            "role": entry.role,
            "replicates": 0 if entry.role == "candidate" else study.replicates,
            "systems": systems.get(key, 0),
            "place": index,
        }
        for key, (index, entry) in chosen.items()
    ]


def _metric(index: int, entry: MetricEntry) -> dict[str, Any]:
    return {
        "key": entry.key,
        "label": readable(entry.label or entry.name),
        "name": entry.name,
        "resolution": entry.resolution,
        "version": entry.version,
        "better": entry.metric.better,
        "place": index,
    }


def _upsert(
    connection: sqlite3.Connection, table: str, key: str, entries: Iterable[dict[str, Any]]
) -> None:
    """Insert the entries of a table or bring them up to date, known by the column `key`."""
    for entry in entries:
        names = ", ".join(entry)
        values = ", ".join(f":{name}" for name in entry)
        changes = ", ".join(f"{name} = excluded.{name}" for name in entry if name != key)
        connection.execute(
            f"INSERT INTO {table} ({names}) VALUES ({values}) "
            f"ON CONFLICT ({key}) DO UPDATE SET {changes}",
            entry,
        )


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


# Writes records into a store: a row, its numbers, its estimate.

_NAMES = ", ".join(CELLS)
_INSERT = f"INSERT INTO rows ({_NAMES}, checksum) VALUES ({', '.join('?' * len(CELLS))}, ?)"
_OUTCOME = [index for index, column in enumerate(STORED) if column.outcome]
_CHANGES = ", ".join(f"{CELLS[index]} = ?" for index in _OUTCOME)
_UPDATE = f"UPDATE rows SET {_CHANGES}, checksum = ? WHERE id = ?"


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
        numbers, cells = self._numbers(record), self._cells(key, record)
        total = checksum(cells, packed(numbers))
        row = self._connection.execute(_INSERT, (*cells, total)).lastrowid
        self._write_numbers(row or 0, key, record, numbers)
        return total

    def _replace(self, row: int, key: str, record: Record) -> int:
        numbers, cells = self._numbers(record), self._cells(key, record)
        total = checksum(cells, packed(numbers))
        self._connection.execute(_UPDATE, (*(cells[index] for index in _OUTCOME), total, row))
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

    def _cells(self, key: str, record: Record) -> tuple[Any, ...]:
        task = record.task
        algorithm = None if isinstance(task, MeasureTask) else self._ids.algorithms[task.algorithm]
        entry = Entry(key, record, self._ids.problems[task.problem], algorithm, self._session)
        return tuple(column.stored(entry) for column in STORED)

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
        merged = notes_text(json.loads(before or "{}") | notes)
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
        if isinstance(record.task, RunTask):
            self._write_output(row, key, record.output)

    def _write_output(self, row: int, key: str, output: Output) -> None:
        """Write what a task printed; most print nothing, and many studies have no table for it."""
        there = has_outputs(self._connection)
        if output.size and not there:
            self._connection.execute(schema.OUTPUTS)
        if output.size or there:
            write_output(self._connection, row, key, output)


def _table(record: Record) -> tuple[str, str]:
    """Return which table has a record's numbers, and its column of what they measure."""
    if isinstance(record.task, MeasureTask):
        return "measurements", "diagnostic"
    return "scores", "metric"


def delete_rows(connection: sqlite3.Connection, condition: str, values: tuple[Any, ...]) -> int:
    """Delete the rows that meet a condition with all that belongs to them; return how many."""
    deleted = f"SELECT id FROM rows WHERE {condition}"
    of_rows = ("scores", "measurements", "estimates")
    for table in (*of_rows, *(["outputs"] if has_outputs(connection) else [])):
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
