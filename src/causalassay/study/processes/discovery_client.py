"""A worker's end of a process that runs algorithms: requests, answers, limits."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pickle
import select
import socket
import struct
import tempfile
import time
from multiprocessing.connection import Connection
from multiprocessing.reduction import send_handle
from pathlib import Path

import psutil
from numpy.random import Generator

from causalassay.data import Dataset
from causalassay.seeding import blind_state
from causalassay.study.plan import Limits
from causalassay.study.processes.discovery_process import (
    TOKEN,
    Discover,
    GivenData,
    Load,
    Request,
)
from causalassay.study.processes.executor import Loss, NoWorkers
from causalassay.study.processes.launcher import FAILURE
from causalassay.study.processes.launcher_process import NUMBER, SOCKET
from causalassay.study.processes.process_tree import holds_more, living_tree
from causalassay.study.processes.stopwatch import Stopwatch

TICK = 0.05
"""Seconds between two looks at the time and memory of what runs."""

SHARED_FROM = 2**18
"""Bytes of data from which on they travel through shared memory."""

LONGEST_ANSWER = 2**26
"""Bytes of an answer, beside what the matrices of its estimate need."""

_START_SECONDS = 300.0
GOODBYE_SECONDS = 10.0
"""What the launcher has to tell the exit code of a process that is gone."""

STALLED_SECONDS = 60
"""After which a message that does not go on is given up."""

_UNCHANGEABLE = 0x0001 | 0x0002 | 0x0004 | 0x0008
"""Linux' F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_WRITE."""

_CLOSED = "crashed: it closed its connection"


class SentData:
    """A data set ready to be sent to any number of processes.

    Parameters
    ----------
    data : Dataset
    """

    def __init__(self, data: Dataset) -> None:
        arrays: list[pickle.PickleBuffer] = []
        head = pickle.dumps(data, protocol=5, buffer_callback=arrays.append)
        parts = [array.raw() for array in arrays]
        sizes = tuple(part.nbytes for part in parts)
        large = sum(sizes) >= SHARED_FROM
        self.n_nodes = data.n_nodes
        self.shared = _shared_memory(parts) if large else None
        self.given = GivenData(head, sizes, None if large else b"".join(parts))

    def __del__(self) -> None:
        if self.shared is not None:
            os.close(self.shared)


class DiscoveryProcess:
    """A process of the launcher's, as a worker sees it.

    Parameters
    ----------
    folder : Path
        The launcher's.

    Raises
    ------
    NoWorkers
        If the launcher cannot start one.
    """

    def __init__(self, folder: Path) -> None:
        self._launcher, self.pid, handle = _ask(folder)
        self._connection = _patient(handle)
        self._poll = select.poll()  # the connection's own takes 30 µs to prepare
        self._poll.register(handle, select.POLLIN)
        self._process = psutil.Process(self.pid)
        self._data: SentData | None = None

    def load(self, request: Load, limits: Limits) -> bytes | Loss:
        """Let the process read an algorithm; return its answer, or the loss of the process."""
        return self._ask(request, None, limits)

    def discover(self, number: int, rng: Generator, data: SentData, limits: Limits) -> bytes | Loss:
        """Let the process run an algorithm; return its answer, or the loss of the process."""
        new = data is not self._data
        self._data = data
        request = Discover(number, *blind_state(rng), data.given if new else None)
        return self._ask(request, data.shared if new else None, limits)

    def _ask(self, request: Request, shared: int | None, limits: Limits) -> bytes | Loss:
        token = os.urandom(TOKEN)
        try:
            self._connection.send_bytes(token + pickle.dumps(request, protocol=5))
            if shared is not None:
                send_handle(self._connection, shared, self.pid)
            loss = self._wait(limits)
            if loss is None:
                answer = self._connection.recv_bytes(self._longest_answer)
                if answer.startswith(token):
                    return answer[TOKEN:]
                loss = Loss("crashed", "crashed: it sent what is no answer to the request")
        except (EOFError, ConnectionError):
            loss = None
        except BlockingIOError:
            loss = Loss("crashed", "crashed: its answer broke off")
        except OSError:
            loss = Loss("crashed", "crashed: its answer was too large")
        return self._end(loss)

    def _wait(self, limits: Limits) -> Loss | None:
        """Wait for an answer; return the loss of one that goes beyond the limits."""
        watch = Stopwatch()
        # What has come while this process was away is seen first.
        while not self._poll.poll(1000 * TICK):
            if limits.seconds is not None and watch.look() > limits.seconds:
                return Loss.late(limits.seconds)
            if limits.memory is not None and holds_more(living_tree(self._process), limits.memory):
                return Loss.too_big(limits.memory)
        return None

    def close(self) -> None:
        """End the process with all it started; do not wait for it."""
        self._connection.close()
        self._launcher.close()

    def stop(self) -> int | None:
        """End the process with all it started, and return its exit code once it is gone."""
        with contextlib.suppress(OSError):
            self._launcher.send(b"end")
        return self._exit_code()

    def _exit_code(self) -> int | None:
        """Return the exit code when the launcher tells it; None if the process goes on."""
        self._launcher.settimeout(GOODBYE_SECONDS)
        with contextlib.suppress(OSError, struct.error):
            return int(NUMBER.unpack(self._launcher.recv(NUMBER.size))[0])
        return None

    def _end(self, loss: Loss | None) -> Loss:
        """End the process; return why it was lost: None is for one that ended itself."""
        code = self._exit_code() if loss is None else self.stop()
        self.close()
        if loss is not None:
            return loss
        return Loss("crashed", _CLOSED) if code is None else Loss.ended(code)

    @property
    def _longest_answer(self) -> int:
        n_nodes = 0 if self._data is None else self._data.n_nodes
        return LONGEST_ANSWER + 64 * n_nodes**2


def _ask(folder: Path) -> tuple[socket.socket, int, int]:
    """Ask the launcher for a process; return the socket, the process's id and a handle to it."""
    until = time.monotonic() + _START_SECONDS
    while True:
        launcher = socket.socket(socket.AF_UNIX)
        try:
            launcher.connect(str(folder / SOCKET))
            message, handles, *_ = socket.recv_fds(launcher, NUMBER.size, 1)
            (pid,) = NUMBER.unpack(message)
            return launcher, pid, handles[0]
        except (OSError, struct.error, IndexError) as error:
            # It is not there yet, or was lost and will be back.
            launcher.close()
            reason = str(error)
        with contextlib.suppress(FileNotFoundError):
            raise NoWorkers(
                "no process for algorithms could be started: " + (folder / FAILURE).read_text()
            )
        if time.monotonic() > until:
            raise NoWorkers(f"no process for algorithms could be started: {reason}")
        time.sleep(0.01)


def _patient(handle: int) -> Connection:
    """Return a connection on which neither sending nor a broken message lasts for ever."""
    with socket.socket(fileno=os.dup(handle)) as ours:
        for option in (socket.SO_SNDTIMEO, socket.SO_RCVTIMEO):
            ours.setsockopt(socket.SOL_SOCKET, option, struct.pack("ll", STALLED_SECONDS, 0))
    return Connection(handle)


def _shared_memory(parts: list[memoryview]) -> int:
    """Return a handle to a file without a name that holds some bytes and cannot be changed."""
    if hasattr(os, "memfd_create"):
        handle = os.memfd_create("causalassay", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    else:
        with tempfile.TemporaryFile() as file:
            handle = os.dup(file.fileno())
    with open(handle, "wb", closefd=False) as file:  # noqa: PTH123  it has no path
        for part in parts:
            file.write(part)
    if hasattr(os, "memfd_create"):
        # Whoever gets the handle could write, too, and others read the same data.
        fcntl.fcntl(handle, fcntl.F_ADD_SEALS, _UNCHANGEABLE)
    return handle
