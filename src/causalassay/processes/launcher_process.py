"""The process that starts others by forking itself.

It has imported the code that these run, and nothing else: neither a study nor an algorithm's
code. So what it starts knows nothing, and starts at once. It also ends what they left behind.

Its worker asks over a socket that has no name. It says where the new process is to keep its
temporary files, and gets its id, a connection to it, and a socket where the exit code comes later;
what the worker sends there, or its end, ends the process with all that it started.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import shutil
import signal
import socket
import struct
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle

import psutil

from causalassay.processes.process_tree import (
    adopt_orphans,
    be_killed_first,
    children_of,
    end_with,
    kill_tree,
    lead_a_session,
    print_into,
    silence,
)
from causalassay.processes.scratch import NamelessFile
from causalassay.processes.stages import Stage, show

NUMBER = struct.Struct("<q")
"""How process ids and exit codes are written."""

NO_FOLDER = b"none"
"""What a worker says that has no folder for the temporary files of a process."""

_LONGEST_PATH = 2**16


@dataclass(eq=False)
class _Process:
    """A process that was started, the socket on which its worker hears of it, and its folder."""

    pid: int
    control: socket.socket
    folder: str


class _Launcher:
    """The loop of the launcher: starts processes, tells of their end, ends them.

    Parameters
    ----------
    channel : int
        The socket of its worker.
    serve : callable
        What each process runs.
    """

    def __init__(self, channel: int, serve: Callable[[Connection], None]) -> None:
        self._serve = serve
        self._processes: dict[int, _Process] = {}
        self._selector = selectors.DefaultSelector()
        self._channel = socket.socket(fileno=channel)
        self._wakeup = os.pipe()
        for end in self._wakeup:
            os.set_blocking(end, False)
        signal.set_wakeup_fd(self._wakeup[1], warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._selector.register(self._channel, selectors.EVENT_READ, "worker")
        self._selector.register(self._wakeup[0], selectors.EVENT_READ, "children")

    def run(self) -> None:
        """Serve until the worker ends."""
        while True:
            for key, _ in self._selector.select():
                match key.data:
                    case "worker":
                        if not (folder := self._channel.recv(_LONGEST_PATH)):
                            self._end_all()
                            return
                        self._start("" if folder == NO_FOLDER else os.fsdecode(folder))
                    case "children":
                        with contextlib.suppress(BlockingIOError):
                            os.read(self._wakeup[0], 4096)
                        self._reap()
                    case _Process() as process:
                        self._end(process)

    def _start(self, folder: str) -> None:
        ours, work = socket.socketpair()
        control, theirs = socket.socketpair()
        pid = os.fork()
        if pid == 0:
            self._become(work.fileno(), folder)
        process = _Process(pid, control, folder)
        self._processes[pid] = process
        self._selector.register(control, selectors.EVENT_READ, process)
        with contextlib.suppress(OSError):  # the worker may be gone
            socket.send_fds(self._channel, [NUMBER.pack(pid)], [ours.fileno(), theirs.fileno()])
        for end in (ours, work, theirs):
            end.close()

    def _become(self, connection: int, folder: str) -> None:
        """Go on as the process of an algorithm; never returns."""
        code = 1
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            end_with(os.getppid())
            lead_a_session()
            adopt_orphans()
            be_killed_first()
            silence()
            _close_all_but(connection)
            for other in self._processes.values():
                other.folder = ""  # not for an algorithm to know
            if folder:
                tempfile.tempdir = os.environ["TMPDIR"] = folder
            worker = Connection(connection)
            stage = Stage(NamelessFile(handle=recv_handle(worker)))
            stage.file.close()  # what is mapped stays
            show(stage)
            print_into(recv_handle(worker))
            self._serve(worker)
            code = 0
        finally:
            os._exit(code)

    def _reap(self) -> None:
        """Tell workers of processes that have ended, and kill what these have left."""
        with contextlib.suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    break
                process = self._processes.pop(pid, None)
                if process is not None:
                    self._kill_orphans()
                    self._say_goodbye(process, os.waitstatus_to_exitcode(status))
        self._kill_orphans()

    def _say_goodbye(self, process: _Process, code: int) -> None:
        with contextlib.suppress(KeyError):
            self._selector.unregister(process.control)
        if process.folder:
            shutil.rmtree(process.folder, ignore_errors=True)
        with contextlib.suppress(OSError):
            process.control.send(NUMBER.pack(code))
        process.control.close()

    def _kill_orphans(self) -> None:
        """Kill the children that were not started here: a process that ended had left them."""
        for child in children_of(psutil.Process()):
            if child.pid not in self._processes:
                kill_tree(child)

    def _end(self, process: _Process) -> None:
        """Kill a process with all it started; its worker has asked for it, or is gone."""
        self._selector.unregister(process.control)
        with contextlib.suppress(psutil.Error):
            kill_tree(psutil.Process(process.pid))

    def _end_all(self) -> None:
        """Kill every process below this one, in rounds: a dying one may start others."""
        while children := list(children_of(psutil.Process())):
            for child in children:
                kill_tree(child)
            with contextlib.suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass


def main(channel: int, server: str) -> None:
    """Run the launcher until its worker ends.

    Parameters
    ----------
    channel : int
        The socket of its worker.
    server : str
        What each process runs, as ``module:name``.
    """
    module, _, name = server.partition(":")
    serve = getattr(import_module(module), name)
    lead_a_session()
    adopt_orphans()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _Launcher(channel, serve).run()


def _close_all_but(handle: int) -> None:
    """Close every handle but one and the standard ones: they belong to other processes."""
    os.closerange(3, handle)
    os.closerange(handle + 1, os.sysconf("SC_OPEN_MAX"))
