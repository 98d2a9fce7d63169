"""One process for each environment, kept between requests, and started anew after a fault."""

from __future__ import annotations

import atexit
import contextlib
import itertools
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal

import numpy as np

from causalassay.environments import host
from causalassay.environments.catalogue import EnvironmentDefinition
from causalassay.environments.installing import clean_variables, state
from causalassay.processes.limits import Loss
from causalassay.processes.process_tree import kill_group
from causalassay.processes.scratch import SCRATCH
from causalassay.processes.stages import loading

TICK = 0.5
"""Seconds between two looks whether a process is still there."""

TRIES = 3
"""Processes that a request is made to, if they are killed."""

LONGEST_ANSWER = 2**26
"""Bytes of an answer, beside what matrices over the columns need."""

LOAD_SECONDS = 300.0
"""What the import of an adapter and its packages may take: torch is large."""

MOST_PRINTED = 256 * 10**6
"""Bytes that a process may print while it answers, or imports its packages."""

_SHOWN_LENGTH = 300
_PIECE = 2**20


class EnvironmentAbsent(Exception):
    """The environment is not installed, or cannot run here; the message says what to do."""


class EnvironmentFailed(RuntimeError):
    """There is no answer, or one that is no graph; the message is the reason of a row."""


class EnvironmentKilled(EnvironmentFailed):
    """The process was killed, perhaps by something else; the same request may succeed."""


class PackageRaised(EnvironmentFailed):
    """A package raised an error; its process goes on."""


class PackageRefused(ValueError):
    """The data are not what the package is for; the message says why."""


@dataclass(frozen=True, eq=False)
class Request:
    """What is asked of an environment.

    Parameters
    ----------
    kind : {"algorithm", "generator"}
    name : str
        Of the algorithm or the generator.
    parameters : mapping
    seed : int
        Of the package, of numpy's generator and of torch's; below 2^32.
    python_seed : int
        Of Python's own generator.
    arrays : mapping of str to ndarray
    columns : tuple of str
    levels : tuple of int, optional
        Of discrete columns.
    rows : {"independent", "series"}
    """

    kind: Literal["algorithm", "generator"]
    name: str
    parameters: Mapping[str, Any]
    seed: int
    python_seed: int = 0
    arrays: Mapping[str, np.ndarray] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    levels: tuple[int, ...] | None = None
    rows: str = "independent"

    @property
    def bytes_expected(self) -> int:
        """About what matrices over the columns need, and the values that are drawn."""
        nodes = self.parameters.get("nodes", 0) if self.kind == "generator" else len(self.columns)
        drawn = nodes * self.parameters.get("samples", 0) if self.kind == "generator" else 0
        return int(64 * nodes**2 + 8 * drawn)

    def packed(self, number: int) -> bytes:
        """Return the message of this request."""
        head = {
            "id": number,
            "kind": self.kind,
            "name": self.name,
            "parameters": dict(self.parameters),
            "seed": self.seed,
            "python_seed": self.python_seed,
            "columns": list(self.columns),
            "levels": None if self.levels is None else list(self.levels),
            "rows": self.rows,
            "scratch": os.environ.get(SCRATCH),
        }
        message: bytes = host.pack(head, self.arrays)
        return message


@dataclass(frozen=True, eq=False)
class Answer:
    """What came back.

    Parameters
    ----------
    arrays : mapping of str to ndarray
        Not checked: a package may return anything.
    info : mapping
    """

    arrays: Mapping[str, np.ndarray]
    info: Mapping[str, Any]


class EnvironmentProcess:
    """A process of an environment.

    Parameters
    ----------
    wanted : EnvironmentDefinition
    python : Path
        The interpreter.

    Raises
    ------
    EnvironmentFailed
        If the adapter cannot be imported there.
    """

    def __init__(self, wanted: EnvironmentDefinition, python: Path) -> None:
        self._name = wanted.name
        self._closed = False
        self._one_at_a_time = threading.RLock()
        self._numbers = itertools.count()
        self._complaints, self._n_printed = b"", 0
        self._stdout, theirs_stdout = os.pipe()
        self._stderr, theirs_stderr = os.pipe()
        theirs_in, self._requests = os.pipe()
        self._answers, theirs_out = os.pipe()
        handles = (theirs_in, theirs_out)
        words = [str(python), "-P", "-s", "-W", "ignore", str(Path(host.__file__))]
        try:
            self._process = _started(
                [*words, str(wanted.adapter), *map(str, handles), str(os.getpid())],
                handles,
                (theirs_stdout, theirs_stderr),
            )
        except OSError as reason:
            raise EnvironmentFailed(
                f"the environment {self._name} cannot be started: {reason.strerror}"
            ) from reason
        finally:
            for handle in (*handles, theirs_stdout, theirs_stderr):
                os.close(handle)
        # A caller that has a limit of its own for what is loaded has set it already.
        limit = contextlib.nullcontext() if _limit.get() else answered_within(LOAD_SECONDS)
        with self._ended_on_error(), loading(), limit:
            loaded = self._receive(LONGEST_ANSWER)[0]
            if loaded.get("status") != "loaded":
                raise EnvironmentFailed(
                    f"the adapter of {self._name} cannot be imported: {loaded.get('reason')}"
                )

    @property
    def pid(self) -> int:
        """Its number."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether it can answer."""
        return self._process.poll() is None

    def ask(self, request: Request) -> Answer:
        """Return the answer to a request; the process ends if there is none.

        Requests of several threads wait for each other.

        Raises
        ------
        PackageRefused
            If the adapter says that the data do not fit; the process stays.
        EnvironmentFailed
            If there is no answer; of an error that the package raised `PackageRaised`.
        """
        with self._one_at_a_time:
            return self._ask(request)

    def _ask(self, request: Request) -> Answer:
        if self._closed:
            raise EnvironmentKilled("crashed: another thread has ended the process")
        number = next(self._numbers)
        longest = LONGEST_ANSWER + request.bytes_expected
        with self._ended_on_error():
            self._read_all_printed()
            self._complaints, self._n_printed = b"", 0
            self._send(request.packed(number))
            head, arrays = self._receive(longest)
            if head.get("id") != number:
                raise EnvironmentFailed("crashed: it sent something that answers no request")
        if head.get("clean") is not True:
            self.close()
        if head.get("status") == "raised":
            raise PackageRaised(f"raised {head.get('reason')}")
        if head.get("status") == "not-applicable":
            raise PackageRefused(str(head.get("reason")))
        return Answer(arrays, head.get("info") or {})

    def close(self) -> None:
        """End the process and all that it started."""
        with self._one_at_a_time:
            self._close()

    def _close(self) -> None:
        if self._closed:
            return
        self._closed = True
        _ended["processes"] += 1
        kill_group(self._process)
        for handle in (self._requests, self._answers, self._stdout, self._stderr):
            with contextlib.suppress(OSError):
                os.close(handle)

    @contextlib.contextmanager
    def _ended_on_error(self) -> Iterator[None]:
        try:
            yield
        except BaseException:  # Ctrl-C too: what it would answer later is of no use
            self.close()
            raise

    def _send(self, message: bytes) -> None:
        rest = memoryview(message)
        try:
            while rest:
                rest = rest[os.write(self._requests, rest) :]
        except OSError:
            raise self._ending() from None

    def _receive(self, longest: int) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        (length,) = host.LENGTH.unpack(self._read(host.LENGTH.size))
        if length > longest:
            raise EnvironmentFailed("crashed: its answer was too large")
        try:
            head, arrays = host.unpack(self._read(length))
        except host.Broken as reason:
            raise EnvironmentFailed(f"invalid: {reason}") from None
        return head, arrays

    def _read(self, length: int) -> bytearray:
        """Read so many bytes; what the process left running may hold the pipe open after it."""
        received = bytearray()
        poll = select.poll()
        for handle in (self._answers, self._stdout, self._stderr):
            poll.register(handle, select.POLLIN)
        while len(received) < length:
            ended = not self.is_alive
            ready = dict(poll.poll(0 if ended else 1000 * TICK))
            for handle in ready.keys() & {self._stdout, self._stderr}:
                if not self._read_printed(handle):
                    poll.unregister(handle)
            if self._answers in ready:
                piece = os.read(self._answers, min(length - len(received), _PIECE))
                if not piece:
                    raise self._ending()
                received += piece
            elif ended:
                raise self._ending()
            elif (limit := _limit.get()) is not None and time.monotonic() > limit[1]:
                raise EnvironmentFailed(Loss.late(limit[0]).reason)
        return received

    def _read_printed(self, handle: int) -> bool:
        """Read what the process prints, and keep the end of its complaints; False if that is all.

        Raises
        ------
        EnvironmentFailed
            If it prints without end.
        """
        piece = os.read(handle, _PIECE)
        if _forwarded["printed"]:
            with contextlib.suppress(OSError):
                sys.stderr.flush()
                os.write(2, piece)
        if handle == self._stderr:
            self._complaints = (self._complaints + piece)[-_SHOWN_LENGTH:]
        self._n_printed += len(piece)
        if self._n_printed > MOST_PRINTED:
            raise EnvironmentFailed(f"crashed: it printed more than {MOST_PRINTED // 10**6} MB")
        return bool(piece)

    def _read_all_printed(self) -> None:
        """Read what is there, so that it is not taken for the next answer's."""
        for handle in (self._stdout, self._stderr):
            poll = select.poll()
            poll.register(handle, select.POLLIN)
            while poll.poll(0) and self._read_printed(handle):
                pass

    def _ending(self) -> EnvironmentFailed:
        """Return how the process ended, with the end of what it complained of."""
        try:
            code = self._process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            return EnvironmentFailed("crashed: it closed its connection")
        if code < 0:
            kind = EnvironmentKilled if code == -signal.SIGKILL else EnvironmentFailed
            return kind(Loss.ended(code).reason)
        self._read_all_printed()
        end = self._complaints.decode("utf-8", "replace").strip()
        return EnvironmentFailed(f"crashed: exit code {code}" + (f": {end}" if end else ""))


_forwarded = {"printed": False}


def forward_printed() -> None:
    """Print what packages print from now on: somebody keeps what this process prints."""
    _forwarded["printed"] = True


_limit: ContextVar[tuple[float, float] | None] = ContextVar("limit", default=None)
"""Seconds within which an answer is expected, and when they are over."""


@contextlib.contextmanager
def answered_within(seconds: float) -> Iterator[None]:
    """Expect answers within so many seconds of now; a process that is late is ended.

    Where limits are nested, the earliest holds.
    """
    limit, around = (seconds, time.monotonic() + seconds), _limit.get()
    token = _limit.set(limit if around is None else min(limit, around, key=itemgetter(1)))
    try:
        yield
    finally:
        _limit.reset(token)


_starters: dict[int, ThreadPoolExecutor] = {}
"""By our own process: the thread that starts the processes of environments."""


def _started(
    command: list[str], handles: tuple[int, int], outputs: tuple[int, int]
) -> subprocess.Popen[bytes]:
    """Start a process from a thread that lasts as long as we do.

    It is killed when the thread that started it ends: that of a caller may end before its next
    request.
    """
    if os.getpid() not in _starters:
        _starters[os.getpid()] = ThreadPoolExecutor(1, "starts environments")
    return (
        _starters[os.getpid()]
        .submit(
            subprocess.Popen,
            command,
            stdin=subprocess.DEVNULL,
            stdout=outputs[0],
            stderr=outputs[1],
            env=clean_variables(),
            pass_fds=handles,
            start_new_session=True,
        )
        .result()
    )


_ended = {"processes": 0}


def n_ended() -> int:
    """Return how many processes of environments were ended here: what follows starts anew.

    Examples
    --------
    >>> n_ended() >= 0
    True
    """
    return _ended["processes"]


_processes: dict[tuple[int, str], EnvironmentProcess] = {}
"""By our own process and the name: what a parent keeps is not for the children it forks."""

_starting = threading.Lock()


def ask(wanted: EnvironmentDefinition, request: Request) -> Answer:
    """Return the answer of an environment, in the process that is kept for it.

    A process that was killed may have been killed by something else, so the request is made to
    three of them before it is blamed.

    Raises
    ------
    EnvironmentAbsent, EnvironmentFailed, PackageRefused
    """
    for _ in range(TRIES - 1):
        with contextlib.suppress(EnvironmentKilled):
            return ready_process(wanted).ask(request)
    return ready_process(wanted).ask(request)


def ready_process(wanted: EnvironmentDefinition) -> EnvironmentProcess:
    """Return the process of an environment, started if there is none.

    Raises
    ------
    EnvironmentAbsent, EnvironmentFailed
    """
    key = os.getpid(), wanted.name
    with _starting:
        running = _processes.get(key)
        if running is not None and running.is_alive:
            return running
        installed = state(wanted)
        if installed.python is None:
            raise EnvironmentAbsent(installed.reason)
        _processes[key] = EnvironmentProcess(wanted, installed.python)
        return _processes[key]


def end_process(name: str) -> None:
    """End the process that is kept for an environment, so that the next request has a new one."""
    process = _processes.pop((os.getpid(), name), None)
    if process is not None:
        process.close()


def kept_pids() -> frozenset[int]:
    """Return the processes that this one keeps: they are no leftovers of a task.

    Examples
    --------
    >>> isinstance(kept_pids(), frozenset)
    True
    """
    return frozenset(
        process.pid for (owner, _), process in _processes.items() if owner == os.getpid()
    )


@atexit.register
def _end_all() -> None:
    for pid, name in list(_processes):
        if pid == os.getpid():
            end_process(name)
