"""What processes share and leave behind: folders for files, and files without a name.

Nothing that processes need to find each other has a path: whoever cleans the folder of temporary
files while a study runs, or fills it, takes nothing away that the study cannot make again.
"""

from __future__ import annotations

import contextlib
import fcntl
import mmap
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.reduction import DupFd
from pathlib import Path
from typing import Any

_PREFIX = "causalassay-scratch-"
_OWNER = "owner"
_ENOUGH = 2**16
"""Bytes that a folder for temporary files must have room for."""


@contextlib.contextmanager
def scratch_folder(parent: Path | None = None) -> Iterator[Path]:
    """Yield an empty folder, removed at the end; first remove those whose owners are dead.

    The owner holds a lock on a file in it, which the kernel releases when the process ends.
    Folders from `folder_beside` have its name and an ending, and go with it.

    Parameters
    ----------
    parent : Path, optional
        Where it is to be; by default where temporary files go.

    Examples
    --------
    >>> with scratch_folder() as folder:
    ...     beside = folder_beside(folder)
    ...     folder.is_dir(), beside.is_dir()
    (True, True)
    >>> folder.exists(), beside.exists()
    (False, False)
    """
    parent = Path(tempfile.gettempdir()) if parent is None else parent
    _remove_leftovers(parent)
    # Under another name until it is locked, so that no other process takes it for a leftover.
    draft = Path(tempfile.mkdtemp(prefix="causalassay-", dir=parent))
    with (draft / _OWNER).open("w") as owner:
        fcntl.flock(owner, fcntl.LOCK_EX)
        folder = draft.rename(draft.with_name(f"{_PREFIX}{os.getpid()}_{draft.name[-8:]}"))
        try:
            yield folder
        finally:
            for path in (folder, *parent.glob(f"{folder.name}-*")):
                shutil.rmtree(path, ignore_errors=True)


def folder_beside(folder: Path) -> Path:
    """Return a new folder beside a scratch folder: one process does not see another's.

    Raises
    ------
    OSError
        If there is no room.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)  # somebody may have removed it
    return Path(tempfile.mkdtemp(prefix=f"{folder.name}-", dir=folder.parent))


# The scratch folder of a task: unlike those for temporary files it survives an interruption.

SCRATCH = "CAUSALASSAY_SCRATCH"
"""The environment variable that names it, to the process of an algorithm and what that starts."""

_PROGRESS = "progress"
_LONGEST_PROGRESS = 200
"""Bytes of a report of progress."""

_REPORT_EVERY = 0.2
_reported = {"at": 0.0}


@dataclass(frozen=True)
class Progress:
    """What an algorithm reported of its progress.

    Parameters
    ----------
    text : str
    at : float
        When: seconds since 1970.
    """

    text: str
    at: float


def begin_task(folder: str) -> None:
    """Let a folder be the scratch folder from now on; empty for none. It is made on first use."""
    _reported["at"] = 0.0
    if folder:
        os.environ[SCRATCH] = folder
    else:
        os.environ.pop(SCRATCH, None)


def task_scratch() -> Path | None:
    """Return the scratch folder of the present task, made now; None where there is none."""
    stated = os.environ.get(SCRATCH)
    if not stated:
        return None
    folder = Path(stated)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def report_progress(text: str) -> None:
    """Write how far the present task is, a few times a second at most, where `status` reads it."""
    now = time.monotonic()
    if SCRATCH not in os.environ or now - _reported["at"] < _REPORT_EVERY:
        return
    _reported["at"] = now
    # What nobody can read is no reason to fail.
    with contextlib.suppress(OSError):
        folder = task_scratch()
        if folder is not None:
            partial = folder / f".{_PROGRESS}-{os.getpid()}"
            partial.write_bytes(text.encode(errors="backslashreplace")[:_LONGEST_PROGRESS])
            partial.replace(folder / _PROGRESS)


def read_progress(folder: Path) -> Progress | None:
    """Return what the algorithm of a task reported last; None if it is nothing that can be read.

    Parameters
    ----------
    folder : Path
        Of its scratch. What is there was written by a stranger: a device is not opened.
    """
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        handle = os.open(folder / _PROGRESS, flags)
    except OSError:
        return None
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            return None
        text = os.read(handle, _LONGEST_PROGRESS).decode(errors="replace")
        return Progress(text.strip(), status.st_mtime)
    except OSError:
        return None
    finally:
        os.close(handle)


def trouble_in(folder: Path) -> str:
    """Return why no temporary file can be written in a folder; empty if one can.

    Examples
    --------
    >>> trouble_in(Path(tempfile.gettempdir())), trouble_in(Path("/no/such/folder"))
    ('', 'No such file or directory')
    """
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(_ENOUGH))
            file.flush()
    except OSError as error:
        return error.strerror or str(error)
    return ""


class NamelessFile:
    """A file without a name, which a process can be given at its start.

    Parameters
    ----------
    parts : iterable of bytes
        What it holds.
    handle : int, optional
        Of one that there is.

    Examples
    --------
    >>> with NamelessFile([b"some", b"thing"]).mapped() as memory:
    ...     memory[:]
    b'something'
    """

    def __init__(self, parts: Iterable[bytes | memoryview] = (), handle: int | None = None) -> None:
        self.handle = _new_handle() if handle is None else handle
        if handle is None:
            with open(self.handle, "wb", closefd=False) as file:  # noqa: PTH123  it has no path
                file.writelines(parts)

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Let go of it; what is mapped stays."""
        handle, self.handle = getattr(self, "handle", -1), -1
        if handle >= 0:
            os.close(handle)

    def __reduce__(self) -> tuple[Callable[[Any], NamelessFile], tuple[Any]]:
        return _received, (DupFd(self.handle),)

    @property
    def id(self) -> tuple[int, int]:
        """Its device and its inode."""
        status = os.fstat(self.handle)
        return status.st_dev, status.st_ino

    def mapped(self) -> mmap.mmap:
        """Return its content as memory that all who have it share."""
        return mmap.mmap(self.handle, 0)


def _received(handle: Any) -> NamelessFile:
    return NamelessFile(handle=handle.detach())


def _new_handle() -> int:
    if hasattr(os, "memfd_create"):
        return os.memfd_create("causalassay", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def _remove_leftovers(parent: Path) -> None:
    """Remove the folders whose owner is not alive; those of other users stay."""
    for path in parent.glob(f"{_PREFIX}*"):
        owner = path.name.removeprefix(_PREFIX).split("-")[0]
        if not _has_owner(parent / f"{_PREFIX}{owner}"):
            shutil.rmtree(path, ignore_errors=True)


def _has_owner(folder: Path) -> bool:
    try:
        with (folder / _OWNER).open("r+") as owner:
            fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:  # it is locked, or another user's
        return True
    return False
