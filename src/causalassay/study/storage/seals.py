"""Checksums of what a store holds: they tell damage that SQLite itself does not notice.

Each row of a study carries the checksum of its cells and numbers. Each table has a seal:
the number of its rows and the sum of their checksums, so that a row that is gone is noticed
too. They are no defence against somebody who computes them anew.
"""

from __future__ import annotations

import math
import sqlite3
import struct
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Any

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
