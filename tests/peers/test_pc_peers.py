"""PC's skeletons against causal-learn's PC-stable: frozen, and live where it is installed.

To freeze anew: ``python tests/peers/test_pc_peers.py`` in an environment with causal-learn
and pytest.
"""

import hashlib
import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

FROZEN = Path(__file__).parent / "frozen" / "causal-learn-pc.json"
N_DATA_SETS = 200
SCALES = ("raw", "standardised", "internally standardised")


def pc_values(seed):
    """A linear Gaussian model with weights ±(0.5, 2), 5 to 15 nodes, 100 to 1000 rows.

    Sums go column by column and are rounded, so that no BLAS matters.
    """
    rng = np.random.default_rng([2014, seed])
    d, n = int(rng.integers(5, 16)), int(rng.integers(100, 1001))
    edge = np.triu(rng.random((d, d)) < rng.uniform(2, 5) / (d - 1), 1)
    weights = edge * rng.uniform(0.5, 2, (d, d)) * rng.choice([-1, 1], (d, d))
    scale = SCALES[seed % 3]
    columns = []
    for j in range(d):
        column = rng.normal(size=n)
        for i in range(j):
            column = column + weights[i, j] * columns[i]
        columns.append(standardise(column) if scale == "internally standardised" else column)
    if scale == "standardised":
        columns = [standardise(column) for column in columns]
    return np.round(np.stack(columns, axis=1)[:, rng.permutation(d)], 6)


def standardise(column):
    return (column - column.mean()) / column.std()


def level(seed):
    return (0.01, 0.05)[seed // 3 % 2]


def fingerprint():
    digest = hashlib.sha256()
    for seed in range(N_DATA_SETS):
        digest.update(np.round(pc_values(seed) * 1e6).astype("<i8").tobytes())
    return digest.hexdigest()


def run_causal_learn(seed):
    """Return the adjacent pairs i < j."""
    from causallearn.search.ConstraintBased.PC import pc

    result = pc(
        pc_values(seed),
        level(seed),
        "fisherz",
        stable=True,
        uc_rule=0,
        uc_priority=2,
        show_progress=False,
    )
    return np.argwhere(np.triu(result.G.graph != 0)).tolist()


def run_ours(seed):
    from causalassay.discovery import discover

    rng = np.random.default_rng(0)
    graph = discover("pc", pc_values(seed), rng, alpha=level(seed)).graph
    return np.argwhere(np.triu(graph | graph.T)).tolist()


@pytest.fixture(scope="module")
def frozen():
    result = json.loads(FROZEN.read_text())
    if fingerprint() != result["sha256"]:
        from needs import other_data_than_frozen

        other_data_than_frozen("causal-learn", result["numpy"])
    return result


def test_skeleton_is_that_of_frozen_causal_learn(frozen):
    skeletons = frozen["skeletons"]
    assert N_DATA_SETS == len(skeletons)
    assert [] == [seed for seed, pairs in enumerate(skeletons) if pairs != run_ours(seed)]


@pytest.mark.parametrize("seed", range(0, N_DATA_SETS, 20))
def test_skeleton_is_that_of_live_causal_learn(seed):
    assert run_causal_learn(seed) == run_ours(seed)


def freeze():
    frozen = {
        "peer": "causal-learn",
        "version": version("causal-learn"),
        "numpy": np.__version__,
        "seeds": f"[2014, k] for k from 0 to {N_DATA_SETS - 1}",
        "sha256": fingerprint(),
        "skeletons": [run_causal_learn(seed) for seed in range(N_DATA_SETS)],
    }
    FROZEN.write_text(json.dumps(frozen, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    freeze()
