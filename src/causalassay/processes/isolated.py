"""A caller's end of a process that a launcher started: requests, answers, limits."""

from __future__ import annotations

import contextlib
import os
import pickle
import select
import socket
import struct
import time
from multiprocessing.connection import Connection
from multiprocessing.reduction import send_handle

from causalassay.processes.launcher import Launcher
from causalassay.processes.launcher_process import NUMBER
from causalassay.processes.limits import Limits, Loss, Stopwatch
from causalassay.processes.messages import (
    TOKEN,
    IncomingMessages,
    Output,
    PrintedOutput,
    SentObject,
)
from causalassay.processes.process_tree import holds_more, living_tree
from causalassay.processes.stages import Clock, Stage

TICK = 0.05
"""Seconds between two looks at the time and memory of what runs."""

LONGEST_ANSWER = 2**26
"""Bytes of an answer, beside those that its caller expects."""

_LONG = 2**14
_REST = 0.01
"""Seconds for which output is left to gather if less than `_LONG` bytes came; the pipe holds more
than that."""

GOODBYE_SECONDS = 30.0
"""What the launcher has to tell the exit code of a process that is gone."""

STALLED_SECONDS = 60
"""After which a message that does not go on is given up."""


class IsolatedProcess:
    """A process that knows nothing but what it is sent, and whose answers are not believed.

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
        self._poll_answer = select.poll()
        self._poll_answer.register(started.work, select.POLLIN)
        self._process = started.process
        self._held: SentObject | None = None
        self._token = b""
        self._incoming = IncomingMessages()
        self._stage = Stage()
        self._printed = PrintedOutput()
        self._poll.register(self._printed.handle, select.POLLIN)
        with contextlib.suppress(OSError):  # it may have ended: the first request finds out
            for handle in (self._stage.file.handle, self._printed.to_print):
                send_handle(self._connection, handle, self._process.pid)
        self._printed.close_writing()

    def output(self) -> Output:
        """Return what it has printed since this was last asked for, also if it is gone now."""
        return self._printed.take()

    def holds(self, content: SentObject) -> bool:
        """Tell whether an object was the last that was sent to this process."""
        return content is self._held

    def ask(
        self,
        request: object,
        limits: Limits,
        content: SentObject | None = None,
        longest: int = LONGEST_ANSWER,
    ) -> bytes | Loss:
        """Return the answer to a request, or the loss of the process.

        Parameters
        ----------
        request : object
            Pickled; with the `pickled` of the content, if it has one.
        limits : Limits
        content : SentObject, optional
            Whose shared memory goes with the request, and does not count as the process's.
        longest : int
            Bytes of an answer.
        """
        self._held = self._held if content is None else content
        self._token = os.urandom(TOKEN)
        try:
            self._connection.send_bytes(self._token + pickle.dumps(request, protocol=5))
            if content is not None and content.shared is not None:
                send_handle(self._connection, content.shared.handle, self._process.pid)
        except OSError:
            return self._end(None)
        return self.hear(limits, longest)

    def hear(self, limits: Limits, longest: int = LONGEST_ANSWER) -> bytes | Loss:
        """Return what the process sends next to the last request, or the loss of the process.

        Parameters
        ----------
        limits : Limits
        longest : int
            Bytes of it.
        """
        self._incoming.longest = longest
        answer: bytes | Loss | None = self._incoming.waiting()
        try:
            if answer is None:  # else it came together with the one before
                answer = self._wait(limits)
        except (EOFError, OSError):
            return self._end(None)
        if isinstance(answer, Loss):
            return self._end(answer)
        if not answer.startswith(self._token):
            return self._end(
                Loss("crashed", "crashed: it sent something that is not an answer to the request")
            )
        return answer[TOKEN:]

    def _wait(self, limits: Limits) -> bytes | Loss:
        """Wait for a whole answer; return the loss of one that goes beyond the limits."""
        clock, reading, looked = Clock(self._stage, believed=False), None, time.monotonic()
        while True:
            # What has come while this process was away is seen first.
            ready = {handle for handle, _ in self._poll.poll(1000 * TICK)}
            if self._printed.handle in ready:
                self._read_printed()
            if self._connection.fileno() in ready:
                reading = reading or Stopwatch()
                if (whole := self._incoming.read(self._connection.fileno())) is not None:
                    return whole
                if self._incoming.is_too_long:
                    return Loss("crashed", "crashed: its answer was too large")
            if time.monotonic() - looked < TICK / 2:
                continue  # it prints, or its answer comes in pieces
            looked = time.monotonic()
            if loss := clock.loss(limits):
                return loss
            if reading is not None and reading.look() > STALLED_SECONDS:
                return Loss("crashed", "crashed: its answer broke off")
            if limits.memory is not None and self._holds_more(limits.memory):
                return Loss.too_big(limits.memory)

    def _read_printed(self) -> None:
        length = _LONG
        with contextlib.suppress(BlockingIOError):
            length = self._printed.read()
        if not length:
            self._poll.unregister(self._printed.handle)  # it has closed its streams
        elif length < _LONG:
            # Else each line would cost this process as much as the one that prints.
            self._poll_answer.poll(1000 * _REST)

    def _holds_more(self, memory: int) -> bool:
        shared = None if self._held is None else self._held.shared
        return holds_more(living_tree(self._process), memory, None if shared is None else shared.id)

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
        self.close()  # what it has printed can still be read
        return Loss.ended(code) if loss is None else loss


def _patient(handle: int) -> Connection:
    """Return a connection on which sending does not last for ever."""
    with socket.socket(fileno=os.dup(handle)) as ours:
        timeout = struct.pack("ll", STALLED_SECONDS, 0)
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, timeout)
    return Connection(handle)
