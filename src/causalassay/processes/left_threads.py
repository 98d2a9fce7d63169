"""Which threads a task left in its process: those that a library keeps in a pool may stay.

OpenMP, BLAS, torch and CUDA start threads at their first operation and keep them for the next.
Such a thread runs no Python and rests between tasks. A thread that Python started, one that runs
Python, and one that goes on computing could disturb the next task.

What cannot be seen: a native thread that sleeps while it is looked at and has used no processor
between two tasks. On systems without ``/proc`` only threads of Python can be seen.
"""

from __future__ import annotations

import _thread
import contextlib
import os
import sys
import time
from collections.abc import Iterable
from typing import NamedTuple

BUSY_SHARE = 0.1
"""Of the time that passes: from which use of a processor on a thread is computing."""

LEAST_BUSY = 0.002
"""Seconds of computing between two tasks that are overlooked."""

SETTLE_SECONDS = 1.0
"""How long a thread may go on after a task: those of pools look for more work, up to 0.2 s."""

_WINDOW = 0.01


class LeftThreads:
    """The threads that tasks of this process have left; those that were there before may stay.

    Examples
    --------
    >>> threads = LeftThreads()
    >>> threads.of_python(), threads.native()
    (False, [])
    """

    def __init__(self) -> None:
        self._rested: dict[str, _Use] = {}
        self._rested_at = 0.0
        self.allow_all()

    def allow_all(self) -> None:
        """Let all threads stay that there are now: the import of a module started them."""
        self._allowed = frozenset(_thread_ids())
        self._n_of_python = _thread._count()
        self._n_with_frames = len(sys._current_frames())

    def of_python(self) -> bool:
        """Return whether more threads were started by Python, or run it, than may stay."""
        return (
            _thread._count() > self._n_of_python or len(sys._current_frames()) > self._n_with_frames
        )

    def native(self) -> list[str]:
        """Return the ids of the other threads that may not have been there before."""
        return [number for number in _thread_ids() if number not in self._allowed]

    def come_to_rest(self) -> bool:
        """Wait until the native threads that tasks left rest; False if one goes on computing."""
        until = time.monotonic() + SETTLE_SECONDS
        before, looked = _uses(self.native()), time.monotonic()
        while looked < until:
            time.sleep(_WINDOW)
            now, passed = _uses(self.native()), time.monotonic() - looked
            looked += passed
            if all(
                use.rests_since(before.get(thread), BUSY_SHARE * passed)
                for thread, use in now.items()
            ):
                self._rested, self._rested_at = now, looked
                return not self.of_python()  # one that had only just begun
            before = now
        return False

    def woke_up(self) -> bool:
        """Return whether one of them has computed since they came to rest."""
        if not self._rested:
            return False
        most = max(LEAST_BUSY, BUSY_SHARE * (time.monotonic() - self._rested_at))
        now = _uses(self._rested)
        return any(use.seconds - self._rested[thread].seconds > most for thread, use in now.items())


class _Use(NamedTuple):
    """What a thread does now, and how long it has computed."""

    runs: bool
    seconds: float

    def rests_since(self, before: _Use | None, most: float) -> bool:
        """Return whether it rests, and has computed no longer than that since."""
        return not self.runs and before is not None and self.seconds - before.seconds <= most


def _thread_ids() -> list[str]:
    # Not as a Path, which would take longer than the smallest tasks.
    try:
        return os.listdir("/proc/self/task")  # noqa: PTH208
    except OSError:
        return []


def _uses(threads: Iterable[str]) -> dict[str, _Use]:
    """Return the use of a processor by each thread, as far as it is there."""
    uses = {}
    for thread in threads:
        with contextlib.suppress(OSError, ValueError, IndexError):
            uses[thread] = _use(f"/proc/self/task/{thread}")
    return uses


def _use(folder: str) -> _Use:
    with open(f"{folder}/stat") as file:  # noqa: PTH123
        fields = file.read().rpartition(")")[2].split()
    try:
        with open(f"{folder}/schedstat") as file:  # noqa: PTH123
            seconds = 1e-9 * int(file.read().split()[0])
    except (OSError, ValueError, IndexError):  # otherwise the kernel counts in hundredths
        seconds = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return _Use(fields[0] == "R", seconds)
