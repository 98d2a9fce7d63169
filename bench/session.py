"""One process for each environment, started when it is first needed and ended when it hangs."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from time import monotonic
from typing import Any, Self

import psutil

from bench.peer_environments import Installed, install
from bench.runtime import process_environment
from bench.timings import Clock

PREPARE_SECONDS = 300.0
"""For imports and conversions, which are not timed."""
LOOK_AGAIN = 1.0
"""Seconds between two looks at how long a process has worked."""
SHARE = 1 / 20
"""A process that gets less of a processor than this hangs."""


class Overtime(Exception):
    """A call took longer than it may."""


class Failure(Exception):
    """A job raised, or its process ended."""


class Ended(Failure):
    """The process of a job is gone."""


class Absent(Exception):
    """The environment cannot be made; the message says why."""


class Connection:
    """A worker process of one interpreter.

    Parameters
    ----------
    python : Path
    noise : Path
        The file that gets what the peer prints.
    clock : {"wall", "cpu"}
        By which it may take too long.
    """

    def __init__(self, python: Path, noise: Path, clock: Clock = "wall") -> None:
        self._clock = clock
        with noise.open("a") as errors:
            self._process = subprocess.Popen(
                [str(python), "-m", "bench.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=process_environment(),
                start_new_session=True,
                text=True,
            )

    def ask(self, request: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """Return the reply to a request.

        Raises
        ------
        Overtime
            If there is none after so many seconds; the process is then ended.
        Failure
            If the job raised or the process ended.
        """
        requests, replies = self._process.stdin, self._process.stdout
        if requests is None or replies is None or self._process.poll() is not None:
            raise Ended("the process has ended")
        requests.write(json.dumps(dict(request)) + "\n")
        requests.flush()
        limit, hanging = self._now() + seconds, monotonic() + seconds / SHARE
        while not select.select([replies], [], [], min(seconds, LOOK_AGAIN))[0]:
            if self._now() >= limit or monotonic() >= hanging:
                self.close()
                raise Overtime(f"{seconds:g} s")
        line = replies.readline()
        if not line:
            raise Ended("the process ended; its log has more")
        reply: dict[str, Any] = json.loads(line)
        if "error" in reply:
            raise Failure(reply["error"])
        return reply

    def _now(self) -> float:
        if self._clock == "wall":
            return monotonic()
        try:
            spent = psutil.Process(self._process.pid).cpu_times()
        except psutil.NoSuchProcess:
            return 0.0
        return float(spent.user + spent.system)

    def close(self) -> None:
        """End the process and what it started."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()


class Session:
    """The processes of a run, by environment.

    ``ours`` is the interpreter that runs the benchmark, which has causalassay; ``plain`` is
    another process of it, for transcriptions and loops that need numpy and scipy only.

    Parameters
    ----------
    folder : Path
        Where logs go.
    clock : {"wall", "cpu"}
        Which times are returned, and limited.
    """

    own = ("ours", "plain")

    def __init__(self, folder: Path, clock: Clock = "wall") -> None:
        self._folder = folder
        self._clock = clock
        self._open: dict[str, Connection] = {}
        self._prepared: dict[str, tuple[str, str]] = {}
        self.installed: dict[str, Installed] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for name in list(self._open):
            self.end(name)

    def find(self, environment: str) -> Installed:
        """Return the environment, made if need be; only one attempt is made in a run."""
        if environment not in self.installed:
            own = Installed(Path(sys.executable), versions={})
            self.installed[environment] = own if environment in self.own else install(environment)
        return self.installed[environment]

    def versions(self) -> dict[str, str]:
        """Return the versions of the packages of all environments that were looked for."""
        versions: dict[str, str] = {}
        for installed in self.installed.values():
            versions |= installed.versions or {}
        return versions

    def turn(
        self, environment: str, job: str, data: Path, calls: int, burst: float, limit: float
    ) -> list[float]:
        """Return the times of some calls of a job on the data.

        Raises
        ------
        Absent, Overtime, Failure
        """
        self._prepare(environment, job, data)
        request = {"do": "turn", "calls": calls, "seconds": burst}
        return list(self._ask(environment, request, limit + burst)[self._clock])

    def answer(self, environment: str, path: Path) -> None:
        """Have the last result of an environment written to a file."""
        self._ask(environment, {"do": "answer", "path": str(path)}, PREPARE_SECONDS)

    def end(self, environment: str) -> None:
        """End the process of an environment, if there is one."""
        self._prepared.pop(environment, None)
        if environment in self._open:
            self._open.pop(environment).close()

    def _prepare(self, environment: str, job: str, data: Path) -> None:
        if environment not in self._open:
            installed = self.find(environment)
            if installed.python is None:
                raise Absent(installed.reason)
            noise = self._folder / f"{environment}.log"
            self._open[environment] = Connection(installed.python, noise, self._clock)
        if self._prepared.get(environment) != (job, str(data)):
            self._prepared.pop(environment, None)
            request = {"do": "prepare", "job": job, "data": str(data)}
            try:
                self._ask(environment, request, PREPARE_SECONDS)
            except Overtime as late:
                raise Ended(f"importing it took more than {PREPARE_SECONDS:g} s") from late
            self._prepared[environment] = (job, str(data))

    def _ask(self, environment: str, request: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        try:
            return self._open[environment].ask(request, seconds)
        except (Overtime, Ended):
            self.end(environment)
            raise
        except Failure:
            self._prepared.pop(environment, None)
            raise
