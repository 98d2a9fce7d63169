"""A Slurm of one node for these tests, and a small study with its rows from this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from needs import require
from slurm_study import exported, write_study
from waiting import LIMIT

NODE = Path(__file__).with_name("one_node.py")


class Slurm:
    """The daemons, which another process keeps, and the programs that find them."""

    def __init__(self):
        self._node = subprocess.Popen(
            [sys.executable, NODE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,  # Ctrl-C is for the tests, which then close its input
        )
        ready = self._node.stdout.readline()
        assert ready, "the Slurm of one node did not start: its error is printed above"
        # A cluster has a network; here it is the loopback.
        self.environment = {**json.loads(ready), "DASK_JOBQUEUE__SLURM__INTERFACE": "lo"}
        self.folder = Path(self.environment["SLURM_CONF"]).parent

    def order(self, deed):
        """Have one of the deeds of `one_node.py` done."""
        print(deed, file=self._node.stdin, flush=True)
        assert "done" == self._node.stdout.readline().strip()

    def call(self, *words):
        """Run one of Slurm's programs and return what it prints."""
        done = subprocess.run(
            [*map(str, words)],
            env={**os.environ, **self.environment},
            capture_output=True,
            text=True,
            timeout=LIMIT,
            check=False,
        )
        assert 0 == done.returncode, done.stderr
        return done.stdout

    def jobs(self, state="running"):
        """Return the numbers of the jobs in a state."""
        return self.call("squeue", "--noheader", "--format=%i", f"--states={state}").split()

    def facts(self, number):
        """Return what Slurm knows of a job."""
        shown = self.call("scontrol", "--oneliner", "show", "job", number).split()
        return dict(word.partition("=")[::2] for word in shown)

    def restarts(self, number):
        """Return how often a job was queued again, 0 before it runs again."""
        facts = self.facts(number)
        return int(facts["Restarts"]) if facts["JobState"] == "RUNNING" else 0

    def stop(self):
        """Take everything down."""
        self._node.communicate(timeout=LIMIT)  # its input ends, and with it the daemons
        assert 0 == self._node.returncode
        assert not self.folder.exists()


@pytest.fixture(scope="session")
def slurm():
    require("root", "slurm", "package:dask_jobqueue")
    slurm = Slurm()
    try:
        yield slurm
    finally:
        slurm.stop()


@pytest.fixture
def no_jobs_left(slurm):
    """Cancel what a test has left, for the next one to have the node to itself."""
    yield
    slurm.call("scancel", "--full", "--user=root")


@pytest.fixture(scope="session")
def local_rows(tmp_path_factory):
    """The rows of the study as this machine computes them without Slurm."""
    folder = tmp_path_factory.mktemp("local")
    words = [sys.executable, "-m", "causalassay", "run", "--json", "--allow-programs"]
    subprocess.run([*words, write_study(folder), "--workers=4"], check=True, capture_output=True)
    return exported(folder / "slurm-results")
