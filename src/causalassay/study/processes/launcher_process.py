"""The process that starts the processes of algorithms, by forking itself.

It has imported causalassay and nothing else: neither a study nor an algorithm's code. So
what it starts knows nothing, and starts at once. It also ends what algorithms left behind.

A worker connects to its socket and gets the id of a new process and a connection to it.
What comes over the first socket later is the exit code; what it sends there, or its
end, ends the process with all that it started.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import shutil
import signal
import socket
import struct
import sys
import tempfile
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

import psutil

from causalassay.study.processes import parentage
from causalassay.study.processes.discovery_process import serve
from causalassay.study.processes.process_tree import children_of, kill_tree

NUMBER = struct.Struct("<q")
"""How process ids and exit codes are written."""

SOCKET = "launcher"


@dataclass(frozen=True, eq=False)
class _Started:
    """A process that was started, and the socket of the worker that asked for it."""

    pid: int
    worker: socket.socket


class _Launcher:
    """The loop of the launcher: starts processes, tells of their end, ends them.

    Parameters
    ----------
    folder : Path
        Where its socket is, and the temporary files of the processes.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._started: dict[int, _Started] = {}
        self._selector = selectors.DefaultSelector()
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(folder / SOCKET))
        self._listener.listen(64)
        self._wakeup = os.pipe()
        for end in self._wakeup:
            os.set_blocking(end, False)
        signal.set_wakeup_fd(self._wakeup[1], warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._selector.register(self._listener, selectors.EVENT_READ, "listener")
        self._selector.register(self._wakeup[0], selectors.EVENT_READ, "children")
        self._selector.register(sys.stdin.fileno(), selectors.EVENT_READ, "driver")

    def run(self) -> None:
        """Serve until the driver ends."""
        while True:
            for key, _ in self._selector.select():
                match key.data:
                    case "driver":
                        if not os.read(sys.stdin.fileno(), 4096):
                            self._end_all()
                            return
                    case "listener":
                        self._start()
                    case "children":
                        with contextlib.suppress(BlockingIOError):
                            os.read(self._wakeup[0], 4096)
                        self._reap()
                    case _Started() as started:
                        self._end(started)

    def _start(self) -> None:
        worker, _ = self._listener.accept()
        ours, theirs = socket.socketpair()
        pid = os.fork()
        if pid == 0:
            self._become(theirs.detach())
        theirs.close()
        started = _Started(pid, worker)
        self._started[pid] = started
        self._selector.register(worker, selectors.EVENT_READ, started)
        with contextlib.suppress(OSError):  # the worker may be gone
            socket.send_fds(worker, [NUMBER.pack(pid)], [ours.fileno()])
        ours.close()

    def _become(self, connection: int) -> None:
        """Go on as the process of an algorithm; never returns."""
        code = 1
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            self._forget_others()
            parentage.end_with(os.getppid())
            parentage.lead_a_session()
            parentage.adopt_orphans()
            parentage.be_killed_first()
            parentage.silence()
            own = _own_folder(self._folder, os.getpid())
            own.mkdir(exist_ok=True)
            tempfile.tempdir = os.environ["TMPDIR"] = str(own)
            serve(Connection(connection))
            code = 0
        finally:
            os._exit(code)

    def _forget_others(self) -> None:
        """Close, after a fork, what belongs to other processes."""
        for started in self._started.values():
            started.worker.close()
        self._listener.close()
        self._selector.close()
        for end in self._wakeup:
            os.close(end)

    def _reap(self) -> None:
        """Tell workers of processes that have ended, and kill what these have left."""
        with contextlib.suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    break
                started = self._started.pop(pid, None)
                if started is not None:
                    self._kill_orphans()
                    self._say_goodbye(started, os.waitstatus_to_exitcode(status))
        self._kill_orphans()

    def _say_goodbye(self, started: _Started, code: int) -> None:
        with contextlib.suppress(KeyError):
            self._selector.unregister(started.worker)
        shutil.rmtree(_own_folder(self._folder, started.pid), ignore_errors=True)
        with contextlib.suppress(OSError):
            started.worker.send(NUMBER.pack(code))
        started.worker.close()

    def _kill_orphans(self) -> None:
        """Kill the children that were not started here: a process that ended had left them."""
        for child in children_of(psutil.Process()):
            if child.pid not in self._started:
                kill_tree(child)

    def _end(self, started: _Started) -> None:
        """Kill a process with all it started; its worker has asked for it, or is gone."""
        self._selector.unregister(started.worker)
        with contextlib.suppress(psutil.Error):
            kill_tree(psutil.Process(started.pid))

    def _end_all(self) -> None:
        """Kill every process below this one, in rounds: a dying one may start others."""
        while children := list(children_of(psutil.Process())):
            for child in children:
                kill_tree(child)
            with contextlib.suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass


def main() -> None:
    """Run the launcher in the folder that the command line names, until standard input ends."""
    parentage.lead_a_session()
    parentage.adopt_orphans()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    folder = Path(sys.argv[1])
    _Launcher(folder).run()


def _own_folder(folder: Path, pid: int) -> Path:
    """Return where the process of an algorithm keeps its temporary files."""
    return folder / str(pid)
