"""What people could read in a file of any format that is accepted as data, unpacked.

Names hide in places that a search through the bytes of a file does not see: in compressed text,
in the names of an archive's members, in the dictionary of a column. What cannot be looked into is
refused.
"""

from __future__ import annotations

import codecs
import re
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
from pyarrow import feather, parquet

from causalassay.common.file_formats import read_array
from causalassay.common.spelling import cut, visible

MOST_UNPACKED = 1_000_000_000
"""Bytes that a file may unpack to, all levels together."""
DEEPEST = 4
"""Archives within archives that are opened."""
_CHUNK = 1 << 24
_OVERLAP = 1000
_READABLE = re.compile(rb"[ -~]{6,}")  # fewer letters in a row come about by chance
"""Characters of a line without end that are read again with those after them."""


_BYTES = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_fixed_size_binary)
_LISTS = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)


class NotLookedInto(ValueError):
    """A file of which nobody can tell what it says."""


@dataclass(frozen=True)
class Piece:
    """A part of what a file says.

    Parameters
    ----------
    text : str
    where : str
        Such as the column; empty for a file of plain text.
    first_line : int, optional
        The number of its first line, where lines count.
    """

    text: str
    where: str = ""
    first_line: int | None = None


def texts_in(path: Path) -> Iterator[Piece]:
    """Yield everything that a file says, also names of columns and members, and metadata.

    Raises
    ------
    NotLookedInto
        It is neither text nor in a format that is accepted as data, or it unpacks to too much.
    """
    with path.open("rb") as file:
        try:
            yield from _Unpacker().pieces(file, "", 0)
        except NotLookedInto:
            raise
        except Exception as error:  # a broken archive raises whatever its decoder does
            reason = cut(visible(str(error) or type(error).__name__))
            raise NotLookedInto(f"cannot be unpacked ({reason})") from None


class _Unpacker:
    """Unpacks one file; counts what came out of it."""

    def __init__(self) -> None:
        self._unpacked = 0

    def pieces(self, file: IO[bytes], where: str, depth: int) -> Iterator[Piece]:
        head = file.read(8)
        file.seek(0)
        if depth > DEEPEST:
            raise NotLookedInto(f"has archives in archives, more than {DEEPEST} deep")
        if head.startswith(b"\x1f\x8b"):
            yield from self._gzip(file, where, depth)
        elif head.startswith(b"PK"):
            yield from self._zip(file, where, depth)
        elif head.startswith(b"\x93NUMPY"):
            yield from _array_file(file, where)
            yield from _readable_bytes(file, where)
        elif head.startswith((b"PAR1", b"ARROW1", b"FEA1")):
            yield from _table(file, where, head)
            yield from _readable_bytes(file, where)
        else:
            yield from _lines(file, where)

    def _gzip(self, file: IO[bytes], where: str, depth: int) -> Iterator[Piece]:
        """Yield the heads of a gzip file's members, which may hold names, and what is in them."""
        waiting = file.read(_CHUNK)
        with tempfile.TemporaryFile() as target:
            while waiting.strip(b"\0"):  # zeros may follow the last member
                if not waiting.startswith(b"\x1f\x8b"):
                    raise NotLookedInto("has other bytes after what gzip packed")
                yield Piece(_gzip_head(waiting), f"{where}, head of the gzip file")
                waiting = self._gzip_member(waiting, file, target)
            target.seek(0)
            yield from self.pieces(target, f"{where}, unpacked", depth + 1)

    def _gzip_member(self, waiting: bytes, file: IO[bytes], target: IO[bytes]) -> bytes:
        """Unpack a member of a gzip file and return the bytes after it."""
        member = zlib.decompressobj(16 + zlib.MAX_WBITS)
        while not member.eof:
            part = member.decompress(waiting, _CHUNK)
            self._write(target, part)
            waiting = member.unconsumed_tail
            if not waiting and len(part) < _CHUNK and not member.eof:
                waiting = file.read(_CHUNK)
                if not waiting:
                    raise NotLookedInto("breaks off")
        return member.unused_data + file.read(_CHUNK)

    def _zip(self, file: IO[bytes], where: str, depth: int) -> Iterator[Piece]:
        with zipfile.ZipFile(file) as archive:
            yield Piece(_decoded(archive.comment), f"{where}, comment of the archive")
            for info in archive.infolist():
                inside = f"{where}, {info.filename}"
                said = (info.filename.encode(), info.comment, info.extra)
                yield Piece("\n".join(map(_decoded, said)), f"{where}, a name in the archive")
                with archive.open(info) as member, tempfile.TemporaryFile() as target:
                    while part := member.read(_CHUNK):
                        self._write(target, part)
                    target.seek(0)
                    yield from self.pieces(target, inside, depth + 1)

    def _write(self, target: IO[bytes], part: bytes) -> None:
        self._unpacked += len(part)
        if self._unpacked > MOST_UNPACKED:
            raise NotLookedInto(f"unpacks to more than {MOST_UNPACKED} bytes")
        target.write(part)


def _decoded(content: bytes) -> str:
    return content.decode("utf-8", "replace")


def _gzip_head(content: bytes) -> str:
    """Return the extra field, name and comment in the head of a gzip member (RFC 1952, 2.3)."""
    flags, place = content[3], 10
    parts = []
    if flags & 4:
        (length,) = struct.unpack_from("<H", content, place)
        parts.append(content[place + 2 : place + 2 + length])
        place += 2 + length
    for flag in (8, 16):
        if flags & flag:
            end = content.index(b"\0", place)
            parts.append(content[place:end])
            place = end + 1
    return "\n".join(part.decode("latin-1") for part in parts)


def _lines(file: IO[bytes], where: str) -> Iterator[Piece]:
    """Yield a text in pieces of whole lines; a very long line overlaps with the piece before."""
    decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
    waiting, line = "", 1
    while part := file.read(_CHUNK):
        if b"\0" in part:
            raise NotLookedInto("is neither text nor in a format that is accepted as data")
        waiting += decoder.decode(part)
        whole = waiting.rpartition("\n")[0]
        if whole:
            yield Piece(whole, where, line)
            line += whole.count("\n") + 1
            waiting = waiting[len(whole) + 1 :]
        elif len(waiting) > _CHUNK:
            yield Piece(waiting, where, line)
            waiting = waiting[-_OVERLAP:]
    yield Piece(waiting, where, line)


def _readable_bytes(file: IO[bytes], where: str) -> Iterator[Piece]:
    """Yield what can be read among the bytes: texts stored as numbers, or between the parts."""
    file.seek(0)
    before = b""
    while part := file.read(_CHUNK):
        yield Piece("\n".join(run.decode() for run in _READABLE.findall(before + part)), where)
        before = part[-_OVERLAP:]


def _array_file(file: IO[bytes], where: str) -> Iterator[Piece]:
    size = file.seek(0, 2)
    file.seek(0)
    array = read_array(file, size, where)
    if array.dtype.kind in "US":
        texts = array.ravel().tolist()
        yield Piece("\n".join(_decoded(t) if isinstance(t, bytes) else t for t in texts), where)
    rest = file.read()
    if rest:
        raise NotLookedInto("has other bytes after its array")


def _table(file: IO[bytes], where: str, head: bytes) -> Iterator[Piece]:
    """Yield what a Parquet, Feather or Arrow file says."""
    if head.startswith(b"FEA1"):
        table = feather.read_table(file)
        yield from _schema(table.schema, where)
        yield from _columns(table.to_batches(), where)
    elif head.startswith(b"ARROW1"):
        with pa.ipc.open_file(file) as stored:
            yield from _schema(stored.schema, where)
            for number in range(stored.num_record_batches):
                batch, about = stored.get_batch_with_custom_metadata(number)
                yield from _metadata(dict(about or {}), where)
                yield from _columns([batch], where)
    else:
        with parquet.ParquetFile(file) as plain:
            texts = [plain.schema.column(n).path for n in range(len(plain.schema))]
            about = plain.metadata
        size = sum(
            about.row_group(number).total_byte_size for number in range(about.num_row_groups)
        )
        if size > MOST_UNPACKED:
            raise NotLookedInto(f"unpacks to more than {MOST_UNPACKED} bytes")
        yield Piece(str(about.created_by), f"{where}, metadata")
        yield from _metadata(about.metadata, where)
        file.seek(0)
        # As dictionaries: a dictionary may have words that no row uses.
        with parquet.ParquetFile(file, read_dictionary=texts) as stored:
            yield from _schema(stored.schema_arrow, where)
            yield from _columns(stored.iter_batches(), where)


def _metadata(about: Mapping[bytes, bytes] | None, where: str) -> Iterator[Piece]:
    for name, value in (about or {}).items():
        yield Piece(f"{_decoded(name)}\n{_decoded(value)}", f"{where}, metadata")


def _schema(schema: pa.Schema, where: str) -> Iterator[Piece]:
    yield from _metadata(schema.metadata, where)
    waiting = list(schema)
    while waiting:
        field = waiting.pop()
        yield Piece(field.name, f"{where}, the name of a column")
        yield from _metadata(field.metadata, where)
        waiting += [field.type.field(number) for number in range(field.type.num_fields)]


def _columns(batches: Iterable[pa.RecordBatch], where: str) -> Iterator[Piece]:
    for batch in batches:
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            for text in _words(column):
                yield Piece(text, f"{where}, column {cut(visible(name))!r}")


def _words(array: Any) -> Iterator[str]:
    """Yield the texts in a column, also of parts of its values, and words that no row uses."""
    kind = array.type
    if isinstance(array, pa.ExtensionArray):
        yield from _words(array.storage)
    elif pa.types.is_dictionary(kind):
        yield from _words(array.dictionary)
    elif pa.types.is_string(kind) or pa.types.is_large_string(kind):
        yield "\n".join(word for word in array.unique().to_pylist() if word)
    elif any(is_bytes(kind) for is_bytes in _BYTES):
        yield "\n".join(_decoded(word) for word in array.unique().to_pylist() if word)
    elif pa.types.is_struct(kind):
        for number in range(kind.num_fields):
            yield from _words(array.field(number))
    elif pa.types.is_map(kind):
        yield from _words(array.keys)
        yield from _words(array.items)
    elif any(is_list(kind) for is_list in _LISTS):
        yield from _words(array.values)
    elif not (pa.types.is_primitive(kind) or pa.types.is_null(kind) or pa.types.is_decimal(kind)):
        raise NotLookedInto(f"has a column of {kind}")
