"""Who ends with whom: a process that ends with its parent, or adopts the orphans below it."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import threading
import time
from pathlib import Path

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


def _prctl(option: int, value: int) -> None:
    ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _exit_after(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)
