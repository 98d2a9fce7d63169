"""What a process of the pool does at its start, and around each piece of work."""

from __future__ import annotations

import contextlib
import ctypes
import os
import pickle
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from causalassay.study.processes.executor import Loss

_PR_SET_PDEATHSIG = 1

SETUP = "setup.pickle"

_failure: list[str] = []
_folder: list[Path] = []


def initialize(parent: int, folder: Path) -> None:
    """Make this process one that can be killed at any time and leaves nothing; then set it up.

    Parameters
    ----------
    parent : int
        The process whose end ends this one.
    folder : Path
        The pool's. Its file `SETUP` is a pickled function with its arguments, called
        once; what it raises is kept for `report_start`. Temporary files go into a folder within.
    """
    _end_with(parent)
    _leave_the_terminal()
    with contextlib.suppress(OSError):
        # When the machine runs out of memory, the kernel is to kill a worker, not the driver.
        Path("/proc/self/oom_score_adj").write_text("1000")
    _folder.append(folder)
    try:
        own = own_folder(folder, os.getpid())
        own.mkdir(exist_ok=True)
        tempfile.tempdir = os.environ["TMPDIR"] = str(own)
        function, arguments = pickle.loads((folder / SETUP).read_bytes())
        function(*arguments)
    except BaseException as error:
        _failure.append(f"{type(error).__name__}: {error}")


def own_folder(folder: Path, pid: int) -> Path:
    """Return where a process of the pool keeps its temporary files."""
    return folder / str(pid)


def pool_folder() -> Path:
    """Return the folder that this process shares with the others of its pool."""
    return _folder[-1]


def report_start() -> tuple[int, str]:
    """Return the process id, and what went wrong at the start, if anything."""
    return os.getpid(), "".join(_failure)


def run_pickled(payload: bytes) -> bytes:
    """Return the pickled answer of a pickled function to its argument, or a `Loss`.

    The answer is pickled here, since pebble pickles while it holds a lock and
    breaks on what cannot be read back.
    """
    try:
        function, argument = pickle.loads(payload)
        return pickle.dumps(function(argument), protocol=5)
    except BaseException as error:
        return pickle.dumps(Loss.raised(error), protocol=5)


def unpickle(answer: bytes) -> Any:
    """Return what `run_pickled` sent, or a `Loss` if it cannot be read."""
    try:
        return pickle.loads(answer)
    except Exception as error:
        return Loss.raised(error)


def _end_with(parent: int) -> None:
    """Be killed when the parent ends, also while C code holds the interpreter."""
    if sys.platform == "linux":
        # The signal comes when the *thread* that started this process ends: the supervisor.
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    else:
        threading.Thread(target=_exit_after, args=(parent,), daemon=True).start()
    if os.getppid() != parent:
        os._exit(1)


def _exit_after(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)


def _leave_the_terminal() -> None:
    """Leave Ctrl-C to the driver, end at SIGTERM even inside C, and print nothing."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    # The supervisor blocks it during the start, when Python would still react.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    os.close(nowhere)
