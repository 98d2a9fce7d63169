"""The place of one worker in the pool, and the processes that come and go there."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import psutil
from pebble import ProcessPool

from causalassay.study.plan import Limits
from causalassay.study.processes import child
from causalassay.study.processes import process_tree as memory
from causalassay.study.processes.executor import Loss

PATIENCE = 1.0
"""Seconds until a process that is gone without an answer is taken to have exited with code 0.

Pebble reports any other code, and tells nobody of this one.
"""


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
        How many processes were lost before they told of having begun with it.
    """

    payload: bytes
    limits: Limits
    future: Future[Any] = field(default_factory=Future)
    breaks: int = 0


@dataclass(eq=False)
class Seat:
    """The place of one worker.

    A job stays with its seat until it is settled: when a process is lost
    through no fault of the job, the next process of the seat runs it.

    Parameters
    ----------
    host : ProcessPool, optional
        Pebble's, for one process. Within a larger one processes share a pipe and its lock,
        and one that is killed while it holds the lock, or in the middle of a
        message, takes the others with it.
    process : Process, optional
        Once it has greeted.
    seen : list of Process
        It and what it had started, when last looked at.
    newborn : BaseProcess, optional
        The process as it was started, before it greeted.
    used : bool
        Whether the process has done a job before.
    job : Job, optional
    began : float
        When the process got its job.
    missed : float, optional
        When the process was first found to be gone.
    """

    host: ProcessPool | None = None
    process: psutil.Process | None = None
    seen: list[psutil.Process] = field(default_factory=list)
    used: bool = False
    newborn: BaseProcess | None = None
    job: Job | None = None
    began: float = 0.0
    missed: float | None = None

    def open(self, folder: Path) -> Future[tuple[int, str]]:
        """Start a process and return a future of its greeting."""
        self.host = ProcessPool(
            1,
            context=multiprocessing.get_context("spawn"),
            initializer=child.begin,
            initargs=(os.getpid(), folder),
        )
        self.used, self.seen = False, []
        before = {process.pid for process in multiprocessing.active_children()}
        greeting = self.host.schedule(child.greet)
        new = [
            process for process in multiprocessing.active_children() if process.pid not in before
        ]
        self.newborn = new[0] if len(new) == 1 else None
        return greeting

    def send(self, host: ProcessPool, job: Job) -> Future[bytes]:
        """Give the process a job and return a future of its answer."""
        self.job, self.began, self.missed = job, time.monotonic(), None
        return host.schedule(child.work, args=(job.payload,))

    def breach(self) -> Loss | None:
        """Return how the job, so far, is beyond its limits, or that its process is gone."""
        if self.job is None or self.process is None:
            return None
        now = time.monotonic()
        members = memory.family(self.process)
        if not members:
            self.missed = self.missed or now
            return Loss.ended(0) if now - self.missed > PATIENCE else None
        self.seen = members
        seconds, most = self.job.limits.seconds, self.job.limits.memory
        if seconds is not None and now - self.began > seconds:
            return Loss.late(seconds)
        if most is not None and memory.resident(members) > most:
            return Loss.too_big(most)
        return None

    def vacate(self, folder: Path) -> threading.Thread | None:
        """Kill the process with all it started; return the thread that clears up behind it."""
        left: Path | None = None
        if self.process is not None:
            memory.end(self.process, self.seen)
            left = child.own_folder(folder, self.process.pid)
        elif self.newborn is not None:
            # Before its pipe is closed: it would complain on the terminal.
            self.newborn.kill()
        host, self.host, self.process = self.host, None, None
        if host is None:
            return None
        burial = threading.Thread(target=_bury, args=(host, left), daemon=True)
        burial.start()
        return burial


def _bury(host: ProcessPool, left: Path | None) -> None:
    """End pebble's threads, which can take it a while, and remove what the process left."""
    host.stop()  # type: ignore[no-untyped-call]
    host.join()
    if left is not None:
        shutil.rmtree(left, ignore_errors=True)
