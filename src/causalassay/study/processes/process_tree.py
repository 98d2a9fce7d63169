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
            tree.extend(children_of(member))
    return tree


def holds_more(processes: Iterable[psutil.Process], limit: int) -> bool:
    """Return whether some processes together hold more bytes of memory than a limit.

    Pages that several processes share, such as those of a parent and the children it
    forked, count once.

    Examples
    --------
    >>> holds_more([psutil.Process()], 10**6), holds_more([psutil.Process()], 10**15)
    (True, False)
    """
    processes = list(processes)
    # The sum of the resident bytes is never less, and read a hundred times as fast.
    if sum(map(_resident_bytes, processes)) <= limit:
        return False
    return sum(map(_proportional_bytes, processes)) > limit


def _resident_bytes(process: psutil.Process) -> int:
    with contextlib.suppress(psutil.Error):
        return int(process.memory_info().rss)
    return 0


def _proportional_bytes(process: psutil.Process) -> int:
    """Return the memory of a process, each page divided by the number of those that share it."""
    try:
        lines = Path(f"/proc/{process.pid}/smaps_rollup").read_text().splitlines()
        return next(1024 * int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    except (OSError, StopIteration):
        return _resident_bytes(process)


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


def continue_if_stopped(process: psutil.Process) -> None:
    """Let a process go on that somebody has stopped, as an algorithm can with its worker.

    It could keep no limit of time while it stands still.

    Examples
    --------
    >>> continue_if_stopped(psutil.Process())
    """
    with contextlib.suppress(psutil.Error):
        if process.status() == psutil.STATUS_STOPPED:
            process.resume()


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


def children_of(process: psutil.Process) -> Iterator[psutil.Process]:
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
