"""Tables to draw reports of: as wide as a study's, with scores made up by a rule."""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace

import numpy as np
import pandas as pd

BASELINES = ("empty", "r2-sortnregress", "random-sortnregress", "var-sortnregress")
SCHEMES = ("raw", "standardized", "iscm", "uumc")
SUMS = '{"reliability": [[8, 0, 2, 0, 0, 0, 0, 0, 0, 5], [0.24, 0, 0.5, 0, 0, 0, 0, 0, 0, 4.75], \
[1, 0, 0, 0, 0, 0, 0, 0, 0, 4]]}'
BETTER = {"shd": "low", "f1": "high", "sid": "low", "mec_shd": "low", "tv_dag": "low"}


def study_like(
    algorithms,
    *,
    schemes=SCHEMES,
    families=("erdos-renyi", "scale-free"),
    nodes=(10, 20),
    samples=(500,),
    densities=(2,),
    replicates=12,
    better=BETTER,
    seed=0,
    probable=(),
):
    """A table as `study_table` gives it; on raw data scores are better, on large graphs worse.

    The rows of `probable` algorithms have the notes of estimates with probabilities.
    """
    rng = np.random.default_rng(seed)
    names = [*algorithms, *BASELINES]
    problems = list(product(families, nodes, samples, densities, schemes))
    problem_index, replicate, algorithm = (
        part.ravel()
        for part in np.meshgrid(
            np.arange(len(problems)), np.arange(replicates), np.arange(len(names)), indexing="ij"
        )
    )
    cell = problem_index * replicates + replicate
    of = {
        name: np.array([problem[i] for problem in problems], dtype=object)[problem_index]
        for i, name in enumerate(("family", "nodes", "samples", "density", "scheme"))
    }
    raw = of["scheme"] == "raw"
    skill = np.clip(
        0.3 + 0.4 * raw + 0.3 * algorithm / len(names) + rng.normal(0, 0.1, len(cell)), 0, 1
    )
    scores = {
        name: skill if direction == "high" else (1 - skill) * of["nodes"].astype(float)
        for name, direction in better.items()
    }
    drawn = rng.beta(4, 4, (2, len(problems) * replicates))
    measured = {
        "var_sortability": np.where(raw, 1 - drawn[0][cell] / 5, drawn[0][cell]),
        "r2_sortability": drawn[1][cell],
    }
    frame = pd.DataFrame(
        {
            "problem": pd.Categorical.from_codes(problem_index, [str(p) for p in problems]),
            "replicate": replicate,
            "algorithm": pd.Categorical.from_codes(algorithm, names),
            "role": np.where(algorithm < len(algorithms), "listed", "baseline"),
            "use": pd.Categorical.from_codes(algorithm, names),
            "status": "ok",
            "reason": "",
            "seconds": 10.0 ** rng.normal(-3 + algorithm / 8, 0.2),
            "scheme": of["scheme"],
            "graph_key": [
                f"{family} {size} {density}"
                for family, size, density in zip(
                    of["family"], of["nodes"], of["density"], strict=True
                )
            ],
            "graph.kind": of["family"],
            "graph.n_nodes": of["nodes"].astype(int),
            "graph.edges_per_node": of["density"].astype(float),
            "samples": of["samples"].astype(int),
            "notes": [SUMS if names[index] in probable else None for index in algorithm],
            **scores,
            **measured,
        }
    )
    return SimpleNamespace(
        frame=frame,
        controls=(),
        metrics=tuple(better),
        diagnostics=tuple(measured),
        better=dict(better),
    )
