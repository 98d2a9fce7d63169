"""Runs algorithms one after the other, each within its time, in a process that can be stopped."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import NamedTuple

from causalassay.contracts import Algorithm
from causalassay.data import Dataset
from causalassay.risk.fits import Fit, fit_algorithm, why_not

OnProgress = Callable[[str, int, int], None]
"""Called with the name of the algorithm that begins, how many are done and how many there are."""


class Work(NamedTuple):
    """What every algorithm gets.

    Parameters
    ----------
    dataset : Dataset
    folds : tuple of tuple of int
        The nodes whose experiments are withheld together.
    seed : int
    """

    dataset: Dataset
    folds: tuple[tuple[int, ...], ...]
    seed: int


class Runs(NamedTuple):
    """What came of it.

    Parameters
    ----------
    fits : mapping of str to Fit
    failed : mapping of str to str
        The algorithms that have none, and why.
    seconds : mapping of str to float
        Wall time of each, refits included.
    """

    fits: dict[str, Fit]
    failed: dict[str, str]
    seconds: dict[str, float]


def run_all(
    algorithms: Mapping[str, Algorithm],
    work: Work,
    seconds: float | None = None,
    on_progress: OnProgress | None = None,
) -> Runs:
    """Run each algorithm in turn; one that fails or takes too long has a reason instead.

    Parameters
    ----------
    algorithms : mapping of str to Algorithm
    work : Work
    seconds : float, optional
        What each may take, its refits included. With a limit they run in another process,
        which is killed when it is over; without one in this process.
    on_progress : callable, optional
    """
    runs = Runs({}, {}, {})
    with _fitting_here(work) if seconds is None else _fitting_elsewhere(work, seconds) as fit:
        for done, (name, algorithm) in enumerate(algorithms.items()):
            if on_progress:
                on_progress(name, done, len(algorithms))
            began = time.perf_counter()
            found = fit(name, algorithm)
            runs.seconds[name] = time.perf_counter() - began
            if isinstance(found, str):
                runs.failed[name] = found
            else:
                runs.fits[name] = found
    return runs


Fitting = Callable[[str, Algorithm], Fit | str]
"""Returns the graphs of an algorithm, or why there are none."""


@contextmanager
def _fitting_here(work: Work) -> Iterator[Fitting]:
    yield lambda name, algorithm: _fit(name, algorithm, work)


def _fit(name: str, algorithm: Algorithm, work: Work) -> Fit | str:
    try:
        return fit_algorithm(name, algorithm, work.dataset, work.folds, work.seed)
    except Exception as error:  # of a stranger's code, which may raise anything
        return why_not(name, error)


@contextmanager
def _fitting_elsewhere(work: Work, seconds: float) -> Iterator[Fitting]:
    """Give algorithms to a process that lives until one takes too long; then to a new one."""
    worker: _Worker | None = None

    def fit(name: str, algorithm: Algorithm) -> Fit | str:
        nonlocal worker
        worker = worker or _Worker(work)
        found = worker.fit(name, algorithm, seconds)
        if found is None:
            worker.stop()
            worker = None
            return f"it took more than {seconds:g} seconds"
        if found == _GONE:
            worker.stop()
            worker = None
        return found

    try:
        yield fit
    finally:
        if worker is not None:
            worker.stop()


_GONE = "its process ended without an answer: too little memory, or a crash"

START_SECONDS = 120.0
"""What the start of a process may take: it imports our packages."""


class _Worker:
    """A process that fits one algorithm after the other."""

    def __init__(self, work: Work) -> None:
        context = multiprocessing.get_context("spawn")
        self._ours, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, os.getpid()), daemon=True)
        self._process.start()
        theirs.close()
        self._ours.send(work)
        if self._ours.poll(START_SECONDS):
            self._ours.recv()  # it is ready: what follows is the algorithm's own time

    def fit(self, name: str, algorithm: Algorithm, seconds: float) -> Fit | str | None:
        """Return the graphs or the reason; None after too long."""
        try:
            self._ours.send((name, algorithm))
        except OSError:
            return _GONE
        except Exception as error:
            return f"it cannot be sent to another process: {why_not(name, error)}"
        try:
            return self._ours.recv() if self._ours.poll(seconds) else None
        except (EOFError, OSError):
            return _GONE

    def stop(self) -> None:
        """Kill the process; the programs that algorithms run in it end with it."""
        self._process.kill()
        self._process.join()
        self._ours.close()


def _serve(connection: Connection, parent: int) -> None:
    """Fit what comes, until the other end is gone."""
    _leave_the_terminal()
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    try:
        work = connection.recv()
        connection.send(True)
        while True:
            name, algorithm = connection.recv()
            connection.send(_fit(name, algorithm, work))
    except (EOFError, OSError):
        return


def _leave_the_terminal() -> None:
    # Ctrl-C is for the command, which then ends this process.
    if hasattr(os, "setsid"):
        os.setsid()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)
