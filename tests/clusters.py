"""A dask scheduler and workers on this machine."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import psutil

from causalassay.processes.process_tree import kill_tree
from waiting import eventually

DASK = Path(sys.executable).with_name("dask")


class Cluster:
    """A scheduler and workers on this machine."""

    def __init__(self, folder, environment=None):
        self.folder = folder
        paths = os.pathsep.join(path for path in sys.path if path)
        self.environment = {**os.environ, "PYTHONPATH": paths}
        self.environment |= environment or {}
        self.started = []
        self.scheduler = self._start("scheduler", "--port", "0")
        self.address = eventually(self._read_address)

    def _read_address(self):
        file = self.folder / "scheduler.json"
        return file.exists() and file.read_text() and json.loads(file.read_text())["address"]

    def worker(self, *options, daemon=False):
        """Start a worker with one thread."""
        return self._start("worker", "--nthreads", "1", *options, daemon=daemon)

    def _start(self, *words, daemon=False):
        environment = {**self.environment, "DASK_DISTRIBUTED__WORKER__DAEMON": str(daemon)}
        common = ["--host", "127.0.0.1", "--no-dashboard"]
        common += ["--scheduler-file", str(self.folder / "scheduler.json")]
        with (self.folder / f"{words[0]}.log").open("a") as log:
            process = psutil.Popen(
                [DASK, *words, *common], env=environment, cwd=self.folder, stdout=log, stderr=log
            )
        self.started.append(process)
        return process

    def stop(self):
        """Kill everything that was started here."""
        for process in self.started:
            kill_tree(process)
            process.wait()
