"""A study that takes a minute, so that there is time to kill what runs it."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from command_line import run_here

STUDY = """
name = "slurm"
seed = 34
replicates = 20
metrics = ["shd", "f1", "sid"]
algorithms = ["pc", "ges", "notears", "slow.py:Slow"]
[[problems]]
samples = 300
[problems.graph]
kind = "erdos-renyi"
n_nodes = 8
edges_per_node = 1.5
[problems.grid]
model.kind = ["scm", "iscm"]
"""

SLOW = """
import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from causalassay.contracts import Estimate


@dataclass(frozen=True)
class Slow:
    version: ClassVar[int] = 1

    def discover(self, data, rng):
        time.sleep(4)
        return Estimate(np.eye(data.n_nodes, k=1, dtype=bool), "dag")
"""
"""An algorithm that takes time and no processor."""


def write_study(folder):
    """Write the study and its algorithm; return the study file."""
    file = folder / "study.toml"
    file.write_text(STUDY)
    (folder / "slow.py").write_text(SLOW)
    return file


def exported(folder):
    """Return the rows, without times and hosts, as bytes, and the estimates beside them."""
    target = folder / "rows.csv"
    done = run_here("export", folder, target, "--no-timing")
    assert not done.returncode, done.stderr
    with closing(sqlite3.connect(folder / "study.sqlite")) as connection:
        estimates = connection.execute(
            "SELECT key, blob FROM rows JOIN estimates ON rows.id = estimates.row ORDER BY key"
        ).fetchall()
    return target.read_bytes(), estimates


def n_rows(folder):
    """Return how many rows are stored now."""
    try:
        address = f"file:{folder / 'study.sqlite'}?mode=ro"
        with closing(sqlite3.connect(address, uri=True, timeout=5)) as connection:
            (count,) = connection.execute("SELECT count(*) FROM rows").fetchone()
    except sqlite3.Error:  # the file is not there yet
        return 0
    return count
