"""The machine on which the timings were taken."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import psutil

BUSY_LOAD = 0.75
"""Beyond this load of the last minute something else was running."""
OWN = ("causalassay", "numpy", "scipy", "numba")


def facts() -> dict[str, str]:
    """Return machine, versions, threads, load and date, in words."""
    memory = psutil.virtual_memory().total / 2**30
    load = ", ".join(f"{x:.1f}" for x in os.getloadavg())
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "processor": processor(),
        "cores, memory": f"{os.cpu_count()}, {memory:.0f} GiB",
        "system": f"{platform.system()} {platform.release()}, Python {platform.python_version()}",
        "versions": ", ".join(f"{name} {version(name)}" for name in OWN),
        "threads": "1 per process",
        "load at the start (1, 5, 15 minutes)": load,
        "busy": "yes" if os.getloadavg()[0] > BUSY_LOAD else "",
    }


def sentence() -> str:
    """Return date, processor and load in a sentence."""
    known = facts()
    load = known["load at the start (1, 5, 15 minutes)"]
    return f"Taken on {known['date']}, {known['processor']}, load {load} at the start."


def processor() -> str:
    """Return the name of the processor."""
    listed = Path("/proc/cpuinfo")
    if listed.exists():
        for line in listed.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"
