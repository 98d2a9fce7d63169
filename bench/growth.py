"""How cost grows: time and memory of each native algorithm against nodes and rows."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bench.growth_point import SETTINGS
from bench.markdown_table import duration
from bench.runtime import ROOT, process_environment
from causalassay.discovery.registry import ALGORITHMS

LIMIT = 60.0
"""Seconds of a call; larger sizes are left out after one that took longer."""
NODES = (20, 50, 100, 200, 500, 1000)
ROWS = (100, 1000, 10_000, 100_000, 1_000_000)
ROWS_OF_NODES = 2000
"""Rows where the number of nodes varies: regressions need more rows than columns."""
NODES_OF_ROWS = 20
FITTED = 3
"""The exponent is fitted to so many of the largest sizes."""


@dataclass
class Curve:
    """The cost of an algorithm along one size.

    Parameters
    ----------
    name : str
    along : {"d", "n"}
    sizes : list of int
    seconds, memory : list of float
        Memory in bytes, beyond what the process had before the call.
    ended : str
        Why larger sizes are left out; empty if none is.
    """

    name: str
    along: str
    sizes: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)
    ended: str = ""

    @property
    def exponent(self) -> float:
        """The slope of log time over log size at the largest sizes."""
        if len(self.sizes) < 2:
            return float("nan")
        sizes, seconds = np.log(self.sizes[-FITTED:]), np.log(self.seconds[-FITTED:])
        return float(np.polyfit(sizes, seconds, 1)[0])


def algorithms() -> list[str]:
    """Return the names of all curves: our own algorithms, and settings that matter."""
    own = [name for name in ALGORITHMS.built_in if not name.startswith(("causal-learn", "command"))]
    return sorted({*own, *SETTINGS})


def grow(only: Sequence[str], tell: Callable[[str], None]) -> list[Curve]:
    """Return the curves of all algorithms, or of some."""
    curves = []
    for name in only or algorithms():
        for along, sizes in (("d", NODES), ("n", ROWS)):
            curve = trace(name, along, sizes, point)
            curves.append(curve)
            times = ", ".join(duration(seconds) for seconds in curve.seconds)
            tell(f"{name} by {along}: {times} {curve.ended}")
    return curves


def trace(
    name: str, along: str, sizes: Iterable[int], ask: Callable[[str, int, int], dict[str, Any]]
) -> Curve:
    """Return a curve, as far as the limit lets it."""
    curve = Curve(name, along)
    for size in sizes:
        shape = (size, ROWS_OF_NODES) if along == "d" else (NODES_OF_ROWS, size)
        answer = ask(name, *shape)
        if "seconds" not in answer:
            curve.ended = f"{along} = {size}: {answer['refused']}"
            break
        curve.sizes.append(size)
        curve.seconds.append(answer["seconds"])
        curve.memory.append(answer["bytes"])
        if answer["seconds"] > LIMIT:
            break
    return curve


def point(name: str, n_nodes: int, n_samples: int) -> dict[str, Any]:
    """Return time and memory of a call in a fresh process, or why there is none."""
    command = [sys.executable, "-m", "bench.growth_point", name, str(n_nodes), str(n_samples)]
    try:
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=process_environment(),
            capture_output=True,
            text=True,
            timeout=LIMIT * 1.5 + 30,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {"refused": f"more than {LIMIT:g} s"}
    if done.returncode:
        return {"refused": (done.stderr.strip().splitlines() or ["it ended"])[-1]}
    return dict(json.loads(done.stdout))


def section(curves: Sequence[Curve], machine: str) -> str:
    """Return the part of the page on how cost grows."""
    cells = ("exponent in {}", "largest {}", "time", "memory")
    along = [cell.format(letter) for letter in "dn" for cell in cells]
    rows = ["| " + " | ".join(["algorithm", *along, "ended by"]) + " |", "|" + "---|" * 10]
    for by_d, by_n in zip(curves[::2], curves[1::2], strict=True):
        ended = "; ".join(text for text in (by_d.ended, by_n.ended) if text)
        rows.append(f"| {by_d.name} | {_end(by_d)} | {_end(by_n)} | {ended} |")
    return "\n".join(
        [
            "## How cost grows",
            "",
            "![Time against the number of nodes and of rows](images/growth.svg)",
            "",
            f"Each point is a fresh process with one thread on an ER-2 graph, timed after a call "
            f"on a small data set that loads the kernels. The number of nodes d varies with "
            f"{ROWS_OF_NODES} rows, the number of rows n with {NODES_OF_ROWS} nodes. Sizes beyond "
            f"the first that takes longer than {LIMIT:g} s are left out. The exponent is fitted to "
            f"the {FITTED} largest sizes; memory is the peak that the call adds. Searches for the "
            f"best score have the penalty of the BIC, 1. {machine}",
            "",
            *rows,
            "",
        ]
    )


def _end(curve: Curve) -> str:
    if not curve.sizes:
        return " | | | "
    memory = f"{curve.memory[-1] / 2**20:.0f} MiB"
    return f"{curve.exponent:.1f} | {curve.sizes[-1]} | {duration(curve.seconds[-1])} | {memory}"
