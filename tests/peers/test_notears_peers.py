"""NOTEARS against the authors' code: frozen, and live where it is installed.

The path of NOTEARS is chaotic, so the authors' code does not even agree with itself once the
columns are permuted: on these data it gives the same graph for 16 of 20 raw and 12 of 20
standardised data sets. Both of its answers are frozen: the second says how much agreement can be
had.

To freeze anew: install https://github.com/xunzheng/notears at the commit below beside pytest and
SciPy, then ``python tests/peers/test_notears_peers.py``; it takes about half an hour.
"""

import hashlib
import json
import logging
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import scipy

FROZEN = Path(__file__).parent / "frozen" / "notears.json"
COMMIT = "4a9ab19fe502e392503da331773c5223d82d3666"
N_NODES, N_SAMPLES, N_SETS = 20, 1000, 20
FEW = {"raw": (0, 1, 2, 3), "standardised": (0,)}


def draw_values(kind, seed):
    """ER-2 with 40 edges, weights ±(0.5, 2), noise N(0, 1); no BLAS, so that no machine matters.

    They lie row by row in memory, as the authors' own data do: BLAS rounds by layout.
    """
    rng = np.random.default_rng([2018, seed])
    edge = np.zeros((N_NODES, N_NODES), dtype=bool)
    chosen = rng.choice(N_NODES * (N_NODES - 1) // 2, 2 * N_NODES, replace=False)
    upper = np.triu_indices(N_NODES, 1)
    edge[upper[0][chosen], upper[1][chosen]] = True
    weights = edge * rng.uniform(0.5, 2, edge.shape) * rng.choice([-1, 1], edge.shape)
    columns = []
    for j in range(N_NODES):
        column = rng.normal(size=N_SAMPLES)
        for i in range(j):
            column = column + weights[i, j] * columns[i]
        columns.append(column)
    label = rng.permutation(N_NODES)
    values, truth = np.stack(columns, axis=1)[:, label], edge[np.ix_(label, label)]
    if kind == "standardised":
        values = (values - values.mean(axis=0)) / values.std(axis=0)
    return np.ascontiguousarray(np.round(values, 6)), truth


def objective(values, weights):
    centred = values - values.mean(axis=0)
    return float(np.square(centred - centred @ weights).sum() / (2 * len(values)))


def edges_of(weights):
    """Threshold at 0.3, then drop the weakest while there is a cycle; edges as one number each."""
    weights = np.where(np.abs(weights) < 0.3, 0.0, weights)
    while np.trace(np.linalg.matrix_power((weights != 0) + np.eye(N_NODES), N_NODES)) > N_NODES:
        weights[np.abs(weights) == np.abs(weights[weights != 0]).min()] = 0.0
    return [int(edge) for edge in np.flatnonzero(weights)]


def run_peer(notears_linear, values, permute):
    """The peer's answer, or that to permuted columns with the permutation undone."""
    order = np.random.default_rng(0).permutation(N_NODES) if permute else np.arange(N_NODES)
    found = notears_linear(values[:, order].copy(), lambda1=0.0, loss_type="l2", w_threshold=0.0)
    weights = np.empty_like(found)
    weights[np.ix_(order, order)] = found
    return {"objective": objective(values, weights), "edges": edges_of(weights)}


def fingerprint():
    digest = hashlib.sha256()
    for kind in FEW:
        for seed in range(N_SETS):
            digest.update(np.ascontiguousarray(draw_values(kind, seed)[0]).tobytes())
    return digest.hexdigest()


@pytest.fixture(scope="module")
def frozen():
    content = json.loads(FROZEN.read_text())
    if content["data"] != fingerprint():
        pytest.skip(f"the data differ from those frozen with numpy {content['numpy']}: freeze anew")
    return content


def compare(frozen, kind, seeds, solver="augmented-lagrangian"):
    """Ours against theirs: ratios of objectives, entries that differ, and theirs to theirs."""
    from causalassay.discovery import discover

    ratios, differing, theirs = [], [], []
    for seed in seeds:
        values, _ = draw_values(kind, seed)
        ours = discover("notears", values, np.random.default_rng(0), solver=solver)
        assert ours.info["h"] <= 1e-8
        straight, permuted = frozen["runs"][kind][seed]
        ratios.append(ours.info["objective"] / straight["objective"])
        edges = set(np.flatnonzero(ours.graph).tolist())
        differing.append(len(edges ^ set(straight["edges"])))
        theirs.append(len(set(permuted["edges"]) ^ set(straight["edges"])))
    return np.array(ratios), np.array(differing), np.array(theirs)


def test_raw_data_give_the_same_graph_and_objective(frozen):
    ratios, differing, _ = compare(frozen, "raw", FEW["raw"])
    assert not differing.any()
    np.testing.assert_allclose(ratios, 1, atol=0.01)


def test_standardised_data_give_a_like_objective(frozen):
    # Local minima differ by up to a few per cent, the authors' from the authors' too.
    ratios, _, _ = compare(frozen, "standardised", FEW["standardised"])
    np.testing.assert_allclose(ratios, 1, atol=0.1)


def test_fast_solver_reaches_no_worse_objective(frozen):
    for kind in FEW:
        ratios, _, _ = compare(frozen, kind, range(N_SETS), solver="fast")
        assert (ratios <= 1.01).all()


@pytest.mark.slow
def test_raw_data_give_the_same_graph_where_the_peer_agrees_with_itself(frozen):
    """Measured: the peer agrees with itself on 16 of 20 sets, and ours with it on all."""
    ratios, differing, theirs = compare(frozen, "raw", range(N_SETS))
    assert not differing[theirs == 0].any()
    assert (differing == 0).sum() >= 19
    np.testing.assert_allclose(ratios, 1, atol=0.01)


@pytest.mark.slow
def test_standardised_data_agree_about_as_the_peer_does_with_itself(frozen):
    """Measured: the peer agrees with itself on 12 of 20 sets, and ours with it on 10."""
    ratios, differing, theirs = compare(frozen, "standardised", range(N_SETS))
    assert abs(np.log(ratios).mean()) <= 0.01
    assert (differing == 0).sum() >= (theirs == 0).sum() - 3
    assert differing.mean() <= 2 * theirs.mean() + 1


@cache
def in_authors_arithmetic(kind, seed):
    from causalassay.discovery import discover

    values, _ = draw_values(kind, seed)
    return discover("notears", values, np.random.default_rng(0), solver="transcript")


@pytest.mark.slow
@pytest.mark.parametrize("kind", FEW)
def test_authors_arithmetic_gives_the_graph_of_the_transcription(kind):
    """Measured: on all 20 sets of either kind."""
    from notears_twin import transcription

    same, ratios = [], []
    for seed in range(N_SETS):
        ours = in_authors_arithmetic(kind, seed)
        weights, expected = transcription(draw_values(kind, seed)[0])
        same.append(edges_of(weights) == np.flatnonzero(ours.graph).tolist())
        ratios.append(ours.info["objective"] / expected)
    assert sum(same) >= 0.95 * N_SETS
    np.testing.assert_allclose(ratios, 1, atol=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("kind", FEW)
def test_authors_arithmetic_against_the_frozen_peer(frozen, kind):
    """Measured where the peer was frozen: the same graph on all 20 sets of either kind.

    Elsewhere BLAS may choose other kernels, which round otherwise, so that as many graphs can
    differ as the peer's own do once its columns are permuted. The number is therefore only
    logged (``--log-cli-level=INFO``); what holds on any machine is that objectives are alike. The
    logarithms of the peer's own ratios, permuted to straight, have standard deviations of .004 and
    .020, so means of 20 ones of .001 and .0044: the tolerance is more than four of the latter.
    """
    ratios, agreeing = [], 0
    for seed in range(N_SETS):
        ours = in_authors_arithmetic(kind, seed)
        straight, _ = frozen["runs"][kind][seed]
        agreeing += straight["edges"] == np.flatnonzero(ours.graph).tolist()
        ratios.append(ours.info["objective"] / straight["objective"])
    logging.getLogger(__name__).info(
        "%s: graphs as frozen %d of %d, ratios of objectives %.6f to %.6f",
        *(kind, agreeing, N_SETS, min(ratios), max(ratios)),
    )
    assert abs(np.log(ratios).mean()) <= 0.02


@pytest.mark.slow
@pytest.mark.parametrize("kind", FEW)
def test_authors_arithmetic_gives_the_weights_of_the_live_peer(kind):
    linear = pytest.importorskip("notears.linear")
    values, _ = draw_values(kind, 0)
    found = linear.notears_linear(values, lambda1=0.0, loss_type="l2", w_threshold=0.0)
    np.testing.assert_array_equal(found, in_authors_arithmetic(kind, 0).weights)


@pytest.mark.slow
def test_live_peer_still_gives_what_was_frozen(frozen):
    linear = pytest.importorskip("notears.linear")
    values, _ = draw_values("raw", 0)
    found = run_peer(linear.notears_linear, values, permute=False)
    assert frozen["runs"]["raw"][0][0]["edges"] == found["edges"]
    assert frozen["runs"]["raw"][0][0]["objective"] == pytest.approx(found["objective"], rel=0.01)


def freeze():
    from notears.linear import notears_linear

    runs = {
        kind: [
            [run_peer(notears_linear, draw_values(kind, seed)[0], permute) for permute in (0, 1)]
            for seed in range(N_SETS)
        ]
        for kind in FEW
    }
    content = {
        "peer": "notears",
        "version": COMMIT,
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "seeds": N_SETS,
        "data": fingerprint(),
        "runs": runs,
    }
    FROZEN.write_text(json.dumps(content) + "\n")


if __name__ == "__main__":
    freeze()
