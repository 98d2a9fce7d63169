"""What algorithms printed, beside the rows of their tasks: written, listed, read.

The table is made when the first task prints: a store without it is a store all the same.
"""

from __future__ import annotations

import sqlite3
import zlib
from dataclasses import asdict, dataclass
from typing import Any

from causalassay.processes.messages import LONGEST_OUTPUT, Output
from causalassay.study.plan import Purpose, Status
from causalassay.study.storage.checks import checksum


def has_outputs(connection: sqlite3.Connection) -> bool:
    """Return whether a store has the table, that is whether a task has printed."""
    query = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'outputs'"
    return connection.execute(query).fetchone() is not None


def write_output(connection: sqlite3.Connection, row: int, key: str, output: Output) -> None:
    """Write what the task of a row printed, in place of what an earlier run of it printed."""
    if output.size:
        packed = zlib.compress(output.end)
        connection.execute(
            "INSERT OR REPLACE INTO outputs VALUES (?, ?, ?, ?)",
            (row, output.size, packed, checksum((key, output.size), packed)),
        )
    else:
        connection.execute("DELETE FROM outputs WHERE row = ?", (row,))


@dataclass(frozen=True)
class PrintedTask:
    """A task that printed something.

    Parameters
    ----------
    key : str
        Of its row.
    algorithm, problem, scheme : str
    replicate : int
    purpose : {"main", "tuning"}
    status : {"ok", "skipped", "failed", "timeout"}
    reason : str
        Of a status that is not ok.
    size : int
        Bytes that it printed, of which the last are kept.
    use : str
        The algorithm's name in the registry.
    """

    key: str
    algorithm: str
    problem: str
    scheme: str
    replicate: int
    purpose: Purpose
    status: Status
    reason: str
    size: int
    use: str

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return asdict(self) | {"kept": min(self.size, LONGEST_OUTPUT)}


_TASKS = (
    "SELECT wanted.key, algorithms.name, problems.name, problems.scheme, replicate, purpose, "
    "status, coalesce(reason, ''), outputs.size, algorithms.use "
    "FROM outputs JOIN wanted ON wanted.id = outputs.row "
    "JOIN algorithms ON algorithms.id = wanted.algorithm "
    "JOIN problems ON problems.id = wanted.problem "
    "ORDER BY algorithm_place, problem_place, purpose, replicate"
)


def count_printed(connection: sqlite3.Connection) -> int:
    """Return how many rows that the study asks for have output."""
    if not has_outputs(connection):
        return 0
    query = "SELECT count(*) FROM outputs JOIN wanted ON wanted.id = outputs.row"
    return int(connection.execute(query).fetchone()[0])


def printed_tasks(connection: sqlite3.Connection) -> list[PrintedTask]:
    """Return the tasks that printed something, of those that the study asks for."""
    if not has_outputs(connection):
        return []
    return [PrintedTask(*row) for row in connection.execute(_TASKS)]


def read_output(connection: sqlite3.Connection, key: str) -> bytes:
    """Return the end of what the task of a row printed.

    Raises
    ------
    ValueError
        If it is damaged.
    """
    size, packed, expected = connection.execute(
        "SELECT size, CAST(blob AS BLOB), outputs.checksum FROM outputs "
        "JOIN rows ON rows.id = outputs.row WHERE key = ?",
        (key,),
    ).fetchone()
    if checksum((key, size), packed) != expected:
        raise ValueError(
            f"what the task of {key} printed is not as it was written; its row may be sound: "
            "to have the output, run the study with --again ALGORITHM"
        )
    # The checksum is no defence against a file that somebody made: it may unpack without end.
    unpacked: bytes = zlib.decompressobj().decompress(packed, LONGEST_OUTPUT)
    return unpacked
