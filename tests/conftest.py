"""Settings and fixtures of all tests."""

import fcntl
import importlib
import os
import pickle
import signal
from importlib.metadata import EntryPoint

import pytest
from hypothesis import settings

pytest_plugins = ["needs"]

# Before numpy is imported: a second BLAS thread makes small inverses many times slower.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"):
    os.environ.setdefault(name, "1")

# Pipes are as wide as it says; workers of xdist have it.
os.environ.pop("COLUMNS", None)

# A shell's background job ignores Ctrl-C, and so would the programs that tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.load_profile("repeatable")


REGISTRIES = {
    "causalassay.algorithms": "causalassay.discovery.registry:ALGORITHMS",
    "causalassay.artefacts": "causalassay.judging.artefacts:ARTEFACTS",
    "causalassay.environments": "causalassay.environments:catalogue",
    "causalassay.diagnostics": "causalassay.diagnostics.registry:DIAGNOSTICS",
    "causalassay.graphs": "causalassay.graphs.sources:GRAPHS",
    "causalassay.metrics": "causalassay.metrics.registry:METRICS",
    "causalassay.models": "causalassay.models.registry:MODELS",
}


def read_entry_points_again():
    """Let the registries know the packages that can be imported now."""
    for address in REGISTRIES.values():
        module, _, name = address.partition(":")
        getattr(importlib.import_module(module), name).refresh()
    importlib.import_module("causalassay.models.registry")._names.cache_clear()


@pytest.fixture
def announce(monkeypatch):
    """Let other packages announce plug-ins of a kind, such as "metrics"."""
    points = []

    def announced(kind, addresses):
        group = f"causalassay.{kind}"
        points.extend(EntryPoint(name, address, group) for name, address in addresses.items())
        monkeypatch.setattr(
            "causalassay.common.registry.entry_points",
            lambda group: [point for point in points if point.group == group],
        )
        read_entry_points_again()

    yield announced
    monkeypatch.undo()
    read_entry_points_again()


@pytest.fixture(scope="session")
def computed_once(tmp_path_factory):
    """Compute a costly set-up in one test process, and hand its pickle to the others."""

    def computed_once(name, compute):
        folder = tmp_path_factory.getbasetemp()
        if "PYTEST_XDIST_WORKER" in os.environ:
            folder = folder.parent
        result = folder / f"{name}.pickle"
        with (folder / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not result.exists():
                result.write_bytes(pickle.dumps(compute()))
        return pickle.loads(result.read_bytes())

    return computed_once
