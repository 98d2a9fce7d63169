"""A store that works on a local disk, with a copy where several machines can read it."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from causalassay.common.files import replacing
from causalassay.study.storage import running, schema
from causalassay.study.storage.opening import LOCK, take_lock
from causalassay.study.storage.refusals import StoreRefused, log_of, refuse_foreign

T = TypeVar("T")

COPY_EVERY = 10.0
"""Seconds between two copies, at least: the work of so long is lost when the machine is lost."""

LOCK_SECONDS = 120.0
"""How long a lock may be held by a machine that is gone: a file server forgets it later."""

_REST = 20.0
"""Copying takes at most one part in so many of the time."""


class WorkingCopy:
    """A folder on a local disk in which a store works, and its copy in another folder.

    SQLite's WAL mode, which loses nothing that was acknowledged when a process is killed, is not
    safe on a network file system. So the store works on a local disk, and the other folder gets
    a whole copy of it now and then and at the end, in one piece, which any machine can read. A
    run goes on from the copy. The copy takes no log, so it is safe on a network file system.

    Parameters
    ----------
    target : Path
        The results folder, which has the copy; made if there is none.
    disk : Path
        A folder on a local disk; the store works in a new folder in it.
    notify : callable
        Called with a sentence for the user.
    """

    def __init__(self, target: Path, disk: Path, notify: Callable[[str], None]) -> None:
        self._target = target
        self._disk = disk
        self._notify = notify
        self._stack = ExitStack()
        self._keep = False
        self._copied = time.monotonic()
        self._rest = 0.0  # the first at once: `status` and the like find it

    def __enter__(self) -> Self:
        if self._target.exists() and not self._target.is_dir():
            raise StoreRefused(f"{self._target} is a file; name a folder with --out")
        if not self._disk.is_dir():
            raise StoreRefused(f"--local-disk {self._disk} is not a folder; name one that exists")
        self._target.mkdir(parents=True, exist_ok=True)
        self._lock()
        try:
            self.folder = Path(tempfile.mkdtemp(prefix="causalassay-store-", dir=self._disk))
            self._stack.callback(self._remove)
            self._fetch()
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._stack:
            try:
                self._copy()
            except BaseException as failure:
                self._keep = True  # what is in the folder is nowhere else
                raise OSError(
                    f"the store could not be copied to {self._target} "
                    f"({failure or type(failure).__name__}). It is in {self.folder}: copy "
                    f"{schema.FILE} from there"
                ) from failure

    def refresh(self) -> None:
        """Copy the store if the last copy is old enough; the driver calls it as rows come."""
        if time.monotonic() - self._copied < self._rest:
            return
        try:
            self._copy()
        except (OSError, sqlite3.Error) as error:
            self._copied = time.monotonic()
            self._notify(f"the store could not be copied to {self._target} ({error}); tried again")

    def watching(self, watch: Callable[[T], None]) -> Callable[[T], None]:
        """Return what a driver calls with its progress: the given function, and `refresh`."""

        def watch_and_copy(progress: T) -> None:
            watch(progress)
            self.refresh()

        return watch_and_copy

    def _lock(self) -> None:
        try:
            try:
                lock = take_lock(self._target)
            except StoreRefused as refusal:
                self._notify(f"{refusal} Trying for {LOCK_SECONDS:.0f} s.")
                lock = take_lock(self._target, LOCK_SECONDS)
            self._stack.enter_context(lock)
        except OSError as error:  # not every file system that machines share has locks
            self._notify(
                f"{self._target / LOCK} cannot be locked ({error.strerror}): see that no other "
                "run of this study is under way"
            )

    def _remove(self) -> None:
        if not self._keep:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _fetch(self) -> None:
        """Put the copy of an earlier run into the folder."""
        file = self._target / schema.FILE
        for partial in self._target.glob(f".{schema.FILE}.*.partial"):
            partial.unlink(missing_ok=True)  # of a run whose machine was lost
        if not file.exists():
            return
        refuse_foreign(file)
        if log_of(file).exists():
            raise StoreRefused(
                f"{log_of(file)} has rows of a run without --local-disk that was killed, or that "
                "is at work. Finish that run first, without --local-disk and on the same machine."
            )
        shutil.copyfile(file, self.folder / schema.FILE)

    def _copy(self) -> None:
        file, begun = self.folder / schema.FILE, time.monotonic()
        if not file.exists():
            return
        with replacing(self._target / schema.FILE) as partial:
            source = sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True, timeout=30.0)
            with closing(source), closing(sqlite3.connect(partial)) as copy:
                copy.execute("PRAGMA synchronous = OFF")
                source.backup(copy)
                copy.execute("PRAGMA journal_mode = DELETE")  # a copy has no log beside it
            with partial.open("rb") as written:
                os.fsync(written.fileno())
        self._copy_running()
        self._copied = time.monotonic()
        self._rest = max(COPY_EVERY, _REST * (self._copied - begun))

    def _copy_running(self) -> None:
        """Let `status` see which tasks run, as far as their file could be copied."""
        file, copy = self.folder / running.FILE, self._target / running.FILE
        with contextlib.suppress(OSError):
            if file.exists():
                with replacing(copy) as partial:
                    shutil.copyfile(file, partial)
            else:
                copy.unlink(missing_ok=True)
