"""The table of a study, as a data frame or as a file."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import repeat
from operator import itemgetter
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import csv, parquet

from causalassay.common.arrays import Values
from causalassay.metrics.registry import Better
from causalassay.present import Column, Document, Shown, Table
from causalassay.study.plan import Purpose, Status
from causalassay.study.storage.checks import (
    CHECKED,
    Chunk,
    Numbers,
    Row,
    read_chunks,
    row_damage,
    seals_of,
)
from causalassay.study.storage.exporting import inert_array, inert_text, refuse_target
from causalassay.study.storage.reader import StoreReader, read_store
from causalassay.study.storage.refusals import rows_refusal
from causalassay.study.storage.schema import CELLS
from causalassay.study.storage.table import Columns, PartColumns, read_columns

TIMING = ("seconds", "host")
"""The columns that differ between two runs of one study."""


@dataclass(frozen=True, eq=False, repr=False)
class StudyTable(Shown):
    """The rows of a study as a data frame.

    Parameters
    ----------
    frame : DataFrame
        One row for each task, in the order of the study; nan where there is no number.
    metrics, diagnostics, labels : tuple of str
        Its columns by what they are.
    better : dict
        For each metric whether "high" or "low" is better.
    controls : tuple of str
        The columns with numbers of each estimate that are no scores: what chance gives.
    """

    frame: pd.DataFrame
    metrics: tuple[str, ...]
    diagnostics: tuple[str, ...]
    labels: tuple[str, ...]
    better: dict[str, Better]
    controls: tuple[str, ...] = ()

    def document(self) -> Document:
        """Return the size of the table, and how many rows each algorithm has by status."""
        counts = pd.crosstab(self.frame["algorithm"], self.frame["status"])
        columns = [Column("algorithm", "algorithm")]
        columns += [Column(str(status), str(status), "count") for status in counts.columns]
        rows = [
            [name, *row.tolist()] for name, row in zip(counts.index, counts.values, strict=True)
        ]
        size = f"{len(self.frame)} rows, {len(self.frame.columns)} columns"
        return Document(
            "Study table",
            f"Metrics: {', '.join(self.metrics) or 'none'}",
            [Table("rows-by-status", columns, rows, "Rows by status")],
            about=size,
        )


def study_table(
    folder: Path | str, *, purpose: Purpose = "main", everything: bool = False
) -> StudyTable:
    """Return the rows of a study, also while it runs.

    Parameters
    ----------
    folder : Path or str
        Of the store.
    purpose : {"main", "tuning"}
    everything : bool
        Include rows of problems, algorithms, metrics and replicates that the
        study file no longer has.
    """
    with read_store(folder) as reader:
        with reader.sound():
            columns = read_columns(reader.connection, everything=everything)
        batches = list(arrow_batches(reader, columns, purpose, everything=everything))
    table = pa.Table.from_batches(batches).unify_dictionaries()
    batches.clear()
    return as_study_table(table, columns)


def as_study_table(table: pa.Table, columns: Columns) -> StudyTable:
    """Return rows as a data frame, with what their columns are; uses the table up."""
    # Hands the columns over where it can, instead of copying the table.
    frame = table.to_pandas(split_blocks=True, self_destruct=True)
    pa.default_memory_pool().release_unused()
    frame["status"] = frame["status"].cat.set_categories(list(get_args(Status)))
    scores: dict[str, Better] = {
        name: better for name, better in columns.better.items() if better != "none"
    }
    return StudyTable(
        frame,
        tuple(name for name in columns.metrics.values() if name in scores),
        tuple(columns.diagnostics.values()),
        columns.labels,
        scores,
        tuple(name for name in columns.metrics.values() if name not in scores),
    )


def exported_schema(columns: Columns) -> pa.Schema:
    """Return the columns of a Parquet file that `export` writes, with their types."""
    return _plain(empty_batch(columns), timing=True, inert=False).schema


def export(
    folder: Path,
    target: Path,
    *,
    everything: bool = False,
    timing: bool = True,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> int:
    """Write the rows of a study to a file and return how many there are.

    An interrupted export leaves no file of that name, or the one that was there. In CSV
    a text that a spreadsheet would run as a formula has an apostrophe before it.

    Parameters
    ----------
    folder : Path
        Of the store.
    target : Path
        Ends with ``.csv`` or ``.parquet``.
    everything : bool
        As for `study_table`.
    timing : bool
        With the columns that differ from run to run: seconds and host.
    on_progress : callable
        Called with the number of rows written and of all rows.
    """
    if target.suffix not in (".csv", ".parquet"):
        raise ValueError(f"expected a file name that ends in .csv or .parquet, got {target.name!r}")
    refuse_target(target, Path(folder))
    done = 0
    inert = target.suffix == ".csv"
    with read_store(folder) as reader:
        with reader.sound():
            columns = read_columns(reader.connection, everything=everything)
            total = count_rows(reader.connection, "main", everything=everything)
        batches = arrow_batches(reader, columns, "main", everything=everything)
        with _writer(target) as write:
            for batch in batches:
                write(_plain(batch, timing=timing, inert=inert))
                done += batch.num_rows
                on_progress(done, total)
    return done


def _plain(batch: pa.RecordBatch, *, timing: bool, inert: bool) -> pa.RecordBatch:
    """Return a batch as it is written: text as text, and timing only if asked for."""
    arrays: dict[str, pa.Array] = {}
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        if timing or name not in TIMING:
            array = inert_array(column) if inert else column
            text = pa.types.is_dictionary(array.type)
            heading = inert_text(name) if inert else name
            arrays[heading] = array.dictionary_decode() if text else array
    return pa.RecordBatch.from_pydict(arrays)


@contextmanager
def _writer(target: Path) -> Iterator[Callable[[pa.RecordBatch], None]]:
    """Yield a function that writes batches; the file gets its name once it is whole."""
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    writers: list[Any] = []

    def write(batch: pa.RecordBatch) -> None:
        if not writers:
            kind = csv.CSVWriter if target.suffix == ".csv" else parquet.ParquetWriter
            writers.append(kind(partial, batch.schema))
        writers[0].write_batch(batch)

    try:
        try:
            yield write
        finally:
            for writer in writers:
                writer.close()
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


# The rows of a store as Arrow batches in a stable order, never all of them in memory.

_SELECTED = """
    purpose = :purpose AND algorithm IS NOT NULL AND (:everything OR (problems.place IS NOT NULL
        AND replicate < CASE purpose WHEN 'main' THEN replicates ELSE systems END))"""

# Not through an index, whose damage would go unnoticed.
_FROM = """
    FROM rows NOT INDEXED
    LEFT JOIN problems ON problems.id = problem
    LEFT JOIN algorithms ON algorithms.id = algorithm"""

# All rows are read, and so checked: damage may hide one that should be in the table. The order
# is that of the study, not of ids in the store: a store that grew part by part gives the same
# table as one that had them all from the start. The diagnostics come before the rows they are of.
_ROWS = f"""
    SELECT {CHECKED}, {_SELECTED} {_FROM}
    ORDER BY problems.place IS NULL, problems.place, problem, replicate, purpose,
        algorithm IS NOT NULL, algorithms.place IS NULL, algorithms.place, algorithm"""

_FIELDS = ("id", "checksum", *CELLS, "selected")


def count_rows(connection: sqlite3.Connection, purpose: Purpose, *, everything: bool) -> int:
    """Return the number of rows that `arrow_batches` yields."""
    values = {"purpose": purpose, "everything": everything}
    counted = connection.execute(f"SELECT count(*) {_FROM} WHERE {_SELECTED}", values)
    return int(counted.fetchone()[0])


def arrow_batches(
    reader: StoreReader, columns: Columns, purpose: Purpose, *, everything: bool
) -> Iterator[pa.RecordBatch]:
    """Yield the table in batches, at least one.

    Raises
    ------
    StoreRefused
        A row is not as it was written; this may come after some batches.
    """
    measured = _Measured(list(columns.diagnostics))
    n_batches = 0
    values = {"purpose": purpose, "everything": everything}
    for chunk in _sound_chunks(reader, values):
        with reader.sound():
            measured.add(chunk)
            selected = [row for row in chunk.rows if row[-1]]
            batch = _batch(columns, selected, chunk.scores, measured) if selected else None
        if batch is not None:
            n_batches += 1
            yield batch
    if not n_batches:
        yield empty_batch(columns)


def empty_batch(columns: Columns) -> pa.RecordBatch:
    """Return a batch without rows: the columns that all others have."""
    return _batch(columns, [], Numbers.none(), _Measured(list(columns.diagnostics)))


def _sound_chunks(reader: StoreReader, values: dict[str, Any]) -> Iterator[Chunk]:
    """Yield all rows in their order, and refuse a store with damaged ones."""
    connection = reader.connection
    found = total = 0
    with reader.sound():
        try:
            for chunk in read_chunks(connection.execute(_ROWS, values)):
                if chunk.damaged:
                    raise rows_refusal(reader.path, row_damage(connection))
                found += len(chunk.rows)
                total += sum(row[1] for row in chunk.rows)
                yield chunk
        except sqlite3.OperationalError as error:  # such as a text that is not UTF-8
            if damage := row_damage(connection):
                raise rows_refusal(reader.path, damage) from error
            raise
        if (found, total) != seals_of(connection)["rows"]:
            raise rows_refusal(reader.path, row_damage(connection))


class _Measured:
    """The diagnostics of problems and replicates, as they come before the rows they are of."""

    def __init__(self, diagnostics: Sequence[int]) -> None:
        self._diagnostics = diagnostics
        self._places: dict[tuple[Any, ...], int] = {}
        self._matrix: Values = np.empty((0, len(diagnostics)))

    def add(self, chunk: Chunk) -> None:
        """Take those of a chunk; the last of the chunk before may have rows in this one."""
        last = {about: 0 for about, place in self._places.items() if place == len(self._matrix) - 1}
        rows = [row for row in chunk.rows if row[_FIELDS.index("algorithm")] is None]
        new = chunk.measurements.matrix([row[0] for row in rows], self._diagnostics)
        self._matrix = np.vstack([self._matrix[-1:], new]) if last else new
        self._places = last | {_about(row): len(last) + i for i, row in enumerate(rows)}

    def of(self, rows: Sequence[Row]) -> Values:
        """Return the diagnostics of each row's problem and replicate, nan where there are none."""
        missing = np.full((1, len(self._diagnostics)), np.nan)
        places = map(self._places.get, map(_about, rows), repeat(-1))
        return np.vstack([self._matrix, missing])[list(places)]


_about = itemgetter(*map(_FIELDS.index, ("purpose", "problem", "replicate")))


def _batch(
    columns: Columns, rows: Sequence[Row], scores: Numbers, measured: _Measured
) -> pa.RecordBatch:
    cells = list(zip(*rows, strict=True)) or [()] * len(_FIELDS)
    of = dict(zip(_FIELDS, cells, strict=True))
    of_problem = _taken(columns.problems, of["problem"])
    of_algorithm = _taken(columns.algorithms, of["algorithm"])
    arrays = {
        "key": pa.array(of["key"], pa.string()),
        "problem": of_problem["problem"],
        "replicate": pa.array(of["replicate"], pa.int32()),
        "algorithm": of_algorithm["algorithm"],
        "role": of_algorithm["role"],
        "use": of_algorithm["use"],
        "status": _encoded(of["status"]),
        "reason": _encoded(of["reason"]),
        "seconds": pa.array(of["seconds"], pa.float64()),
        "host": _encoded(of["host"]),
        "scheme": of_problem["scheme"],
        "graph_key": of_problem["graph_key"],
    }
    arrays |= {label: of_problem[label] for label in columns.labels}
    arrays["parameters"] = of_algorithm["parameters"]
    matrix = scores.matrix(of["id"], list(columns.metrics))
    arrays |= _as_columns(columns.metrics.values(), matrix)
    arrays |= _as_columns(columns.diagnostics.values(), measured.of(rows))
    arrays["notes"] = pa.array(of["notes"], pa.string())
    return pa.RecordBatch.from_pydict(arrays)


def _taken(part: PartColumns, ids: Iterable[int]) -> dict[str, pa.Array]:
    positions = pa.array([part.positions[part_id] for part_id in ids], pa.int32())
    return {name: array.take(positions) for name, array in part.columns.items()}


def _encoded(values: Sequence[str | None]) -> pa.Array:
    return pa.array(values, pa.string()).dictionary_encode()


def _as_columns(names: Iterable[str], matrix: Values) -> dict[str, pa.Array]:
    # from_pandas: nan becomes null, an empty cell in CSV.
    return {
        name: pa.array(column, pa.float64(), from_pandas=True)
        for name, column in zip(names, np.ascontiguousarray(matrix.T), strict=True)
    }
