"""The table of a study, as a data frame or as a file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import pandas as pd
import pyarrow as pa
from pyarrow import csv, parquet

from causalassay.metrics.registry import Better
from causalassay.present.document import Column, Document, Table
from causalassay.present.shown import Shown
from causalassay.study.plan import Purpose
from causalassay.study.storage.arrow_batches import arrow_batches, count_rows, empty_batch
from causalassay.study.storage.export_columns import Columns, read_columns
from causalassay.study.storage.reader import read_store
from causalassay.study.storage.spreadsheet_cells import inert_array, inert_text
from causalassay.study.storage.targets import refuse_target
from causalassay.study.tasks import Status

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
