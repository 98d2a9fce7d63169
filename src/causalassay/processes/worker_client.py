"""The supervisor's end of a worker: its process, what is sent there, and how long it takes."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import shutil
from concurrent.futures import Future
from dataclasses import dataclass, field
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any

import psutil

from causalassay.processes.limits import Limits, Loss
from causalassay.processes.messages import TOKEN, IncomingMessages, with_length
from causalassay.processes.process_tree import (
    continue_if_stopped,
    holds_more,
    kill_tree,
    living_tree,
)
from causalassay.processes.resources import NO_NEEDS, Needs
from causalassay.processes.scratch import NamelessFile
from causalassay.processes.stages import Clock, Stage, Work
from causalassay.processes.worker import WorkerStart, serve, with_card, worker_folder

EXIT_SECONDS = 1.0
"""What a process has to end that has closed its connection."""


@dataclass(eq=False)
class Call:
    """A call that waits or runs.

    Parameters
    ----------
    payload : bytes
        A pickled function with its argument.
    limits : Limits
    future : Future
        What the caller waits for.
    breaks : int
        How many processes were lost before they had begun with it.
    needs : Needs
        What it reserves while it runs.
    number : int
        The place in the order in which calls came.
    """

    payload: bytes
    limits: Limits
    future: Future[Any] = field(default_factory=Future)
    breaks: int = 0
    needs: Needs = NO_NEEDS
    number: int = 0


class WorkerProcess:
    """A worker process, and the call that it is at.

    Attributes
    ----------
    ready, used : bool
        Whether it has reported its start, and whether it has done a call before.
    seen : list of Process
        It and what it had started, when last looked at.
    """

    def __init__(self, folder: Path, setup: NamelessFile, *, runs_algorithms: bool) -> None:
        context = multiprocessing.get_context("spawn")
        self._stage = Stage()
        self._folder = folder
        self.clock = Clock(self._stage)
        self.ready = self.used = False
        self.seen: list[psutil.Process] = []
        self._token, self._outgoing, self._stage_before = b"", memoryview(b""), 0
        self._incoming = IncomingMessages()
        start = WorkerStart(os.getpid(), folder, setup, self._stage, runs_algorithms)
        self.connection, theirs = context.Pipe()
        try:
            self._child: SpawnProcess = context.Process(target=serve, args=(theirs, start))
            self._child.start()
            self._process = psutil.Process(self._child.pid)
        except BaseException:
            self.connection.close()
            raise
        finally:
            theirs.close()
        os.set_blocking(self.connection.fileno(), False)

    @property
    def pid(self) -> int:
        """Its number."""
        return self._process.pid

    @property
    def has_begun(self) -> bool:
        """Whether it has begun with the call that was sent last."""
        return self._stage.number != self._stage_before

    @property
    def work(self) -> Work | None:
        """What it works at, as far as its call tells."""
        return self._stage.work

    def begin(self, call: Call, card: str = "") -> bool:
        """Send a call to the process; return whether all of it is on its way.

        Parameters
        ----------
        call : Call
        card : str
            The graphics card that was reserved for it.
        """
        self._token, self._stage_before = os.urandom(TOKEN), self._stage.number
        self._outgoing = memoryview(with_length(self._token + with_card(card, call.payload)))
        return self.write()

    def write(self) -> bool:
        """Send what can be sent now; return whether that is all."""
        with contextlib.suppress(BlockingIOError):
            while self._outgoing:
                self._outgoing = self._outgoing[
                    os.write(self.connection.fileno(), self._outgoing) :
                ]
        return not self._outgoing

    def read(self) -> bytes | None:
        """Return what the process has sent, once it is whole.

        Raises
        ------
        EOFError, OSError
            If the process is gone, or sends what is no answer to its call.
        """
        try:
            message = self._incoming.read(self.connection.fileno())
        except BlockingIOError:
            return None
        if message is None or not self.ready:
            return message
        if not message.startswith(self._token):
            raise EOFError
        return message[TOKEN:]

    def beyond_limits(self, limits: Limits) -> Loss | None:
        """Return the loss of a call that is beyond its limits."""
        if members := living_tree(self._process):
            self.seen = members
        continue_if_stopped(self._process)
        if loss := self.clock.loss(limits):
            return loss
        if limits.memory is not None and holds_more(members, limits.memory):
            return Loss.too_big(limits.memory)
        return None

    @property
    def is_gone(self) -> bool:
        """Whether it has ended."""
        return self._child.exitcode is not None

    def exit_code(self) -> int | None:
        """Return the exit code of a process that has hung up; None if it goes on."""
        self._child.join(EXIT_SECONDS)
        return self._child.exitcode

    def kill(self) -> None:
        """Kill the process with all it started; `remove` what it leaves once it is gone."""
        # Before its pipe is closed, which would make one that starts print an error.
        kill_tree(self._process, self.seen)
        self.connection.close()

    def remove(self) -> None:
        """Remove the temporary files of a process that is gone."""
        shutil.rmtree(worker_folder(self._folder, self.pid), ignore_errors=True)
