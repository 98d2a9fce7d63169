"""Workers that may hang, crash or use up memory: each costs one call, no other."""

from __future__ import annotations

import contextlib
import inspect
import itertools
import multiprocessing
import os
import pickle
import queue
import selectors
import signal
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any, Self, TypeVar

import psutil

from causalassay.common.threads import one_thread_each
from causalassay.processes.limits import NO_LIMITS, Limits, Loss
from causalassay.processes.resources import NO_NEEDS, Grant, Machine, Needs
from causalassay.processes.scratch import NamelessFile, scratch_folder
from causalassay.processes.stages import Work
from causalassay.processes.worker import read_answer
from causalassay.processes.worker_client import Call, WorkerProcess

T = TypeVar("T")

TICK = 0.05
"""Seconds between two looks at the time and memory of what runs."""

TRIES = 5
"""How often in a row a start, or sending one call to a process, may fail."""

CLOSED = "the pool was closed"
"""The reason of what had not ended when the supervisor was closed."""

SHARED_MEMORY = 0.8
"""The part of the machine's memory that all workers together may have."""

_NOT_READY = "it ended before it was ready"


def memory_share(workers: int) -> int:
    """Return the bytes that each of some workers may hold if no limit is stated.

    Examples
    --------
    >>> memory_share(1) > memory_share(2) > 0
    True
    """
    return int(SHARED_MEMORY * _memory() / workers)


def _memory() -> int:
    """Return the bytes of this machine, or of the Slurm job that this process is part of."""
    machine = psutil.virtual_memory().total
    of_node = os.environ.get("SLURM_MEM_PER_NODE", "")
    of_core, cores = (
        os.environ.get(f"SLURM_{name}", "") for name in ("MEM_PER_CPU", "CPUS_ON_NODE")
    )
    if of_node.isdecimal():
        megabytes = int(of_node)
    elif of_core.isdecimal() and cores.isdecimal():
        megabytes = int(of_core) * int(cores)
    else:
        return machine
    return min(machine, megabytes << 20) if megabytes else machine  # 0 is all there is


def refuse_unguarded_script() -> None:
    """Refuse a call that workers would repeat, because they import the script that made it.

    They import it under the name ``__mp_main__``. A script that never asks for its name has no
    guard. A notebook or a prompt has no file, and is not imported; nor is a package that was
    started with ``python -m``.
    """
    frame = inspect.currentframe()
    while frame is not None:
        code, has = frame.f_code, frame.f_globals
        name, spec = has.get("__name__"), has.get("__spec__")
        package = spec is not None and spec.name.endswith(".__main__")
        script = name == "__main__" and "__file__" in has and not package
        unguarded = script and "__name__" not in code.co_names
        if code.co_name == "<module>" and (unguarded or name == "__mp_main__"):
            raise RuntimeError(
                "causalassay starts processes that import this script, and each would make the "
                'same call again: put the call below `if __name__ == "__main__":`'
            )
        frame = frame.f_back


@dataclass(eq=False)
class _Slot:
    """The place of one worker: its process, which is replaced when it is lost, and its call.

    A call stays in its slot until its future has a result: when a process is lost through no
    fault of the call, the next process of the slot runs it.
    """

    process: WorkerProcess | None = None
    call: Call | None = None
    grant: Grant = Grant(0)
    """What is reserved for its call."""
    had: dict[Needs, str] = field(default_factory=dict)
    """The card of the last call of each kind that has needs: their code is loaded here."""

    @property
    def is_free(self) -> bool:
        """Whether it has a process that waits for a call."""
        return self.process is not None and self.process.ready and self.call is None


class Supervisor:
    """Run calls in worker processes, within limits of time and memory.

    Use it as a context manager: leaving it kills the processes, whatever they do. Workers ignore
    Ctrl-C, compute with one thread each, keep temporary files in a folder that is removed at the
    end, and end with this process. One thread starts, hears and kills them.

    Parameters
    ----------
    workers : int
    initializer, initargs : callable, tuple
        Called once in each process before it gets work; both are pickled.
    on_start : callable, optional
        Called with the id of each process that is ready, from another thread.
    eager : bool
        Whether all workers start at once; otherwise each starts when a call waits for it.
    runs_algorithms : bool
        Whether calls run other people's code. What it prints then goes to stderr, and the
        programs that it started end with the worker, whatever ends that. Workers that run our
        own code print nothing.
    """

    def __init__(  # noqa: PLR0913  four of them have defaults
        self,
        workers: int,
        initializer: Callable[..., None],
        initargs: tuple[Any, ...] = (),
        *,
        on_start: Callable[[int], None] | None = None,
        eager: bool = True,
        runs_algorithms: bool = False,
        cards: Sequence[str] = (),
    ) -> None:
        if workers < 1:
            raise ValueError(f"workers: expected at least 1, got {workers}")
        if multiprocessing.current_process().daemon:
            raise RuntimeError("a daemonic process cannot start workers")
        refuse_unguarded_script()
        # Through a pipe it would hold up the supervisor until each process can read it.
        self._setup = NamelessFile([pickle.dumps((initializer, initargs), protocol=5)])
        self._on_start = on_start or (lambda _: None)
        self._eager = eager
        self._runs_algorithms = runs_algorithms
        self._slots = [_Slot() for _ in range(workers)]
        self._dying: list[WorkerProcess] = []
        self._machine = Machine(workers, cards)
        self._waiting: dict[Needs, deque[Call]] = {}
        self._numbers = itertools.count()
        self._lock = threading.Lock()
        self._closed = False
        self._failed_starts = 0
        self._failure: str | None = None
        self._stack = ExitStack()
        # Before the system runs out of memory: it might choose the driver.
        self._share = memory_share(workers)
        self._thread = threading.Thread(target=self._supervise, daemon=True)

    def __enter__(self) -> Self:
        self._stack.enter_context(one_thread_each())
        self._folder = self._stack.enter_context(scratch_folder())
        self._hears, self._wakes = os.pipe()
        for end in (self._hears, self._wakes):
            os.set_blocking(end, False)
            self._stack.callback(os.close, end)
        self._selector = self._stack.enter_context(selectors.DefaultSelector())
        self._selector.register(self._hears, selectors.EVENT_READ)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def folder(self) -> Path:
        """What is shared with the workers, removed at the end."""
        return self._folder

    def submit(
        self,
        function: Callable[[Any], Any],
        argument: Any,
        limits: Limits = NO_LIMITS,
        needs: Needs = NO_NEEDS,
    ) -> Future[Any]:
        """Return a future of ``function(argument)``, or of the `Loss` that came instead.

        The time limit counts from when a process begins with it, or with the next stage of
        it (`worker.limited`); the memory limit is on all that the process and the programs it
        started hold at any time, and where none is stated, a worker's share of the machine's
        memory. A call begins when the cores and the card that it needs are free; none that came
        later and needs the same takes them before.
        """
        limits = replace(limits, memory=limits.memory or self._share)
        call = Call(pickle.dumps((function, argument), protocol=5), limits, needs=needs)
        call.future.set_running_or_notify_cancel()
        with self._lock:
            if self._closed:
                raise RuntimeError(CLOSED)
            if self._failure is not None:
                call.future.set_result(Loss("pool", self._failure))
                return call.future
            call.number = next(self._numbers)
            self._waiting.setdefault(needs, deque()).append(call)
        self._wake()
        return call.future

    def each(
        self,
        function: Callable[[Any], Any],
        arguments: Iterable[T],
        limits: Limits = NO_LIMITS,
        *,
        at_once: int | None = None,
    ) -> Iterator[tuple[T, Any]]:
        """Yield arguments with what came of them, as `submit`, in the order in which they end.

        Parameters
        ----------
        function, arguments, limits
        at_once : int, optional
            How many are under way at a time; by default as many as there are workers.
        """
        at_once = at_once or len(self._slots)
        ended: queue.SimpleQueue[tuple[T, Future[Any]]] = queue.SimpleQueue()
        n_under_way, waiting = 0, iter(arguments)
        while True:
            for argument in itertools.islice(waiting, at_once - n_under_way):
                future = self.submit(function, argument, limits)
                future.add_done_callback(partial(_put, ended, argument))
                n_under_way += 1
            if not n_under_way:
                return
            argument, future = ended.get()
            n_under_way -= 1
            yield argument, future.result()

    def at_work(self) -> list[Work]:
        """Return what the calls that run are at, as far as they tell (`stages.working_at`)."""
        processes = [slot.process for slot in self._slots]  # another thread may lose one meanwhile
        at = [process.work for process in processes if process is not None]
        return [work for work in at if work is not None]

    def close(self) -> None:
        """Kill all processes; what has not ended is lost."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self._wake()
        self._thread.join()
        self._stack.close()

    def _wake(self) -> None:
        with contextlib.suppress(BlockingIOError):  # it has been told often enough
            os.write(self._wakes, b".")

    # All that follows is done by the one thread, which alone knows slots and processes.

    def _supervise(self) -> None:
        """Start processes and watch them; they end with this thread, so it does both."""
        # Python's own helper process: starting it, the first time, would undo the mask below.
        resource_tracker.ensure_running()
        # It is not missed if it is killed: nothing of ours is on its list.
        warnings.filterwarnings("ignore", "resource_tracker: process died", UserWarning)
        # Children inherit the mask: Ctrl-C must not reach them before they ignore it.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            looked = time.monotonic()
            while not self._closed:
                self._fill_slots()
                for key, events in self._selector.select(TICK):
                    self._hear(key, events)
                if time.monotonic() - looked >= TICK:
                    looked = time.monotonic()
                    self._look()
        finally:
            self._give_up(CLOSED if self._closed else "the pool's supervisor ended")
            self._end()

    def _fill_slots(self) -> None:
        """Start a process where there is none, and give a call to each that has none."""
        starting = sum(1 for slot in self._slots if slot.process and not slot.process.ready)
        for slot in self._slots:
            if self._closed or self._failure is not None:
                return
            if slot.process is None and (
                self._eager or slot.call is not None or self._n_waiting() > starting
            ):
                starting += 1
                self._start(slot)
        self._begin_calls()

    def _n_waiting(self) -> int:
        with self._lock:
            return sum(map(len, self._waiting.values()))

    def _begin_calls(self) -> None:
        """Let calls begin whose needs are met, the oldest first, as far as there are processes."""
        while free := [slot for slot in self._slots if slot.is_free]:
            slot = self._reserve(free)
            if slot is None:
                return
            self._send(slot)

    def _reserve(self, free: list[_Slot]) -> _Slot | None:
        """Take the oldest call that can begin, and return the slot that was free and has it now.

        Where a call waits for cores, none that came later overtakes it, and where one waits for
        a card, none that needs a card: otherwise it could wait for ever.
        """
        with self._lock:
            waiting = [calls for calls in self._waiting.values() if calls]
            one_waits_for_a_card = False
            for calls in sorted(waiting, key=lambda calls: calls[0].number):
                needs = calls[0].needs
                if needs.gpus and (
                    one_waits_for_a_card or not self._machine.has_room_on_a_card(needs)
                ):
                    one_waits_for_a_card = True
                    continue
                slot = self._best(free, needs)
                if slot is None:
                    continue
                grant = self._machine.reserve(needs, slot.had.get(needs, ""))
                if grant is None:
                    return None
                slot.call, slot.grant = calls.popleft(), grant
                if needs != NO_NEEDS:
                    slot.had[needs] = grant.card
                return slot
        return None

    def _best(self, free: list[_Slot], needs: Needs) -> _Slot | None:
        """Return the slot for a call: one whose process has its code, as long as that is enough.

        Elsewhere the code would be loaded again, and a second process would hold memory of the
        card.
        """
        if needs == NO_NEEDS:
            return free[0]
        if known := [slot for slot in free if needs in slot.had]:
            return known[0]
        n_known = sum(needs in slot.had for slot in self._slots)
        return free[0] if n_known < self._machine.most_at_once(needs) else None

    def _release(self, slot: _Slot) -> Call | None:
        """Take the call of a slot from it, and let others have what was reserved for it."""
        call, slot.call = slot.call, None
        if call is not None:
            self._machine.release(slot.grant)
        return call

    def _start(self, slot: _Slot) -> None:
        try:
            slot.process = WorkerProcess(
                self._folder, self._setup, runs_algorithms=self._runs_algorithms
            )
        except psutil.NoSuchProcess:
            self._fail_start(slot, _NOT_READY)
        except (OSError, RuntimeError) as error:
            self._fail_start(slot, f"{type(error).__name__}: {error}")
        else:
            self._selector.register(slot.process.connection, selectors.EVENT_READ, slot)

    def _hear(self, key: selectors.SelectorKey, events: int) -> None:
        slot: _Slot | None = key.data
        if slot is None:
            with contextlib.suppress(BlockingIOError):
                os.read(self._hears, 4096)
            return
        process = slot.process
        if process is None or process.connection is not key.fileobj:
            return  # it was dropped meanwhile
        try:
            if events & selectors.EVENT_WRITE and process.write():
                self._selector.modify(process.connection, selectors.EVENT_READ, slot)
            message = process.read() if events & selectors.EVENT_READ else None
        except (EOFError, OSError):
            self._lose_process(slot, process)
            return
        if message is None:
            return
        if process.ready:
            self._answer(slot, process, message)
        else:
            self._started(slot, process, message.decode())

    def _started(self, slot: _Slot, process: WorkerProcess, failure: str) -> None:
        if failure:
            self._fail_start(slot, failure)
            return
        process.ready = True
        self._failed_starts = 0
        if slot.call is not None:
            self._send(slot)
        self._on_start(process.pid)

    def _send(self, slot: _Slot) -> None:
        if slot.process is None or slot.call is None:
            return
        try:
            if not slot.process.begin(slot.call, slot.grant.card):
                both = selectors.EVENT_READ | selectors.EVENT_WRITE
                self._selector.modify(slot.process.connection, both, slot)
        except OSError:
            self._lose_process(slot, slot.process)

    def _answer(self, slot: _Slot, process: WorkerProcess, message: bytes) -> None:
        call, process.used = self._release(slot), True
        self._failed_starts = 0  # others may be killed as they start: the workers still work
        self._begin_calls()
        if call is not None:
            call.future.set_result(read_answer(message))

    def _look(self) -> None:
        """Look at the time and the memory of what runs, and at what has ended."""
        for slot in self._slots:
            if slot.process is None:
                continue
            if slot.process.is_gone:
                self._hear_last_words(slot, slot.process)
            elif (
                slot.call is not None
                and slot.process.ready
                and (loss := slot.process.beyond_limits(slot.call.limits))
            ):
                self._lose_or_try_again(slot, slot.process, loss)
        for process in [process for process in self._dying if process.is_gone]:
            self._dying.remove(process)
            process.remove()

    def _hear_last_words(self, slot: _Slot, process: WorkerProcess) -> None:
        """Read the answer of a process that has ended after it, if there is one."""
        try:
            message = process.read() if process.ready else None
        except (EOFError, OSError):
            message = None
        if message is not None and slot.call is not None:
            self._answer(slot, process, message)
        else:
            self._lose_process(slot, process)

    def _lose_process(self, slot: _Slot, process: WorkerProcess) -> None:
        """Go on after a process that has ended, or hung up."""
        if not process.ready:
            self._fail_start(slot, _NOT_READY)
        elif slot.call is None:
            self._drop(slot)
        elif process.has_begun:
            self._lose_or_try_again(slot, process, Loss.ended(process.exit_code()))
        else:
            slot.call.breaks += 1
            if slot.call.breaks >= TRIES:
                self._lose(slot, Loss("crashed", f"crashed: {TRIES} processes were lost"))
            else:
                self._drop(slot)

    def _lose_or_try_again(self, slot: _Slot, process: WorkerProcess, loss: Loss) -> None:
        """Blame a call for the end of its process only if the process was fresh.

        Earlier calls may have left memory behind, or a thread that ends the process later.
        """
        if process.used and loss.cause in ("memory", "crashed"):
            self._drop(slot)
        else:
            self._lose(slot, loss)

    def _lose(self, slot: _Slot, loss: Loss) -> None:
        call = self._release(slot)
        self._drop(slot)
        if call is not None:
            call.future.set_result(loss)

    def _drop(self, slot: _Slot) -> None:
        """Kill the process of a slot; another will be started."""
        process, slot.process = slot.process, None
        if process is not None:
            self._selector.unregister(process.connection)
            process.kill()
            self._dying.append(process)

    def _fail_start(self, slot: _Slot, reason: str) -> None:
        self._drop(slot)
        self._failed_starts += 1
        if self._failed_starts >= TRIES:
            self._give_up(f"no worker process could be started: {reason}")

    def _give_up(self, reason: str) -> None:
        """Give every call that waits its loss: it will not be run."""
        with self._lock:
            self._failure = reason if self._failure is None else self._failure
            calls = [call for waiting in self._waiting.values() for call in waiting]
            self._waiting.clear()
        calls += [call for slot in self._slots if (call := self._release(slot)) is not None]
        for call in calls:
            call.future.set_result(Loss("pool", self._failure))

    def _end(self) -> None:
        """Kill all processes and remove what they leave."""
        for slot in self._slots:
            self._drop(slot)
        for process in self._dying:
            process.exit_code()
            process.remove()


def _put(ended: queue.SimpleQueue[tuple[T, Future[Any]]], argument: T, future: Future[Any]) -> None:
    ended.put((argument, future))
