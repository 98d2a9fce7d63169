"""What a process and the programs it started hold in memory, and how to end them all."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import psutil


def family(process: psutil.Process) -> list[psutil.Process]:
    """Return a process and all it started, as far as they live; empty if it does not.

    Examples
    --------
    >>> psutil.Process() in family(psutil.Process())
    True
    """
    if not alive(process):
        return []
    found = [process]
    for member in found:
        with contextlib.suppress(psutil.Error, OSError):
            found.extend(_children(member))
    return found


def resident(processes: Iterable[psutil.Process]) -> int:
    """Return the bytes some processes hold in memory together.

    Examples
    --------
    >>> resident([psutil.Process()]) > 10**6
    True
    """
    total = 0
    for process in processes:
        with contextlib.suppress(psutil.Error):
            total += process.memory_info().rss
    return total


def alive(process: psutil.Process) -> bool:
    """Return whether a process is there and still works: a zombie does not.

    Examples
    --------
    >>> alive(psutil.Process())
    True
    """
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def end(process: psutil.Process, seen: Iterable[psutil.Process] = ()) -> None:
    """Kill a process and all it started, also those seen earlier that have lost their parent."""
    with contextlib.suppress(psutil.Error):
        process.suspend()  # so that it starts nothing more while we look
    for member in {*family(process), *seen}:
        with contextlib.suppress(psutil.Error, OSError):
            _kill(member)


def _kill(member: psutil.Process) -> None:
    """Kill a process; with the one that leads a group its whole group."""
    if member.is_running() and os.getpgid(member.pid) == member.pid:
        os.killpg(member.pid, signal.SIGKILL)
    else:
        member.kill()


def _children(process: psutil.Process) -> Iterator[psutil.Process]:
    """Yield the direct children of a process.

    Linux lists them in a file; psutil would read the whole process table, which
    takes a hundred times as long and is asked for many times a second.
    """
    lists = list(Path(f"/proc/{process.pid}/task").glob("*/children"))
    if not (sys.platform == "linux" and lists):
        yield from process.children()
        return
    for path in lists:
        for pid in path.read_text().split():
            with contextlib.suppress(psutil.Error):
                yield psutil.Process(int(pid))
