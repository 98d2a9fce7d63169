"""A copy of a store to make the bundle from: one moment of it, without names of people."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from causalassay.bundling.identity import Identity
from causalassay.study.plan import Study
from causalassay.study.storage import StoreReader
from causalassay.study.storage import sql_schema as schema
from causalassay.study.storage.part_ids import register_parts
from causalassay.study.storage.refusals import refuse_damaged_rows
from causalassay.study.storage.row_checks import (
    CELLS,
    CHUNK,
    COLUMNS,
    Row,
    read_chunks,
    row_checksums,
)
from causalassay.study.storage.seals import seal, seal_small_tables

# The cells come after the id and the checksum.
_ALGORITHM, _REASON, _NOTES, _HOST = (
    2 + CELLS.index(name) for name in ("algorithm", "reason", "notes", "host")
)


def copy_store(
    store: StoreReader, folder: Path, study: Study, identity: Identity | None = None
) -> None:
    """Copy a store into a new folder, with a study's text in place of the one that ran.

    Damaged rows are refused before anything is changed: the checksums are computed anew.

    Parameters
    ----------
    store : StoreReader
    folder : Path
    study : Study
        The same study, as the bundle has it.
    identity : Identity, optional
        What to leave out of texts; the machines' names, processors and platforms then go too.
    """
    folder.mkdir()
    path = folder / schema.FILE
    with closing(sqlite3.connect(path, isolation_level=None)) as copy:
        store.connection.backup(copy)
        refuse_damaged_rows(store.path, copy)
        copy.execute("PRAGMA journal_mode = DELETE")
        copy.execute("BEGIN")
        register_parts(copy, study)
        copy.execute("UPDATE sessions SET text = ?", (study.text,))
        if identity is not None:
            _clean_sessions(copy)
            _clean_rows(copy, identity)
        seal_small_tables(copy)
        copy.execute("COMMIT")


def hosts_of(store: StoreReader) -> list[str]:
    """Return the machines that a store names."""
    found = store.connection.execute(
        "SELECT host FROM sessions UNION SELECT host FROM rows WHERE host != ''"
    )
    return [str(host) for (host,) in found]


def _clean_sessions(copy: sqlite3.Connection) -> None:
    for number, versions in copy.execute("SELECT id, versions FROM sessions").fetchall():
        kept = {name: one for name, one in json.loads(versions).items() if name != "platform"}
        copy.execute(
            "UPDATE sessions SET host = '', cpu = '', versions = ? WHERE id = ?",
            (json.dumps(kept), number),
        )


def _clean_rows(copy: sqlite3.Connection, identity: Identity) -> None:
    found, total, last = 0, 0, -1
    query = f"SELECT {COLUMNS} FROM rows WHERE id > ? ORDER BY id LIMIT {CHUNK}"
    while chunks := list(read_chunks(copy.execute(query, (last,)))):
        (chunk,) = chunks
        last = chunk.rows[-1][0]
        for numbers, measured in ((chunk.scores, False), (chunk.measurements, True)):
            rows = [
                _cleaned(r, identity) for r in chunk.rows if (r[_ALGORITHM] is None) == measured
            ]
            sums = list(row_checksums(rows, numbers))
            copy.executemany(
                "UPDATE rows SET reason = ?, notes = ?, host = ?, checksum = ? WHERE id = ?",
                [
                    (row[_REASON], row[_NOTES], row[_HOST], one, row[0])
                    for row, one in zip(rows, sums, strict=True)
                ],
            )
            found, total = found + len(rows), total + sum(sums)
    seal(copy, "rows", found, total)


def _cleaned(row: Row, identity: Identity) -> Row:
    cells = list(row)
    cells[_HOST] = ""
    for place in (_REASON, _NOTES):
        cells[place] = identity.cleaned(cells[place]) if cells[place] else cells[place]
    return tuple(cells)
