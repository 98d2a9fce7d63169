"""The one way to open a store that is there: what is damaged is refused before it is read."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from causalassay.study.storage.refusals import (
    log_of,
    refuse_broken_seals,
    refuse_foreign,
    refuse_other_tables,
    refuse_other_version,
    sound_content_needed,
)

_STEPS_AT_ONCE = 1_000_000
_STEPS_PER_BYTE = 100


def open_to_read(path: Path, *, alone: bool = False) -> sqlite3.Connection:
    """Open a store for reading; all that is read is of the moment it was opened.

    Parameters
    ----------
    path : Path
        Of the file.
    alone : bool
        Nobody writes: no file is then made beside it.

    Raises
    ------
    StoreRefused
        It is damaged, of another version, or no store.
    """
    refuse_foreign(path)
    with sound_content_needed(path):
        connection = _connect(path, alone)
        try:
            _limit_steps(path, connection)
            # The first read fixes the moment for all that follow.
            connection.execute("BEGIN")
            refuse_other_version(path, connection)
            refuse_other_tables(path, connection)
            refuse_broken_seals(path, connection)
        except BaseException:
            connection.close()
            raise
        return connection


def distrust(connection: sqlite3.Connection) -> None:
    """Let SQLite check what it reads, and run no function that the file names."""
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")


def _connect(path: Path, alone: bool) -> sqlite3.Connection:
    """Open a file; where SQLite may not make its log in the folder, without one."""
    connection = _opened(path, "mode=ro&immutable=1" if alone else "mode=ro")
    try:
        connection.execute("SELECT 1 FROM sqlite_schema").fetchone()
    except sqlite3.OperationalError:
        connection.close()
        if alone or log_of(path).exists():
            raise
        return _opened(path, "mode=ro&immutable=1")
    except BaseException:
        connection.close()
        raise
    return connection


def _opened(path: Path, flags: str) -> sqlite3.Connection:
    address = f"{path.resolve().as_uri()}?{flags}"
    connection = sqlite3.connect(address, uri=True, isolation_level=None, timeout=30.0)
    distrust(connection)
    return connection


def _limit_steps(path: Path, connection: sqlite3.Connection) -> None:
    """Interrupt what takes far longer than a file of this size can: its pages go in circles."""
    files = [file for file in (path, log_of(path)) if file.exists()]
    most = _STEPS_PER_BYTE * sum(file.stat().st_size for file in files)
    left = max(most // _STEPS_AT_ONCE, _STEPS_PER_BYTE)

    def count() -> bool:
        nonlocal left
        left -= 1
        return left < 0

    connection.set_progress_handler(count, _STEPS_AT_ONCE)
