"""Opens a store for its driver and starts a session; refusals come before any change."""

from __future__ import annotations

import json
import socket
import sqlite3
from pathlib import Path
from typing import IO

from causalassay.study.plan import Study
from causalassay.study.storage import lock as store_lock
from causalassay.study.storage import sql_schema as schema
from causalassay.study.storage.part_ids import PartIds, refuse_duplicates, register_parts
from causalassay.study.storage.provenance import cpu, now, versions
from causalassay.study.storage.refusals import (
    StoreRefused,
    refuse_network,
    refuse_unfit,
    room_needed,
)


def open_for_writing(folder: Path, study: Study) -> tuple[sqlite3.Connection, IO[str]]:
    """Return a connection to the store in a folder, made if there is none, and its lock."""
    refuse_duplicates(study)
    refuse_network(folder)
    if folder.exists() and not folder.is_dir():
        raise StoreRefused(f"{folder} is a file; a store needs a folder, name another with --out")
    path = folder / schema.FILE
    # A folder that never had a driver has no lock yet, and gets none if it is refused.
    if not (folder / store_lock.FILE).exists():
        refuse_unfit(path, study)
        folder.mkdir(parents=True, exist_ok=True)
    lock = store_lock.take_lock(folder)
    try:
        refuse_unfit(path, study)
        with room_needed(folder):
            return _connect(path), lock
    except BaseException:
        lock.close()
        raise


def start_session(connection: sqlite3.Connection, study: Study) -> tuple[int, PartIds]:
    """Write the study as it is now and a new session; return the session and the parts' ids."""
    meta = {"study": study.name, "seed": study.seed, "replicates": study.replicates}
    connection.executemany(
        "INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)",
        [(name, str(value)) for name, value in meta.items()],
    )
    # This driver holds the lock, so a session without an end was killed.
    connection.execute("UPDATE sessions SET how = 'killed' WHERE how IS NULL")
    cursor = connection.execute(
        "INSERT INTO sessions (started, host, cpu, versions, text) VALUES (?, ?, ?, ?, ?)",
        (now(), socket.gethostname(), cpu(), json.dumps(versions()), study.text),
    )
    return cursor.lastrowid or 0, register_parts(connection, study)


def _connect(path: Path) -> sqlite3.Connection:
    if not path.exists():
        schema.create(path)
    connection = sqlite3.connect(
        f"{path.resolve().as_uri()}?mode=rw", uri=True, isolation_level=None, timeout=30.0
    )
    try:
        (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
        if mode != "wal":
            raise StoreRefused(
                f"{path.parent} is on a file system where SQLite has no WAL mode. "
                "Put the store on a local disk with --out."
            )
        # In WAL mode NORMAL loses nothing when a process is killed, and is several times faster.
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA cache_size = -65536")
    except BaseException:
        connection.close()
        raise
    return connection
