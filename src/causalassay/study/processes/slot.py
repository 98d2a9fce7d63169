"""The slot of one worker in the pool, and the processes that run in it one after the other."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass, field
from multiprocessing.context import SpawnContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import psutil
from pebble import ProcessPool

from causalassay.study.plan import Limits
from causalassay.study.processes import worker_process
from causalassay.study.processes.executor import Loss
from causalassay.study.processes.process_tree import (
    continue_if_stopped,
    holds_more,
    kill_tree,
    living_tree,
)
from causalassay.study.processes.scratch import NamelessFile
from causalassay.study.processes.stages import Stage
from causalassay.study.processes.stopwatch import Stopwatch

REPORT_SECONDS = 1.0
"""How long pebble has to report that a process has ended; it never reports exit code 0."""


@dataclass(eq=False)
class Job:
    """One piece of work.

    Parameters
    ----------
    payload : bytes
        A pickled function with its argument.
    limits : Limits
    future : Future
        What the caller waits for.
    breaks : int
        How many processes were lost before they reported that they had begun with it.
    """

    payload: bytes
    limits: Limits
    future: Future[Any] = field(default_factory=Future)
    breaks: int = 0


class _NoLock:
    """What protects a pipe that one process reads and one writes."""

    def acquire(self, block: bool = True, timeout: float | None = None) -> bool:  # noqa: ARG002
        return True

    def release(self) -> None:
        pass


class _WithoutSemaphores(SpawnContext):
    """Starts processes without named semaphores: each has a pool of pebble's for itself.

    Python's helper process keeps a list of the semaphores, and prints a traceback for each
    if it was killed.
    """

    def RLock(self) -> Any:  # noqa: N802  multiprocessing's
        return _NoLock()


class _Clock:
    """How long the stage lasts that a process is in, as far as the supervisor saw it pass.

    Parameters
    ----------
    stage : Stage
    """

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._number = -1
        self._watch = Stopwatch()
        self._looks_beyond = 0

    def is_beyond(self, seconds: float) -> bool:
        """Return whether the stage has lasted longer than its limit, at two looks in a row.

        An answer that came while the supervisor was away is read before the second look.
        """
        number = self._stage.number
        if number != self._number or number % 2 == 0:
            self._number, self._watch, self._looks_beyond = number, Stopwatch(), 0
        self._looks_beyond = self._looks_beyond + 1 if self._watch.look() > seconds else 0
        return self._looks_beyond > 1


@dataclass(eq=False)
class Slot:
    """One worker of the pool.

    A job stays in its slot until its future has a result: when a process is lost
    through no fault of the job, the next process of the slot runs it.

    Parameters
    ----------
    host : ProcessPool, optional
        Pebble's, for one process. Within a larger one processes share a pipe and its lock,
        and one that is killed while it holds the lock, or in the middle of a
        message, takes the others with it.
    process : Process, optional
        Once it has reported its start.
    seen : list of Process
        It and what it had started, when last looked at.
    child : BaseProcess, optional
        The process as it was started, for its exit code.
    used : bool
        Whether the process has done a job before.
    job : Job, optional
    clock : _Clock, optional
        How long the stage lasts that the process is in.
    gone_since : float, optional
        When the process was first seen to be gone.
    """

    host: ProcessPool | None = None
    process: psutil.Process | None = None
    seen: list[psutil.Process] = field(default_factory=list)
    used: bool = False
    child: BaseProcess | None = None
    job: Job | None = None
    clock: _Clock | None = None
    gone_since: float | None = None

    def start_process(self, folder: Path, setup: NamelessFile) -> Future[tuple[int, str]]:
        """Start a process and return a future of its report: process id and failure."""
        stage = Stage()
        self.clock = _Clock(stage)
        self.host = ProcessPool(
            1,
            context=_WithoutSemaphores(),
            initializer=worker_process.initialize,
            initargs=(os.getpid(), folder, setup, stage),
        )
        self.used, self.seen = False, []
        before = {process.pid for process in multiprocessing.active_children()}
        report = self.host.schedule(worker_process.report_start)
        new = [
            process for process in multiprocessing.active_children() if process.pid not in before
        ]
        self.child = new[0] if len(new) == 1 else None
        return report

    def send(self, host: ProcessPool, job: Job) -> Future[bytes]:
        """Give the process a job and return a future of its answer."""
        self.job, self.gone_since = job, None
        return host.schedule(worker_process.run_pickled, args=(job.payload,))

    def check_limits(self) -> Loss | None:
        """Return the loss of a job that is beyond its limits, or whose process is gone."""
        if self.job is None or self.process is None:
            return None
        now = time.monotonic()
        members = living_tree(self.process)
        if not members:
            self.gone_since = now if self.gone_since is None else self.gone_since
            return Loss.ended(self._exit_code()) if now - self.gone_since > REPORT_SECONDS else None
        self.seen = members
        continue_if_stopped(self.process)
        limits = self.job.limits
        if limits.seconds is not None and self.clock and self.clock.is_beyond(limits.seconds):
            return Loss.late(limits.seconds)
        if limits.memory is not None and holds_more(members, limits.memory):
            return Loss.too_big(limits.memory)
        return None

    def stop_process(self, folder: Path) -> threading.Thread | None:
        """Kill the process with all it started; return the thread that cleans up after it."""
        leftover: Path | None = None
        if self.process is not None:
            kill_tree(self.process, self.seen)
            leftover = worker_process.own_folder(folder, self.process.pid)
        elif self.child is not None:
            # Before its pipe is closed, which would make it print an error.
            self.child.kill()
        host, self.host, self.process = self.host, None, None
        if host is None:
            return None
        cleanup = threading.Thread(target=_clean_up, args=(host, leftover), daemon=True)
        cleanup.start()
        return cleanup

    def _exit_code(self) -> int:
        code = None if self.child is None else self.child.exitcode
        return code or 0


def _clean_up(host: ProcessPool, leftover: Path | None) -> None:
    """End pebble's threads, which can take a while, and remove the process's files."""
    host.stop()  # type: ignore[no-untyped-call]
    host.join()
    if leftover is not None:
        shutil.rmtree(leftover, ignore_errors=True)
