"""Files: how those of strangers are opened, and how ours are written whole or not at all.

Only regular files of a sane size are opened. A pipe or a device such as ``/dev/zero`` would never
end, and a text of gigabytes would fill the memory, so both are refused before anything is read. So
are tables and arrays beyond the bounds below, whatever their format: a file of a few bytes can
unpack to more than any memory. What a reader took for granted is said as a `ReadingNote`, a
warning: nothing is guessed in silence.
"""

from __future__ import annotations

import os
import shutil
import stat
import warnings
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

MOST_TEXT = 32_000_000
"""Bytes of a graph or a network as text, such as a 0/1 matrix of 4000 nodes."""

MOST_VALUES = 125_000_000
"""Rows times columns of a table or an array: 1 GB as numbers."""

BYTES_OF_A_VALUE = 20
"""As unpacked from a file: a number with all its digits, its sign and a separator."""

MOST_COLUMNS = 20_000
"""The most columns of a table: a graph has no more nodes either."""

VARIABLE = "CAUSALASSAY_MOST_VALUES"
"""The environment variable that takes the place of `MOST_VALUES`."""

_PIECE = 1 << 20
_PACKED_PIECE = 1 << 16


class ReadingNote(UserWarning):
    """What a reader of files took for granted, and how to say otherwise."""


class TooLarge(ValueError):
    """A file is beyond the bounds of what is read."""


def note(text: str) -> None:
    """Say what was taken for granted; the command line prints it as a note."""
    warnings.warn(text, ReadingNote, stacklevel=2)


@contextmanager
def unsaid() -> Iterator[None]:
    """Keep what readers note to ourselves: somebody was told before, or nobody listens."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReadingNote)
        yield


def as_path(path: str | os.PathLike[str], name: str = "path") -> Path:
    """Return text or a path as a `Path`, with the home folder in place of ``~``.

    Parameters
    ----------
    path : str or path-like
    name : str
        What the message calls it.

    Examples
    --------
    >>> as_path("data.csv").suffix
    '.csv'
    >>> as_path(3)
    Traceback (most recent call last):
    TypeError: path: expected the name of a file as text or a Path, got int
    """
    if not isinstance(path, str | os.PathLike):
        kind = type(path).__name__
        raise TypeError(f"{name}: expected the name of a file as text or a Path, got {kind}")
    return Path(path).expanduser() if str(path).startswith("~") else Path(path)


def check_regular(path: Path, expected: str = "a file") -> int:
    """Return the size of a regular file in bytes, or raise.

    Parameters
    ----------
    path : Path
        The file to look at.
    expected : str
        What the file is to be, for the message.

    Examples
    --------
    >>> check_regular(Path("/dev/null"), "a study file (.toml)")
    Traceback (most recent call last):
    OSError: /dev/null is a device, expected a study file (.toml)
    """
    try:
        status = path.stat()
    except FileNotFoundError:
        raise FileNotFoundError(f"{path}: there is no such file") from None
    except ValueError as error:  # a NUL in the name
        raise FileNotFoundError(f"{str(path)!r}: there is no such file ({error})") from None
    except OSError as error:
        raise type(error)(f"{path}: cannot be read ({error.strerror})") from None
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(f"{path} is a folder, expected {expected}")
    if not stat.S_ISREG(status.st_mode):
        raise OSError(f"{path} is {_kind(status.st_mode)}, expected {expected}")
    return status.st_size


def most_values() -> int:
    """Return how many values a table may have: as the environment says, or `MOST_VALUES`."""
    stated = os.environ.get(VARIABLE)
    if not stated:
        return MOST_VALUES
    try:
        most = int(float(stated))
    except (ValueError, OverflowError):
        most = 0
    if most < 1:
        raise ValueError(f"{VARIABLE}: expected a number of values such as 1e9, got {stated!r}")
    return most


def check_columns(where: str, count: int) -> None:
    """Raise if a table has too many columns."""
    if count > MOST_COLUMNS:
        raise TooLarge(
            f"{where}: {count} columns, expected at most {MOST_COLUMNS}, as many as a graph has "
            "nodes; save fewer columns"
        )


def check_values(where: str, count: int, shape: str) -> None:
    """Raise if a table has too many values.

    Examples
    --------
    >>> check_values("t.npy", 10**9, "shape (10**6, 999)")
    Traceback (most recent call last):
    causalassay.common.files.TooLarge: t.npy: at least 1000000000 values (shape (10**6, 999)), ...
    """
    if count > most_values():
        raise _beyond(where, f"at least {count} values ({shape})", f"{most_values()} values")


def check_unpacked(where: str, size: int) -> None:
    """Raise if a file has too many bytes once it is unpacked."""
    most = BYTES_OF_A_VALUE * most_values()
    if size > most:
        raise _beyond(where, f"at least {size} bytes once unpacked", f"{most} bytes")


def _beyond(where: str, came: str, most: str) -> TooLarge:
    return TooLarge(
        f"{where}: {came}, expected at most {most}; save fewer rows or columns, or set the "
        f"environment variable {VARIABLE} (now {most_values()}) if your memory holds them"
    )


def check_text_table(path: Path, columns: int) -> None:
    """Raise if a text, unpacked if its name ends in .gz, is beyond the bounds of a table.

    It is read in pieces that are counted and forgotten, so a bomb takes no memory.

    Parameters
    ----------
    path : Path
    columns : int
        As many as its header has. Each line counts as a row of them.
    """
    size = ends = returns = 0
    with path.open("rb") as file:
        for piece in _gunzipped(file) if is_packed(path) else iter(lambda: file.read(_PIECE), b""):
            size += len(piece)
            ends += piece.count(b"\n")
            returns += piece.count(b"\r")
            check_unpacked(str(path), size)
            rows = max(ends, returns) - 1
            check_values(str(path), rows * columns, f"{rows} rows, {columns} columns")


def is_packed(path: Path) -> bool:
    """Tell whether a text file is compressed, by its name: gzip is the only way we read."""
    return path.name.lower().endswith(".gz")


def _gunzipped(file: IO[bytes]) -> Iterator[bytes]:
    """Yield what a gzip file unpacks to; one that breaks off is for its reader to refuse."""
    packed = file.read(_PACKED_PIECE)
    while packed:
        member = zlib.decompressobj(wbits=31)
        while packed and not member.eof:
            yield member.decompress(packed, _PIECE)
            packed = member.unconsumed_tail or (member.unused_data if member.eof else b"")
            packed = packed or file.read(_PACKED_PIECE)
        packed = packed.lstrip(b"\0")  # between and after members, as gzip allows


def read_bytes(path: Path, expected: str, most: int = MOST_TEXT) -> bytes:
    """Return what a regular file of at most so many bytes holds, or raise."""
    size = check_regular(path, expected)
    if size > most:
        raise ValueError(
            f"{path} has {size} bytes, expected {expected} of at most {most}; is it the right file?"
        )
    try:
        with path.open("rb") as file:
            return file.read(most)
    except OSError as error:
        raise type(error)(f"{path}: cannot be read ({error.strerror})") from None


def read_text(path: Path, expected: str, most: int = MOST_TEXT) -> str:
    """Return the text of a regular file in UTF-8, with line feeds as line ends, or raise."""
    try:
        return as_text(read_bytes(path, expected, most))
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: not UTF-8 text ({error.reason}); save it as UTF-8") from error


def as_text(content: bytes) -> str:
    r"""Return UTF-8 as text with line feeds as line ends, without a byte order mark.

    Examples
    --------
    >>> as_text(b"\xef\xbb\xbfa\r\nb\rc")
    'a\nb\nc'
    """
    return content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")


def _kind(mode: int) -> str:
    if stat.S_ISFIFO(mode):
        return "a pipe"
    return "a socket" if stat.S_ISSOCK(mode) else "a device"


# Files and folders that are written whole or not at all.


@contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """Yield a path to write to; the file takes the target's place if nothing goes wrong.

    An error or Ctrl-C on the way leaves the file that was there, or none.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(Path(folder, "a.txt")) as partial:
    ...         _ = partial.write_text("all of it")
    ...     [file.name for file in Path(folder).iterdir()]
    ['a.txt']
    """
    partial = target.with_name(f".{target.name[:200]}.{os.getpid()}.partial")
    try:
        yield partial
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def write_text(target: Path, text: str) -> None:
    """Write a text file whole or not at all."""
    with replacing(target) as partial:
        partial.write_text(text, encoding="utf-8")


def check_target(path: Path | None, read: Iterable[Path] = ()) -> None:
    """Raise before the work begins if a file cannot be written there.

    Parameters
    ----------
    path : Path, or None
        None is nothing to write.
    read : iterable of Path
        Files that are read: none of them may be overwritten.

    Examples
    --------
    >>> check_target(Path("/"))
    Traceback (most recent call last):
    IsADirectoryError: / is a folder, expected the name of a file to write
    """
    if path is None:
        return
    folder = path.absolute().parent
    if not folder.is_dir():
        raise FileNotFoundError(f"{path}: the folder {path.parent} does not exist; create it first")
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder, expected the name of a file to write")
    if path.exists() and any(file.exists() and path.samefile(file) for file in read):
        raise ValueError(f"{path} is one of the files to read; write to another file")
    if not os.access(folder, os.W_OK):
        raise PermissionError(f"{path}: the folder {path.parent} cannot be written to")


def check_new_folder(target: Path) -> None:
    """Raise before the work begins if a new folder cannot be made there.

    Examples
    --------
    >>> check_new_folder(Path("/"))
    Traceback (most recent call last):
    FileExistsError: / is a folder with files in it; name a new one
    """
    if target.is_dir() and any(target.iterdir()):
        raise FileExistsError(f"{target} is a folder with files in it; name a new one")
    if target.exists() and not target.is_dir():
        raise FileExistsError(f"{target} is a file; name a new folder")
    if not target.absolute().parent.is_dir():
        raise FileNotFoundError(f"there is no folder {target.parent} to write {target.name} to")


@contextmanager
def filled_folder(target: Path) -> Iterator[Path]:
    """Yield a folder to fill, which gets its name once it is whole.

    An error or Ctrl-C on the way leaves no folder.
    """
    partial = target.absolute().with_name(f".{target.absolute().name}.{os.getpid()}.partial")
    partial.mkdir()
    try:
        yield partial
        partial.replace(target.absolute())
    finally:
        shutil.rmtree(partial, ignore_errors=True)
