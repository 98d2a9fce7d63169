"""DirectLiNGAM's orders and edges against lingam's: frozen, and live where it is installed.

To freeze anew: ``python tests/peers/test_lingam_peers.py`` in an environment with lingam and
pytest; lingam pins an old scipy, so it wants one of its own.
"""

import hashlib
import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

FROZEN = Path(__file__).parent / "frozen" / "lingam.json"
N_DATA_SETS = 100
NOISES = ("exponential", "uniform", "laplace", "gumbel")


def lingam_values(seed):
    """A linear model with weights ±(0.5, 2), 5 to 15 nodes, 200 to 1000 rows.

    Sums go column by column and are rounded, so that neither a BLAS nor the
    last bit of a logarithm matters.
    """
    rng = np.random.default_rng([2011, seed])
    d, n = int(rng.integers(5, 16)), int(rng.integers(200, 1001))
    edge = np.triu(rng.random((d, d)) < rng.uniform(1, 4) / (d - 1), 1)
    weights = edge * rng.uniform(0.5, 2, (d, d)) * rng.choice([-1, 1], (d, d))
    noise = getattr(rng, NOISES[seed % 4])
    columns = []
    for j in range(d):
        column = noise(size=n) * rng.uniform(0.5, 2)
        for i in range(j):
            column = column + weights[i, j] * columns[i]
        columns.append(column)
    return np.round(np.stack(columns, axis=1)[:, rng.permutation(d)], 6)


def fingerprint():
    digest = hashlib.sha256()
    for seed in range(N_DATA_SETS):
        digest.update(np.round(lingam_values(seed) * 1e6).astype("<i8").tobytes())
    return digest.hexdigest()


def run_lingam(values):
    """Return lingam's order and its edges, cause first: its matrix is [effect, cause]."""
    import lingam

    model = lingam.DirectLiNGAM()
    model.fit(values)
    edges = np.argwhere(model.adjacency_matrix_.T != 0)
    return [int(node) for node in model.causal_order_], edges.tolist()


@pytest.fixture(scope="module")
def frozen():
    result = json.loads(FROZEN.read_text())
    if fingerprint() != result["sha256"]:
        from needs import other_data_than_frozen

        other_data_than_frozen("lingam", result["numpy"])
    return result


def test_order_is_that_of_frozen_lingam(frozen):
    differing = [
        seed
        for seed, order in enumerate(frozen["orders"])
        if order != list(estimate(lingam_values(seed)).order)
    ]
    assert [] == differing


def test_edges_are_those_of_frozen_lingam(frozen):
    differing = [
        seed
        for seed, edges in enumerate(frozen["edges"])
        if edges != np.argwhere(estimate(lingam_values(seed)).graph).tolist()
    ]
    assert [] == differing


@pytest.mark.needs("package:lingam")
@pytest.mark.parametrize("seed", range(0, N_DATA_SETS, 20))
def test_order_and_edges_are_those_of_live_lingam(seed):
    values = lingam_values(seed)
    result = estimate(values)
    assert run_lingam(values) == (list(result.order), np.argwhere(result.graph).tolist())


def estimate(values):
    from causalassay.discovery import discover

    return discover("direct-lingam", values, np.random.default_rng(0))


def freeze():
    results = [run_lingam(lingam_values(seed)) for seed in range(N_DATA_SETS)]
    frozen = {
        "peer": "lingam",
        "version": version("lingam"),
        "numpy": np.__version__,
        "seeds": f"[2011, k] for k from 0 to {N_DATA_SETS - 1}",
        "sha256": fingerprint(),
        "orders": [order for order, _ in results],
        "edges": [edges for _, edges in results],
    }
    FROZEN.write_text(json.dumps(frozen, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    freeze()
