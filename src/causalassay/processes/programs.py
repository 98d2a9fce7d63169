"""A program that leads a process group: how it ends, with all that it started."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def killed_with_us(process: subprocess.Popen[Any]) -> Iterator[None]:
    """Kill a program, with all it started, if this process is killed meanwhile.

    A shell reads from a pipe that only we hold; it ends when we do, whatever the cause.

    Parameters
    ----------
    process : Popen
        Started with ``start_new_session=True``.
    """
    words = ["sh", "-c", 'read _; kill -s KILL -- "-$1"', "sh", str(process.pid)]
    with subprocess.Popen(
        words,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as guard:
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
