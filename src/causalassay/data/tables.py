"""Table files as plain arrays; with `arrow_files` the module of this package that loads pyarrow.

A column comes as floats, nan where a value is missing, or as text, None where
it is missing. pyarrow refuses ragged rows and keeps every bit of a float, and
nothing here is taken for an index, a date or a truth value.
"""

from __future__ import annotations

import io
import re
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from numpy.typing import NDArray
from pyarrow import compute

from causalassay.common.file_formats import SUFFIXES as ARRAY_SUFFIXES
from causalassay.common.file_formats import load_arrays, names_in, pick, single_blanks
from causalassay.common.files import check_columns, check_regular, check_text_table, note
from causalassay.common.spelling import cut, did_you_mean, name_fault, shown, visible
from causalassay.data import arrow_files, text_tables, workbooks
from causalassay.data.checks import check_column_names
from causalassay.data.text_tables import TextLayout, find_layout

Columns = dict[str, NDArray[Any]]

WRITTEN = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet")
SUFFIXES = (
    *text_tables.SUFFIXES,
    *arrow_files.SUFFIXES,
    *ARRAY_SUFFIXES,
    *workbooks.SUFFIXES,
)

MISSING = ("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "-nan", "NULL", "null", "None")
"""Texts that mean a missing value in a text file, except in columns read as text."""

UNNAMED = "Unnamed: 0"
"""What a first column without a name is called, as pandas does: most often the index of a frame."""


@dataclass(frozen=True)
class Table:
    """The columns of a file.

    Parameters
    ----------
    columns : dict of ndarray
    describe_row : callable
        A function that takes the number of a row, from 0, and says where it is in the file.
    """

    columns: Columns
    describe_row: Callable[[int], str]


def load(
    path: Path,
    is_text: Callable[[str], bool],
    drop: Collection[str] = (),
    separator: str | None = None,
    *,
    name_first: bool = False,
) -> Table:
    """Return the columns of a file; some of a text file exactly as they are written.

    Parameters
    ----------
    path : Path
    is_text : callable
        A function that takes a column's name and tells whether to leave it as text although it
        might hold numbers or `MISSING`.
    drop : collection of str
        Columns to leave out.
    separator : str, optional
        The separator of a text file; found in its first lines if it is not stated.
    name_first : bool
        Whether a first column of a text file without a name is called `UNNAMED`, not refused.
    """
    suffix = table_suffix(path, SUFFIXES)
    check_regular(path, f"a {suffix} file")
    if suffix in ARRAY_SUFFIXES:
        columns = load_array_table(path)
        _check_names(list(columns), path)
        return Table({name: columns[name] for name in _kept(columns, drop, path)}, _row)
    if suffix in workbooks.SUFFIXES:
        columns = workbooks.load_workbook(path, is_text, MISSING)
        if name_first or UNNAMED in drop:
            columns = {name or UNNAMED: column for name, column in columns.items()}
        _check_names(list(columns), path)
        _check_rows(len(next(iter(columns.values()))), path)
        columns = {name: columns[name] for name in _kept(columns, drop, path)}
        return Table(columns, lambda row: f"row {row + 2}")  # as the sheet counts
    layout = None
    try:
        if suffix in arrow_files.SUFFIXES:
            names = arrow_files.column_names(path)
            _check_names(names, path)
            table = arrow_files.load(path, _kept(names, drop, path))
        else:
            layout = find_layout(path, suffix, separator)
            check_text_table(path, len(layout.names))
            table = _load_text(layout, drop, name_first)
            table = table.select(_kept(table.column_names, drop, path))
    except PermissionError:
        raise
    except (pa.ArrowException, OSError, EOFError, zlib.error) as error:
        reason = (layout.ragged() if layout else "") or cut(visible(str(error)))
        raise ValueError(
            f"{path}: not a readable {suffix} file: {reason}; "
            "expected as many fields in every row as in the header, in UTF-8"
        ) from error
    _check_rows(table.num_rows, path)
    columns = _converted(table, layout, is_text, path)
    return Table(columns, layout.describe_row if layout else _row)


def _check_rows(n_rows: int, path: Path) -> None:
    if n_rows == 0:
        raise ValueError(f"{path}: there is a header but no row")


def _row(row: int) -> str:
    return f"row {row + 1}"


def _kept(names: Collection[str], drop: Collection[str], path: Path) -> list[str]:
    """Return the columns that are not left out; one that is to be and is not there is an error."""
    for name in drop:
        if name not in names and name != "":
            raise ValueError(f"{path}: there is no column {name!r}; {did_you_mean(name, names)}")
    left = {UNNAMED if name == "" else name for name in drop}
    return [name for name in names if name not in left]


def _converted(
    table: Any, layout: TextLayout | None, is_text: Callable[[str], bool], path: Path
) -> Columns:
    """Return the columns as floats or text."""
    convert = arrow_files.as_plain if layout is None else _from_text
    columns: Columns = {}
    for name in table.column_names:
        try:
            columns[name] = convert(table.column(name), is_text(name)).to_numpy()
        except (pa.ArrowException, UnicodeDecodeError) as error:
            raise ValueError(
                f"{path}: column {name!r} holds {table.column(name).type}; "
                "expected numbers or text, so leave it out or convert it"
            ) from error
    if layout is not None and layout.separator != ",":
        columns |= _with_points(columns, is_text, path)
    return columns


def _with_points(columns: Columns, is_text: Callable[[str], bool], path: Path) -> Columns:
    """Return the columns whose numbers have decimal commas, as floats."""
    stated = {
        name: [entry if entry is None else entry.strip() for entry in column.tolist()]
        for name, column in columns.items()
        if column.dtype == object and not is_text(name)
    }
    with_commas = columns_with_commas(stated, str(path))
    if with_commas:
        note(f"{path}: its numbers have decimal commas")
    return {name: _floats(stated[name]) for name in with_commas}


def _floats(texts: list[str | None]) -> NDArray[Any]:
    points = [None if text is None else text.replace(",", ".") for text in texts]
    return pa.array(points).cast(pa.float64()).to_numpy(zero_copy_only=False)


def save(table: Mapping[str, NDArray[Any]], path: Path) -> None:
    """Write columns of floats or text to a file, floats to their last bit."""
    suffix = table_suffix(path, WRITTEN)
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path}: the folder {path.parent} does not exist; create it first")
    rows = pa.table(dict(table))
    if suffix == ".parquet":
        pa.parquet.write_table(rows, path)
        return
    options = pa.csv.WriteOptions(delimiter="\t" if suffix.startswith(".tsv") else ",")
    with pa.output_stream(path) as stream:  # compresses where the name ends in .gz
        pa.csv.write_csv(rows, stream, options)


def table_suffix(path: Path, suffixes: Collection[str]) -> str:
    """Return which of the suffixes the file's name ends in, or raise."""
    for suffix in suffixes:
        if path.name.lower().endswith(suffix):
            return suffix
    raise ValueError(f"{path}: expected a file name that ends in {', '.join(suffixes)}")


def _load_text(layout: TextLayout, drop: Collection[str], name_first: bool) -> Any:
    """Read every field as text."""
    names = list(layout.names)
    named = name_first or {"", UNNAMED} & set(drop)
    if names[0] == "" and UNNAMED not in names and named:
        names[0] = UNNAMED
    _check_names(names, layout.path)
    options = pa.csv.ReadOptions(
        use_threads=False,  # then errors tell the row
        block_size=text_tables.LONGEST_LINE,
        column_names=names,
    )
    table = pa.csv.read_csv(
        _source(layout),
        read_options=options,
        parse_options=pa.csv.ParseOptions(
            delimiter=layout.separator,
            newlines_in_values=True,
            # An empty line in a file of one column is a missing value.
            ignore_empty_lines=len(names) > 1,
        ),
        convert_options=pa.csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string())),
    )
    return table.slice(1) if layout.has_header else table


def _source(layout: TextLayout) -> Any:
    """Return what is read: the file, or its lines with single blanks."""
    if layout.separator != " ":
        return layout.path
    text = io.BytesIO()
    with closing(text_tables.opened(layout.path)) as stream:
        for line in text_tables.lines(stream):
            text.write(single_blanks(line).encode() + b"\n")
    text.seek(0)
    return text


def _check_names(names: list[str], path: Path) -> None:
    try:
        check_column_names(names)
    except ValueError as error:
        hint = ": drop=[''] (--drop '')" if names[:1] == [""] else ""
        raise ValueError(f"{path}: {error}{hint}") from None
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


# Tables in NumPy files: one matrix, or an array for each column.

DATA_IS_CALLED = ("data", "values", "x", "samples")
"""What the array of the values is called in an .npz file, in letters of any size."""


def load_array_table(path: Path) -> dict[str, NDArray[Any]]:
    """Return the columns of an .npy or .npz file.

    The values are a matrix of numbers, shape (n, d), the only one of the file or called
    "data", "values", "X" or "samples"; an array "columns" has the names. Without any matrix,
    each array of numbers is a column.
    """
    arrays = load_arrays(path, f"a {path.suffix} file")
    numbers = {
        name: array for name, array in arrays.items() if array.dtype.kind in "biuf" and array.size
    }
    matrices = {name: array for name, array in numbers.items() if array.ndim == 2}
    vectors = {name: array for name, array in numbers.items() if array.ndim == 1 and name}
    if not matrices and vectors:
        if len(set(map(len, vectors.values()))) > 1:
            sizes = ", ".join(f"{name!r} {len(array)}" for name, array in vectors.items())
            raise ValueError(f"{path}: expected columns of one length, got {sizes[:300]}")
        return {name: array.astype(float) for name, array in vectors.items()}
    values = pick(matrices, DATA_IS_CALLED, "the values, a row for each sample", str(path))
    check_columns(str(path), values.shape[1])
    names = names_in(arrays, values.shape[1]) or [f"x{step}" for step in range(values.shape[1])]
    matrix = np.asarray(values, dtype=float)
    if twice := [name for name, times in Counter(names).items() if times > 1]:
        raise ValueError(f"columns: {twice[0]!r} appears more than once; give each its own name")
    return {name: matrix[:, step] for step, name in enumerate(names)}


# Numbers with a decimal comma, in files whose fields are not separated by commas.

_WITH_COMMA = re.compile(r"[+-]?\d+(,\d+)?([eE][+-]?\d+)?", re.ASCII)
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}", re.ASCII)


def columns_with_commas(columns: Mapping[str, Sequence[str | None]], where: str) -> list[str]:
    """Return the columns whose numbers have a decimal comma, or raise if it may mean thousands.

    Parameters
    ----------
    columns : mapping of str to sequence of str
        The entries of the columns that are no numbers with a point; None is missing.
    where : str

    Examples
    --------
    >>> columns_with_commas({"a": ["1,5", "2"], "b": ["x", "1,5"]}, "t.csv")
    ['a']
    >>> columns_with_commas({"a": ["1,500", "2,250"]}, "t.csv")
    Traceback (most recent call last):
    ValueError: t.csv: column 'a' holds '1,500', where the comma may be a decimal one or ...
    """
    with_comma = {
        name: texts
        for name, entries in columns.items()
        if all(text is None or _WITH_COMMA.fullmatch(text) for text in entries)
        and (texts := [text for text in entries if text is not None and "," in text])
    }
    every = [text for texts in with_comma.values() for text in texts]
    if every and all(map(_THOUSANDS.fullmatch, every)):
        name, texts = next(iter(with_comma.items()))
        raise ValueError(
            f"{where}: column {name!r} holds {shown(texts[0])}, where the comma may be a decimal "
            "one or divide thousands; write the numbers with a point"
        )
    return list(with_comma)
