"""Reads rows with their numbers, and tells which are not as they were written."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Literal

import numpy as np

from causalassay.common.arrays import Values
from causalassay.study.storage.checks import checksums, seals_of

CHUNK = 20_000
"""Rows that are read at once."""

# fmt: off
CELLS = (
    "key", "purpose", "problem", "replicate", "algorithm", "status", "reason", "seconds", "notes",
    "session", "host",
)
# fmt: on
"""What the checksum of a row covers, besides its scores or measurements."""

COLUMNS = ", ".join(f"rows.{name}" for name in ("id", "checksum", *CELLS))
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
        found = np.minimum(np.searchsorted(sorted_ids, self.rows), len(ids) - 1)
        known, inverse = np.unique(self.pairs["part"], return_inverse=True)
        places = {part: place for place, part in enumerate(parts)}
        column = np.array([places.get(int(part), -1) for part in known])[inverse]
        wanted = (sorted_ids[found] == self.rows) & (column >= 0)
        matrix[order[found[wanted]], column[wanted]] = self.pairs["value"][wanted]
        return matrix


@dataclass(frozen=True, eq=False)
class Chunk:
    """Some rows of a store.

    Parameters
    ----------
    rows : list of tuple
        They begin with `COLUMNS`.
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
    found, expected : int
        The number of rows.
    """

    ids: tuple[int, ...]
    keys: tuple[str, ...]
    found: int
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
    found, total, damaged = 0, 0, []
    with _any_bytes_as_text(connection):
        for chunk in read_chunks(connection.execute(f"SELECT {COLUMNS} FROM rows NOT INDEXED")):
            found += len(chunk.rows)
            damaged += chunk.damaged
            total += 0 if damaged else sum(row[1] for row in chunk.rows)
    expected = seals_of(connection)["rows"]
    if not damaged and (found, total) == expected:
        return None
    ids, keys = (tuple(row[index] for row in damaged) for index in (0, _FIRST_CELL))
    return RowDamage(ids, keys, found, expected[0])


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
    found = row_checksums(rows, numbers)
    return [row for row, total in zip(rows, found, strict=True) if row[1] != total]


def row_checksums(rows: Sequence[Row], numbers: Numbers) -> Iterator[int]:
    """Return the checksum that each row should have; rows begin with `COLUMNS`."""
    ids = np.array([row[0] for row in rows], dtype=np.int64)
    size = _PAIR.itemsize
    starts = (size * np.searchsorted(numbers.rows, ids, "left")).tolist()
    stops = (size * np.searchsorted(numbers.rows, ids, "right")).tolist()
    content = memoryview(numbers.pairs.tobytes())
    return checksums(map(_CELLS_OF, rows), map(content.__getitem__, map(slice, starts, stops)))
