"""Processes that may hang, crash or eat memory: each costs one piece of work, never the rest."""

from __future__ import annotations

import multiprocessing
import pickle
import signal
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from multiprocessing import resource_tracker
from typing import Any, Self

import psutil
from pebble import ProcessExpired, ProcessPool

from causalassay.study.plan import Limits
from causalassay.study.processes import child
from causalassay.study.processes.executor import Loss
from causalassay.study.processes.scratch import scratch
from causalassay.study.processes.slot import Job, Seat
from causalassay.threads import one_thread_each

TICK = 0.05
"""Seconds between two looks at the time and memory of what runs."""

TRIES = 5
"""How often a start, or the way of one piece of work to a process, may fail in a row."""

CLOSED = "the pool was closed"
"""The reason of what had not ended when the pool was closed."""

SHARED_MEMORY = 0.8
"""The part of the machine's memory that all workers together may have."""

NO_LIMITS = Limits(seconds=None, memory=None)

_NOT_READY = "it ended before it was ready"


class SupervisedPool:
    """Run functions in processes, within limits of time and memory.

    Use it as a context manager: leaving it kills the processes, whatever they do.
    Workers print nothing (their stdout and stderr go to the null device), ignore Ctrl-C,
    compute with one thread each, keep temporary files in a folder that is
    removed at the end, and die with this process.

    Parameters
    ----------
    workers : int
    initializer, initargs : callable, tuple
        Called once in each process before it gets work; both are pickled.
    on_start : callable, optional
        Told the id of each process that is ready, from another thread.
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
        self._setup = pickle.dumps((initializer, initargs), protocol=5)
        self._on_start = on_start
        self._seats = [Seat() for _ in range(workers)]
        self._queue: deque[Job] = deque()
        self._lock = threading.RLock()
        self._wake = threading.Event()
        self._closed = False
        self._failed_starts = 0
        self._failure: str | None = None
        self._burials: list[threading.Thread] = []
        self._stack = ExitStack()
        # Before the system runs out of memory: it might choose the driver.
        self._share = int(SHARED_MEMORY * psutil.virtual_memory().total / workers)
        self._supervisor = threading.Thread(target=self._supervise, daemon=True)

    def __enter__(self) -> Self:
        self._stack.enter_context(one_thread_each())
        self._folder = self._stack.enter_context(scratch())
        # Through a pipe it would hold up the supervisor until each process can read it.
        (self._folder / child.SETUP).write_bytes(self._setup)
        self._supervisor.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def schedule(
        self, function: Callable[[Any], Any], argument: Any, limits: Limits = NO_LIMITS
    ) -> Future[Any]:
        """Return a future of ``function(argument)``, or of the `Loss` that came instead.

        The time limit counts from when a process begins with it; the memory limit is
        on all that the process and the programs it started hold at any time, and where
        none is stated, a worker's share of the machine's memory.
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
            for seat in self._seats:
                if seat.process is not None and seat.job is None:
                    self._dispatch(seat)
                    break
        return job.future

    def close(self) -> None:
        """Kill all processes; what has not ended is lost to the pool."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            for seat in self._seats:
                self._drop(seat)
            self._give_up(CLOSED)
        for thread in (self._supervisor, *self._burials):
            thread.join(timeout=2.0)
        self._stack.close()

    def _supervise(self) -> None:
        """Start processes and watch them; they die with this thread, so it does both."""
        # Python's own helper process: starting it, the first time, would undo the mask below.
        resource_tracker.ensure_running()
        # Children inherit the mask: Ctrl-C must not reach them before they ignore it.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            while not self._closed:
                for seat in self._seats:
                    with self._lock:
                        self._look_after(seat)
                self._wake.wait(TICK)
                self._wake.clear()
        finally:
            with self._lock:
                self._give_up(self._failure or "the pool's supervisor ended")

    def _look_after(self, seat: Seat) -> None:
        if self._closed or self._failure is not None:
            return
        if seat.host is None:
            self._start(seat)
        elif not seat.host.active:
            self._break(seat)
        elif loss := seat.breach():
            if loss.cause == "memory" and seat.used:
                # Others may have left memory behind: the verdict is a fresh process's.
                self._drop(seat)
            else:
                self._lose(seat, loss)

    def _start(self, seat: Seat) -> None:
        try:
            greeting = seat.open(self._folder)
        except (OSError, RuntimeError) as error:
            self._fail_start(seat, f"{type(error).__name__}: {error}")
        else:
            greeting.add_done_callback(partial(self._greeted, seat, seat.host))

    def _greeted(
        self, seat: Seat, host: ProcessPool | None, greeting: Future[tuple[int, str]]
    ) -> None:
        pid, failure = (0, _NOT_READY) if greeting.exception() else greeting.result()
        with self._lock:
            if self._closed or seat.host is not host:
                return
            try:
                seat.process = psutil.Process(pid) if not failure else None
            except psutil.NoSuchProcess:
                failure = _NOT_READY
            if failure:
                self._fail_start(seat, failure)
                return
            self._failed_starts = 0
            self._dispatch(seat)
        if self._on_start is not None:
            self._on_start(pid)

    def _fail_start(self, seat: Seat, reason: str) -> None:
        self._drop(seat)
        self._failed_starts += 1
        if self._failed_starts >= TRIES:
            self._give_up(f"no worker process could be started: {reason}")

    def _give_up(self, reason: str) -> None:
        """Settle everything that waits: it will not be run."""
        self._failure = reason
        jobs = [*self._queue, *(seat.job for seat in self._seats if seat.job is not None)]
        self._queue.clear()
        for seat in self._seats:
            seat.job = None
        for job in jobs:
            job.future.set_result(Loss("pool", reason))

    def _dispatch(self, seat: Seat) -> None:
        """Give an idle process the job of its seat, or the next one."""
        if seat.job is None and self._queue:
            seat.job = self._queue.popleft()
        if seat.host is None or seat.job is None:
            return
        try:
            answer = seat.send(seat.host, seat.job)
        except RuntimeError:
            # Pebble's word for a process that was killed while it had nothing to do.
            self._drop(seat)
        else:
            answer.add_done_callback(partial(self._answered, seat, seat.host, seat.job))

    def _answered(self, seat: Seat, host: ProcessPool, job: Job, answer: Future[bytes]) -> None:
        error = answer.exception()
        if isinstance(error, ProcessExpired):
            outcome: Any = Loss.ended(error.exitcode)
        else:
            outcome = Loss.raised(error) if error else child.read(answer.result())
        with self._lock:
            if seat.host is not host or seat.job is not job:
                return
            if isinstance(error, BrokenProcessPool):
                self._break(seat)
                return
            if error:
                self._lose(seat, outcome)
                return
            seat.job, seat.used = None, True
            self._failed_starts = 0  # others may be killed as they start: the pool still works
            self._dispatch(seat)
        job.future.set_result(outcome)

    def _lose(self, seat: Seat, loss: Loss) -> None:
        job, seat.job = seat.job, None
        self._drop(seat)
        if job is not None:
            job.future.set_result(loss)

    def _break(self, seat: Seat) -> None:
        """Go on after a process that was lost before it told of having begun."""
        if seat.process is None:
            self._fail_start(seat, _NOT_READY)
            return
        if seat.job is not None:
            seat.job.breaks += 1
            if seat.job.breaks >= TRIES:
                self._lose(seat, Loss("crashed", f"crashed: {TRIES} processes were lost"))
                return
        self._drop(seat)

    def _drop(self, seat: Seat) -> None:
        """Kill the process of a seat; the supervisor starts another."""
        burial = seat.vacate(self._folder)
        self._burials = [thread for thread in self._burials if thread.is_alive()]
        if burial is not None:
            self._burials.append(burial)
        self._wake.set()
