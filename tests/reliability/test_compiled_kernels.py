"""Freshly compiled or loaded from the cache, a kernel gives the same bits."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PROGRAM = """
import hashlib

import numpy as np

import causalassay as ca
from causalassay.discovery.registry import ALGORITHMS
from causalassay.study.estimate_encoding import encode

OTHERS = ("command", "causal-learn-boss", "causal-learn-ges", "causal-learn-grasp")
NEEDED = {"acor": {"n_edges": 8}}

rng = np.random.default_rng(0)
graph = ca.graphs.erdos_renyi(8, 1.5, rng)
rows = [ca.models.draw("scm", graph, rng, noise="laplace").sample(200, rng) for _ in range(3)]
running = {record.name for record in ca.algorithms() if not record.missing}
for name in sorted(set(ALGORITHMS.built_in) & running - {*OTHERS, "causal-learn-pc"}):
    series = getattr(ALGORITHMS[name], "rows", "") == "series"
    for values in rows:
        data = ca.Dataset.from_values(values, rows="series" if series else "independent")
        estimate = ca.discover(name, data, 0, **NEEDED.get(name, {}))
        print(name, hashlib.sha256(encode(estimate)).hexdigest())
"""


@pytest.mark.slow
def test_every_algorithm_gives_the_same_bits_freshly_compiled_and_loaded(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kernels")}

    def run():
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert 0 == done.returncode, done.stderr
        return done.stdout.splitlines()

    compiled, loaded = run(), run()
    assert len(compiled) > 50
    assert compiled == loaded
