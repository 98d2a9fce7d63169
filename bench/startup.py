"""What a user waits for before anything runs: imports, kernels, and a fresh machine."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

import causalassay
from bench.growth import algorithms
from bench.markdown_table import duration
from bench.runtime import process_environment
from causalassay.common.kernel_cache import NAMES, kernels_in

REPETITIONS = 7
IMPORT = "import causalassay"
KERNEL = """
import numpy as np, causalassay as ca
rng = np.random.default_rng(0)
graph = ca.graphs.erdos_renyi(10, 2, rng)
ca.diagnostics.var_sortability(ca.models.draw("scm", graph, rng).sample(100, rng), graph)
"""
EVERYTHING = """
import sys
import numpy as np
from bench.growth_point import algorithm, problem
from causalassay import diagnostics, graphs, metrics
for name in sys.argv[1:]:
    algorithm(name, 6).discover(problem(name, 6, 200), np.random.default_rng(0))
a, b = (graphs.erdos_renyi(8, 2, np.random.default_rng(k)) for k in range(2))
values = np.random.default_rng(0).normal(size=(100, 8))
metrics.sid(a, b), metrics.shd(a, b), graphs.to_cpdag(a), metrics.sid_bounds(a, graphs.to_cpdag(b))
diagnostics.var_sortability(values, a), diagnostics.r2_sortability(values, a)
"""
DATA = """
import sys
import numpy as np, causalassay as ca
rng = np.random.default_rng(0)
graph = ca.graphs.erdos_renyi(10, 2, rng)
values = ca.models.draw("scm", graph, rng).sample(1000, rng)
columns = ",".join(f"x{k}" for k in range(10))
np.savetxt(sys.argv[1] + "/data.csv", values, delimiter=",", header=columns, comments="")
np.savetxt(sys.argv[1] + "/graph.csv", graph, "%d", delimiter=",", header=columns, comments="")
"""
SACHS = Path(__file__).parents[2] / "shared" / "data" / "sachs.csv"
"""Beside the repository where the developers have it; without it `choose` is not timed."""

COLD_TARGETS = {"audit": 6.0, "discover ges": 5.0, "choose": 60.0}


@dataclass(frozen=True)
class Wait:
    """Something that a user waits for.

    Parameters
    ----------
    what : str
    least, middle : float
    target : float, optional
        The most seconds that the minimum may be.
    note : str
    """

    what: str
    least: float | None
    middle: float | None = None
    target: float | None = None
    note: str = ""


def waits(tell: Callable[[str], None]) -> list[Wait]:
    """Return all waits, each in fresh processes."""
    program = Path(sys.executable).with_name("causalassay")
    python = [sys.executable, "-c"]
    results = [
        _wait("an empty Python process, for comparison", [*python, "pass"], None),
        _wait("`import causalassay`", [*python, IMPORT], 0.5),
        _wait("the command with `--help`", [str(program), "--help"], 0.5),
        _wait(
            "import, draw a model, compute a sortability; kernels cached", [*python, KERNEL], 1.0
        ),
        *_first_algorithms(),
        *_fresh_machine(),
        *_cold_commands(),
        *_read_only(),
    ]
    for wait in results:
        tell(f"{wait.what}: {duration(wait.least)} {wait.note}")
    return results


def _wait(what: str, command: list[str], target: float | None) -> Wait:
    _seconds(command)
    times = [_seconds(command) for _ in range(REPETITIONS)]
    return Wait(what, min(times), median(times), target)


def _seconds(command: list[str], **variables: str) -> float:
    start = perf_counter()
    subprocess.run(
        command, env=process_environment() | variables, capture_output=True, text=True, check=True
    )
    return perf_counter() - start


def _first_algorithms() -> list[Wait]:
    """Return the slowest first call of an algorithm, import included, and all of them at once."""
    command = [sys.executable, "-c", EVERYTHING]
    _seconds([*command, *algorithms()])
    single = {name: min(_seconds([*command, name]) for _ in range(3)) for name in algorithms()}
    slowest = max(single, key=lambda name: single[name])
    return [
        Wait(
            "first result of the slowest algorithm, plus some metrics; kernels cached",
            single[slowest],
            median(single.values()),
            note=f"{slowest}; the median is over algorithms",
        )
    ]


def _fresh_machine() -> list[Wait]:
    """Return what compiling every kernel costs once, with an empty cache."""
    command = [sys.executable, "-c", EVERYTHING, *algorithms()]
    with TemporaryDirectory() as folder:
        first = _seconds(command, NUMBA_CACHE_DIR=folder)
        then = _seconds(command, NUMBA_CACHE_DIR=folder)
    kernel = [sys.executable, "-c", KERNEL]
    with TemporaryDirectory() as folder:
        little = _seconds(kernel, NUMBA_CACHE_DIR=folder)
    return [
        Wait("fresh machine: draw a model, compute a sortability, with compilation", little),
        Wait("fresh machine: every algorithm and some metrics, with compilation", first),
        Wait("the same, second run", then),
    ]


def _cold_commands() -> list[Wait]:
    """Return the CPU seconds of commands that compile all they need, and then nothing.

    What each compiled is written to the list that progress is shown by.
    """
    program = str(Path(sys.executable).with_name("causalassay"))
    results, names = [], {}
    with TemporaryDirectory() as folder:
        _seconds([sys.executable, "-c", DATA, folder])
        data, graph = f"{folder}/data.csv", f"{folder}/graph.csv"
        commands = {"audit": ["audit", data, "--graph", graph]} | {
            f"discover {name}": ["discover", data, "--algorithm", name, "--bootstrap", "0"]
            for name in algorithms()
            if " " not in name and name != "acor"  # settings, and one that needs a setting
        }
        if SACHS.exists():
            how = "--condition condition --target target --observational cd3_cd28"
            left_out = "--drop-condition icam2 --drop-condition ly"
            commands["choose"] = ["choose", str(SACHS), *how.split(), *left_out.split()]
        for job, command in commands.items():
            with TemporaryDirectory() as cache:
                try:
                    cold = _cpu_seconds([program, *command], NUMBA_CACHE_DIR=cache)
                except subprocess.CalledProcessError:
                    continue  # an algorithm for another kind of data
                names[job] = sorted(kernels_in(Path(cache)))
                if job not in COLD_TARGETS:
                    continue
                warm = _cpu_seconds([program, *command], NUMBA_CACHE_DIR=cache)
                note = f"{duration(warm)} with compiled kernels"
                results.append(
                    Wait(f"`{job}`, compiling, CPU time", cold, None, COLD_TARGETS[job], note)
                )
    if SACHS.exists():
        NAMES.write_text(json.dumps(names, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return results


def _cpu_seconds(command: list[str], **variables: str) -> float:
    """Return the CPU seconds of a command and of all processes that it waited for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _seconds(command, **variables)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _read_only() -> list[Wait]:
    """Return whether an install that cannot be written to works, with a home and without.

    A file stands where each package's folder of caches would be, which stops root, too.
    """
    with TemporaryDirectory() as folder:
        source = Path(next(iter(causalassay.__path__)))
        copy = Path(folder) / "lib" / "causalassay"
        shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__"))
        for package in [copy, *(path for path in copy.rglob("*") if path.is_dir())]:
            (package / "__pycache__").touch()
        home = Path(folder) / "home"
        home.mkdir()
        nowhere = os.devnull + "/home"
        return [
            _try("read-only installation", copy, {"HOME": str(home)}),
            _try("the same, second run", copy, {"HOME": str(home)}),
            _try("read-only installation without a writable home folder", copy, {"HOME": nowhere}),
        ]


def _try(what: str, copy: Path, variables: dict[str, str]) -> Wait:
    paths = {"PYTHONPATH": str(copy.parent), "XDG_CACHE_HOME": variables["HOME"] + "/.cache"}
    check = f"import causalassay; assert causalassay.__path__[0] == {str(copy)!r}\n"
    try:
        seconds = _seconds([sys.executable, "-c", check + KERNEL], **paths, **variables)
    except subprocess.CalledProcessError as failed:
        last = (failed.stderr.strip().splitlines() or ["no reason"])[-1]
        return Wait(what, None, note=f"**fails**: {last}".replace(str(copy), "…"))
    return Wait(what, seconds, note="works")


def section(results: list[Wait], machine: str) -> str:
    """Return the part of the page about waits."""
    rows = ["| what | minimum | median | target | met | |", "|---|---|---|---|---|---|"]
    for wait in results:
        met = "" if wait.target is None or wait.least is None else wait.least <= wait.target
        cells = (
            wait.what,
            duration(wait.least),
            duration(wait.middle),
            "" if wait.target is None else f"≤ {wait.target:g} s",
            {"": "", True: "yes", False: "**no**"}[met],
            wait.note,
        )
        rows.append("| " + " | ".join(cells) + " |")
    return "\n".join(
        [
            "## Start-up",
            "",
            "Times of whole processes, from start to end, with bytecode compiled beforehand. "
            + machine,
            "",
            *rows,
            "",
        ]
    )
