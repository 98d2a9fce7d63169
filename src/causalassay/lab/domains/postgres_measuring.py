"""One measurement in PostgreSQL: a connection, the treatments, then EXPLAIN ANALYZE."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeAlias, TypeVar

from causalassay.common.registry import install_line
from causalassay.lab.domains.collecting import MeasurementFailed
from causalassay.lab.domains.plan import Setting, Subject
from causalassay.lab.domains.postgres_queries import TABLES, Query

try:
    import psycopg
    from psycopg import conninfo
except ImportError as missing:
    raise ImportError(f"PostgreSQL needs psycopg: {install_line('postgres')}") from missing

_CONNECT_SECONDS = 20

_KNOWN_REASONS = (
    "Connection refused",
    "No such file or directory",
    "Permission denied",
    "Network is unreachable",
    "No route to host",
    "timeout expired",
    "could not translate host name",
    "Name or service not known",
    "Temporary failure in name resolution",
    "password authentication failed",
    "no password supplied",
    "no pg_hba.conf entry",
    "certificate verify failed",
    "server does not support SSL",
    "too many clients already",
    "the database system is starting up",
    "definition of service not found",
    "role does not exist",
    "database does not exist",
)
"""What errors of libpq say beside the names that they repeat, which may be a mistyped password."""

_QUOTED = re.compile(r'"[^"]*" ')

Connection: TypeAlias = "psycopg.Connection[tuple[Any, ...]]"


def connect(dsn: str) -> Connection:
    """Return a new connection in which each statement is a transaction of its own.

    No error repeats a part of `dsn`, which may hold a password, in its place or not.

    Raises
    ------
    ConnectionError
        If there is none; the message says why as far as that is no text of `dsn`.
    ValueError
        If `dsn` cannot be read.

    Examples
    --------
    >>> connect("host=/nowhere dbname=x")
    Traceback (most recent call last):
    ...
    ConnectionError: cannot connect to the PostgreSQL server: No such file or directory
    """
    try:
        conninfo.conninfo_to_dict(dsn)
    except Exception:  # its text repeats parts of the DSN
        raise ValueError(
            "the DSN cannot be read (it is not shown, since it may hold a password); expected "
            "'host=… dbname=… user=…' with quotes around values that have spaces, "
            "'postgresql://user@host/dbname' with special characters percent-encoded, "
            "or 'service=name'"
        ) from None
    try:
        return psycopg.connect(dsn, autocommit=True, connect_timeout=_CONNECT_SECONDS)
    except Exception as error:  # psycopg's, or of Python where it reads ports and timeouts
        text = _QUOTED.sub("", str(error))
        reason = next((known for known in _KNOWN_REASONS if known in text), _UNKNOWN)
        raise ConnectionError(f"cannot connect to the PostgreSQL server: {reason}") from None


_UNKNOWN = "psql says why with the same DSN (not shown here, since it may hold a password)"


def first_line(error: BaseException) -> str:
    r"""Return the first line of an error.

    Examples
    --------
    >>> first_line(ValueError("no such table\nLINE 1: SELECT"))
    'no such table'
    """
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


__all__ = ["Connection", "connect", "first_line", "psycopg"]


# What is varied: indexes, the planner's price of a random page, and working memory.

TREATMENTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "index_level": ("none", "primary", "all"),
        "page_cost": ("low", "high"),
        "memory_level": ("small", "large"),
    }
)
"""The levels of each treatment."""

BLOCKED = ("index_level",)
"""Building indexes takes seconds, so that level changes only between blocks of measurements."""

SESSION_SETTINGS: Mapping[str, Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "page_cost": {"low": {"random_page_cost": "1.1"}, "high": {"random_page_cost": "20"}},
        "memory_level": {"small": {"work_mem": "64kB"}, "large": {"work_mem": "64MB"}},
    }
)
"""PostgreSQL's settings for the levels of the treatments that a session can change."""


def session_settings(setting: Mapping[str, object]) -> dict[str, str]:
    """Return PostgreSQL's settings for a combination of levels.

    Examples
    --------
    >>> session_settings({"index_level": "all", "page_cost": "low", "memory_level": "small"})
    {'random_page_cost': '1.1', 'work_mem': '64kB'}
    """
    chosen: dict[str, str] = {}
    for treatment, levels in SESSION_SETTINGS.items():
        chosen |= levels[str(setting[treatment])]
    return chosen


def indexed_columns(level: str) -> list[tuple[str, str]]:
    """Return the columns that have an index: ids, or also references, filters and groups.

    Examples
    --------
    >>> indexed_columns("none"), indexed_columns("primary")[:2]
    ([], [('users', 'id'), ('posts', 'id')])
    """
    match level:
        case "none":
            return []
        case "primary":
            return [(table, "id") for table in TABLES]
        case "all":
            return [
                (name, column)
                for name, table in TABLES.items()
                for column in dict.fromkeys(["id", *table.parents, *table.filters, *table.groups])
            ]
    raise ValueError(f"index_level: there is no {level!r}")


def set_indexes(connection: Connection, level: str) -> None:
    """Make the indexes of the connection's schema those of a level, and no others."""
    wanted = {
        f"{table}_{column}_index": (table, column) for table, column in indexed_columns(level)
    }
    rows = connection.execute(
        "SELECT indexname FROM pg_indexes WHERE schemaname = current_schema()"
    )
    present = {str(name) for (name,) in rows.fetchall()}
    for name in sorted(present - wanted.keys()):
        connection.execute(f"DROP INDEX {name}")
    for name, (table, column) in wanted.items():
        if name not in present:
            unique = "UNIQUE " if column == "id" else ""
            connection.execute(f"CREATE {unique}INDEX {name} ON {table} ({column})")


# One measurement: the same start as far as a user can make it, then EXPLAIN ANALYZE.

Result = TypeVar("Result")

OUTCOMES = ("runtime_ms", "shared_hit", "shared_read", "temp_read", "temp_written")
"""Milliseconds, and blocks of 8 kB."""

_BLOCKS = {
    "shared_hit": "Shared Hit Blocks",
    "shared_read": "Shared Read Blocks",
    "temp_read": "Temp Read Blocks",
    "temp_written": "Temp Written Blocks",
}
_STEADY = {"jit": "off", "max_parallel_workers_per_gather": "0", "client_min_messages": "warning"}
"""Compiling and parallel workers depend on what else the machine does."""

MOST_EVICTED_BYTES = 32 * 2**20
"""Shared buffers of more than this are not emptied: that would take longer than the queries."""

_BLOCK = 8192
_EVICTION_ROUNDS = 3
"""Often used blocks survive the first; after two nothing of the last query was left."""


@dataclass
class Measuring:
    """Measures queries in one schema of a server.

    Parameters
    ----------
    dsn : str
    schema : str
    queries : mapping of str to Query
        By id.
    timeout : float
        Seconds after which a query is given up.
    """

    dsn: str
    schema: str
    queries: Mapping[str, Query]
    timeout: float
    _upkeep: Connection | None = field(default=None, init=False)
    _index_level: str = field(default="", init=False)
    _fillers: list[str] = field(default_factory=list, init=False)

    def __enter__(self) -> Measuring:
        self._upkeep = connect_to(self.dsn, self.schema)
        self._fillers = create_fillers(self._upkeep)
        return self

    def __exit__(self, *_: object) -> None:
        if self._upkeep is not None:
            self._upkeep.close()

    @property
    def evicts(self) -> bool:
        """Tell whether shared buffers are emptied before each measurement."""
        return bool(self._fillers)

    def __call__(self, subject: Subject, setting: Setting) -> dict[str, float]:
        """Return the outcomes of one query under one setting."""
        assert self._upkeep is not None
        try:
            if setting["index_level"] != self._index_level:
                set_indexes(self._upkeep, str(setting["index_level"]))
                self._index_level = str(setting["index_level"])
            for filler in self._fillers * _EVICTION_ROUNDS:
                self._upkeep.execute(f"SELECT count(*) FROM {filler}")
        except psycopg.Error as error:
            raise _gone(error) from None
        with connect_to(self.dsn, self.schema, session_settings(setting)) as connection:
            sql = self.queries[subject.id].sql
            return _limited(connection, self.timeout, lambda: explain(connection, sql))

    def rows_returned(self, query: Query, patience: float = 1) -> int:
        """Return how many rows a query gives, within so many times the time limit."""
        assert self._upkeep is not None
        upkeep = self._upkeep

        def count() -> int:
            row = upkeep.execute(f"SELECT count(*) FROM ({query.sql}) AS result").fetchone()
            assert row is not None
            return int(str(row[0]))

        return _limited(upkeep, patience * self.timeout, count)


def _limited(connection: Connection, seconds: float, ask: Callable[[], Result]) -> Result:
    """Return an answer that comes in time; else raise, with the reason for the row."""
    try:
        connection.execute(f"SET statement_timeout = {max(1, round(seconds * 1000))}")
        answer = ask()
        connection.execute("SET statement_timeout = 0")
        return answer
    except psycopg.errors.QueryCanceled:
        raise MeasurementFailed(f"took longer than {seconds:g} s") from None
    except psycopg.Error as error:
        if connection.closed:
            raise _gone(error) from None
        raise MeasurementFailed(first_line(error)) from None


def _gone(error: psycopg.Error) -> ConnectionError:
    return ConnectionError(
        f"the PostgreSQL server failed ({first_line(error)}); what was measured is kept, "
        "give the same command again to go on"
    )


def connect_to(dsn: str, schema: str, settings: Mapping[str, str] | None = None) -> Connection:
    """Return a new connection whose tables are those of one schema."""
    connection = connect(dsn)
    for name, value in (_STEADY | dict(settings or {}) | {"search_path": schema}).items():
        connection.execute("SELECT set_config(%s, %s, false)", (name, value))
    return connection


def explain(connection: Connection, sql: str) -> dict[str, float]:
    """Run a query and return its run time and the blocks it touched."""
    row = connection.execute(
        f"EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) {sql}"
    ).fetchone()
    assert row is not None
    return outcomes(row[0])


def outcomes(explained: Any) -> dict[str, float]:
    """Return the outcomes from the JSON of EXPLAIN; a plan's counts include its children's.

    Examples
    --------
    >>> plan = {"Shared Hit Blocks": 3, "Shared Read Blocks": 1, "Temp Read Blocks": 0,
    ...         "Temp Written Blocks": 0}
    >>> outcomes([{"Plan": plan, "Execution Time": 0.5}])["shared_hit"]
    3.0
    """
    top = explained[0]
    blocks = {name: float(top["Plan"][key]) for name, key in _BLOCKS.items()}
    return {"runtime_ms": float(top["Execution Time"]), **blocks}


def create_fillers(connection: Connection) -> list[str]:
    """Create tables that fill the shared buffers when they are read; none if those are large.

    Each is smaller than a quarter of the buffers: a scan of a larger table goes through a small
    ring of buffers and empties nothing.
    """
    row = connection.execute(
        "SELECT setting::bigint FROM pg_settings WHERE name = 'shared_buffers'"
    ).fetchone()
    assert row is not None
    blocks = int(str(row[0]))
    if blocks * _BLOCK > MOST_EVICTED_BYTES:
        return []
    names = [f"filler_{number}" for number in range(8)]
    for name in names:
        # One row fills a block; eight such tables are 1.6 times the buffers.
        connection.execute(f"CREATE TABLE {name} (x text)")
        connection.execute(f"ALTER TABLE {name} ALTER x SET STORAGE PLAIN")
        connection.execute(
            f"INSERT INTO {name} SELECT repeat('x', 8000) FROM generate_series(1, {blocks // 5})"
        )
        connection.execute(f"VACUUM (ANALYZE) {name}")
    return names
