"""Small factorial experiments whose laws are known."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd

from causalassay.lab.factorial import FactorialExperiment


def by_hand():
    """Return two subjects under one treatment with two trials: small enough to count."""
    rows = [
        # who, size, run, drug, pain
        ("a", 1, 0, 0, 1.0),
        ("a", 1, 1, 0, 1.0),
        ("a", 1, 0, 1, 2.0),
        ("a", 1, 1, 1, 1.0),
        ("b", 2, 0, 0, 1.0),
        ("b", 2, 1, 0, 2.0),
        ("b", 2, 0, 1, 2.0),
        ("b", 2, 1, 1, 2.0),
    ]
    frame = pd.DataFrame(rows, columns=["who", "size", "run", "drug", "pain"])
    return FactorialExperiment(frame, "who", "run", ("drug",), ("pain",), ("size",), "size")


def simulated(n_subjects, seed=0, levels=(0, 1)):
    """Return an experiment: size confounds, T1 moves O1 and O2, T3 moves O2, nothing moves O3."""
    rng = np.random.default_rng(seed)
    size = rng.integers(0, 3, n_subjects)
    noise = rng.normal(0, 1, (n_subjects, 3))
    high = max(levels)
    parts = []
    for first, second, third in itertools.product(levels, repeat=3):
        own = 0.2 * rng.normal(0, 1, (n_subjects, 3))
        part = {
            "who": [f"s{k}" for k in range(n_subjects)],
            "size": size,
            "T1": first,
            "T2": second,
            "T3": third,
            "O1": 0.8 * size + 1.5 * first / high + noise[:, 0] + own[:, 0],
            "O2": first / high - 1.2 * third / high + 0.5 * size + noise[:, 1] + own[:, 1],
            "O3": noise[:, 2],
        }
        parts.append(pd.DataFrame(part))
    return FactorialExperiment(
        pd.concat(parts),
        "who",
        None,
        ("T1", "T2", "T3"),
        ("O1", "O2", "O3"),
        ("size",),
        "size",
    )
