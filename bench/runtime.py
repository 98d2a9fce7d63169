"""The benchmark's folders, and the environment variables of its processes."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
"""The repository."""

ONE_THREAD = {
    name: "1"
    for name in (
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "NUMBA_NUM_THREADS",
        "NUMEXPR_NUM_THREADS",
        "RAYON_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS",
    )
}


def cache_folder() -> Path:
    """Return the benchmark's own folder, which is made if it is not there.

    ``CAUSALASSAY_BENCH_CACHE`` names it; otherwise it lies in the user's cache.
    """
    stated = os.environ.get("CAUSALASSAY_BENCH_CACHE")
    shared = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = Path(stated) if stated else shared / "causalassay-bench"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def process_environment() -> dict[str, str]:
    """Return the variables of a process that is timed: one thread, bytecode, no inherited paths."""
    inherited = {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    }
    return inherited | ONE_THREAD | {"PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "0"}
