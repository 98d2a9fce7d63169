"""XGES against the package xges, frozen.

To freeze anew: ``python tests/peers/test_xges_peers.py`` in an environment with xges; it needs
neither pytest nor causalassay, and takes a minute.
"""

import json
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np

FROZEN = Path(__file__).parent / "frozen" / "xges.json"
N_PROBLEMS = 40


def values_of(seed):
    """Rows of a random linear model, column by column, so that no BLAS matters."""
    rng = np.random.default_rng([2024, seed])
    d = int(rng.integers(5, 13))
    edge = np.triu(rng.random((d, d)) < rng.choice([1, 2, 4]) / (d - 1), 1)
    weights = edge * rng.uniform(0.5, 2, (d, d)) * rng.choice([-1, 1], (d, d))
    columns = []
    for j in range(d):
        column = rng.normal(size=500)
        for i in range(j):
            column = column + weights[i, j] * columns[i]
        columns.append(column / column.std() if seed % 2 else column)
    return np.round(np.stack(columns, axis=1)[:, rng.permutation(d)], 6)


def freeze():
    from xges import XGES  # noqa: PLC0415 (only there)

    graphs = []
    for seed in range(N_PROBLEMS):
        values = values_of(seed)
        of_seed = {}
        for name, extended in (("XGES-0", False), ("XGES", True)):
            found = XGES(alpha=1.0).fit(values, extended_search=extended, verbose=0)
            of_seed[name] = np.argwhere(found.to_adjacency_matrix() != 0).tolist()
        graphs.append(of_seed)
    FROZEN.write_text(json.dumps({"xges": version("xges"), "graphs": graphs}) + "\n")


def compare(extended):
    """On how many problems the class is theirs, and our scores less theirs."""
    from causalassay.data import Dataset  # noqa: PLC0415 (absent where results are frozen)
    from causalassay.discovery.search.gaussian_bic import (
        gaussian_bic,
        observational_node_statistics,
    )
    from causalassay.discovery.xges import XGES  # noqa: PLC0415

    same, differences = 0, []
    for seed, of_seed in enumerate(json.loads(FROZEN.read_text())["graphs"]):
        data = Dataset.from_values(values_of(seed))
        theirs = np.zeros((data.n_nodes, data.n_nodes), dtype=bool)
        edges = np.array(of_seed["XGES" if extended else "XGES-0"]).reshape(-1, 2)
        theirs[edges[:, 0], edges[:, 1]] = True
        ours = XGES(extended=extended, penalty_discount=1.0).discover(
            data, np.random.default_rng(0)
        )
        same += np.array_equal(ours.graph, theirs)
        score = gaussian_bic(observational_node_statistics(data), theirs)
        differences.append(ours.info["score"] - score)
    return same, np.array(differences)


def test_xges_0_ends_where_theirs_ends():
    """The same class on 39 of 40 problems here, and a higher score on the other."""
    same, differences = compare(extended=False)
    assert same >= N_PROBLEMS - 2
    assert (differences < -1e-6).sum() <= 1


def test_xges_mostly_ends_where_theirs_ends():
    """The same class on 38 of 40 problems here, a higher score on one, a lower score on one."""
    same, differences = compare(extended=True)
    assert same >= N_PROBLEMS - 4
    assert (differences < -1e-6).sum() <= 2


if __name__ == "__main__":
    sys.exit(freeze())
