"""The tables of a store, and how it is created."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from functools import cache
from pathlib import Path

FILE = "study.sqlite"
"""The name of a store in its folder."""

APPLICATION_ID = 0x63617361
"""Says in the file's head that it is ours ("casa"): other SQLite files are left alone."""

VERSION = 3
"""Of the tables; raised with each change to them: other versions are refused."""

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
    """CREATE TABLE rows (
        id INTEGER PRIMARY KEY,
        key TEXT NOT NULL UNIQUE,
        purpose TEXT NOT NULL,
        problem INTEGER NOT NULL,
        replicate INTEGER NOT NULL,
        algorithm INTEGER,
        status TEXT NOT NULL,
        reason TEXT,
        seconds REAL,
        notes TEXT,
        session INTEGER NOT NULL,
        host TEXT NOT NULL DEFAULT '',
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
def expected_entries() -> dict[tuple[str, str], str]:
    """Return what `entries_of` gives for a store of the present version."""
    with closing(sqlite3.connect(":memory:")) as connection:
        for statement in TABLES:
            connection.execute(statement)
        return entries_of(connection)
