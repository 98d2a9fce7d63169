"""CAM against that of dodiscover: frozen, and live where it is installed.

To freeze anew: ``python tests/peers/test_dodiscover_peers.py`` in an environment with dodiscover
(from its repository) and pytest; it takes a minute.
"""

import json
from pathlib import Path

import numpy as np
import pytest

FROZEN = Path(__file__).parent / "frozen" / "dodiscover-cam.json"
N_CASES = 6
COMMIT = "6e64456198a5b66e515f250a8f4b143ebc31c9a6"


def case(seed):
    """Six columns along a random order, each a sum of sines and squares of some before it."""
    rng = np.random.default_rng([2014, seed])
    order, edges = rng.permutation(6), np.triu(rng.random((6, 6)) < 0.4, 1)
    columns = []
    for j in range(6):
        column = 0.7 * rng.normal(size=300)
        for i in np.flatnonzero(edges[:, j]):
            bend = (np.sin, np.square)[(i + j) % 2]
            column = column + 1.5 * bend(1.2 * columns[i])
        columns.append((column - column.mean()) / column.std())
    graph = np.zeros((6, 6), dtype=bool)
    graph[np.ix_(order, order)] = edges
    return np.round(np.stack(columns, axis=1)[:, np.argsort(order)], 6), graph


def dodiscovers(seed):
    import networkx as nx
    import pandas as pd
    from dodiscover import make_context
    from dodiscover.toporder.cam import CAM

    frame = pd.DataFrame(case(seed)[0], columns=list("abcdef"))
    model = CAM(alpha=0.001)
    model.learn_graph(frame, make_context().variables(data=frame).build())
    return (nx.to_numpy_array(model.graph_, nodelist=list(frame.columns)) != 0).astype(int)


def ours(seed):
    from causalassay.discovery import discover

    return discover("cam", case(seed)[0]).graph


def test_graphs_have_the_edges_of_frozen_dodiscover_that_are_true():
    """All true edges are in both; of others dodiscover has 6, and ours no more in any case."""
    for seed, frozen in enumerate(json.loads(FROZEN.read_text())["graphs"]):
        _, truth = case(seed)
        got = ours(seed)
        np.testing.assert_array_equal(truth & np.array(frozen, bool), truth & got)
        assert truth.sum() == (truth & got).sum()
        assert (got & ~truth).sum() <= (np.array(frozen, bool) & ~truth).sum()


@pytest.mark.needs("package:dodiscover")
def test_frozen_dodiscover_is_the_live_one():
    assert json.loads(FROZEN.read_text())["graphs"][0] == dodiscovers(0).tolist()


def freeze():
    frozen = {
        "peer": "dodiscover",
        "commit": COMMIT,
        "numpy": np.__version__,
        "seeds": f"[2014, k] for k from 0 to {N_CASES - 1}",
        "graphs": [dodiscovers(seed).tolist() for seed in range(N_CASES)],
    }
    FROZEN.write_text(json.dumps(frozen, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    freeze()
