"""The same function for many numbers, in a few processes that end with their caller."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

from causalassay.common.threads import one_thread_each

T = TypeVar("T")

GRACE_SECONDS = 5.0
"""For a process to end by itself when it is asked to, before it is killed."""

MOST_LOST = 3
"""Processes in a row that end before their first answer: their start is then to blame."""


@dataclass(frozen=True)
class Lost:
    """A step whose process ended before it answered."""

    reason: str


@dataclass(eq=False)
class _Worker:
    process: BaseProcess
    step: int
    answered: bool = False


def each_in_processes(
    work: Callable[[int], T], n_steps: int, n_processes: int
) -> Generator[T | Lost, None, None]:
    """Yield ``work(0)`` to ``work(n_steps - 1)`` in the order in which they end.

    Whatever ends the iteration, an error or Ctrl-C, ends the processes too; those of a caller
    that was killed end after the step that they are at.

    Parameters
    ----------
    work : callable
        That can be pickled.
    n_steps, n_processes : int
    """
    steps = iter(range(n_steps))
    workers: dict[Connection, _Worker] = {}
    lost_in_a_row = 0
    try:
        for _ in range(min(n_processes, n_steps)):
            _start(work, next(steps), workers)
        while workers:
            for connection in wait(list(workers)):
                assert isinstance(connection, Connection)
                came = _answer(connection, workers)
                lost_in_a_row = lost_in_a_row + 1 if isinstance(came, _Early) else 0
                if lost_in_a_row >= MOST_LOST:
                    raise ChildProcessError(f"{came.reason}, {MOST_LOST} times in a row")
                _continue(connection, workers, steps, work)
                yield came
    finally:
        _stop(workers)


class _Early(Lost):
    """A step that was the first of its process."""


def _start(work: Callable[[int], Any], step: int, workers: dict[Connection, _Worker]) -> None:
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, work))
    with one_thread_each(), _ctrl_c_later():
        process.start()
        workers[ours] = _Worker(process, step)
    theirs.close()
    _send(ours, step)


@contextmanager
def _ctrl_c_later() -> Iterator[None]:
    """Let Ctrl-C wait: a process that is half started would print an error and run on.

    The mask is for the new process, which inherits it. It does not hold the signal back here:
    another thread of ours may take it.
    """
    resource_tracker.ensure_running()  # its start would let the signal through
    came: list[int] = []
    is_main = threading.current_thread() is threading.main_thread()
    handler = signal.signal(signal.SIGINT, lambda *_: came.append(1)) if is_main else None
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        if is_main:
            signal.signal(signal.SIGINT, handler or signal.default_int_handler)
        if came:
            signal.raise_signal(signal.SIGINT)


def _send(connection: Connection, step: int) -> None:
    with suppress(BrokenPipeError, ConnectionResetError):  # seen when its answer is read
        connection.send(step)


def _answer(connection: Connection, workers: dict[Connection, _Worker]) -> Any:
    worker = workers[connection]
    try:
        came = connection.recv()
    except (EOFError, ConnectionResetError):
        del workers[connection]
        connection.close()
        worker.process.join(GRACE_SECONDS)
        reason = f"its process ended (exit code {worker.process.exitcode})"
        return (Lost if worker.answered else _Early)(reason)
    worker.answered = True
    return came


def _continue(
    connection: Connection,
    workers: dict[Connection, _Worker],
    steps: Iterator[int],
    work: Callable[[int], Any],
) -> None:
    """Give the next step to a process, a new one if that is lost; end it if there is none."""
    step = next(steps, None)
    worker = workers.get(connection)
    if step is None:
        if worker is not None:
            _stop({connection: workers.pop(connection)})
    elif worker is None:
        _start(work, step, workers)
    else:
        worker.step = step
        _send(connection, step)


def _stop(workers: dict[Connection, _Worker]) -> None:
    for connection, worker in workers.items():
        connection.close()
        worker.process.terminate()
    for worker in workers.values():
        worker.process.join(GRACE_SECONDS)
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()


def _serve(connection: Connection, work: Callable[[int], Any]) -> None:
    """Answer until the caller hangs up. Ctrl-C is the caller's: it ends this process itself."""
    # A handler, not SIG_IGN: programs that an algorithm starts would inherit the latter.
    signal.signal(signal.SIGINT, _do_nothing)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # see `_ctrl_c_later`
    # An algorithm that runs a program ends it on the way out.
    signal.signal(signal.SIGTERM, _leave)
    os.dup2(2, 1)  # what an algorithm prints is no part of a result
    while True:
        try:
            connection.send(work(connection.recv()))
        except (EOFError, ConnectionError):  # the caller has left, while it was at work too
            return


def _do_nothing(*_: Any) -> None:
    pass


def _leave(*_: Any) -> None:
    signal.signal(signal.SIGTERM, _do_nothing)  # once is enough: what follows ends what it began
    sys.exit(128 + signal.SIGTERM)
