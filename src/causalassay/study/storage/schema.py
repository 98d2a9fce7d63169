"""The schema of a store: the columns of a row, once for all, and the tables in SQLite.

`COLUMNS` drives what is written, what the checksum of a row covers, what is exported and in which
order, and what a column is said to mean. A new column is a line there, and a new `VERSION`.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from causalassay.study.plan import Record
from causalassay.study.reasons import readable

FILE = "study.sqlite"
"""The name of a store in its folder."""

APPLICATION_ID = 0x63617361
"""Says in the file's head that it is ours ("casa"): other SQLite files are left alone."""

VERSION = 5
"""The version of the tables, raised with each change to them: other versions are refused."""


class Entry(NamedTuple):
    """A record on its way into the store, with the ids of its parts there."""

    key: str
    record: Record
    problem: int
    algorithm: int | None
    session: int


Position = Literal["front", "settings", "end", "hidden"]
"""Where a column is exported: first, after the labels of the problem, last, or not at all."""


@dataclass(frozen=True)
class Column:
    """A column of the rows of a study.

    Parameters
    ----------
    name : str
        In the table `rows` and in exported tables.
    meaning : str
        What it holds, as published bundles say.
    kind : {"text", "repeated", "integer", "number"}
        Of the values that are exported; "repeated" are texts of which there are few.
    sql : str
        Its type and constraints in the table `rows`; empty for one that is not there.
    cell : callable, optional
        Returns what is stored of an entry; without it, what the record has in its `cells`.
    outcome : bool
        Whether it changes when a task is run again; the others say which row it is.
    part : str
        The column of `problems` or `algorithms` with the text that is exported, as "table.column".
    position : {"front", "settings", "end", "hidden"}
    timing : bool
        Whether it differs between two runs of one study.
    names : {"never", "perhaps", "always"}
        Whether it names a person or a machine: an anonymous bundle empties a cell that always
        does, and leaves names out of the text of one that may.
    """

    name: str
    meaning: str
    kind: Literal["text", "repeated", "integer", "number"] = "repeated"
    sql: str = ""
    cell: Callable[[Entry], Any] | None = None
    outcome: bool = False
    part: str = ""
    position: Position = "front"
    timing: bool = False
    names: Literal["never", "perhaps", "always"] = "never"

    def stored(self, entry: Entry) -> Any:
        """Return what the table `rows` holds of an entry in this column."""
        if self.cell is not None:
            return self.cell(entry)
        value = entry.record.cells.get(self.name)
        if value is None:
            return None
        return sqlite_number(value) if self.kind == "number" else value


def sqlite_number(value: float) -> float | None:
    """Return a number as SQLite holds it: NULL for nan, no negative zero; infinities stay.

    Examples
    --------
    >>> sqlite_number(float("nan")), sqlite_number(float("-inf")), sqlite_number(-0.0)
    (None, -inf, 0.0)
    """
    return None if math.isnan(value) else float(value) + 0.0


def notes_text(notes: Mapping[str, Any]) -> str | None:
    """Return notes as JSON, None if there are none; what JSON cannot hold becomes text."""
    return json.dumps(_plain_note(notes), sort_keys=True) if notes else None


def _plain_note(note: Any) -> Any:
    match note:
        case None | bool() | int() | float():
            return note
        case str():
            return readable(note)
        case Mapping():
            return {readable(str(name)): _plain_note(value) for name, value in note.items()}
        case list() | tuple():
            return [_plain_note(value) for value in note]
        case _:
            return readable(str(note))


# fmt: off
COLUMNS = (
    Column("key",
           "what the row is: the digest of the seed, the problem, the replicate and the algorithm",
           "text", "TEXT NOT NULL UNIQUE", lambda entry: entry.key),
    Column("purpose", "main, or tuning on held-out systems", "repeated", "TEXT NOT NULL",
           lambda entry: entry.record.task.purpose, position="hidden"),
    Column("problem", "the name of the problem", "repeated", "INTEGER NOT NULL",
           lambda entry: entry.problem, part="problems.name"),
    Column("replicate", "which data set of the problem", "integer", "INTEGER NOT NULL",
           lambda entry: entry.record.task.replicate),
    Column("algorithm", "the name of the algorithm", "repeated", "INTEGER",
           lambda entry: entry.algorithm, part="algorithms.name"),
    Column("role", "listed, mine (the authors' own) or baseline", part="algorithms.role"),
    Column("use", "the algorithm's name in causalassay, or its file and class",
           part="algorithms.use"),
    Column("status", "ok, skipped, failed or timeout", "repeated", "TEXT NOT NULL",
           lambda entry: entry.record.status, outcome=True),
    Column("reason", "why the status is not ok", "repeated", "TEXT",
           lambda entry: readable(entry.record.reason) or None, outcome=True, names="perhaps"),
    Column("seconds", "wall time of discovery", "number", "REAL",
           lambda entry: sqlite_number(entry.record.seconds), outcome=True, timing=True),
    Column("load_seconds", "wall time of loading the algorithm's code before; 0 if it was there",
           "number", "REAL", outcome=True, timing=True),
    Column("batch", "how many tasks the call computed that computed this one; seconds are its part",
           "integer", "INTEGER NOT NULL", lambda entry: entry.record.cells.get("batch", 1),
           outcome=True, timing=True),
    Column("notes", "why a score is undefined, and what else the run noted, as JSON", "text",
           "TEXT", lambda entry: notes_text(dict(entry.record.notes)), outcome=True,
           position="end", names="perhaps"),
    Column("session", "which run of the driver wrote the row", "integer", "INTEGER NOT NULL",
           lambda entry: entry.session, outcome=True, position="hidden"),
    Column("host", "the machine; empty in an anonymous bundle", "repeated",
           "TEXT NOT NULL DEFAULT ''", lambda entry: readable(entry.record.host), outcome=True,
           timing=True, names="always"),
    Column("scheme", "how the data were made", part="problems.scheme"),
    Column("graph_key", "problems with one key have the same graphs", part="problems.graph_key"),
    Column("parameters", "hyperparameters that differ from their defaults, as JSON",
           part="algorithms.parameters", position="settings"),
)
# fmt: on
"""The columns of a row, in the order of the table `rows` and, within a position, of exports."""

_BY_NAME = {column.name: column for column in COLUMNS}

GRAPH_COLUMNS = (
    Column("file", "the graph's name in graphs.zip; empty without a graph"),
    *(_BY_NAME[name] for name in ("problem", "replicate", "algorithm", "status", "reason")),
    Column("kind", "dag, cpdag, pdag or summary"),
    # Numbers of edges are empty where there is no graph, which integers cannot be.
    Column("directed", "number of directed edges", "number"),
    Column("undirected", "number of undirected edges", "number"),
    Column("names", "what the nodes are called after"),
    _BY_NAME["key"],
)
"""The columns of the index of exported graphs."""

STORED = tuple(column for column in COLUMNS if column.sql)
"""The columns of the table `rows`, but for the row's id and its checksum."""

CELLS = tuple(column.name for column in STORED)
"""What the checksum of a row covers, besides its scores or measurements."""

FEW_TEXTS = tuple(column.name for column in STORED if column.kind == "repeated" and not column.part)
"""Stored texts of which there are few, beside those of problems and algorithms."""

TIMING = tuple(column.name for column in COLUMNS if column.timing)
"""The columns that differ between two runs of one study."""

_ROWS = ",\n        ".join(
    ("id INTEGER PRIMARY KEY", *(f"{column.name} {column.sql}" for column in STORED))
)

# `place` is the index in the study. What the study file no longer has keeps its rows: `place`
# is then NULL and the numbers of wanted replicates are 0, so that the view `wanted` leaves it out.
TABLES = (
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    """CREATE TABLE sessions (
        id INTEGER PRIMARY KEY,
        started TEXT NOT NULL,
        host TEXT NOT NULL,
        cpu TEXT NOT NULL,
        versions TEXT NOT NULL,
        text TEXT NOT NULL,
        first_write TEXT,
        last_write TEXT,
        records INTEGER NOT NULL DEFAULT 0,
        ended TEXT,
        how TEXT)""",
    """CREATE TABLE problems (
        id INTEGER PRIMARY KEY,
        key TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL,
        spec TEXT NOT NULL,
        labels TEXT NOT NULL,
        graph_key TEXT NOT NULL,
        scheme TEXT NOT NULL,
        place INTEGER)""",
    """CREATE TABLE algorithms (
        id INTEGER PRIMARY KEY,
        key TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL,
        use TEXT NOT NULL,
        parameters TEXT NOT NULL,
        role TEXT NOT NULL,
        replicates INTEGER NOT NULL,
        systems INTEGER NOT NULL,
        place INTEGER)""",
    """CREATE TABLE metrics (
        id INTEGER PRIMARY KEY,
        key TEXT NOT NULL UNIQUE,
        label TEXT NOT NULL,
        name TEXT NOT NULL,
        resolution TEXT NOT NULL,
        version INTEGER NOT NULL,
        better TEXT NOT NULL,
        place INTEGER)""",
    """CREATE TABLE diagnostics (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        place INTEGER)""",
    f"""CREATE TABLE rows (
        {_ROWS},
        checksum INTEGER NOT NULL)""",
    "CREATE INDEX rows_by_place ON rows (problem, replicate, purpose, algorithm)",
    """CREATE TABLE scores (
        row INTEGER, metric INTEGER, value REAL, PRIMARY KEY (row, metric)) WITHOUT ROWID""",
    """CREATE TABLE measurements (
        row INTEGER, diagnostic INTEGER, value REAL, PRIMARY KEY (row, diagnostic)
        ) WITHOUT ROWID""",
    """CREATE TABLE estimates (
        row INTEGER PRIMARY KEY, blob BLOB NOT NULL, checksum INTEGER NOT NULL)""",
    """CREATE TABLE choices (
        problem INTEGER,
        algorithm INTEGER,
        candidate INTEGER NOT NULL,
        value REAL,
        settled INTEGER NOT NULL,
        PRIMARY KEY (problem, algorithm)) WITHOUT ROWID""",
    """CREATE TABLE seals (
        name TEXT PRIMARY KEY, rows INTEGER NOT NULL, checksum INTEGER NOT NULL) WITHOUT ROWID""",
    """CREATE VIEW wanted AS
        SELECT rows.*, problems.place AS problem_place, algorithms.place AS algorithm_place
        FROM rows
        JOIN problems ON problems.id = rows.problem
        JOIN algorithms ON algorithms.id = rows.algorithm
        WHERE problems.place IS NOT NULL AND rows.replicate < CASE rows.purpose
            WHEN 'main' THEN algorithms.replicates ELSE algorithms.systems END""",
)
"""The present version. `wanted`: the rows of algorithms that the study as last run asks for."""


OUTPUTS = """CREATE TABLE outputs (
        row INTEGER PRIMARY KEY, size INTEGER NOT NULL, blob BLOB NOT NULL,
        checksum INTEGER NOT NULL)"""
"""A table that a store may have: what algorithms printed, packed, with the bytes in all."""


HAS_ONE_DATA_SET = (
    "json_valid(spec) AND json_extract(spec, '$.of_folder') "
    "AND json_type(spec, '$.bootstrap') IS NULL"
)
"""Which of the `problems` has one data set, however many replicates the study has.

What `problem_specs.replicates_of` says of a specification.
"""


AGAIN = "again "
"""Begins the names in `meta` of algorithms whose earlier rows are to be computed again.

The rest is the algorithm's key, and the value the session from which on its rows count.
"""


def outdated(table: str) -> str:
    """Return the condition for a row of `rows` or `wanted` that is to be computed again."""
    return (
        "EXISTS (SELECT 1 FROM algorithms JOIN meta "
        f"ON meta.name = '{AGAIN}' || algorithms.key WHERE algorithms.id = {table}.algorithm "
        f"AND {table}.session < CAST(meta.value AS INTEGER))"
    )


def create(path: Path) -> None:
    """Create an empty store; until it is whole it has another name."""
    unfinished = path.with_name(path.name + ".new")
    unfinished.unlink(missing_ok=True)
    unfinished.with_name(unfinished.name + "-journal").unlink(missing_ok=True)
    with closing(sqlite3.connect(unfinished, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        for statement in TABLES:
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    unfinished.replace(path)


def version_of(connection: sqlite3.Connection) -> int:
    """Return the version of a store's tables."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


def entries_of(connection: sqlite3.Connection) -> dict[tuple[str, str], str]:
    """Return the SQL of what a database has, by kind and name; spaces do not count."""
    entries = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema")
    return {
        (str(kind), str(name)): f"{table}: {' '.join(str(sql).split())}"
        for kind, name, table, sql in entries
    }


@cache
def expected_entries(*, optional: bool = False) -> dict[tuple[str, str], str]:
    """Return what `entries_of` gives for a store of the present version.

    Parameters
    ----------
    optional : bool
        Whether with the table that it may have.
    """
    with closing(sqlite3.connect(":memory:")) as connection:
        for statement in (*TABLES, *([OUTPUTS] if optional else [])):
            connection.execute(statement)
        return entries_of(connection)
