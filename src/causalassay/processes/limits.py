"""What a call in another process may use, and how the call can be lost."""

from __future__ import annotations

import signal
import time
from dataclasses import dataclass
from typing import Literal

Cause = Literal["timeout", "memory", "crashed", "pool"]

LONGEST_STEP = 0.5
"""Seconds between two looks of a `Stopwatch` of which more do not count."""


@dataclass(frozen=True)
class Limits:
    """What one task may use; None is no limit.

    Parameters
    ----------
    seconds : float, optional
        Wall time of discovery; making the problem and scoring have as much each.
    memory : int, optional
        Bytes that the process of the algorithm and the programs it started hold.
    load_seconds : float, optional
        Wall time of loading code, which does not count as discovery: imports, wherever they
        occur, and making the object of a class.
    """

    seconds: float | None = 600.0
    memory: int | None = None
    load_seconds: float | None = 300.0


NO_LIMITS = Limits(seconds=None, memory=None, load_seconds=None)


class NoWorkers(ChildProcessError):
    """There are no processes to run calls, and there will be none; the message says why."""


@dataclass(frozen=True)
class Loss:
    """Why a call in another process has no result.

    Parameters
    ----------
    cause : {"timeout", "memory", "crashed", "pool"}
        The first three are caused by the call. "pool": the machine is to blame, such as that
        no process could be had to run it.
    reason : str
        The same text on each run.
    """

    cause: Cause
    reason: str

    @classmethod
    def late(cls, seconds: float) -> Loss:
        """Return the loss of a call that took too long.

        Examples
        --------
        >>> Loss.late(5.0).reason
        'timeout: more than 5 s'
        """
        return cls("timeout", f"timeout: more than {seconds:g} s")

    @classmethod
    def late_to_load(cls, seconds: float) -> Loss:
        """Return the loss of a call that took too long to load its code.

        Examples
        --------
        >>> Loss.late_to_load(300.0).reason
        'timeout: more than 300 s of loading its code'
        """
        return cls("timeout", f"{cls.late(seconds).reason} of loading its code")

    @classmethod
    def too_big(cls, memory: int) -> Loss:
        """Return the loss of a call that took too much memory.

        Examples
        --------
        >>> Loss.too_big(2 * 10**9).reason, Loss.too_big(300 * 10**6).reason
        ('memory: more than 2.0 GB', 'memory: more than 300 MB')
        """
        text = f"{memory / 1e9:.1f} GB" if memory >= 1e9 else f"{memory / 1e6:.0f} MB"
        return cls("memory", f"memory: more than {text}")

    @classmethod
    def ended(cls, code: int | None) -> Loss:
        """Return the loss of a call whose process ended; a negative code is a signal's number.

        None is for a process that closed its connection and goes on.

        Examples
        --------
        >>> Loss.ended(-11).reason, Loss.ended(3).reason
        ('crashed: killed by signal 11 (SIGSEGV)', 'crashed: exit code 3')
        """
        if code is None:
            return cls("crashed", "crashed: it closed its connection")
        if code >= 0:
            return cls("crashed", f"crashed: exit code {code}")
        try:
            name = f" ({signal.Signals(-code).name})"
        except ValueError:
            name = ""
        return cls("crashed", f"crashed: killed by signal {-code}{name}")

    @classmethod
    def raised(cls, error: BaseException) -> Loss:
        """Return the loss of a call whose function raised.

        Examples
        --------
        >>> Loss.raised(ValueError("no data")).reason
        'raised ValueError: no data'
        """
        try:
            text = str(error)
        except Exception:  # exceptions of plug-ins can be broken, too
            text = "without a text"
        return cls("crashed", f"raised {type(error).__name__}: {text}")


class Stopwatch:
    """Counts seconds from look to look.

    Whoever watches over others may be stopped itself (Ctrl-Z, a debugger, a machine that
    sleeps), often together with them. A long time between two looks says nothing about
    what is watched.

    Examples
    --------
    >>> watch = Stopwatch()
    >>> 0 <= watch.look() < 0.5
    True
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self._looked = time.monotonic()

    def look(self) -> float:
        """Return the seconds so far."""
        now = time.monotonic()
        self.seconds += min(now - self._looked, LONGEST_STEP)
        self._looked = now
        return self.seconds
