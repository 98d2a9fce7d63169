"""A launcher: the process that starts processes for its caller that know nothing of it."""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import struct
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import psutil

from causalassay.common.threads import SLEEP_WHILE_WAITING, thread_variables
from causalassay.processes.launcher_process import NO_FOLDER, NUMBER
from causalassay.processes.limits import NoWorkers
from causalassay.processes.process_tree import children_of, kill_tree
from causalassay.processes.scratch import NamelessFile, folder_beside, trouble_in

TRIES = 5
"""How often in a row a launcher may end before it has started a process."""

START_SECONDS = 300.0
"""What a launcher has to start a process; the first needs some imports."""

_LOOK_SECONDS = 1.0

_PROGRAM = """
import json, sys
sys.path[:] = json.loads(sys.argv[2])
from causalassay.processes.launcher_process import main
main(int(sys.argv[1]), sys.argv[3])
"""


@dataclass(frozen=True, eq=False)
class Started:
    """A process that a launcher has started.

    Parameters
    ----------
    process : Process
    work : int
        A handle to talk to it.
    control : socket
        Where the launcher tells its exit code; whatever is sent there ends it, and so does
        closing it.
    """

    process: psutil.Process
    work: int
    control: socket.socket


class Launcher:
    """A launcher process, and another if it is lost; leaving ends it and all it started.

    It gets the module path and a socket that has no name, so that nobody else can ask it for
    a process or take its place. See `launcher_process`. Neither it nor what it starts is told
    the folder of its worker: an algorithm that removes what it can find finds its own.

    Parameters
    ----------
    folder : Path
        The supervisor's. Each process has a folder for temporary files beside it, removed at its
        end.
    server : str
        The function that each process runs on its connection, as ``module:name``. The launcher
        imports it before it starts the first.
    threads : int
        With how many threads the processes compute: libraries read it as they are imported.
    """

    def __init__(self, folder: Path, server: str, threads: int = 1) -> None:
        self._folder = folder
        self._server = server
        self._threads = threads
        self._process: subprocess.Popen[bytes] | None = None
        self._channel: socket.socket | None = None
        self._log: NamelessFile | None = None
        self._before: set[int] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._channel is not None:
            self._channel.close()
        if self._process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=10.0)
        self._lose()

    def with_threads(self, threads: int) -> Launcher:
        """Return a launcher of the same processes that compute with so many threads."""
        return Launcher(self._folder, self._server, threads)

    def close(self) -> None:
        """End the launcher and all that it started."""
        self.__exit__()

    def prepare(self) -> None:
        """Begin to launch, so that the first process starts sooner."""
        if self._channel is None:
            self._launch()

    def start(self) -> Started:
        """Start a process.

        Raises
        ------
        NoWorkers
            If launchers end before they can start one.
        """
        for _ in range(TRIES):
            try:
                self.prepare()
                return self._ask()
            except (OSError, struct.error, ValueError, psutil.NoSuchProcess) as error:
                reason = self._last_words() or str(error)
            self._lose()
        raise NoWorkers(f"no process for algorithms could be started: {reason}")

    def trouble(self) -> str:
        """Return why processes cannot write temporary files; empty if they can."""
        folder = self._folder.parent
        reason = trouble_in(folder)
        return f"no temporary file can be written in {folder}: {reason}" if reason else ""

    def _launch(self) -> None:
        ours, theirs = socket.socketpair()
        self._log = NamelessFile()
        self._before = {child.pid for child in children_of(psutil.Process())}
        arguments = [str(theirs.fileno()), json.dumps([str(folder) for folder in sys.path])]
        arguments.append(self._server)
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _PROGRAM, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._log.handle,
            pass_fds=[theirs.fileno()],
            env={
                **SLEEP_WHILE_WAITING,
                **os.environ,
                **thread_variables(self._threads),
                "TMPDIR": str(self._folder.parent),
            },
            start_new_session=True,
        )
        theirs.close()
        self._channel = ours

    def _ask(self) -> Started:
        """Ask for a process and wait for it, unless the launcher was lost or stopped."""
        assert self._channel is not None  # noqa: S101  it was launched
        self._channel.send(self._new_folder())
        waiting = select.poll()
        waiting.register(self._channel, select.POLLIN)
        until = time.monotonic() + START_SECONDS
        while not waiting.poll(1000 * _LOOK_SECONDS):
            if time.monotonic() > until or self._is_stopped():
                raise OSError("the launcher does not answer")
        message, handles, *_ = socket.recv_fds(self._channel, NUMBER.size, 2)
        (pid,) = NUMBER.unpack(message)
        work, control = handles
        return Started(psutil.Process(pid), work, socket.socket(fileno=control))

    def _new_folder(self) -> bytes:
        """Return a new folder for temporary files, or `NO_FOLDER` where there is no room.

        Most algorithms write no files. One that does gets to know why it cannot.
        """
        with contextlib.suppress(OSError):
            return os.fsencode(folder_beside(self._folder))
        return NO_FOLDER

    def _is_stopped(self) -> bool:
        """Return whether somebody has stopped the launcher: it would never answer."""
        assert self._process is not None  # noqa: S101
        with contextlib.suppress(psutil.Error):
            return psutil.Process(self._process.pid).status() == psutil.STATUS_STOPPED
        return False

    def _lose(self) -> None:
        """End a launcher with all it started, and what was left without a parent."""
        if self._channel is not None:
            self._channel.close()
        if self._process is not None:
            with contextlib.suppress(psutil.Error):
                kill_tree(psutil.Process(self._process.pid))
            self._process.wait()
            # A worker adopts what had the launcher for a parent.
            for orphan in children_of(psutil.Process()):
                if orphan.pid not in self._before and _leads_elsewhere(orphan):
                    kill_tree(orphan)
        if self._log is not None:
            self._log.close()
        self._process = self._channel = self._log = None

    def _last_words(self) -> str:
        """Return the last line that the launcher printed; empty if there is none."""
        if self._log is None:
            return ""
        end = os.pread(self._log.handle, 4096, max(0, os.fstat(self._log.handle).st_size - 4096))
        return (end.decode(errors="replace").strip().splitlines() or [""])[-1]


def _leads_elsewhere(process: psutil.Process) -> bool:
    """Return whether a process is of another session, as all are that a launcher started."""
    with contextlib.suppress(OSError):
        return os.getsid(process.pid) != os.getsid(0)
    return False
