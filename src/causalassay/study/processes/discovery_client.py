"""A worker's end of a process that runs algorithms: requests, answers, limits."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pickle
import select
import socket
import struct
from multiprocessing.connection import Connection
from multiprocessing.reduction import send_handle

from causalassay.data import Dataset
from causalassay.study.plan import Limits
from causalassay.study.processes.discovery_process import (
    TOKEN,
    Discover,
    GivenData,
    Load,
    Request,
)
from causalassay.study.processes.executor import Loss
from causalassay.study.processes.launcher import Launcher
from causalassay.study.processes.launcher_process import NUMBER
from causalassay.study.processes.process_tree import holds_more, living_tree
from causalassay.study.processes.scratch import NamelessFile
from causalassay.study.processes.stopwatch import Stopwatch

TICK = 0.05
"""Seconds between two looks at the time and memory of what runs."""

SHARED_FROM = 2**18
"""Bytes of data from which on they travel through shared memory."""

LONGEST_ANSWER = 2**26
"""Bytes of an answer, beside what the matrices of its estimate need."""

GOODBYE_SECONDS = 30.0
"""What the launcher has to tell the exit code of a process that is gone."""

STALLED_SECONDS = 60
"""After which a message that does not go on is given up."""

_HEADER = struct.Struct("!i")
"""How `multiprocessing` writes the length of a message; -1 is of one beyond 2 GB."""

_PIECE = 2**20

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


class DiscoveryProcess:
    """A process of the launcher's, as a worker sees it.

    Parameters
    ----------
    launcher : Launcher
    """

    def __init__(self, launcher: Launcher) -> None:
        started = launcher.start()
        self._control = started.control
        self._connection = _patient(started.work)
        self._poll = select.poll()  # the connection's own takes 30 µs to prepare
        self._poll.register(started.work, select.POLLIN)
        self._process = started.process
        self._data: SentData | None = None

    def load(self, request: Load, limits: Limits) -> bytes | Loss:
        """Let the process read an algorithm; return its answer, or the loss of the process."""
        return self._ask(request, None, limits)

    def discover(self, number: int, entropy: int, data: SentData, limits: Limits) -> bytes | Loss:
        """Let the process run an algorithm; return its answer, or the loss of the process."""
        new = data is not self._data
        self._data = data
        request = Discover(number, entropy, data.given if new else None)
        return self._ask(request, data.shared if new else None, limits)

    def _ask(self, request: Request, shared: NamelessFile | None, limits: Limits) -> bytes | Loss:
        token = os.urandom(TOKEN)
        try:
            self._connection.send_bytes(token + pickle.dumps(request, protocol=5))
            if shared is not None:
                send_handle(self._connection, shared.handle, self._process.pid)
            answer = self._wait(limits)
        except (EOFError, OSError):
            return self._end(None)
        if isinstance(answer, Loss):
            return self._end(answer)
        if not answer.startswith(token):
            return self._end(
                Loss("crashed", "crashed: it sent something that is not an answer to the request")
            )
        return answer[TOKEN:]

    def _wait(self, limits: Limits) -> bytes | Loss:
        """Wait for a whole answer; return the loss of one that goes beyond the limits."""
        watch, reading = Stopwatch(), None
        answer = _Answer(self._longest_answer)
        while True:
            # What has come while this process was away is seen first.
            if self._poll.poll(1000 * TICK):
                reading = reading or Stopwatch()
                if (whole := answer.read(self._connection.fileno())) is not None:
                    return whole
                if answer.is_too_long:
                    return Loss("crashed", "crashed: its answer was too large")
            if limits.seconds is not None and watch.look() > limits.seconds:
                return Loss.late(limits.seconds)
            if reading is not None and reading.look() > STALLED_SECONDS:
                return Loss("crashed", "crashed: its answer broke off")
            if limits.memory is not None and self._holds_more(limits.memory):
                return Loss.too_big(limits.memory)

    def _holds_more(self, memory: int) -> bool:
        given = None if self._data is None or self._data.shared is None else self._data.shared.id
        return holds_more(living_tree(self._process), memory, given)

    def close(self) -> None:
        """End the process with all it started; do not wait for it."""
        self._connection.close()
        self._control.close()

    def stop(self) -> int | None:
        """End the process with all it started, and return its exit code once it is gone."""
        with contextlib.suppress(OSError):
            self._control.send(b"end")
        return self._exit_code()

    def _exit_code(self) -> int | None:
        """Return the exit code when the launcher tells it; None if the process goes on."""
        with contextlib.suppress(OSError, struct.error):  # it may have been told before
            self._control.settimeout(GOODBYE_SECONDS)
            return int(NUMBER.unpack(self._control.recv(NUMBER.size))[0])
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


class _Answer:
    """A message on its way, which may come in any pieces: its length, then itself.

    Parameters
    ----------
    longest : int
        Bytes from which on it is too long.
    """

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._received = bytearray()

    def read(self, handle: int) -> bytes | None:
        """Read what there is; return the message once it is whole."""
        piece = os.read(handle, _PIECE)
        if not piece:
            raise EOFError
        self._received += piece
        if len(self._received) < _HEADER.size + self._length:
            return None
        return bytes(self._received[_HEADER.size :])

    @property
    def is_too_long(self) -> bool:
        """Whether it announces, or has, more bytes than it may."""
        return self._length > self._longest or self._length < 0

    @property
    def _length(self) -> int:
        if len(self._received) < _HEADER.size:
            return 1
        return int(_HEADER.unpack_from(self._received)[0])


def _patient(handle: int) -> Connection:
    """Return a connection on which sending does not last for ever."""
    with socket.socket(fileno=os.dup(handle)) as ours:
        timeout = struct.pack("ll", STALLED_SECONDS, 0)
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, timeout)
    return Connection(handle)


def _shared_memory(parts: list[memoryview]) -> NamelessFile:
    """Return a file that holds some bytes and cannot be changed."""
    file = NamelessFile(parts)
    if hasattr(os, "memfd_create"):
        # Whoever gets the handle could write, too, and others read the same data.
        fcntl.fcntl(file.handle, fcntl.F_ADD_SEALS, _UNCHANGEABLE)
    return file
