"""The one way to open a store: what is damaged is refused before it is read or written."""

from __future__ import annotations

import fcntl
import json
import os
import platform
import socket
import sqlite3
import time
from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import IO

from causalassay.study.plan import Study
from causalassay.study.storage import schema
from causalassay.study.storage.records import drop_damaged_rows, refuse_duplicates
from causalassay.study.storage.refusals import (
    StoreRefused,
    log_of,
    refuse_broken_pages,
    refuse_broken_seals,
    refuse_damaged_rows,
    refuse_foreign,
    refuse_lone_log,
    refuse_network,
    refuse_other_study,
    refuse_other_tables,
    refuse_other_version,
    room_needed,
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


# What can change the bits of a row: the machine and the versions of what computes it.

PACKAGES = (
    "causalassay",
    "numpy",
    "scipy",
    "numba",
    "llvmlite",
    "gadjid",
    "cliquepicking",
    "scikit-learn",
    "causal-learn",
    "pandas",
    "pebble",
    "distributed",
)


def versions() -> dict[str, str]:
    """Return the versions of Python, the platform and the packages that are installed.

    Examples
    --------
    >>> versions()["numpy"].split(".")[0]
    '2'
    """
    installed = {"python": platform.python_version(), "platform": platform.platform()}
    for package in PACKAGES:
        try:
            installed[package] = version(package)
        except PackageNotFoundError:
            continue
    return installed


def changes(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """Return what differs between two machines or installations, as short texts.

    Examples
    --------
    >>> changes({"numpy": "2.1.0", "scipy": "1.17"}, {"numpy": "2.2.0", "scipy": "1.17"})
    ['numpy 2.1.0, now 2.2.0']
    """
    return [
        f"{name} {before.get(name, 'absent')}, now {after.get(name, 'absent')}"
        for name in sorted({*before, *after})
        if before.get(name) != after.get(name)
    ]


def now() -> str:
    """Return the time, in UTC and to the millisecond, so that texts sort as times do."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


# One driver per store: a lock that the operating system frees when its holder dies.

LOCK = "lock"
"""Its name in the store's folder; it stays there when no driver runs."""

_PATIENCE = 1.0
_WAIT = 0.05


def take_lock(folder: Path, patience: float = _PATIENCE) -> IO[str]:
    """Return the lock, to be closed at the end, or refuse if another driver holds it.

    Parameters
    ----------
    folder : Path
    patience : float
        Seconds to try. A status command that looks whether a driver runs holds the lock for an
        instant; a file server holds that of a machine that is gone for longer.
    """
    lock = (folder / LOCK).open("a+", encoding="utf-8")
    end = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > end:
                break
            time.sleep(_WAIT)
            continue
        except OSError:
            lock.close()
            raise
        lock.truncate(0)
        json.dump({"process": os.getpid(), "host": socket.gethostname(), "since": now()}, lock)
        lock.flush()
        return lock
    lock.close()
    raise StoreRefused(
        f"{folder} has another driver at work ({running_driver(folder)}). Wait until it has "
        "ended, or stop it; look at it with `causalassay status`."
    )


def running_driver(folder: Path) -> str | None:
    """Return which driver works on a store now, None if there is none."""
    try:
        lock = (folder / LOCK).open(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return _named(lock.read())
        except OSError:  # a file system without locks
            return None
    return None


def _named(text: str) -> str:
    try:
        holder = json.loads(text)
        return f"process {holder['process']} on {holder['host']} since {holder['since']}"
    except (ValueError, KeyError, TypeError):  # it has the lock and has not written yet
        return "just starting"


# Opens a store for its driver and starts a session; refusals come before any change.


def open_for_writing(
    folder: Path, study: Study, *, drop_damaged: bool = False
) -> tuple[sqlite3.Connection, IO[str]]:
    """Return a connection to the store in a folder, made if there is none, and its lock."""
    refuse_duplicates(study)
    refuse_network(folder)
    if folder.exists() and not folder.is_dir():
        raise StoreRefused(f"{folder} is a file; a store needs a folder, name another with --out")
    path = folder / schema.FILE
    # A folder that never had a driver has no lock yet, and gets none if it is refused.
    if not (folder / LOCK).exists():
        _refuse_unfit(path, study, drop_damaged)
        folder.mkdir(parents=True, exist_ok=True)
    lock = take_lock(folder)
    try:
        _refuse_unfit(path, study, drop_damaged)
        with sound_content_needed(path), room_needed(folder):
            return _connect_to_write(path, drop_damaged), lock
    except BaseException:
        lock.close()
        raise


def _refuse_unfit(path: Path, study: Study, drop_damaged: bool) -> None:
    """Refuse a file that is no store, of another version, damaged, or another study's.

    Rows that are damaged are let through if they are to be dropped.
    """
    refuse_lone_log(path)
    if not path.exists():
        return
    # Without a log nobody writes, and reading makes no file.
    alone = not log_of(path).exists()
    with sound_content_needed(path), closing(open_to_read(path, alone=alone)) as connection:
        refuse_other_study(path, connection, study)
        # The larger check compares rows with their indices, which can be made again.
        check = "quick_check" if drop_damaged else "integrity_check"
        refuse_broken_pages(path, connection, check)
        if not drop_damaged:
            refuse_damaged_rows(path, connection)


def _connect_to_write(path: Path, drop_damaged: bool) -> sqlite3.Connection:
    if not path.exists():
        schema.create(path)
    connection = sqlite3.connect(
        f"{path.resolve().as_uri()}?mode=rw", uri=True, isolation_level=None, timeout=30.0
    )
    try:
        distrust(connection)
        (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
        if mode != "wal":
            raise StoreRefused(
                f"{path.parent} is on a file system where SQLite has no WAL mode. "
                "Put the store on a local disk with --out."
            )
        # In WAL mode NORMAL loses nothing when a process is killed, and is several times faster.
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA cache_size = -65536")
        if drop_damaged:
            drop_damaged_rows(connection)
    except BaseException:
        connection.close()
        raise
    return connection
