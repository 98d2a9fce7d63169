"""The experiment: load the tables, count what each query returns, measure, write the files."""

from __future__ import annotations

import csv
import os
import re
import secrets
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from causalassay.lab.domains.collecting import Collected, MeasurementFailed, collect
from causalassay.lab.domains.plan import Plan, Subject, check_at_least
from causalassay.lab.domains.postgres_measuring import (
    BLOCKED,
    OUTCOMES,
    SESSION_SETTINGS,
    TREATMENTS,
    Measuring,
    connect,
    connect_to,
    first_line,
    psycopg,
)
from causalassay.lab.domains.postgres_queries import Query, create_tables, make_queries, table_sizes
from causalassay.lab.domains.watched_servers import Start, as_it_is, watched
from causalassay.lab.factorial import FactorialExperiment, write_experiment

BIASING = "rows"
"""The covariate by which treatments are assigned: the rows that a query returns."""

_PILOTS = 12
_PATIENCE = 10
"""How many times longer than a measurement the count of a query's rows may take."""


@dataclass(frozen=True)
class Options:
    """The options of the experiment.

    Parameters
    ----------
    n_queries, trials, seed : int
    scale : float
        1 means 100 000 rows in all tables.
    timeout : float
        Seconds after which a query is given up; a failed measurement.
    """

    n_queries: int = 200
    scale: float = 1.0
    trials: int = 3
    seed: int = 0
    timeout: float = 10.0

    def __post_init__(self) -> None:
        if not self.timeout > 0:
            raise ValueError(f"timeout: expected more than 0 seconds, got {self.timeout}")
        check_at_least(queries=(self.n_queries, 2), trials=(self.trials, 1), seed=(self.seed, 0))
        table_sizes(self.scale)


@dataclass(frozen=True)
class Prepared:
    """A server with its tables loaded, ready to measure."""

    server: Server
    measuring: Measuring
    plan: Plan

    def seconds_each(self) -> float:
        """Return how long a measurement takes here, from a few that are not kept."""
        setting = {name: levels[0] for name, levels in self.plan.treatments.items()}
        begin = time.monotonic()
        by_size = sorted(self.plan.subjects, key=lambda subject: subject.covariates[BIASING])
        few = by_size[:: max(1, len(by_size) // _PILOTS)]
        for subject in few:
            try:
                self.measuring(subject, setting)
            except MeasurementFailed:
                continue
        return (time.monotonic() - begin) / len(few)


@contextmanager
def prepared(
    options: Options, dsn: str | None = None, binaries: Path | None = None
) -> Iterator[Prepared]:
    """Start or reach a server and load the tables; all is removed at the end.

    Parameters
    ----------
    options : Options
    dsn : str, optional
        A running server; by default one of our own is started.
    binaries : Path, optional
        Folder with `initdb` and `postgres`.
    """
    server_context: AbstractContextManager[Server] = (
        own_server(binaries) if dsn is None else given_server(dsn)
    )
    queries = {
        query.id: query for query in make_queries(options.n_queries, options.scale, options.seed)
    }
    with (
        server_context as server,
        own_schema(server, f"causalassay_{secrets.token_hex(6)}") as name,
    ):
        with connect_to(server.dsn, name) as connection:
            create_tables(connection, options.scale, options.seed)
        with Measuring(server.dsn, name, queries, options.timeout) as measuring:
            yield Prepared(server, measuring, _plan(options, server, measuring))


def _plan(options: Options, server: Server, measuring: Measuring) -> Plan:
    return Plan(
        domain="postgres",
        subjects=tuple(_subject(query, measuring) for query in measuring.queries.values()),
        treatments=dict(TREATMENTS),
        outcomes=OUTCOMES,
        trials=options.trials,
        seed=options.seed,
        blocked=BLOCKED,
        settings={
            "scale": options.scale,
            "timeout": options.timeout,
            "server": server.kind,
            "server_version": server.version,
        },
    )


def _subject(query: Query, measuring: Measuring) -> Subject:
    try:
        rows = measuring.rows_returned(query, _PATIENCE)
    except MeasurementFailed as error:
        raise ValueError(
            f"{query.id}: its rows cannot be counted ({error}); lower --scale or raise --timeout"
        ) from None
    return Subject(
        query.id,
        {
            "joins": query.joins,
            "groupings": query.groupings,
            "length": len(query.sql),
            "referenced_rows": query.referenced_rows,
            "rows": rows,
        },
    )


def run(
    ready: Prepared, folder: Path, on_progress: Callable[[int, int, int], None]
) -> tuple[Collected, Path]:
    """Measure what the folder's journal lacks; write the experiment and the queries' text."""
    collected = collect(ready.plan, ready.measuring, folder / "journal.jsonl", on_progress)
    _write_queries(folder / "queries.csv", ready.measuring)
    return collected, write_experiment(folder / "postgres.toml", _experiment(ready, collected))


def _experiment(ready: Prepared, collected: Collected) -> FactorialExperiment:
    evicts = ready.measuring.evicts
    extra = {
        "system": f"PostgreSQL {ready.server.version}",
        "server_settings": dict(ready.server.settings),
        "treatment_settings": {name: dict(levels) for name, levels in SESSION_SETTINGS.items()},
        "reset": "a new connection for each measurement"
        + (", shared buffers emptied before it" if evicts else "; shared buffers not emptied"),
        "outcomes_from": "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF): milliseconds, blocks of 8 kB",
    }
    return collected.experiment(BIASING, extra)


def _write_queries(path: Path, measuring: Measuring) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["subject", "sql"])
        table.writerows([query.id, query.sql] for query in measuring.queries.values())


# A PostgreSQL server to experiment on: one of our own in a temporary folder, or a given one.

USER = "causalassay"
ROLE = "experiment"

OWN_SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "10",
    "shared_buffers": "4MB",
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "autovacuum": "off",
    "bgwriter_lru_maxpages": "0",
    "temp_file_limit": "2GB",
}
"""Few shared buffers, so that what is in them matters; nothing works in the background."""

_PLACES = (
    "/usr/lib/postgresql/*/bin",
    "/usr/pgsql-*/bin",
    "/usr/lib/postgresql*/bin",
    "/opt/homebrew/opt/postgresql*/bin",
    "/usr/local/opt/postgresql*/bin",
    "/usr/local/pgsql/bin",
)
PORT = 5432
_SOCKET = f".s.PGSQL.{PORT}"


@dataclass(frozen=True)
class Server:
    """A running server.

    Parameters
    ----------
    dsn : str
        How to connect to it; never written to a file, for it may hold a password.
    version : str
    kind : {"own", "given"}
    settings : mapping
        Those of our own server that differ from PostgreSQL's defaults.
    """

    dsn: str = field(repr=False)
    version: str
    kind: str
    settings: Mapping[str, str]


def find_binaries(folders: Sequence[Path] | None = None) -> Path:
    """Return the folder with `initdb` and `postgres`, that of the newest version.

    Parameters
    ----------
    folders : sequence of Path, optional
        Where to look; by default the PATH, then where distributions install PostgreSQL.

    Examples
    --------
    >>> find_binaries([Path("/nowhere")])
    Traceback (most recent call last):
    ...
    FileNotFoundError: no PostgreSQL server (initdb, postgres) in /nowhere; install ...
    """
    places = _default_places() if folders is None else list(folders)
    for folder in places:
        if all(shutil.which(name, path=str(folder)) for name in ("initdb", "postgres")):
            return folder
    where = "the usual places" if folders is None else ", ".join(map(str, places)) or "no folder"
    raise FileNotFoundError(
        f"no PostgreSQL server (initdb, postgres) in {where}; install it "
        "(Debian: apt-get install postgresql), or pass --dsn to use a running server"
    )


def _default_places() -> list[Path]:
    on_path = [Path(folder) for folder in os.get_exec_path() if folder]
    installed = [folder for pattern in _PLACES for folder in Path("/").glob(pattern[1:])]
    return on_path + sorted(installed, key=_version_number, reverse=True)


def _version_number(folder: Path) -> int:
    match = re.search(r"\d+", str(folder))
    return int(match.group()) if match else 0


@contextmanager
def own_server(
    binaries: Path | None = None, settings: Mapping[str, str] | None = None
) -> Iterator[Server]:
    """Run a server in a temporary folder, reached by a Unix socket only.

    It is stopped and its folder removed at the end, after an error, after Ctrl-C, and when this
    process is killed: `watched_servers` sees to it. Called by root, the server runs as the user
    postgres or nobody.

    Parameters
    ----------
    binaries : Path, optional
        Folder with `initdb` and `postgres`.
    settings : mapping, optional
        Settings beside `OWN_SETTINGS`.
    """
    programs = find_binaries(None if binaries is None else [binaries])
    chosen = OWN_SETTINGS | dict(settings or {})
    with watched("PostgreSQL", _steps(programs, chosen), ("postgres", "nobody"), _SOCKET) as folder:
        admin = f"host={folder} port={PORT} user={USER} dbname=postgres"
        with connect(admin) as connection:
            connection.execute(f"CREATE ROLE {ROLE} LOGIN")
            connection.execute(f"CREATE DATABASE {ROLE} OWNER {ROLE}")
        dsn = f"host={folder} port={PORT} user={ROLE} dbname={ROLE}"
        yield Server(dsn, server_version(dsn), "own", chosen)


def _steps(binaries: Path, settings: Mapping[str, str]) -> tuple[Start, Start]:
    programs = as_it_is(str(binaries))
    initdb = [f"{programs}/initdb", "--pgdata", "{folder}/data", "--auth=trust"]
    initdb += [f"--username={USER}", "--encoding=UTF8", "--locale=C", "--no-sync"]
    here = {"unix_socket_directories": "{folder}", "port": str(PORT)}
    options = [f"--{name}={value}" for name, value in (dict(settings) | here).items()]
    server = (f"{programs}/postgres", "-D", "{folder}/data", *options)
    return (
        Start("initdb", tuple(initdb)),
        Start("the PostgreSQL server", server, "data/postmaster.pid", last_line="ready"),
    )


@contextmanager
def given_server(dsn: str) -> Iterator[Server]:
    """Use a running server; nothing of it is changed but a schema of our own."""
    yield Server(dsn, server_version(dsn), "given", {})


def server_version(dsn: str) -> str:
    """Return the server's version as it writes it, without the distribution's."""
    with connect(dsn) as connection:
        row = connection.execute("SHOW server_version").fetchone()
    assert row is not None
    return str(row[0]).split()[0]


@contextmanager
def own_schema(server: Server, name: str) -> Iterator[str]:
    """Create a schema, and drop it with all that is in it at the end."""
    with connect(server.dsn) as connection:
        try:
            connection.execute(f"CREATE SCHEMA {name}")
        except psycopg.Error as error:
            raise ValueError(
                f"the server does not let us create a schema ({first_line(error)}); "
                "grant CREATE on the database to this user"
            ) from None
    try:
        yield name
    except BaseException:
        with suppress(ConnectionError, psycopg.Error):  # the first error says more
            _drop_schema(server, name)
        raise
    _drop_schema(server, name)


def _drop_schema(server: Server, name: str) -> None:
    with connect(server.dsn) as connection:
        connection.execute(f"DROP SCHEMA {name} CASCADE")
