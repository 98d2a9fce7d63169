"""Runs algorithms, each within its time, in processes that can be stopped."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import TypeVar

from causalassay.contracts import Algorithm, NotApplicable
from causalassay.data import Dataset
from causalassay.risk.fits import Fit, fit_algorithm, why_not

T = TypeVar("T")

OnProgress = Callable[[str, int, int], None]
"""Called with the name of the algorithm that ended, how many have, and how many there are."""


@dataclass(frozen=True, eq=False)
class Work:
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


@dataclass(frozen=True, eq=False)
class Runs:
    """What came of it.

    Parameters
    ----------
    fits : mapping of str to Fit
    failed : mapping of str to str
        The algorithms that have none, and why.
    lacking : mapping of str to str
        What the data lack for some of these, as `NotApplicable.lacks`.
    seconds : mapping of str to float
        Wall time of each, refits included.
    """

    fits: dict[str, Fit]
    failed: dict[str, str]
    lacking: dict[str, str]
    seconds: dict[str, float]


@dataclass(frozen=True)
class NotFitted:
    """Why an algorithm has no graphs, and what the data lack for it."""

    why: str
    lacks: str = ""


def run_all(
    algorithms: Mapping[str, Algorithm],
    work: Work,
    seconds: float | None = None,
    on_progress: OnProgress | None = None,
) -> Runs:
    """Run each algorithm; one that fails or takes too long has a reason instead.

    Parameters
    ----------
    algorithms : mapping of str to Algorithm
    work : Work
    seconds : float, optional
        What each may take, its refits included. With a limit they run in other processes,
        which are killed when it is over; without one in turn, in this process.
    on_progress : callable, optional
    """
    runs = Runs({}, {}, {}, {})
    steps = _here(algorithms, work) if seconds is None else _elsewhere(algorithms, work, seconds)
    with closing(steps):
        for done, (name, found, took) in enumerate(steps, start=1):
            runs.seconds[name] = took
            if isinstance(found, NotFitted):
                runs.failed[name] = found.why
                if found.lacks:
                    runs.lacking[name] = found.lacks
            else:
                runs.fits[name] = found
            if on_progress:
                on_progress(name, done, len(algorithms))
    failed = _ordered(runs.failed, algorithms)
    return replace(runs, fits=_ordered(runs.fits, algorithms), failed=failed)


Step = tuple[str, Fit | NotFitted, float]
"""The name of an algorithm, its graphs or why there are none, and the seconds that it took."""


def _ordered(found: dict[str, T], algorithms: Mapping[str, Algorithm]) -> dict[str, T]:
    return {name: found[name] for name in algorithms if name in found}


def _here(algorithms: Mapping[str, Algorithm], work: Work) -> Generator[Step]:
    for name, algorithm in algorithms.items():
        began = time.perf_counter()
        found = _fit(name, algorithm, work)
        yield name, found, time.perf_counter() - began


def _fit(name: str, algorithm: Algorithm, work: Work) -> Fit | NotFitted:
    try:
        return fit_algorithm(name, algorithm, work.dataset, work.folds, work.seed)
    except Exception as error:  # of a stranger's code, which may raise anything
        lacks = error.lacks if isinstance(error, NotApplicable) else ""
        return NotFitted(why_not(error), lacks)
    except SystemExit as error:
        return NotFitted(f"it failed: it called sys.exit({error.code!r})")


def _elsewhere(algorithms: Mapping[str, Algorithm], work: Work, seconds: float) -> Generator[Step]:
    """Let some processes take one algorithm after the other; a killed one is replaced."""
    waiting = list(algorithms.items())[::-1]
    workers = [_Worker(work, seconds) for _ in range(min(MOST_PROCESSES, len(waiting)))]
    try:
        while waiting or any(worker.busy for worker in workers):
            for worker in workers:
                if waiting and not worker.busy:
                    worker.begin(*waiting.pop())
            wait([worker.connection for worker in workers if worker.busy], TICK)
            yield from (step for worker in workers if (step := worker.look()) is not None)
    finally:
        for worker in workers:
            worker.stop()


_UNSENT = "it cannot be sent to another process"
_GONE = "its process ended without an answer: too little memory, or a crash"


@dataclass(frozen=True, eq=False)
class _Ready:
    """A process says that it has imported what it needs: from now on its time counts."""


READY = _Ready()

MOST_PROCESSES = 2
"""At once; more would compete for the memory of one machine."""

TICK = 0.2
"""Seconds between two looks at who is late."""

START_SECONDS = 120.0
"""What the start of a process may take: it imports our packages."""


class _Worker:
    """A process that fits one algorithm after the other, started anew after it was killed.

    Nothing that an algorithm does reaches another one's result: each gets a copy of the data of
    its own, each answer carries the number of its task, and a process that an algorithm forked
    gives none.
    """

    def __init__(self, work: Work, seconds: float) -> None:
        self._work, self._seconds = pickle.dumps(work), seconds
        self._name, self._task = "", 0
        self._process: SpawnProcess | None = None

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self._folder = tempfile.mkdtemp(prefix="causalassay-")
        arguments = (theirs, os.getpid(), self._folder)
        self._process = context.Process(target=_serve, args=arguments, daemon=True)
        self._process.start()
        theirs.close()
        self._ready = False

    @property
    def busy(self) -> bool:
        """Whether an algorithm was given to it that has not ended."""
        return bool(self._name)

    def begin(self, name: str, algorithm: Algorithm) -> None:
        """Give an algorithm to the process, which is started if there is none."""
        if self._process is None:
            self._start()
        self._name, self._began = name, time.perf_counter()
        self._task += 1
        self._failed = ""
        try:
            request = pickle.dumps((name, algorithm))
        except Exception as error:
            self._failed = f"{_UNSENT}: {error}"
            return
        try:
            self.connection.send((self._task, self._work, request))
        except OSError:
            self._failed = _GONE

    def look(self) -> Step | None:
        """Return what came of the algorithm, if it has ended; kill the process if it is late."""
        if not self.busy:
            return None
        if self._failed:
            return self._end(NotFitted(self._failed), lost=self._failed == _GONE)
        try:
            while self.connection.poll():
                task, answer = self.connection.recv()
                if isinstance(answer, _Ready):
                    self._ready, self._began = True, time.perf_counter()
                elif task == self._task:
                    return self._end(answer)
        except Exception:  # the process is gone, or what it wrote is no answer
            return self._end(NotFitted(_GONE), lost=True)
        limit = self._seconds if self._ready else START_SECONDS
        if time.perf_counter() - self._began <= limit:
            return None
        late = NotFitted(f"it took more than {self._seconds:g} seconds")
        return self._end(late, lost=True)

    def _end(self, found: Fit | NotFitted, *, lost: bool = False) -> Step:
        step = (self._name, found, time.perf_counter() - self._began)
        self._name = ""
        if lost:
            self.stop()
        return step

    def stop(self) -> None:
        """Kill the process and all that algorithms started in it; remove their files."""
        if self._process is None:
            return
        with suppress(OSError):  # it has ended, or has not yet a group of its own
            os.killpg(self._process.pid or 0, signal.SIGKILL)
        self._process.kill()
        self._process.join()
        self._process = None
        self.connection.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def _serve(connection: Connection, parent: int, folder: str) -> None:
    """Fit what comes, until the other end is gone."""
    _leave_the_terminal()
    os.dup2(2, 1)  # what an algorithm prints is no part of the result
    os.environ["TMPDIR"] = tempfile.tempdir = folder
    threading.Thread(target=_end_with, args=(parent, folder), daemon=True).start()
    own = os.getpid()
    try:
        connection.send((0, READY))
        while True:
            task, work, request = connection.recv()
            answer = _answer(request, _own_copy(pickle.loads(work)))
            if os.getpid() != own:
                os._exit(0)  # an algorithm forked: one of the two answers
            connection.send((task, answer))
    except (EOFError, OSError):
        return


def _own_copy(work: Work) -> Work:
    """Return work whose arrays cannot be written to; pickling forgets that."""
    regimes = tuple(replace(regime) for regime in work.dataset.regimes)
    return replace(work, dataset=replace(work.dataset, regimes=regimes))


def _answer(request: bytes, work: Work) -> Fit | NotFitted:
    try:
        name, algorithm = pickle.loads(request)
    except Exception as error:  # its class is not found here
        return NotFitted(f"{_UNSENT}: {error}")
    return _fit(name, algorithm, work)


def _leave_the_terminal() -> None:
    # Ctrl-C is for the command, which then ends this process.
    if hasattr(os, "setsid"):
        os.setsid()


def _end_with(parent: int, folder: str) -> None:
    """End with the command, also if it was killed: then its files are left to this process."""
    while os.getppid() == parent:
        time.sleep(1.0)
    shutil.rmtree(folder, ignore_errors=True)
    os.killpg(os.getpgid(0), signal.SIGKILL)
