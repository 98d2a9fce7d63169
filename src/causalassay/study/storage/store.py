"""The store of a study: one SQLite file that one driver writes and anyone may read meanwhile."""

from __future__ import annotations

import json
import math
import socket
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from causalassay.study.kernel_marks import cpu
from causalassay.study.plan import Purpose, Record, Status, Study, row_key
from causalassay.study.reasons import encodable, readable
from causalassay.study.storage import schema
from causalassay.study.storage.checks import add_to_seal, checksum, resealed, seal_small_tables
from causalassay.study.storage.opening import changes, now, open_for_writing, versions
from causalassay.study.storage.reader import (
    counts_by_reason,
    counts_by_status,
    outdated_counts,
)
from causalassay.study.storage.records import (
    PartIds,
    RecordWriter,
    delete_rows,
    register_parts,
)
from causalassay.study.storage.refusals import (
    StoreFull,
    StoreGone,
    file_identity,
    refuse_gone,
    room_needed,
    sound_file_needed,
)
from causalassay.study.storage.schema import sqlite_number


@dataclass(frozen=True)
class StoredRow:
    """What a store has of one algorithm's row.

    Parameters
    ----------
    status : {"ok", "skipped", "failed", "timeout"}
    metrics : frozenset of int
        Those that have a score (nan is one), by index in `Study.metrics`.
    outdated : bool
        Whether it is to be computed again.
    """

    status: Status
    metrics: frozenset[int]
    outdated: bool = False


@dataclass(frozen=True)
class StoredRows:
    """What a store has of one problem and replicate.

    Parameters
    ----------
    diagnostics : frozenset of int
        Those that have been measured, by index in `Study.diagnostics`.
    algorithms : mapping
        The rows, by the algorithm's index in `Study.algorithms`.
    """

    diagnostics: frozenset[int] = frozenset()
    algorithms: Mapping[int, StoredRow] = field(default_factory=dict)


class Store:
    """The rows of a study on disk; made with `Store.open`, used as a context manager.

    Problems, algorithms and metrics are named by their index in the study.
    """

    def __init__(
        self, folder: Path, study: Study, connection: sqlite3.Connection, lock: IO[str]
    ) -> None:
        self._folder = folder
        self._path = folder / schema.FILE
        self._file = file_identity(self._path)
        self._study = study
        self._connection = connection
        self._lock = lock
        self._ended = False
        with self._writing():
            self._session, self._ids = start_session(connection, study)
        self._writer = RecordWriter(connection, study, self._session, self._ids)

    @classmethod
    def open(cls, folder: Path, study: Study, *, drop_damaged: bool = False) -> Store:
        """Create or resume the store in a folder, and begin a session.

        Rows that are not as they were written are a refusal, or dropped.

        Raises
        ------
        StoreRefused
            The folder is on a network file system; another driver works on it; or
            what is there is damaged, of another version, another study's, or no store.
            Nothing is then changed or created.
        """
        connection, lock = open_for_writing(folder, study, drop_damaged=drop_damaged)
        try:
            return cls(folder, study, connection, lock)
        except BaseException:
            connection.close()
            lock.close()
            raise

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        how = "completed"
        if kind is not None:
            how = "interrupted" if issubclass(kind, KeyboardInterrupt) else "failed"
        self.finish(how)
        self.close()

    def finish(self, how: str) -> None:
        """End the session, once; the rows can still be counted until the store is closed."""
        if self._ended:
            return
        self._ended = True
        # On a full disk the rows matter, not how the session ended; and where the
        # store is gone, what went wrong before is told, if anything did.
        with suppress(StoreFull, *([] if how == "completed" else [StoreGone])), self._writing():
            refuse_gone(self._path, self._file)
            with self._session_changes():
                self._connection.execute(
                    "UPDATE sessions SET ended = ?, how = ? WHERE id = ?",
                    (now(), how, self._session),
                )

    def earlier_machines(self) -> list[str]:
        """Return how the machines and versions of earlier rows differ from those of this run."""
        here = {"cpu": cpu(), **versions()}
        sessions = self._read(
            "SELECT DISTINCT cpu, versions FROM sessions WHERE records > 0 AND id < ?",
            (self._session,),
        )
        differences: dict[str, None] = {}
        for model, installed in sessions:
            differences |= dict.fromkeys(changes({"cpu": model, **json.loads(installed)}, here))
        return list(differences)

    def close(self) -> None:
        """Close the file and let other drivers work on it."""
        self._connection.close()
        self._lock.close()

    def rows(self, purpose: Purpose, problem: int, replicate: int) -> StoredRows:
        """Return what is stored of a problem and replicate."""
        selected = self._read(
            "SELECT algorithm, status, CASE WHEN algorithm IS NULL "
            "THEN (SELECT group_concat(diagnostic) FROM measurements WHERE row = rows.id) "
            "ELSE (SELECT group_concat(metric) FROM scores WHERE row = rows.id) END, "
            f"{schema.outdated('rows')} "
            "FROM rows WHERE problem = ? AND replicate = ? AND purpose = ?",
            (self._ids.problems[problem], replicate, purpose),
        )
        diagnostics: frozenset[int] = frozenset()
        algorithms: dict[int, StoredRow] = {}
        for algorithm, status, ids, outdated in selected:
            if algorithm is None:
                diagnostics = self._ids.diagnostic_indices(ids or "")
                continue
            row = StoredRow(status, self._ids.metric_indices(ids or ""), bool(outdated))
            algorithms |= dict.fromkeys(self._ids.algorithm_indices.get(algorithm, ()), row)
        return StoredRows(diagnostics, algorithms)

    def estimate(
        self, purpose: Purpose, problem: int, replicate: int, algorithm: int
    ) -> bytes | None:
        """Return the estimate of a row, None if it has none or one that is damaged."""
        key = row_key(self._study, purpose, problem, replicate, algorithm)
        stored = self._read(
            "SELECT CAST(blob AS BLOB), estimates.checksum FROM estimates "
            "JOIN rows ON rows.id = estimates.row WHERE key = ?",
            (key,),
        )
        sound = (blob for blob, expected in stored if checksum((key,), blob) == expected)
        return next(sound, None)

    def save(self, records: Iterable[Record]) -> None:
        """Write records, all of them or none; a row that is there already is replaced.

        The record of a `RescoreTask` adds its scores to the row and leaves the rest
        of it as it was, and so do new diagnostics.

        Raises
        ------
        StoreFull
            There is no room; none of these records is written, all earlier ones are kept.
        StoreGone
            The file was deleted, moved or replaced; none of these records is written.
        """
        refuse_gone(self._path, self._file)
        with self._writing():
            changes = [self._writer.write(record) for record in records]
            added, total = (sum(change[i] for change in changes) for i in (0, 1))
            add_to_seal(self._connection, "rows", added, total)
            with self._session_changes():
                self._connection.execute(
                    "UPDATE sessions SET first_write = coalesce(first_write, :now), "
                    "last_write = :now, records = records + :saved WHERE id = :session",
                    {"now": now(), "saved": len(changes), "session": self._session},
                )

    def mark_outdated(self, algorithms: Collection[int]) -> None:
        """Let the rows of some algorithms, tunings included, be computed again.

        Each row stays until a new one replaces it. The mark stays, too, until all are replaced:
        a later run goes on with those that are left.
        """
        ids = json.dumps([self._ids.algorithms[index] for index in algorithms])
        keys = dict.fromkeys(self._study.algorithms[index].key for index in algorithms)
        with self._writing():
            with resealed(self._connection, "meta"):
                self._connection.executemany(
                    "INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)",
                    [(f"{schema.AGAIN}{key}", str(self._session)) for key in keys],
                )
            with resealed(self._connection, "choices"):
                self._connection.execute(
                    "UPDATE choices SET settled = 0 WHERE problem IN (SELECT problem FROM rows "
                    "WHERE purpose = 'tuning' "
                    "AND algorithm IN (SELECT value FROM json_each(?)))",
                    (ids,),
                )

    def remove_marks(self) -> None:
        """Forget that rows were to be computed again: those that the study asks for have been."""
        names = [f"{schema.AGAIN}{entry.key}" for entry in self._study.algorithms]
        condition = "name IN (SELECT value FROM json_each(?))"
        with self._writing(), resealed(self._connection, "meta"):
            self._connection.execute(f"DELETE FROM meta WHERE {condition}", (json.dumps(names),))

    def forget(self, statuses: Collection[Status]) -> int:
        """Delete the rows of these statuses that the study asks for; return how many.

        The tunings that they were part of are to be decided again.
        """
        marks, values = ", ".join("?" * len(statuses)), tuple(statuses)
        condition = (
            f"status IN ({marks}) "
            "AND problem IN (SELECT id FROM problems WHERE place IS NOT NULL) "
            "AND (algorithm IS NULL OR id IN (SELECT id FROM wanted))"
        )
        with self._writing():
            with resealed(self._connection, "choices"):
                self._connection.execute(
                    "UPDATE choices SET settled = 0 WHERE problem IN "
                    f"(SELECT problem FROM rows WHERE purpose = 'tuning' AND {condition})",
                    values,
                )
            return delete_rows(self._connection, condition, values)

    def criterion(self, problem: int, candidate: int, metric: int, systems: int) -> list[float]:
        """Return a candidate's scores on the held-out systems, nan where it has none."""
        ids = self._ids
        selected = self._read(
            "SELECT replicate, value FROM rows JOIN scores ON scores.row = rows.id "
            "WHERE problem = ? AND replicate < ? AND purpose = 'tuning' AND algorithm = ? "
            "AND metric = ? AND status = 'ok'",
            (ids.problems[problem], systems, ids.algorithms[candidate], ids.metrics[metric]),
        )
        scores = [math.nan] * systems
        for replicate, value in selected:
            scores[replicate] = math.nan if value is None else value
        return scores

    def choose(self, problem: int, algorithm: int, candidate: int, value: float) -> None:
        """Store the candidate that a tuning chose; delete the rows of an earlier, other choice."""
        tuned = (self._ids.problems[problem], self._ids.algorithms[algorithm])
        chosen = self._ids.algorithms[candidate]
        with self._writing():
            before = self._connection.execute(
                "SELECT candidate FROM choices WHERE problem = ? AND algorithm = ?", tuned
            ).fetchone()
            if before is not None and before[0] != chosen:
                condition = "problem = ? AND algorithm = ? AND purpose = 'main'"
                delete_rows(self._connection, condition, tuned)
            with resealed(self._connection, "choices", "problem = ? AND algorithm = ?", tuned):
                self._connection.execute(
                    "INSERT OR REPLACE INTO choices "
                    "(problem, algorithm, candidate, value, settled) VALUES (?, ?, ?, ?, 1)",
                    (*tuned, chosen, sqlite_number(value)),
                )

    def choice(self, problem: int, algorithm: int) -> int | None:
        """Return the candidate that a tuning chose, None if it is still to be decided."""
        tuning = self._study.algorithms[algorithm].tuning
        choice = self._read(
            "SELECT candidate FROM choices WHERE problem = ? AND algorithm = ? AND settled",
            (self._ids.problems[problem], self._ids.algorithms[algorithm]),
        )
        if not choice or tuning is None:
            return None
        candidates = (i for i in tuning.candidates if self._ids.algorithms[i] == choice[0][0])
        return next(candidates, None)

    def counts(self, purpose: Purpose = "main") -> dict[str, int]:
        """Return the number of rows by status, of those that the study asks for."""
        with sound_file_needed(self._path):
            return counts_by_status(self._connection, purpose)

    def reasons(self, purpose: Purpose = "main") -> dict[str, int]:
        """Return the number of rows that are not ok, by reason."""
        with sound_file_needed(self._path):
            return counts_by_reason(self._connection, purpose)

    def outdated(self, purpose: Purpose = "main") -> list[tuple[int, str, str, int]]:
        """Return how many rows are to be computed again, by algorithm, status and reason."""
        with sound_file_needed(self._path):
            return outdated_counts(self._connection, purpose)

    def _read(self, query: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        with sound_file_needed(self._path):
            return self._connection.execute(query, values).fetchall()

    def _session_changes(self) -> AbstractContextManager[None]:
        return resealed(self._connection, "sessions", "id = ?", (self._session,))

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Commit what is done inside, or nothing of it."""
        with sound_file_needed(self._path), room_needed(self._folder):
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise


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
