"""Deeds good and bad, as a package might do them."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

CALLS = {"n": 0}
RESERVED = ("OMP_NUM_THREADS", "CAUSALASSAY_THREADS", "CUDA_VISIBLE_DEVICES", "OMP_WAIT_POLICY")


def deed(request):
    CALLS["n"] += 1
    found = globals()[request.parameters["deed"]](request)
    info = {"pid": os.getpid(), "calls": CALLS["n"], "seed": request.seed}
    info |= {name: os.environ.get(name) for name in RESERVED}
    return {**found, "info": info}


def chain(request):
    return {"graph": np.eye(len(request.columns), k=1)}


def draw(request):
    d = len(request.columns)
    return {"weights": np.triu(np.random.random((d, d)), 1)}  # noqa: NPY002


def keep(request):
    """Print, and say what its scratch folder is."""
    os.write(1, b"from the package\n")
    Path(os.environ["CAUSALASSAY_SCRATCH"], "there").write_text(request.scratch)
    return chain(request)


def crash(_):
    os.abort()


def kill(_):
    os.kill(os.getpid(), signal.SIGKILL)


def slowly(request):
    time.sleep(1.0)
    return chain(request)


def leave(_):
    os._exit(7)


def complain(_):
    os.write(2, b"no licence key\n")
    os._exit(3)


def end(_):
    sys.exit("goodbye")


def loop(_):
    while True:
        time.sleep(0.1)


def print_without_end(_):
    while True:
        os.write(1, b"x" * 2**16)


def eat(_):
    kept = []
    while True:
        kept.append(np.ones(10**7))


def garbage(request):
    os.write(1, b"\x00\xff{garbage" * 1000)
    os.write(2, b"garbage")
    return chain(request)


def probable(request):
    d = len(request.columns)
    return {"probabilities": 0.75 * np.eye(d, k=1) + 0.125 * np.eye(d, k=-1)}


def posterior(request):
    d = len(request.columns)
    return {"graphs": np.stack([np.eye(d, k=1), np.eye(d, k=-1)]), "graph_weights": [3.0, 1.0]}


def too_probable(request):
    return {"probabilities": 1.5 * np.eye(len(request.columns), k=1)}


def no_weight(request):
    return {"graphs": np.eye(len(request.columns), k=1)[None], "graph_weights": [0.0]}


def one_graph(request):
    return {"graphs": np.eye(len(request.columns), k=1)}


def nan(request):
    return {"graph": np.full((len(request.columns),) * 2, np.nan)}


def nan_weights(request):
    return {"weights": np.full((len(request.columns),) * 2, np.nan)}


def shape(_):
    return {"graph": np.zeros((2, 3))}


def text(_):
    return {"graph": np.array([["a -> b"]])}


def objects(_):
    return {"graph": np.array([None])}


def nothing(_):
    return {}


def cycle(request):
    d = len(request.columns)
    return {"graph": np.roll(np.eye(d), 1, axis=1)}


def refuse(_):
    return {"not_applicable": "the data are too tame"}


def fail(_):
    raise ZeroDivisionError("as announced")


def child(request):
    subprocess.Popen(["sleep", "1000"])
    return chain(request)


def unseeded(request):
    return {"graph": np.eye(len(request.columns), k=1)}


def simulate(request):
    d, n = request.parameters["nodes"], request.parameters["samples"]
    good = {"graph": np.eye(d, k=1), "values": np.random.normal(size=(n, d))}  # noqa: NPY002
    return good | BAD.get(request.seed, {})


def simulate_levels(request):
    drawn = simulate(request)
    levels = np.full(request.parameters["nodes"], 2)
    return drawn | {"values": (drawn["values"] > 0) + 2 * (request.seed == 107), "levels": levels}


def simulate_series(request):
    drawn = simulate(request)
    links = np.stack([np.eye(len(drawn["graph"]), dtype=bool)] * 2)
    links[0] = np.eye(len(links[0]), k=1)
    links[1, 1, 0] = True
    return {"values": drawn["values"]} | ({} if request.seed == 108 else {"links": links})


BAD = {
    100: {"graph": np.zeros((2, 3))},
    101: {"graph": np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]])},
    102: {"graph": np.full((3, 3), np.nan)},
    103: {"values": np.full((4, 3), np.inf)},
    104: {"values": np.zeros((4, 2))},
    105: {"values": np.array([["a"]])},
    106: {"graph": None},
    109: {"not_applicable": "three nodes are too few"},
}
"""What it draws with some seeds."""


ALGORITHMS = {"fake-deed": deed, "fake-unseeded": unseeded}
GENERATORS = {
    "fake-chain": simulate,
    "fake-levels": simulate_levels,
    "fake-series": simulate_series,
}
