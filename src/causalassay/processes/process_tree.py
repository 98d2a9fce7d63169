"""A process with the programs it started: their memory, how to kill them all, whose end ends it."""

from __future__ import annotations

import contextlib
import ctypes
import io
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Container, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

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


FileId = tuple[int, int]
"""The device and the inode of a file."""


def holds_more(
    processes: Iterable[psutil.Process], limit: int, given: FileId | None = None
) -> bool:
    """Return whether some processes together hold more bytes of memory than a limit.

    Pages that several processes share, such as those of a parent and the children it
    forked, count once. Files without a name that are in memory count, too, if a process has
    them open, mapped or not.

    Parameters
    ----------
    processes : iterable of Process
    limit : int
    given : (int, int), optional
        A file in memory that is not theirs, and does not count.

    Examples
    --------
    >>> holds_more([psutil.Process()], 10**6), holds_more([psutil.Process()], 10**15)
    (True, False)
    """
    processes = list(processes)
    files = dict(file for process in processes for file in _files_in_memory(process.pid))
    # The sum of the resident bytes is never less, and read a hundred times as fast.
    if sum(map(_resident_bytes, processes)) + sum(files.values()) <= limit:
        return False
    mapped = sum(_proportional_bytes(process, files) for process in processes)
    return mapped + sum(size for file, size in files.items() if file != given) > limit


def _files_in_memory(pid: int) -> Iterator[tuple[FileId, int]]:
    """Yield the files without a name, and the bytes they take, that a process has open."""
    # Not as Paths, which would take five times as long: this is done many times a second.
    folder = f"/proc/{pid}/fd/"
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):  # noqa: PTH208
            with contextlib.suppress(OSError):  # it may just have been closed
                target = os.readlink(folder + name)  # noqa: PTH115
                if not target.endswith(_NAMELESS):
                    continue
                status = os.stat(folder + name)  # noqa: PTH116
                if target.startswith("/memfd:") or status.st_dev in _devices_in_memory():
                    yield (status.st_dev, status.st_ino), 512 * status.st_blocks


_NAMELESS = " (deleted)"


@cache
def _devices_in_memory() -> frozenset[int]:
    """Return the file systems here whose files are in memory, such as /dev/shm."""
    devices = set()
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/mountinfo").read_text().splitlines():
            before, after = line.split(" - ")
            if after.split()[0] == "tmpfs":
                devices.add(os.makedev(*map(int, before.split()[2].split(":"))))
    return frozenset(devices)


def _resident_bytes(process: psutil.Process) -> int:
    with contextlib.suppress(psutil.Error):
        return int(process.memory_info().rss)
    return 0


def _proportional_bytes(process: psutil.Process, without: Container[FileId]) -> int:
    """Return the memory of a process, each page divided by the number of those that share it.

    Pages of some files do not count.
    """
    # The first is much shorter, but of all pages together.
    name = "smaps" if without else "smaps_rollup"
    try:
        total, counts = 0, True
        for line in Path(f"/proc/{process.pid}/{name}").read_text(errors="replace").splitlines():
            if line.startswith("Pss:"):
                total += counts * 1024 * int(line.split()[1])
            elif match := _MAPPING.match(line):
                major, minor, inode = match.groups()
                counts = (os.makedev(int(major, 16), int(minor, 16)), int(inode)) not in without
    except OSError:
        return _resident_bytes(process)
    return total


_MAPPING = re.compile("[0-9a-f]+-[0-9a-f]+ \\S+ [0-9a-f]+ ([0-9a-f]+):([0-9a-f]+) ([0-9]+)")
"""The line of /proc/PID/smaps that begins a mapping, with the device and the inode of its file."""


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


# Who ends with whom.

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def end_with(parent: int) -> None:
    """Let this process be killed when its parent ends, also while C code holds the interpreter.

    On Linux the signal comes when the *thread* that started this process ends.
    """
    if sys.platform == "linux":
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    else:
        threading.Thread(target=_exit_after, args=(parent,), daemon=True).start()
    if os.getppid() != parent:
        os._exit(1)


def adopt_orphans() -> None:
    """Become the parent of every process below this one whose own parent ends.

    Without it a program that a process left behind belongs to nobody, and outlives the study.
    """
    if sys.platform == "linux":
        _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def lead_a_session() -> None:
    """Leave the terminal and the process group, so that signals to either stay there."""
    with contextlib.suppress(OSError):  # it leads one already
        os.setsid()


def be_killed_first() -> None:
    """When the machine runs out of memory, let the kernel kill this process, not the driver."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


def silence() -> None:
    """Read nothing and print nothing from now on."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    os.close(nowhere)


def print_into(handle: int) -> None:
    """Print into a file or a pipe from now on, line by line: a killed process flushes nothing.

    What C code and programs print goes there, too.

    Parameters
    ----------
    handle : int
        Of what is printed into; closed here.
    """
    for number, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(handle, number)
        # Not `reconfigure`, which asks where in the file it is: a pipe has no place.
        file = io.FileIO(number, "w", closefd=False)
        text = io.TextIOWrapper(
            io.BufferedWriter(file), "utf-8", "backslashreplace", line_buffering=True
        )
        setattr(sys, name, text)
    os.close(handle)
    c_library = ctypes.CDLL(None)
    with contextlib.suppress(ValueError):  # it may call its streams something else
        stdout = ctypes.c_void_p.in_dll(c_library, "stdout")
        c_library.setvbuf(stdout, None, _LINE_BUFFERED, 0)


_LINE_BUFFERED = 1


def flush_printed() -> None:
    """Let go of what this process has printed and still holds."""
    for file in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):  # an algorithm may have put anything in its place
            file.flush()
    _flush_of_c()(None)


@cache
def _flush_of_c() -> Callable[[None], int]:
    flush: Callable[[None], int] = ctypes.CDLL(None).fflush
    return flush


def _prctl(option: int, value: int) -> None:
    ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _exit_after(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)


# Programs that lead a process group: how they end, with all that they started.


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
