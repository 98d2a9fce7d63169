"""Files and folders that are written whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path


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
    if path.exists() and any(one.exists() and path.samefile(one) for one in read):
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
