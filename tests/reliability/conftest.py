"""The command line as a user would run it, with hostile algorithms installed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from waiting import LIMIT

ENTRY_POINTS = """\
[causalassay.algorithms]
rogue = hostile.algorithms:Rogue
sleeper = hostile.algorithms:Sleeper
hostile = hostile.algorithms:Hostile
together = hostile.algorithms:Together
"""


@pytest.fixture(scope="session")
def hostile_environment(tmp_path_factory):
    """Environment variables with which causalassay knows the algorithms of `hostile`."""
    folder = tmp_path_factory.mktemp("plugin")
    info = folder / "hostile-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: hostile\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    inherited = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    paths = [str(folder), str(Path(__file__).parents[1]), *filter(None, inherited)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


@pytest.fixture(scope="session")
def start(hostile_environment):
    """Start the command line in a process group of its own."""

    def start(*words, variables=None, **options):
        return subprocess.Popen(
            [sys.executable, "-m", "causalassay", *map(str, words)],
            env={**hostile_environment, **(variables or {})},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            **options,
        )

    return start


@pytest.fixture(scope="session")
def run(start):
    """Run the command line to its end and return its exit code and what it printed."""

    def run(*words, code=0, variables=None):
        process = start(*words, variables=variables)
        printed, complained = process.communicate(timeout=2 * LIMIT)
        assert code == process.returncode, complained + printed
        return printed, complained

    return run
