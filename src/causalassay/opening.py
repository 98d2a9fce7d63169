"""The one way in which files of strangers are opened: regular files of a sane size.

What a reader took for granted is said as a `ReadingNote`, a warning: nothing is guessed in silence.

A pipe or a device such as ``/dev/zero`` would never end, and a text of gigabytes would fill the
memory, so both are refused before anything is read. Tables of data may be as large as the
memory allows.
"""

from __future__ import annotations

import stat
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MOST_TEXT = 32_000_000
"""Bytes of a graph or a network as text, such as a 0/1 matrix of 4000 nodes."""


class ReadingNote(UserWarning):
    """What a reader of files took for granted, and how to say otherwise."""


def note(text: str) -> None:
    """Say what was taken for granted; the command line prints it as a note."""
    warnings.warn(text, ReadingNote, stacklevel=2)


@contextmanager
def unsaid() -> Iterator[None]:
    """Keep what readers note to ourselves: somebody was told before, or nobody listens."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReadingNote)
        yield


def check_regular(path: Path, expected: str = "a file") -> int:
    """Return the size of a regular file in bytes, or raise.

    Parameters
    ----------
    path : Path
    expected : str
        What the file is to be, for the message.

    Examples
    --------
    >>> check_regular(Path("/dev/null"), "a study file (.toml)")
    Traceback (most recent call last):
    OSError: /dev/null is a device, expected a study file (.toml)
    """
    try:
        found = path.stat()
    except FileNotFoundError:
        raise FileNotFoundError(f"{path}: there is no such file") from None
    except ValueError as error:  # a NUL in the name
        raise FileNotFoundError(f"{str(path)!r}: there is no such file ({error})") from None
    except OSError as error:
        raise type(error)(f"{path}: cannot be read ({error.strerror})") from None
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(f"{path} is a folder, expected {expected}")
    if not stat.S_ISREG(found.st_mode):
        raise OSError(f"{path} is {_kind(found.st_mode)}, expected {expected}")
    return found.st_size


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
