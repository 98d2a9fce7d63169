"""A PostgreSQL server to experiment on: one of our own in a temporary folder, or a given one."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from causalassay.domains.postgres.connecting import connect, first_line, psycopg
from causalassay.domains.watched_servers import Start, as_it_is, watched

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
    for place in places:
        if all(shutil.which(name, path=str(place)) for name in ("initdb", "postgres")):
            return place
    where = "the usual places" if folders is None else ", ".join(map(str, places)) or "no folder"
    raise FileNotFoundError(
        f"no PostgreSQL server (initdb, postgres) in {where}; install it "
        "(Debian: apt-get install postgresql), or pass --dsn to use a running server"
    )


def _default_places() -> list[Path]:
    on_path = [Path(place) for place in os.get_exec_path() if place]
    installed = [place for pattern in _PLACES for place in Path("/").glob(pattern[1:])]
    return on_path + sorted(installed, key=_version_number, reverse=True)


def _version_number(place: Path) -> int:
    found = re.search(r"\d+", str(place))
    return int(found.group()) if found else 0


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
    place = find_binaries(None if binaries is None else [binaries])
    chosen = OWN_SETTINGS | dict(settings or {})
    with watched("PostgreSQL", _steps(place, chosen), ("postgres", "nobody"), _SOCKET) as folder:
        admin = f"host={folder} port={PORT} user={USER} dbname=postgres"
        with connect(admin) as connection:
            connection.execute(f"CREATE ROLE {ROLE} LOGIN")
            connection.execute(f"CREATE DATABASE {ROLE} OWNER {ROLE}")
        dsn = f"host={folder} port={PORT} user={ROLE} dbname={ROLE}"
        yield Server(dsn, server_version(dsn), "own", chosen)


def _steps(binaries: Path, settings: Mapping[str, str]) -> tuple[Start, Start]:
    place = as_it_is(str(binaries))
    initdb = [f"{place}/initdb", "--pgdata", "{folder}/data", "--auth=trust"]
    initdb += [f"--username={USER}", "--encoding=UTF8", "--locale=C", "--no-sync"]
    here = {"unix_socket_directories": "{folder}", "port": str(PORT)}
    options = [f"--{name}={value}" for name, value in (dict(settings) | here).items()]
    server = (f"{place}/postgres", "-D", "{folder}/data", *options)
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
