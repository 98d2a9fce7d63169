"""Opens a store for its driver and starts a session; refusals come before any change."""

from __future__ import annotations

import json
import socket
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import IO

from causalassay.study.plan import Study
from causalassay.study.processor import cpu
from causalassay.study.reasons import encodable, readable
from causalassay.study.storage import lock as store_lock
from causalassay.study.storage import sql_schema as schema
from causalassay.study.storage.opening import distrust, open_to_read
from causalassay.study.storage.part_ids import PartIds, refuse_duplicates, register_parts
from causalassay.study.storage.provenance import now, versions
from causalassay.study.storage.record_writer import drop_damaged_rows
from causalassay.study.storage.refusals import (
    StoreRefused,
    log_of,
    refuse_broken_pages,
    refuse_damaged_rows,
    refuse_lone_log,
    refuse_network,
    refuse_other_study,
    room_needed,
    sound_content_needed,
)
from causalassay.study.storage.seals import seal_small_tables


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
    if not (folder / store_lock.FILE).exists():
        _refuse_unfit(path, study, drop_damaged)
        folder.mkdir(parents=True, exist_ok=True)
    lock = store_lock.take_lock(folder)
    try:
        _refuse_unfit(path, study, drop_damaged)
        with sound_content_needed(path), room_needed(folder):
            return _connect(path, drop_damaged), lock
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


def start_session(connection: sqlite3.Connection, study: Study) -> tuple[int, PartIds]:
    """Write the study as it is now and a new session; return the session and the parts' ids."""
    meta = {"study": readable(study.name), "seed": study.seed, "replicates": study.replicates}
    connection.executemany(
        "INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)",
        [(name, str(value)) for name, value in meta.items()],
    )
    # This driver holds the lock, so a session without an end was killed.
    connection.execute("UPDATE sessions SET how = 'killed' WHERE how IS NULL")
    cursor = connection.execute(
        "INSERT INTO sessions (started, host, cpu, versions, text) VALUES (?, ?, ?, ?, ?)",
        (
            now(),
            readable(socket.gethostname()),
            readable(cpu()),
            json.dumps(versions()),
            encodable(study.text),
        ),
    )
    ids = register_parts(connection, study)
    seal_small_tables(connection)
    return cursor.lastrowid or 0, ids


def _connect(path: Path, drop_damaged: bool) -> sqlite3.Connection:
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
