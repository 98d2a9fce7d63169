"""Table files as plain arrays; the one module of this package that loads pyarrow.

A column comes as floats, nan where a value is missing, or as text, None where
it is missing. pyarrow refuses ragged rows and keeps every bit of a float, and
nothing here is taken for an index, a date or a truth value.
"""

from __future__ import annotations

import csv
import gzip
import zlib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from numpy.typing import NDArray
from pyarrow import compute

from causalassay.data.checks import check_column_names
from causalassay.opening import check_regular
from causalassay.spelling import cut, name_fault, visible

Columns = dict[str, NDArray[Any]]

SUFFIXES = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet")

MISSING = ("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "-nan", "NULL", "null", "None")
"""What stands for a missing value in a text file, in any column not asked for as text."""

LONGEST_HEADER = 32_000_000
"""Characters of a line of the header: one that never ends is not read to its end."""


def load(path: Path, text: Collection[str]) -> Columns:
    """Return the columns of a file; those named in `text` exactly as they are written.

    Parameters
    ----------
    path : Path
    text : collection of str
        Columns to leave as text although they might hold numbers or `MISSING`.
    """
    suffix = table_suffix(path)
    check_regular(path, f"a {suffix} file")
    try:
        table = _load_parquet(path) if suffix == ".parquet" else _load_text(path, suffix)
    except PermissionError:
        raise
    except (pa.ArrowException, OSError, EOFError, zlib.error) as error:
        raise ValueError(
            f"{path}: not a readable {suffix} file: {cut(visible(str(error)))}; "
            "expected as many fields in every row as in the header, in UTF-8"
        ) from error
    if table.num_rows == 0:
        raise ValueError(f"{path}: there is a header but no row")
    convert = _from_parquet if suffix == ".parquet" else _from_text
    columns = {}
    for name in table.column_names:
        try:
            columns[name] = convert(table.column(name), name in text).to_numpy()
        except (pa.ArrowException, UnicodeDecodeError) as error:
            raise ValueError(
                f"{path}: column {name!r} holds {table.column(name).type}; "
                "expected numbers or text, so leave it out or convert it"
            ) from error
    return columns


def save(table: Mapping[str, NDArray[Any]], path: Path) -> None:
    """Write columns of floats or text to a file, floats to their last bit."""
    suffix = table_suffix(path)
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path}: the folder {path.parent} does not exist; make it first")
    rows = pa.table(dict(table))
    if suffix == ".parquet":
        pa.parquet.write_table(rows, path)
        return
    options = pa.csv.WriteOptions(delimiter=_delimiter(suffix))
    with pa.output_stream(path) as stream:  # compresses where the name ends in .gz
        pa.csv.write_csv(rows, stream, options)


def table_suffix(path: Path) -> str:
    """Return which of `SUFFIXES` the file's name ends in, or raise."""
    for suffix in SUFFIXES:
        if path.name.lower().endswith(suffix):
            return suffix
    raise ValueError(f"{path}: expected a file name that ends in {', '.join(SUFFIXES)}")


def _load_text(path: Path, suffix: str) -> Any:
    """Read every field as text."""
    header = _header(path, suffix)
    return pa.csv.read_csv(
        path,
        read_options=pa.csv.ReadOptions(use_threads=False),  # then errors tell the row
        parse_options=pa.csv.ParseOptions(
            delimiter=_delimiter(suffix),
            newlines_in_values=True,
            # An empty line in a file of one column is a missing value.
            ignore_empty_lines=len(header) > 1,
        ),
        convert_options=pa.csv.ConvertOptions(column_types=dict.fromkeys(header, pa.string())),
    )


def _header(path: Path, suffix: str) -> list[str]:
    """Return the column names of a text file, or raise."""
    opened = gzip.open if suffix.endswith(".gz") else open
    try:
        with opened(path, "rt", encoding="utf-8-sig", newline="") as stream:
            lines = iter(lambda: stream.readline(LONGEST_HEADER), "")
            header = next(csv.reader(lines, delimiter=_delimiter(suffix)), [])
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: not UTF-8 text ({error.reason}); save it as UTF-8") from error
    except csv.Error as error:
        raise ValueError(f"{path}: the header cannot be read: {error}; expected names") from error
    if not header:
        raise ValueError(f"{path}: the file is empty or its first line is; expected column names")
    _check_names(header, path)
    return header


def _load_parquet(path: Path) -> Any:
    table = pa.parquet.read_table(path)
    _check_names(table.column_names, path)
    for name in table.column_names:
        if name.startswith("__index_level_"):
            raise ValueError(
                f"{path}: column {name!r} is the saved index of a data frame; "
                "write the frame with index=False, or reset_index() to keep it as a column"
            )
    return table


def _check_names(names: list[str], path: Path) -> None:
    try:
        check_column_names(names)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    for position, name in enumerate(names):
        if fault := name_fault(name):
            raise ValueError(f"{path}: columns: the name at position {position} {fault}")


def _from_text(column: Any, as_text: bool) -> Any:
    """Turn a column of a text file into floats if all its fields are numbers or missing."""
    if as_text:
        return column
    trimmed = compute.utf8_trim_whitespace(column)
    missing = compute.is_in(trimmed, value_set=pa.array(MISSING))
    try:
        return compute.if_else(missing, None, trimmed).cast(pa.float64())
    except pa.ArrowInvalid:
        return compute.if_else(missing, None, column)


def _from_parquet(column: Any, as_text: bool) -> Any:
    """Turn a typed column into floats if it is numeric, else into text."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return _from_parquet(column.cast(kind.value_type), as_text)
    numeric = (
        pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_decimal(kind)
        or pa.types.is_null(kind)
    )
    return column.cast(pa.float64() if numeric and not as_text else pa.string(), safe=False)


def _delimiter(suffix: str) -> str:
    return "\t" if suffix.startswith(".tsv") else ","
