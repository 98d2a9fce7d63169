"""One measurement: the same start as far as a user can make it, then EXPLAIN ANALYZE."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from causalassay.lab.domains.collecting import MeasurementFailed, Setting, Subject
from causalassay.lab.domains.postgres.connecting import Connection, connect, first_line, psycopg
from causalassay.lab.domains.postgres.queries import Query
from causalassay.lab.domains.postgres.treatments import session_settings, set_indexes

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
