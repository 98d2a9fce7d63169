"""Deeds good and bad, as a package might do them."""

import os
import subprocess
import sys
import time

import numpy as np

CALLS = {"n": 0}


def deed(request):
    CALLS["n"] += 1
    found = globals()[request.parameters["deed"]](request)
    return {**found, "info": {"pid": os.getpid(), "calls": CALLS["n"], "seed": request.seed}}


def chain(request):
    return {"graph": np.eye(len(request.columns), k=1)}


def draw(request):
    d = len(request.columns)
    return {"weights": np.triu(np.random.random((d, d)), 1)}  # noqa: NPY002


def crash(_):
    os.abort()


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


def eat(_):
    kept = []
    while True:
        kept.append(np.ones(10**7))


def garbage(request):
    os.write(1, b"\x00\xff{garbage" * 1000)
    os.write(2, b"garbage")
    return chain(request)


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
    rng = np.random.default_rng(request.seed)
    graph = np.eye(request.parameters["n_nodes"], k=1)
    return {"graph": graph, "values": rng.normal(size=(5, len(graph)))}


ALGORITHMS = {"fake-deed": deed, "fake-unseeded": unseeded}
GENERATORS = {"fake-chain": simulate}
