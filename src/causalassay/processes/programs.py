"""Programs that lead a process group: how they end, with all that they started."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator
from typing import Any


def guard_group(leader: int) -> subprocess.Popen[bytes]:
    """Start a shell that kills a process group once this process has ended, whatever ended it.

    It reads from a pipe that only we hold. Kill it where the group need not end any more.

    Parameters
    ----------
    leader : int
        The process that leads the group.
    """
    return subprocess.Popen(
        ["sh", "-c", 'read _; kill -s KILL -- "-$1"', "sh", str(leader)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


@contextlib.contextmanager
def killed_with_us(process: subprocess.Popen[Any]) -> Iterator[None]:
    """Kill a program, with all it started, if this process is killed meanwhile.

    Parameters
    ----------
    process : Popen
        Started with ``start_new_session=True``.
    """
    with guard_group(process.pid) as guard:
        try:
            yield
        finally:
            guard.kill()


def kill_group(process: subprocess.Popen[Any]) -> None:
    """End a program, and whatever it left running.

    Examples
    --------
    >>> started = subprocess.Popen(["sleep", "1000"], start_new_session=True)
    >>> kill_group(started)
    >>> started.returncode
    -9
    """
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
