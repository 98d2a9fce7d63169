"""Tables in Parquet, Feather and Arrow files, within the bounds of `causalassay.common.files`.

These files pack numbers so well that a few bytes can hold more than any memory, and their
tables of contents may lie. So all that pyarrow would unpack is added up before it reads: the
pages of a Parquet file by their headers, the buffers of the others by the sizes they begin with.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
from numpy.typing import NDArray
from pyarrow import compute

from causalassay.common.files import TooLarge, check_columns, check_unpacked, check_values
from causalassay.common.spelling import cut, visible

SUFFIXES = (".parquet", ".feather", ".arrow")

_FEATHER_1 = b"FEA1"
_END_OF_ARROW = 10
"""Bytes after the footer of an Arrow file: its size, and ARROW1."""

_DICTIONARY = 2
"""The number of a header of a message that holds a dictionary."""

_CONTINUATION = 0xFFFFFFFF
"""What a message begins with, unless it is older than Arrow 0.15."""

_THRIFT_INTEGERS = (4, 5, 6)
_DEEPEST = 10


def column_names(path: Path) -> list[str]:
    """Return the names of the columns, if there are not too many of them."""
    names = [str(name) for name in _schema(path).names]
    check_columns(str(path), len(names))
    for name in names:
        if name.startswith("__index_level_"):
            raise ValueError(
                f"{path}: column {name!r} is the saved index of a data frame; "
                "write the frame with index=False, or reset_index() to keep it as a column"
            )
    return names


def load(path: Path, names: Collection[str]) -> Any:
    """Return some columns of a file as a table of pyarrow.

    Parameters
    ----------
    path : Path
        Ends in one of `SUFFIXES`.
    names : collection of str
        The columns to read.
    """
    schema = _schema(path)
    for name in names:
        _check_flat(schema.field(name), path)
    _check_bounds(path, len(schema))
    if path.suffix.lower() == ".parquet":
        # Texts that repeat stay a dictionary until their bytes are added up.
        texts = [field.name for field in schema if _is_text(field.type)]
        table = pa.parquet.ParquetFile(path, read_dictionary=texts).read(list(names))
    else:
        table = pa.feather.read_table(path, list(names))
        table.validate(full=True)  # unlike Parquet's, its buffers are taken as they are
    chunks = (chunk for column in table.columns for chunk in column.chunks)
    check_unpacked(str(path), sum(map(_text_bytes, chunks)))
    return table


def as_plain(column: Any, as_text: bool) -> Any:
    """Turn a column into floats if it is numeric, else into text."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return as_plain(column.cast(kind.value_type), as_text)
    numeric = (
        pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_decimal(kind)
        or pa.types.is_null(kind)
    )
    return column.cast(pa.float64() if numeric and not as_text else pa.string(), safe=False)


def _schema(path: Path) -> Any:
    if path.suffix.lower() == ".parquet":
        return pa.parquet.read_schema(path)
    with path.open("rb") as file:
        is_old = file.read(4) == _FEATHER_1
    if is_old:  # without compression, so what it holds is on the disk
        return pa.feather.read_table(path, memory_map=True).schema
    with pa.memory_map(str(path)) as source:
        return pa.ipc.open_file(source).schema


def _check_bounds(path: Path, columns: int) -> None:
    """Raise if a file would unpack to more than is read."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        try:
            if path.suffix.lower() == ".parquet":
                _check_parquet(path, content)
            elif content[:4] == _FEATHER_1:
                table = pa.feather.read_table(path, memory_map=True)
                check_values(str(path), len(table) * columns, f"{len(table)} rows")
            else:
                _check_arrow(path, content, columns)
        except TooLarge:
            raise
        except (IndexError, KeyError, ValueError, OverflowError, struct.error) as error:
            reason = cut(visible(str(error) or type(error).__name__))
            raise ValueError(f"{path}: not a readable {path.suffix} file: {reason}") from None


def _check_flat(field: Any, path: Path) -> None:
    """Raise if a column holds lists or the like: they are no values, and may be of any size."""
    kind = field.type
    if isinstance(kind, pa.BaseExtensionType):
        kind = kind.storage_type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_nested(kind) or pa.types.is_fixed_size_binary(kind):
        raise ValueError(
            f"{path}: column {field.name!r} holds {field.type}; "
            "expected numbers or text, so leave it out or convert it"
        )


def _is_text(kind: Any) -> bool:
    return bool(
        pa.types.is_string(kind)
        or pa.types.is_large_string(kind)
        or pa.types.is_binary(kind)
        or pa.types.is_large_binary(kind)
    )


def _text_bytes(chunk: Any) -> int:
    """Return how many bytes the texts of an array have, each counted wherever it stands."""
    if pa.types.is_dictionary(chunk.type):
        positions = chunk.indices.drop_null().to_numpy(zero_copy_only=False)
        return int(_lengths(chunk.dictionary)[positions].sum())
    return int(_lengths(chunk).sum())


def _lengths(array: Any) -> NDArray[np.int64]:
    """Return the bytes of each text of an array; 0 if it holds numbers."""
    if pa.types.is_string_view(array.type) or pa.types.is_binary_view(array.type):
        # Each view, of 16 bytes, begins with its length; several may share what they show.
        views = np.frombuffer(array.buffers()[1], dtype="<i4").reshape(-1, 4)
        return views[array.offset : array.offset + len(array), 0].astype(np.int64)
    if not _is_text(array.type):
        return np.zeros(len(array), dtype=np.int64)
    lengths = compute.fill_null(compute.binary_length(array), 0)
    return lengths.to_numpy(zero_copy_only=False).astype(np.int64)


def _check_parquet(path: Path, content: mmap.mmap) -> None:
    """Raise if a Parquet file has too many values, or pages that unpack to too many bytes."""
    where, values, size = str(path), 0, 0
    contents = pa.parquet.read_metadata(path)
    for group in map(contents.row_group, range(contents.num_row_groups)):
        for chunk in map(group.column, range(group.num_columns)):
            values += max(chunk.num_values, group.num_rows)
            if chunk.num_values == 0:  # no page of it is read
                continue
            first = chunk.data_page_offset
            if chunk.has_dictionary_page and chunk.dictionary_page_offset > 0:
                first = min(first, chunk.dictionary_page_offset)
            for page in _pages(content, first, first + chunk.total_compressed_size):
                size += page
                check_unpacked(where, size)
    check_values(where, values, f"{contents.num_rows} rows, {contents.num_columns} columns")


def _pages(content: mmap.mmap, start: int, stop: int) -> Iterator[int]:
    """Yield the unpacked sizes of the pages between two places of a Parquet file."""
    while start < stop:
        sizes, body = _thrift_integers(content, start)
        unpacked, packed = sizes[2], sizes[3]  # as PageHeader numbers its fields
        if unpacked < 0 or packed < 0:
            raise ValueError("a page of negative size")
        yield unpacked
        start = body + packed


def _thrift_integers(content: mmap.mmap, at: int, depth: int = 0) -> tuple[dict[int, int], int]:
    """Return the integers of a struct in Thrift's compact protocol by field, and its end."""
    integers: dict[int, int] = {}
    field = 0
    if depth > _DEEPEST:
        raise ValueError("structs lie too deep inside each other")
    while head := content[at]:
        at += 1
        if head >> 4:
            field += head >> 4
        else:
            field, at = _integer(content, at)
        kind = head & 15
        if kind in _THRIFT_INTEGERS:
            integers[field], at = _integer(content, at)
        else:
            at = _after(content, at, kind, depth)
    return integers, at + 1


def _after(content: mmap.mmap, at: int, kind: int, depth: int) -> int:
    """Return the end of a value of a Thrift type that is of no interest."""
    match kind:
        case 1 | 2:  # true and false are told by the type
            return at
        case 3:
            return at + 1
        case 7:
            return at + 8
        case 8:
            size, at = _unsigned(content, at)
            return at + size
        case 12:
            return _thrift_integers(content, at, depth + 1)[1]
        case _:
            raise ValueError(f"a page header with a field of type {kind}")


def _unsigned(content: mmap.mmap, at: int) -> tuple[int, int]:
    value = shift = 0
    while shift < 64:
        value |= (content[at] & 127) << shift
        at += 1
        if content[at - 1] < 128:
            return value, at
        shift += 7
    raise ValueError("an integer of more than 64 bits")


def _integer(content: mmap.mmap, at: int) -> tuple[int, int]:
    zigzag, at = _unsigned(content, at)
    return (zigzag >> 1) ^ -(zigzag & 1), at


def _check_arrow(path: Path, content: mmap.mmap, columns: int) -> None:
    """Raise if an Arrow file has too many values, or buffers that unpack to too many bytes."""
    where, rows, size = str(path), 0, 0
    (footer_size,) = struct.unpack_from("<i", content, len(content) - _END_OF_ARROW)
    footer = _root(content, len(content) - _END_OF_ARROW - footer_size)
    for blocks in (2, 3):  # dictionaries and batches, as Footer numbers its fields
        for start, head_size in _structs(content, _field(content, footer, blocks), "<qi12x"):
            batch = _batch(content, start)
            if blocks == 3:
                at = _field(content, batch, 0)
                rows += max(struct.unpack_from("<q", content, at)[0], 0) if at else 0
                check_values(where, rows * columns, f"{rows} rows, {columns} columns")
            packed = bool(_field(content, batch, 3))
            for offset, length in _structs(content, _field(content, batch, 2), "<qq"):
                size += _buffer_size(content, start + head_size + offset, length, packed)
                check_unpacked(where, size)


def _buffer_size(content: mmap.mmap, at: int, length: int, packed: bool) -> int:
    """Return how many bytes a buffer has once it is unpacked; a packed one begins with them."""
    unpacked = struct.unpack_from("<q", content, at)[0] if packed and length else -1
    return length if unpacked == -1 else max(unpacked, 0)


def _batch(content: mmap.mmap, start: int) -> int:
    """Return the table RecordBatch of a message, which a dictionary has inside."""
    (mark,) = struct.unpack_from("<I", content, start)
    message = _root(content, start + (8 if mark == _CONTINUATION else 4))
    header = _field(content, message, 2)
    table = header + struct.unpack_from("<I", content, header)[0]
    if content[_field(content, message, 1)] == _DICTIONARY:
        inside = _field(content, table, 1)
        table = inside + struct.unpack_from("<I", content, inside)[0]
    return table


def _root(content: mmap.mmap, at: int) -> int:
    """Return the first table of a FlatBuffer."""
    return int(at + struct.unpack_from("<I", content, at)[0])


def _field(content: mmap.mmap, table: int, number: int) -> int:
    """Return where a field of a table of a FlatBuffer is; 0 if it is left out."""
    listing = table - struct.unpack_from("<i", content, table)[0]
    (size,) = struct.unpack_from("<H", content, listing)
    if 4 + 2 * number >= size:
        return 0
    (offset,) = struct.unpack_from("<H", content, listing + 4 + 2 * number)
    return int(table + offset) if offset else 0


def _structs(content: mmap.mmap, at: int, form: str) -> Iterator[tuple[Any, ...]]:
    """Yield the structs of a vector of a FlatBuffer, whose field may be left out."""
    if at:
        first = at + struct.unpack_from("<I", content, at)[0]
        (count,) = struct.unpack_from("<I", content, first)
        width = struct.calcsize(form)
        for step in range(count):
            yield struct.unpack_from(form, content, first + 4 + step * width)
