"""Checksums of what a store holds: they tell damage that SQLite itself does not notice.

Each row of a study carries the checksum of its cells and numbers. Each table has a seal:
the number of its rows and the sum of their checksums, so that a row that is gone is noticed
too. They are no defence against somebody who computes them anew.
"""

from __future__ import annotations

import json
import math
import sqlite3
import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from typing import Any, Literal

import numpy as np

from causalassay.common.arrays import Values
from causalassay.study.storage.schema import CELLS

SEALED = ("meta", "sessions", "problems", "algorithms", "metrics", "diagnostics", "choices")
"""Tables that are small, so that they are checked whenever a store is opened."""


def checksum(cells: tuple[Any, ...], numbers: bytes | memoryview = b"") -> int:
    """Return the checksum of cells as SQLite returns them, and of packed numbers.

    Examples
    --------
    >>> checksum(("ok", 2.0)) == checksum(("ok", 2))
    False
    """
    (only,) = checksums([cells], [numbers])
    return only


def checksums(
    rows: Iterable[tuple[Any, ...]], numbers: Iterable[bytes | memoryview]
) -> Iterator[int]:
    """Return the checksum of the cells and the packed numbers of each row."""
    # ascii, not repr: which characters repr escapes depends on the version of Python.
    return map(zlib.crc32, numbers, map(zlib.crc32, map(str.encode, map(ascii, rows))))


def packed(numbers: Iterable[tuple[int, float | None]]) -> bytes:
    """Return numbers and the ids of what they measure as bytes, in the order of the ids."""
    pairs = [(part, math.nan if value is None else value) for part, value in sorted(numbers)]
    return struct.pack("<" + "qd" * len(pairs), *chain.from_iterable(pairs))


def add_to_seal(connection: sqlite3.Connection, table: str, rows: int, change: int) -> None:
    """Add to a table's seal: how many rows came and by how much the sum of checksums changed."""
    connection.execute(
        "INSERT INTO seals VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE "
        "SET rows = rows + excluded.rows, checksum = checksum + excluded.checksum",
        (table, rows, change),
    )


@contextmanager
def resealed(
    connection: sqlite3.Connection, table: str, condition: str = "TRUE", values: Any = ()
) -> Iterator[None]:
    """Bring a table's seal up to date with what is done inside to the rows of a condition."""
    before = _sum(connection, table, condition, values)
    yield
    after = _sum(connection, table, condition, values)
    add_to_seal(connection, table, after[0] - before[0], after[1] - before[1])


def seal(connection: sqlite3.Connection, table: str, rows: int, total: int) -> None:
    """Write a table's seal anew."""
    connection.execute("INSERT OR REPLACE INTO seals VALUES (?, ?, ?)", (table, rows, total))


def seal_small_tables(connection: sqlite3.Connection) -> None:
    """Write the seals of the small tables anew."""
    for table in SEALED:
        seal(connection, table, *_sum(connection, table))


def seals_of(connection: sqlite3.Connection) -> dict[str, tuple[int, int]]:
    """Return the number of rows and the sum of checksums that each table should have."""
    empty = dict.fromkeys((*SEALED, "rows"), (0, 0))
    stored = connection.execute("SELECT name, rows, checksum FROM seals")
    return empty | {name: (rows, total) for name, rows, total in stored}


def broken_seals(connection: sqlite3.Connection) -> list[str]:
    """Return the small tables that are not as they were written."""
    expected = seals_of(connection)
    return [table for table in SEALED if _sum(connection, table) != expected[table]]


def _sum(
    connection: sqlite3.Connection, table: str, condition: str = "TRUE", values: Any = ()
) -> tuple[int, int]:
    selected = connection.execute(f"SELECT * FROM {table} WHERE {condition}", values)
    checksums = [checksum(row) for row in selected]
    return len(checksums), sum(checksums)


# Reads rows with their numbers, and tells which are not as they were written.

CHUNK = 20_000
"""Rows that are read at once."""

CHECKED = ", ".join(f"rows.{name}" for name in ("id", "checksum", *CELLS))
"""The first columns of a query whose rows are to be checked."""

_FIRST_CELL = 2
_ALGORITHM = _FIRST_CELL + CELLS.index("algorithm")
_CELLS_OF = itemgetter(slice(_FIRST_CELL, _FIRST_CELL + len(CELLS)))
_PAIR = np.dtype([("part", "<i8"), ("value", "<f8")])
_NUMBER = np.dtype([("row", "<i8"), *_PAIR.descr])

Row = tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Numbers:
    """Scores or measurements of some rows, sorted by row and by what they measure.

    Parameters
    ----------
    rows : array of int
        Which row each number belongs to, by id.
    pairs : array
        What it measures, by id, and its value; nan where it is undefined.
    """

    rows: np.ndarray
    pairs: np.ndarray

    @classmethod
    def none(cls) -> Numbers:
        """Return the numbers of no row."""
        return cls(np.empty(0, dtype=np.int64), np.empty(0, dtype=_PAIR))

    def matrix(self, ids: Sequence[int], parts: Sequence[int]) -> Values:
        """Return the numbers of rows, one column for each part, nan where there is none."""
        matrix = np.full((len(ids), len(parts)), np.nan)
        if not len(self.rows) or not len(ids):
            return matrix
        order = np.argsort(ids)
        sorted_ids = np.asarray(ids)[order]
        nearest = np.minimum(np.searchsorted(sorted_ids, self.rows), len(ids) - 1)
        known, inverse = np.unique(self.pairs["part"], return_inverse=True)
        column_of = {part: column for column, part in enumerate(parts)}
        column = np.array([column_of.get(int(part), -1) for part in known])[inverse]
        wanted = (sorted_ids[nearest] == self.rows) & (column >= 0)
        matrix[order[nearest[wanted]], column[wanted]] = self.pairs["value"][wanted]
        return matrix


@dataclass(frozen=True, eq=False)
class Chunk:
    """Some rows of a store.

    Parameters
    ----------
    rows : list of tuple
        They begin with `CHECKED`.
    scores, measurements : Numbers
        Of those rows.
    damaged : list of tuple
        The rows that are not as they were written.
    """

    rows: list[Row]
    scores: Numbers
    measurements: Numbers
    damaged: list[Row]


@dataclass(frozen=True)
class RowDamage:
    """What is wrong with the rows of a store.

    Parameters
    ----------
    ids : tuple of int
        Of the rows that are not as they were written.
    keys : tuple of str
        Of these rows.
    present, expected : int
        The number of rows.
    """

    ids: tuple[int, ...]
    keys: tuple[str, ...]
    present: int
    expected: int


def read_chunks(cursor: sqlite3.Cursor) -> Iterator[Chunk]:
    """Yield the rows of a query in chunks, checked."""
    # Its own cursor for the numbers: another statement does not disturb the query.
    connection = cursor.connection
    while rows := cursor.fetchmany(CHUNK):
        runs = [row for row in rows if row[_ALGORITHM] is not None]
        measured = [row for row in rows if row[_ALGORITHM] is None]
        scores = _numbers(connection, "scores", runs)
        measurements = _numbers(connection, "measurements", measured)
        damaged = [*_mismatched(runs, scores), *_mismatched(measured, measurements)]
        yield Chunk(rows, scores, measurements, damaged)


def row_damage(connection: sqlite3.Connection) -> RowDamage | None:
    """Read all rows and return what is wrong with them, None if nothing is."""
    present, total, damaged = 0, 0, []
    with _any_bytes_as_text(connection):
        for chunk in read_chunks(connection.execute(f"SELECT {CHECKED} FROM rows NOT INDEXED")):
            present += len(chunk.rows)
            damaged += chunk.damaged
            total += 0 if damaged else sum(row[1] for row in chunk.rows)
    expected = seals_of(connection)["rows"]
    if not damaged and (present, total) == expected:
        return None
    ids, keys = (tuple(row[index] for row in damaged) for index in (0, _FIRST_CELL))
    return RowDamage(ids, keys, present, expected[0])


@contextmanager
def _any_bytes_as_text(connection: sqlite3.Connection) -> Iterator[None]:
    """Read texts that are not UTF-8 too: their row is damaged, the others need not be."""
    before = connection.text_factory
    connection.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
    try:
        yield
    finally:
        connection.text_factory = before


_PART = {"scores": "metric", "measurements": "diagnostic"}


def _numbers(
    connection: sqlite3.Connection, table: Literal["scores", "measurements"], rows: Sequence[Row]
) -> Numbers:
    part = _PART[table]
    # What is no number, or of no part, gets a part that nothing has, so that its row is damaged.
    selected = connection.execute(
        f"SELECT row, iif(typeof({part}) = 'integer' AND typeof(value) IN ('real', 'null'), "
        f"{part}, -1), CAST(value AS REAL) FROM {table} "
        f"WHERE row IN (SELECT value FROM json_each(?)) ORDER BY row, {part}",
        (json.dumps([row[0] for row in rows]),),
    )
    numbers = np.fromiter(selected, dtype=_NUMBER)  # NULL becomes nan
    return Numbers(numbers["row"].copy(), numbers[["part", "value"]].astype(_PAIR))


def _mismatched(rows: Sequence[Row], numbers: Numbers) -> list[Row]:
    totals = row_checksums(rows, numbers)
    return [row for row, total in zip(rows, totals, strict=True) if row[1] != total]


def row_checksums(rows: Sequence[Row], numbers: Numbers) -> Iterator[int]:
    """Return the checksum that each row should have; rows begin with `CHECKED`."""
    ids = np.array([row[0] for row in rows], dtype=np.int64)
    size = _PAIR.itemsize
    starts = (size * np.searchsorted(numbers.rows, ids, "left")).tolist()
    stops = (size * np.searchsorted(numbers.rows, ids, "right")).tolist()
    content = memoryview(numbers.pairs.tobytes())
    return checksums(map(_CELLS_OF, rows), map(content.__getitem__, map(slice, starts, stops)))
