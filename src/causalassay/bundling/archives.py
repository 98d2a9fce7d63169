"""Zip archives of a bundle: the same contents give the same bytes, and none is a trap to open."""

from __future__ import annotations

import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

_EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The time of every file in an archive: the same files give the same archive."""

MOST_FILE = 100_000_000
"""Bytes of a file in an archive, unpacked."""

# The records at the end of an archive (PKWARE's APPNOTE, 4.3.14 to 4.3.16).
_END, _END_64, _LOCATOR = (
    struct.Struct("<4s4H2LH"),
    struct.Struct("<4sQ2H2L4Q"),
    struct.Struct("<4sLQL"),
)
_ENTRY_BYTES = 400
"""Bytes that an entry of the list at the end may have: most have 46 and a name."""


def write_archive(target: Path, contents: Mapping[str, bytes]) -> None:
    """Write a zip archive; the same contents give the same bytes."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            entry = zipfile.ZipInfo(name, _EARLIEST)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)


def read_archive(path: Path, most_files: int, most_bytes: int) -> Iterator[tuple[str, bytes]]:
    """Yield the files of an archive as `write_archive` writes it: name and content.

    Raises
    ------
    ValueError
        It is broken, has more than that, or a file in it would be written elsewhere or is none.
    """
    try:
        _refuse_long_list(path, most_files)
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            _refuse_entries(path.name, entries, most_bytes)
            for entry in entries:
                with archive.open(entry) as file:
                    content = file.read(entry.file_size + 1)
                if len(content) != entry.file_size:
                    raise ValueError(f"{path.name}: {entry.filename!r} is longer than it says")
                yield entry.filename, content
    except (zipfile.BadZipFile, zlib.error, RuntimeError, EOFError, struct.error) as error:
        raise ValueError(f"{path.name} is no archive that can be read ({error})") from None


def _refuse_long_list(path: Path, most_files: int) -> None:
    """Refuse an archive by the size of its list of files, before that is read into memory."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - _LOCATOR.size - _END.size))
        tail = file.read()
        end = _END.unpack(tail[-_END.size :])
        if end[0] != b"PK\5\6" or end[7]:
            raise ValueError(f"{path.name} does not end as an archive of a bundle does")
        listed = end[5]
        locator = _LOCATOR.unpack(tail[: _LOCATOR.size]) if len(tail) > _END.size else (b"",)
        if locator[0] == b"PK\6\7":
            file.seek(locator[2])
            listed = _END_64.unpack(file.read(_END_64.size))[8]
    if listed > most_files * _ENTRY_BYTES:
        raise ValueError(f"{path.name} lists more than the {most_files} files it can have")


def _refuse_entries(name: str, entries: list[zipfile.ZipInfo], most_bytes: int) -> None:
    total = sum(entry.file_size for entry in entries)
    if total > most_bytes:
        raise ValueError(f"{name} unpacks to {total} bytes, expected at most {most_bytes}")
    for entry in entries:
        if entry.file_size > MOST_FILE:
            raise ValueError(f"{name} has {entry.filename!r} of more than {MOST_FILE} bytes")
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ValueError(f"{name} has {entry.filename!r}, which is packed in an unusual way")
        parts = PurePosixPath(entry.filename).parts
        outside = ".." in parts or entry.filename.startswith("/") or "\\" in entry.filename
        if outside or not parts or ":" in parts[0]:
            raise ValueError(f"{name} has {entry.filename!r}, which leads out of the folder")
        if stat.S_IFMT(entry.external_attr >> 16) not in (0, stat.S_IFREG) or entry.is_dir():
            raise ValueError(f"{name} has {entry.filename!r}, which is no plain file")
    if len({entry.filename for entry in entries}) < len(entries):
        raise ValueError(f"{name} has a file twice")
