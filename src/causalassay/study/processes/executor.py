"""What runs batches of tasks, here or on a cluster, and how a batch can be lost."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from types import TracebackType
from typing import Literal, Protocol, Self

from causalassay.study.plan import Batch, Limits, Record

__all__ = ["Batch", "Compiling", "Executor", "Loss", "NoWorkers", "Outcome"]

Cause = Literal["timeout", "memory", "crashed", "pool"]


class NoWorkers(ChildProcessError):
    """There are no processes to run tasks, and there will be none; the message says why."""

    @classmethod
    def until_mended(cls, reason: str) -> NoWorkers:
        """Return what stops a run that the machine cannot go on with.

        Examples
        --------
        >>> str(NoWorkers.until_mended("the disk is full"))
        'the disk is full; the rows so far are stored: mend this and run the study again'
        """
        return cls(f"{reason}; the rows so far are stored: mend this and run the study again")


@dataclass(frozen=True)
class Loss:
    """Why a batch came back without records.

    Parameters
    ----------
    cause : {"timeout", "memory", "crashed", "pool"}
        The first three are caused by the batch. "pool": the machine is to blame, such as that
        no process could be had to run it; executors turn this one into `NoWorkers`, so the
        driver never sees it.
    reason : str
        The same text on each run.
    """

    cause: Cause
    reason: str

    @classmethod
    def late(cls, seconds: float) -> Loss:
        """Return the loss of a batch that took too long.

        Examples
        --------
        >>> Loss.late(5.0).reason
        'timeout: more than 5 s'
        """
        return cls("timeout", f"timeout: more than {seconds:g} s")

    @classmethod
    def too_big(cls, memory: int) -> Loss:
        """Return the loss of a batch that took too much memory.

        Examples
        --------
        >>> Loss.too_big(2 * 10**9).reason, Loss.too_big(300 * 10**6).reason
        ('memory: more than 2.0 GB', 'memory: more than 300 MB')
        """
        text = f"{memory / 1e9:.1f} GB" if memory >= 1e9 else f"{memory / 1e6:.0f} MB"
        return cls("memory", f"memory: more than {text}")

    @classmethod
    def ended(cls, code: int) -> Loss:
        """Return the loss of a batch whose process ended; a negative code is a signal's number.

        Examples
        --------
        >>> Loss.ended(-11).reason, Loss.ended(3).reason
        ('crashed: killed by signal 11 (SIGSEGV)', 'crashed: exit code 3')
        """
        if code >= 0:
            return cls("crashed", f"crashed: exit code {code}")
        try:
            name = f" ({signal.Signals(-code).name})"
        except ValueError:
            name = ""
        return cls("crashed", f"crashed: killed by signal {-code}{name}")

    @classmethod
    def raised(cls, error: BaseException) -> Loss:
        """Return the loss of a batch whose function raised.

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


Outcome = list[Record] | Loss


@dataclass(frozen=True)
class Compiling:
    """How far the compiling of kernels is: it happens once for each installation.

    Parameters
    ----------
    ready, total : int
        Jobs, such as the kernels of one algorithm, that were not ready when the run began.
    """

    ready: int
    total: int


class Executor(Protocol):
    """Runs batches of tasks in other processes.

    It is a context manager: leaving it ends every process it started, also
    after an exception or Ctrl-C.
    """

    @property
    def workers(self) -> int:
        """How many batches run at once; on a cluster this changes."""

    @property
    def batch_seconds(self) -> float:
        """How much work to put into one batch."""

    @property
    def compiling(self) -> Compiling | None:
        """How far the compiling of kernels is; None while none are compiled, or not known."""

    def submit(self, batch: Batch, limits: Limits) -> None:
        """Put a batch at the end of the queue."""

    def completed(self, timeout: float) -> list[tuple[Batch, Outcome]]:
        """Return the batches that have ended since the last call; wait for one so many seconds.

        Raises
        ------
        NoWorkers
            If no process can be started.
        ConnectionError
            If a cluster is gone.
        """

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...
