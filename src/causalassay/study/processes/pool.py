"""Processes that may hang, crash or use up memory: each costs one piece of work, no other."""

from __future__ import annotations

import multiprocessing
import pickle
import signal
import threading
import warnings
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any, Self

import psutil
from pebble import ProcessExpired, ProcessPool

from causalassay.common.threads import one_thread_each
from causalassay.study.plan import Limits
from causalassay.study.processes import worker_process
from causalassay.study.processes.executor import Loss
from causalassay.study.processes.scratch import NamelessFile, scratch_folder
from causalassay.study.processes.slot import Job, Slot

TICK = 0.05
"""Seconds between two looks at the time and memory of what runs."""

TRIES = 5
"""How often in a row a start, or sending one piece of work to a process, may fail."""

CLOSED = "the pool was closed"
"""The reason of what had not ended when the pool was closed."""

SHARED_MEMORY = 0.8
"""The part of the machine's memory that all workers together may have."""

NO_LIMITS = Limits(seconds=None, memory=None)

_NOT_READY = "it ended before it was ready"


def memory_share(workers: int) -> int:
    """Return the bytes that each of some workers may hold if no limit is stated.

    Examples
    --------
    >>> memory_share(1) > memory_share(2) > 0
    True
    """
    return int(SHARED_MEMORY * psutil.virtual_memory().total / workers)


class SupervisedPool:
    """Run functions in processes, within limits of time and memory.

    Use it as a context manager: leaving it kills the processes, whatever they do.
    Workers print nothing (their stdout and stderr go to the null device), ignore Ctrl-C,
    compute with one thread each, keep temporary files in a folder that is
    removed at the end, and end with this process.

    Parameters
    ----------
    workers : int
    initializer, initargs : callable, tuple
        Called once in each process before it gets work; both are pickled.
    on_start : callable, optional
        Called with the id of each process that is ready, from another thread.
    """

    def __init__(
        self,
        workers: int,
        initializer: Callable[..., None],
        initargs: tuple[Any, ...] = (),
        *,
        on_start: Callable[[int], None] | None = None,
    ) -> None:
        if workers < 1:
            raise ValueError(f"workers: expected at least 1, got {workers}")
        if multiprocessing.current_process().daemon:
            raise RuntimeError("a daemonic process cannot start workers")
        # Through a pipe it would hold up the supervisor until each process can read it.
        self._setup = NamelessFile([pickle.dumps((initializer, initargs), protocol=5)])
        self._on_start = on_start
        self._slots = [Slot() for _ in range(workers)]
        self._queue: deque[Job] = deque()
        self._lock = threading.RLock()
        self._wake = threading.Event()
        self._closed = False
        self._failed_starts = 0
        self._failure: str | None = None
        self._cleanups: list[threading.Thread] = []
        self._stack = ExitStack()
        # Before the system runs out of memory: it might choose the driver.
        self._share = memory_share(workers)
        self._supervisor = threading.Thread(target=self._supervise, daemon=True)

    def __enter__(self) -> Self:
        self._stack.enter_context(one_thread_each())
        self._folder = self._stack.enter_context(scratch_folder())
        self._supervisor.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def folder(self) -> Path:
        """What the pool shares with its processes, removed at the end."""
        return self._folder

    def schedule(
        self, function: Callable[[Any], Any], argument: Any, limits: Limits = NO_LIMITS
    ) -> Future[Any]:
        """Return a future of ``function(argument)``, or of the `Loss` that came instead.

        The time limit counts from when a process begins with it, or with the next stage of
        it (`stages`); the memory limit is on all that the process and the programs it started
        hold at any time, and where none is stated, a worker's share of the machine's memory.
        """
        limits = replace(limits, memory=limits.memory or self._share)
        job = Job(pickle.dumps((function, argument), protocol=5), limits)
        job.future.set_running_or_notify_cancel()
        with self._lock:
            if self._closed:
                raise RuntimeError(CLOSED)
            self._queue.append(job)
            if self._failure is not None:
                self._give_up(self._failure)
            for slot in self._slots:
                if slot.process is not None and slot.job is None:
                    self._dispatch(slot)
                    break
        return job.future

    def close(self) -> None:
        """Kill all processes; what has not ended is lost to the pool."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            for slot in self._slots:
                self._drop(slot)
            self._give_up(CLOSED)
        for thread in (self._supervisor, *self._cleanups):
            thread.join(timeout=2.0)
        self._stack.close()

    def _supervise(self) -> None:
        """Start processes and watch them; they end with this thread, so it does both."""
        # Python's own helper process: starting it, the first time, would undo the mask below.
        resource_tracker.ensure_running()
        # It is not missed if it is killed: nothing of ours is on its list.
        warnings.filterwarnings("ignore", "resource_tracker: process died", UserWarning)
        # Children inherit the mask: Ctrl-C must not reach them before they ignore it.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            while not self._closed:
                for slot in self._slots:
                    with self._lock:
                        self._check(slot)
                self._wake.wait(TICK)
                self._wake.clear()
        finally:
            with self._lock:
                self._give_up(self._failure or "the pool's supervisor ended")

    def _check(self, slot: Slot) -> None:
        if self._closed or self._failure is not None:
            return
        if slot.host is None:
            self._start(slot)
        elif not slot.host.active:
            self._break(slot)
        elif loss := slot.check_limits():
            self._lose_or_try_again(slot, loss)

    def _start(self, slot: Slot) -> None:
        try:
            report = slot.start_process(self._folder, self._setup)
        except BrokenProcessPool:  # killed while the pool was handed its first call
            self._fail_start(slot, _NOT_READY)
        except (OSError, RuntimeError) as error:
            self._fail_start(slot, f"{type(error).__name__}: {error}")
        else:
            report.add_done_callback(partial(self._started, slot, slot.host))

    def _started(
        self, slot: Slot, host: ProcessPool | None, report: Future[tuple[int, str]]
    ) -> None:
        pid, failure = (0, _NOT_READY) if report.exception() else report.result()
        with self._lock:
            if self._closed or slot.host is not host:
                return
            try:
                slot.process = psutil.Process(pid) if not failure else None
            except psutil.NoSuchProcess:
                failure = _NOT_READY
            if failure:
                self._fail_start(slot, failure)
                return
            self._failed_starts = 0
            self._dispatch(slot)
        if self._on_start is not None:
            self._on_start(pid)

    def _fail_start(self, slot: Slot, reason: str) -> None:
        self._drop(slot)
        self._failed_starts += 1
        if self._failed_starts >= TRIES:
            self._give_up(f"no worker process could be started: {reason}")

    def _give_up(self, reason: str) -> None:
        """Give every job that waits its loss: it will not be run."""
        self._failure = reason
        jobs = [*self._queue, *(slot.job for slot in self._slots if slot.job is not None)]
        self._queue.clear()
        for slot in self._slots:
            slot.job = None
        for job in jobs:
            job.future.set_result(Loss("pool", reason))

    def _dispatch(self, slot: Slot) -> None:
        """Give an idle process the job of its slot, or the next one."""
        if slot.job is None and self._queue:
            slot.job = self._queue.popleft()
        if slot.host is None or slot.job is None:
            return
        try:
            answer = slot.send(slot.host, slot.job)
        except RuntimeError:
            # Pebble raises this for a process that was killed while it was idle.
            self._drop(slot)
        else:
            answer.add_done_callback(partial(self._answered, slot, slot.host, slot.job))

    def _answered(self, slot: Slot, host: ProcessPool, job: Job, answer: Future[bytes]) -> None:
        error = answer.exception()
        if isinstance(error, ProcessExpired):
            outcome: Any = Loss.ended(error.exitcode)
        else:
            outcome = Loss.raised(error) if error else worker_process.unpickle(answer.result())
        with self._lock:
            if slot.host is not host or slot.job is not job:
                return
            if isinstance(error, BrokenProcessPool):
                self._break(slot)
                return
            if error:
                self._lose_or_try_again(slot, outcome)
                return
            slot.job, slot.used = None, True
            self._failed_starts = 0  # others may be killed as they start: the pool still works
            self._dispatch(slot)
        job.future.set_result(outcome)

    def _lose_or_try_again(self, slot: Slot, loss: Loss) -> None:
        """Blame a job for the end of its process only if the process was fresh.

        Earlier jobs may have left memory behind, or a thread that ends the process later.
        """
        if slot.used and loss.cause in ("memory", "crashed"):
            self._drop(slot)
        else:
            self._lose(slot, loss)

    def _lose(self, slot: Slot, loss: Loss) -> None:
        job, slot.job = slot.job, None
        self._drop(slot)
        if job is not None:
            job.future.set_result(loss)

    def _break(self, slot: Slot) -> None:
        """Go on after a process that was lost before it reported that it had begun."""
        if slot.process is None:
            self._fail_start(slot, _NOT_READY)
            return
        if slot.job is not None:
            slot.job.breaks += 1
            if slot.job.breaks >= TRIES:
                self._lose(slot, Loss("crashed", f"crashed: {TRIES} processes were lost"))
                return
        self._drop(slot)

    def _drop(self, slot: Slot) -> None:
        """Kill the process of a slot; the supervisor starts another."""
        cleanup = slot.stop_process(self._folder)
        self._cleanups = [thread for thread in self._cleanups if thread.is_alive()]
        if cleanup is not None:
            self._cleanups.append(cleanup)
        self._wake.set()
