"""A process with the programs it started: their memory, and how to kill them all."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import psutil


def living_tree(process: psutil.Process) -> list[psutil.Process]:
    """Return a process and all it started, as far as they are alive; empty if it is not.

    Examples
    --------
    >>> psutil.Process() in living_tree(psutil.Process())
    True
    """
    if not is_alive(process):
        return []
    tree = [process]
    for member in tree:
        with contextlib.suppress(psutil.Error, OSError):
            tree.extend(_children(member))
    return tree


def resident_bytes(processes: Iterable[psutil.Process]) -> int:
    """Return how much memory some processes hold together.

    Examples
    --------
    >>> resident_bytes([psutil.Process()]) > 10**6
    True
    """
    total = 0
    for process in processes:
        with contextlib.suppress(psutil.Error):
            total += process.memory_info().rss
    return total


def is_alive(process: psutil.Process) -> bool:
    """Return whether a process is there and can still work: a zombie cannot.

    Examples
    --------
    >>> is_alive(psutil.Process())
    True
    """
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def kill_tree(process: psutil.Process, seen: Iterable[psutil.Process] = ()) -> None:
    """Kill a process and all it started, also those seen earlier that have lost their parent."""
    with contextlib.suppress(psutil.Error):
        process.suspend()  # so that it starts nothing more while we look
    for member in {*living_tree(process), *seen}:
        with contextlib.suppress(psutil.Error, OSError):
            _kill(member)


def _kill(member: psutil.Process) -> None:
    """Kill a process; if it leads a process group, the whole group."""
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
