"""Rows as files: a CSV or Parquet file, whose cells no spreadsheet runs as formulas."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv, parquet

from causalassay.study.storage import opening, schema
from causalassay.study.storage.reader import read_store
from causalassay.study.storage.table import (
    Columns,
    arrow_batches,
    count_rows,
    empty_batch,
    read_columns,
)

# East Asian spreadsheets read the wide signs as the others; some programs cut leading blanks.
_FORMULA = r"\A(?: *[=+\-@＝＋－＠]|[\t\r\n])"


def inert_text(text: str) -> str:
    """Return a text with an apostrophe before it if a spreadsheet would run it.

    Examples
    --------
    >>> inert_text("=1+1"), inert_text("1=1")
    ("'=1+1", '1=1')
    """
    return f"'{text}" if re.match(_FORMULA, text) else text


def inert_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a data frame whose texts, headings too, are as `inert_text` gives them."""
    texts = [name for name, kind in frame.dtypes.items() if not pd.api.types.is_numeric_dtype(kind)]
    return frame.assign(**{str(name): frame[name].map(_inert_cell) for name in texts}).rename(
        columns=_inert_cell
    )


def _inert_cell(cell: Any) -> Any:
    return inert_text(cell) if isinstance(cell, str) else cell


def inert_array(array: pa.Array) -> pa.Array:
    """Return a column of texts, each as `inert_text` gives it; other columns stay as they are."""
    if pa.types.is_dictionary(array.type):
        return pa.DictionaryArray.from_arrays(array.indices, inert_array(array.dictionary))
    if not pa.types.is_string(array.type):
        return array
    runs = pc.match_substring_regex(array, _FORMULA)
    if not pc.any(runs).as_py():
        return array
    return pc.if_else(runs, pc.binary_join_element_wise("'", array, ""), array)


# Where a file may be written: not over a store, and not where a folder is.

_STORE_FILES = tuple(schema.FILE + end for end in ("", "-wal", "-shm", "-journal"))


def refuse_target(target: Path, folder: Path) -> None:
    """Refuse to write a file over a store, over a folder, or into a folder that is not there.

    Parameters
    ----------
    target : Path
        The file to write.
    folder : Path
        Of the store that is read.

    Examples
    --------
    >>> refuse_target(Path("results/study.sqlite-wal"), Path("results"))
    Traceback (most recent call last):
    ValueError: results/study.sqlite-wal is part of a study's store and is never overwritten: ...
    """
    # Not Path.resolve, which raises where links go in a circle.
    real = Path(os.path.realpath(target))
    stored = [Path(os.path.realpath(folder / name)) for name in (*_STORE_FILES, opening.LOCK)]
    linked = any(file.exists() and target.exists() and target.samefile(file) for file in stored)
    if real.name in _STORE_FILES or real in stored or linked:
        raise ValueError(
            f"{target} is part of a study's store and is never overwritten: name another file"
        )
    if target.is_dir():
        raise IsADirectoryError(f"{target} is a folder: name a file in it")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {target.parent} to write {target.name} to")


# The table of a study as a file.


def exported_schema(columns: Columns) -> pa.Schema:
    """Return the columns of a Parquet file that `export` writes, with their types."""
    return _written(empty_batch(columns), timing=True, inert=False).schema


def export(
    folder: Path | str,
    target: Path | str,
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
    folder : Path or str
        The results folder of the study.
    target : Path or str
        The file to write; its name ends in ``.csv`` or ``.parquet``.
    everything : bool
        As for `study_table`.
    timing : bool
        With the columns that differ from run to run: seconds and host.
    on_progress : callable
        Called with the number of rows written and of all rows.
    """
    folder, target = Path(folder), Path(target)
    if target.suffix not in (".csv", ".parquet"):
        raise ValueError(f"expected a file name that ends in .csv or .parquet, got {target.name!r}")
    refuse_target(target, folder)
    done = 0
    inert = target.suffix == ".csv"
    with read_store(folder) as reader:
        with reader.sound():
            columns = read_columns(reader.connection, everything=everything)
            total = count_rows(reader.connection, "main", everything=everything)
        batches = arrow_batches(reader, columns, "main", everything=everything)
        with _writer(target) as write:
            for batch in batches:
                write(_written(batch, timing=timing, inert=inert))
                done += batch.num_rows
                on_progress(done, total)
    return done


def _written(batch: pa.RecordBatch, *, timing: bool, inert: bool) -> pa.RecordBatch:
    """Return a batch as it is written: text as text, and timing only if asked for."""
    arrays: dict[str, pa.Array] = {}
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        if timing or name not in schema.TIMING:
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
