"""One point of the growth curves, in a process of its own: time and memory of one call.

``python -m bench.growth_point ALGORITHM N_NODES N_SAMPLES`` prints a line of JSON.
"""

from __future__ import annotations

import json
import resource
import sys
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from causalassay import graphs, models
from causalassay.common.seeding import stream
from causalassay.contracts import NotApplicable
from causalassay.data import Dataset, Regime
from causalassay.data.dataset import Rows
from causalassay.discovery import make_algorithm

SETTINGS: dict[str, tuple[str, dict[str, Any]]] = {
    "notears (fast)": ("notears", {"solver": "fast"}),
    "pc": ("pc", {"alpha": 0.01}),
    **{
        name: (name, {"penalty_discount": 1.0})
        for name in ("boss", "ges", "ges-pooled", "gies", "grasp", "xges", "xgies")
    },
}
"""Where the name of a curve is not an algorithm with its defaults."""


def problem(name: str, n_nodes: int, n_samples: int) -> Dataset:
    """Return rows of a linear model on an ER-2 graph; for GIES a tenth of them under do.

    Algorithms for series get the same rows, declared a series.
    """
    rng = stream(1, "bench", "growth", n_nodes, n_samples)
    graph = graphs.erdos_renyi(n_nodes, min(2, (n_nodes - 1) / 2), rng)
    noise = "exponential" if name == "direct-lingam" else "gaussian"
    model = models.draw("scm", graph, rng, weights=(0.5, 2.0), noise=noise)
    columns = tuple(f"x{j}" for j in range(n_nodes))
    n_set = n_samples // 10 if name == "gies" else 0
    regimes = [Regime("observed", model.sample(n_samples - n_set, rng))]
    if n_set:
        values = model.sample(n_set, rng, (models.Do(0, 2.0),))
        regimes.append(Regime("x0 set", values, (0,)))
    follow = name == "granger-lasso" or name.startswith("series-")
    rows: Rows = "series" if follow else "independent"
    return Dataset(columns, tuple(regimes), observational="observed", rows=rows)


def algorithm(name: str, n_nodes: int) -> Any:
    """Return the algorithm of a curve."""
    base, settings = SETTINGS.get(name, (name, {}))
    return make_algorithm(base, **({"n_edges": 2 * n_nodes} if name == "acor" else settings))


def measure(name: str, n_nodes: int, n_samples: int) -> dict[str, Any]:
    """Return seconds and bytes of a call after a small one that loads the kernels.

    A quick call is made again, and the least time counts.
    """
    algorithm(name, 6).discover(problem(name, 6, 200), np.random.default_rng(0))
    data = problem(name, n_nodes, n_samples)
    chosen = algorithm(name, n_nodes)
    before = _forget_peak()
    try:
        seconds = [_time(chosen, data)]
    except NotApplicable as reason:
        return {"refused": str(reason)}
    taken = _peak() - before
    while sum(seconds) < 0.2 and len(seconds) < 20:
        seconds.append(_time(chosen, data))
    return {"seconds": min(seconds), "bytes": taken}


def _time(chosen: Any, data: Dataset) -> float:
    start = perf_counter()
    chosen.discover(data, np.random.default_rng(0))
    return perf_counter() - start


def _forget_peak() -> int:
    """Set the peak of resident memory to what there is now, where the system lets us."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return _peak()


def _peak() -> int:
    status = Path("/proc/self/status")
    if status.exists():
        line = next(x for x in status.read_text().splitlines() if x.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    sys.stdout.write(json.dumps(measure(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
