"""Tables to summarise, and the summary's numbers by plain loops over their rows."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
from scipy import stats

BASELINES = ("var-sortnregress", "r2-sortnregress", "random-sortnregress", "empty")
SORTABILITIES = ("var_sortability", "r2_sortability")


def make_table(rows, metrics=("f1",), better=None, diagnostics=SORTABILITIES, controls=()):
    """A table from dicts that name what differs from an ok row of a listed algorithm."""
    default = {
        "role": "listed",
        "status": "ok",
        "reason": "",
        "scheme": "raw",
        "graph_key": "g",
        "problem": "p",
        "replicate": 0,
        **dict.fromkeys((*metrics, *diagnostics, *controls), math.nan),
    }
    frame = pd.DataFrame([default | row for row in rows])
    better = better or dict.fromkeys(metrics, "high")
    return SimpleNamespace(
        frame=frame, metrics=metrics, diagnostics=diagnostics, controls=controls, better=better
    )


def with_frame(table, frame, **changes):
    return SimpleNamespace(**{**vars(table), "frame": frame, **changes})


def draw_table(seed, algorithms=("a", "b", *BASELINES), n_graphs=2, n_replicates=4):
    """Two metrics on two schemes, the scores rounded so that some tie, some runs not ok."""
    rng = np.random.default_rng(seed)
    rows = []
    for graph in range(n_graphs):
        for replicate in range(n_replicates):
            for scheme in ("raw", "iscm"):
                measured = dict(zip(SORTABILITIES, rng.random(2), strict=True))
                for algorithm in algorithms:
                    row = {
                        "algorithm": algorithm,
                        "role": "baseline" if algorithm in BASELINES else "listed",
                        "problem": f"{scheme}-{graph}",
                        "graph_key": f"g{graph}",
                        "replicate": replicate,
                        "scheme": scheme,
                        **measured,
                    }
                    chance = rng.random()
                    if chance < 0.15:
                        status = ("failed", "timeout", "skipped")[int(rng.integers(3))]
                        rows.append(row | {"status": status, "reason": f"{status}: so it is"})
                    else:
                        f1 = math.nan if chance < 0.25 else round(rng.random(), 1)
                        rows.append(row | {"f1": f1, "shd": float(rng.integers(5))})
    return make_table(rows, ("f1", "shd"), {"f1": "high", "shd": "low"})


def ended(row):
    return row["status"] == "ok"


def score_of(row, metric):
    return row[metric] if ended(row) else math.nan


def by_cell(table, algorithm, scheme):
    """The rows of an algorithm on a scheme by problem and replicate."""
    return {
        (row["problem"], row["replicate"]): row
        for row in table.frame.to_dict("records")
        if row["algorithm"] == algorithm and row["scheme"] == scheme
    }


def unit_of(row):
    return row["graph_key"], row["replicate"]


def interval_twin(values, units):
    """Student's limits of a mean, from how far the values of each instance pull it.

    Rows whose value is nan bring nothing.
    """
    known = [(unit, value) for unit, value in zip(units, values, strict=True) if value == value]
    names = {unit for unit, _ in known}
    if len(names) < 2:
        return math.nan, math.nan
    mean = sum(value for _, value in known) / len(known)
    pulls = [sum(value - mean for unit, value in known if unit == name) for name in names]
    spread = len(names) / (len(names) - 1) * sum(pull**2 for pull in pulls)
    width = stats.t.ppf(0.975, len(names) - 1) * math.sqrt(spread) / len(known)
    return mean - width, mean + width


def rank_twin(scores, better):
    """Ranks within a cell: as many are better, and half of the others that are equal."""
    sign = 1 if better == "high" else -1
    keys = [-math.inf if value != value else sign * value for value in scores]
    return [
        1 + sum(other > key for other in keys) + (sum(other == key for other in keys) - 1) / 2
        for key in keys
    ]
