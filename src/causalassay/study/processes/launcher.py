"""Keeps a launcher running for the workers of a study."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
from contextlib import ExitStack
from pathlib import Path
from typing import Self

from causalassay.study.processes.launcher_process import SOCKET
from causalassay.study.processes.scratch import scratch_folder
from causalassay.threads import ONE_THREAD

TRIES = 5
"""How often in a row a launcher may end soon after its start."""

FAILURE = "failure"
"""The file of why there is no launcher and there will be none."""

_PROGRAM = """
import json, sys
sys.path[:] = json.loads(sys.stdin.readline())
from causalassay.study.processes.launcher_process import main
main()
"""
_LONGEST_SOCKET_PATH = 100


class Launcher:
    """A launcher process, and another if it is lost; leaving ends it and all it started.

    It gets the module path and nothing else: see `launcher_process`. Its standard input is
    what tells it that this process has ended.
    """

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False
        self._keeper = threading.Thread(target=self._keep, daemon=True)

    def __enter__(self) -> Self:
        self.folder = self._stack.enter_context(scratch_folder(_short_folder()))
        self._keeper.start()
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._closed = True
            process = self._process
        if process is not None:
            self._hang_up(process)
        self._keeper.join(timeout=10.0)
        if process is not None and process.poll() is None:
            process.kill()
        self._stack.close()

    def _keep(self) -> None:
        """Start launchers until this one is closed, or until too many end at their start."""
        failures = 0
        while failures < TRIES:
            with self._lock:
                if self._closed:
                    return
                self._process = process = self._start()
            process.wait()
            self._hang_up(process)
            with contextlib.suppress(FileNotFoundError):
                (self.folder / SOCKET).unlink()
                failures = -1  # it had begun to work
            failures += 1
        reason = (self.folder / "log").read_text(errors="replace").strip().splitlines()
        (self.folder / FAILURE).write_text(reason[-1] if reason else "it ended at its start")

    @staticmethod
    def _hang_up(process: subprocess.Popen[bytes]) -> None:
        """Tell a launcher to end."""
        if process.stdin is not None:
            with contextlib.suppress(OSError):
                process.stdin.close()

    def _start(self) -> subprocess.Popen[bytes]:
        with (self.folder / "log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-P", "-c", _PROGRAM, str(self.folder)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=log,
                env={**os.environ, **ONE_THREAD},
                start_new_session=True,
            )
        if process.stdin is not None:
            with contextlib.suppress(OSError):
                process.stdin.write(json.dumps([str(path) for path in sys.path]).encode() + b"\n")
                process.stdin.flush()
        return process


def _short_folder() -> Path:
    """Return where temporary folders are; the path of a socket has about 100 characters."""
    usual = Path(tempfile.gettempdir())
    return usual if len(str(usual)) < _LONGEST_SOCKET_PATH // 2 else Path("/tmp")  # noqa: S108
