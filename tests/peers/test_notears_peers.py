"""NOTEARS against the authors' code: frozen, and live where it is installed.

The path of NOTEARS is chaotic, so the authors' code does not even agree with itself once the
columns are permuted: on these data it gives the same graph for 16 of 20 raw and 12 of 20
standardised data sets. Both of its answers are frozen: the second says how much agreement can be
had. Another processor rounds otherwise, and is like another order of the columns. So what is asked
of every machine is that objectives agree within a tolerance and graphs at a rate; weights must be
the same to the last digits only where the arithmetic is, which `rounding` tells.

Sets of 6 nodes are quick and hardly chaotic; those of 20 nodes are mostly for slow tests.

To freeze anew: install https://github.com/xunzheng/notears at the commit below beside pytest and
SciPy, then ``python tests/peers/test_notears_peers.py``; it takes about half an hour, or a minute
for the small sets alone, with the word ``small``.
"""

import hashlib
import json
import logging
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import scipy
import scipy.linalg

FROZEN = Path(__file__).parent / "frozen" / "notears.json"
FROZEN_SMALL = FROZEN.with_name("notears-small.json")
COMMIT = "4a9ab19fe502e392503da331773c5223d82d3666"
N_NODES, N_SAMPLES, N_SETS = 20, 1000, 20
KINDS = ("raw", "standardised")
N_SMALL = 6
SMALL = [
    *(("raw", seed, {"lambda1": lambda1}) for lambda1 in (0.0, 0.1) for seed in range(4)),
    *(("standardised", seed, {"lambda1": 0.0}) for seed in range(4)),
]
"""Kind, seed and settings of the data sets of 6 nodes."""
QUICK = (1, 5, 9, 10, 12)
"""Those of them on which the peer is quickest, and last the other schedule."""
OTHER_SCHEDULE = {"lambda1": 0.1, "max_iter": 3, "h_tolerance": 1e-5, "rho_max": 1e6}


def draw_values(kind, seed, n_nodes=N_NODES):
    """ER-2, weights ±(0.5, 2), noise N(0, 1); no BLAS, so that no machine matters.

    They lie row by row in memory, as the authors' own data do: BLAS rounds by layout.
    """
    rng = np.random.default_rng([2018, seed])
    edge = np.zeros((n_nodes, n_nodes), dtype=bool)
    chosen = rng.choice(n_nodes * (n_nodes - 1) // 2, 2 * n_nodes, replace=False)
    upper = np.triu_indices(n_nodes, 1)
    edge[upper[0][chosen], upper[1][chosen]] = True
    weights = edge * rng.uniform(0.5, 2, edge.shape) * rng.choice([-1, 1], edge.shape)
    columns = []
    for j in range(n_nodes):
        column = rng.normal(size=N_SAMPLES)
        for i in range(j):
            column = column + weights[i, j] * columns[i]
        columns.append(column)
    label = rng.permutation(n_nodes)
    values, truth = np.stack(columns, axis=1)[:, label], edge[np.ix_(label, label)]
    if kind == "standardised":
        values = (values - values.mean(axis=0)) / values.std(axis=0)
    return np.ascontiguousarray(np.round(values, 6)), truth


def objective(values, weights, lambda1=0.0):
    centred = values - values.mean(axis=0)
    error = np.square(centred - centred @ weights).sum() / (2 * len(values))
    return float(error + lambda1 * np.abs(weights).sum())


def edges_of(weights):
    """Threshold at 0.3, then drop the weakest while there is a cycle; edges as one number each."""
    weights = np.where(np.abs(weights) < 0.3, 0.0, weights)
    d = len(weights)
    while np.trace(np.linalg.matrix_power((weights != 0) + np.eye(d), d)) > d:
        weights[np.abs(weights) == np.abs(weights[weights != 0]).min()] = 0.0
    return [int(edge) for edge in np.flatnonzero(weights)]


def run_peer(notears_linear, values, permute):
    """The peer's answer, or that to permuted columns with the permutation undone."""
    order = np.random.default_rng(0).permutation(N_NODES) if permute else np.arange(N_NODES)
    result = notears_linear(values[:, order].copy(), lambda1=0.0, loss_type="l2", w_threshold=0.0)
    weights = np.empty_like(result)
    weights[np.ix_(order, order)] = result
    return {"objective": objective(values, weights), "edges": edges_of(weights)}


def notears(values, **settings):
    """Ours; imported here, for where the peer is frozen causalassay need not be installed."""
    from causalassay.discovery import discover

    return discover("notears", values, np.random.default_rng(0), **settings)


def fingerprint():
    digest = hashlib.sha256()
    for kind in KINDS:
        for seed in range(N_SETS):
            digest.update(np.ascontiguousarray(draw_values(kind, seed)[0]).tobytes())
    return digest.hexdigest()


def small_fingerprint():
    digest = hashlib.sha256()
    for kind in KINDS:
        for seed in range(4):
            digest.update(draw_values(kind, seed, N_SMALL)[0].tobytes())
    return digest.hexdigest()


def rounding():
    """A digest of the library versions, and of the bits of the peer's sums, products and expm."""
    digest = hashlib.sha256(f"{np.__version__} {scipy.__version__}".encode())
    rng = np.random.default_rng(0)
    for n_nodes in (N_SMALL, N_NODES):
        values, _ = draw_values("raw", 0, n_nodes)
        for scale in (0.01, 0.3, 1.0, 3.0):
            weights = rng.normal(size=(n_nodes, n_nodes)) * scale
            residual = values - values @ weights
            for array in (
                (residual**2).sum(),
                -1.0 / N_SAMPLES * values.T @ residual,
                scipy.linalg.expm(weights * weights),
            ):
                digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


@pytest.fixture(scope="module")
def frozen_small():
    content = json.loads(FROZEN_SMALL.read_text())
    if content["data"] != small_fingerprint():
        from needs import other_data_than_frozen

        other_data_than_frozen("notears", content["numpy"])
    return content


@pytest.fixture(scope="module")
def frozen():
    content = json.loads(FROZEN.read_text())
    if content["data"] != fingerprint():
        from needs import other_data_than_frozen

        other_data_than_frozen("notears", content["numpy"])
    return content


def compare(frozen, kind, seeds, solver="augmented-lagrangian"):
    """Ours against theirs: ratios of objectives, entries that differ, and theirs to theirs."""
    ratios, differing, theirs = [], [], []
    for seed in seeds:
        values, _ = draw_values(kind, seed)
        ours = notears(values, solver=solver)
        assert ours.info["h"] <= 1e-8
        straight, permuted = frozen["runs"][kind][seed]
        ratios.append(ours.info["objective"] / straight["objective"])
        edges = set(np.flatnonzero(ours.graph).tolist())
        differing.append(len(edges ^ set(straight["edges"])))
        theirs.append(len(set(permuted["edges"]) ^ set(straight["edges"])))
    return np.array(ratios), np.array(differing), np.array(theirs)


@pytest.mark.parametrize(
    "run",
    [
        run if run in QUICK else pytest.param(run, marks=pytest.mark.slow)
        for run in range(len(SMALL) + 1)
    ],
)
def test_authors_arithmetic_gives_the_weights_of_the_peer(frozen_small, run):
    """Measured: the same bits where `rounding` is that of the frozen file.

    Elsewhere, on older processors, objectives differed by up to 1e-4 and weights by up to .06.
    """
    kind, seed, settings = [*SMALL, ("raw", 1, OTHER_SCHEDULE)][run]
    values, _ = draw_values(kind, seed, N_SMALL)
    ours = notears(values, solver="transcript", **settings)
    expected = np.array(frozen_small["runs"][run])
    loss = objective(values, expected, settings["lambda1"])
    assert loss == pytest.approx(ours.info["objective"], rel=1e-3)
    if rounding() == frozen_small["rounding"]:
        np.testing.assert_allclose(ours.weights, expected, rtol=0, atol=1e-12)
        assert loss == pytest.approx(ours.info["objective"], rel=1e-12)
    assert ours.info["iterations"] <= settings.get("max_iter", 100)


def compare_small(frozen_small, kind):
    """Ours against theirs on sets of 6 nodes: ratios of objectives, and whether graphs agree."""
    ratios, same = [], []
    for (its_kind, seed, settings), theirs in zip(SMALL, frozen_small["runs"], strict=False):
        if its_kind == kind:
            values, _ = draw_values(kind, seed, N_SMALL)
            ours = notears(values, **settings)
            weights = np.array(theirs)
            expected = objective(values, weights, settings["lambda1"])
            ratios.append(ours.info["objective"] / expected)
            same.append(edges_of(weights) == np.flatnonzero(ours.graph).tolist())
    return np.array(ratios), np.array(same)


def test_raw_data_give_the_same_graph_and_objective(frozen_small):
    """Measured: all 8 graphs, on three kinds of processor. At a rate of .9 a graph, fewer than 6
    of 8 have a probability of .04; at the rate .99 that 24 of 24 suggest, one below .0001.
    """
    ratios, same = compare_small(frozen_small, "raw")
    np.testing.assert_allclose(ratios, 1, atol=0.01)
    assert same.sum() >= 6


def test_standardised_data_give_a_like_objective(frozen_small):
    # The ends of a chaotic path: 6 nodes differ by less than 20, but by more than rounding.
    ratios, _ = compare_small(frozen_small, "standardised")
    np.testing.assert_allclose(ratios, 1, atol=0.05)


def test_objectives_of_20_nodes_are_those_of_the_peer(frozen):
    """On a set whose graph the peer keeps when its columns are permuted.

    Measured on sets 0 and 1, where it does not: an older processor gives now the one answer of the
    peer, now the other, and their objectives differ by 1.5 %.
    """
    ratios, _, theirs = compare(frozen, "raw", (2,))
    assert not theirs.any()
    np.testing.assert_allclose(ratios, 1, atol=0.01)


def test_fast_solver_reaches_no_worse_objective(frozen):
    for kind in KINDS:
        ratios, _, _ = compare(frozen, kind, range(N_SETS), solver="fast")
        assert (ratios <= 1.01).all()


@pytest.mark.slow
def test_raw_data_give_the_same_graph_where_the_peer_agrees_with_itself(frozen):
    """Measured: the peer agrees with itself on 16 of 20 sets, and ours with it on all.

    Which sets differ depends on the processor. At a rate of .95 the counts of 16 and 20 have
    standard deviations of .9 and 1.0, so that the bounds are more than two of these below. The
    logarithm of a ratio has one of .004 (the peer's own, permuted to straight), their mean .001.
    """
    ratios, differing, theirs = compare(frozen, "raw", range(N_SETS))
    assert (differing[theirs == 0] == 0).sum() >= (theirs == 0).sum() - 3
    assert (differing == 0).sum() >= 16
    assert abs(np.log(ratios).mean()) <= 0.005
    np.testing.assert_allclose(ratios[theirs == 0], 1, atol=0.01)
    np.testing.assert_allclose(ratios, 1, atol=0.03)


@pytest.mark.slow
def test_standardised_data_agree_about_as_the_peer_does_with_itself(frozen):
    """Measured: the peer agrees with itself on 12 of 20 sets, and ours with it on 10.

    Which sets differ depends on the processor: the difference of two counts of 20 at a rate of .6
    has a standard deviation of 3.1, and the mean of 20 logarithms of ratios one of .0044.
    """
    ratios, differing, theirs = compare(frozen, "standardised", range(N_SETS))
    assert abs(np.log(ratios).mean()) <= 0.01
    assert (differing == 0).sum() >= (theirs == 0).sum() - 6
    assert differing.mean() <= 2 * theirs.mean() + 1


@cache
def in_authors_arithmetic(kind, seed):
    values, _ = draw_values(kind, seed)
    return notears(values, solver="transcript")


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
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
@pytest.mark.needs("package:notears")
@pytest.mark.parametrize("kind", KINDS)
def test_authors_arithmetic_gives_the_weights_of_the_live_peer(kind):
    from notears import linear

    values, _ = draw_values(kind, 0)
    result = linear.notears_linear(values, lambda1=0.0, loss_type="l2", w_threshold=0.0)
    np.testing.assert_array_equal(result, in_authors_arithmetic(kind, 0).weights)


@pytest.mark.slow
@pytest.mark.needs("package:notears")
def test_live_peer_still_gives_what_was_frozen(frozen):
    from notears import linear

    values, _ = draw_values("raw", 0)
    result = run_peer(linear.notears_linear, values, permute=False)
    assert frozen["runs"]["raw"][0][0]["edges"] == result["edges"]
    assert frozen["runs"]["raw"][0][0]["objective"] == pytest.approx(result["objective"], rel=0.01)


def freeze():
    from notears.linear import notears_linear

    runs = {
        kind: [
            [run_peer(notears_linear, draw_values(kind, seed)[0], permute) for permute in (0, 1)]
            for seed in range(N_SETS)
        ]
        for kind in KINDS
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


def freeze_small():
    from notears.linear import notears_linear

    runs = []
    for kind, seed, settings in [*SMALL, ("raw", 1, OTHER_SCHEDULE)]:
        named = {"h_tol" if name == "h_tolerance" else name: x for name, x in settings.items()}
        values, _ = draw_values(kind, seed, N_SMALL)
        runs.append(notears_linear(values, loss_type="l2", w_threshold=0.0, **named).tolist())
    content = {
        "peer": "notears",
        "version": COMMIT,
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "rounding": rounding(),
        "data": small_fingerprint(),
        "runs": runs,
    }
    FROZEN_SMALL.write_text(json.dumps(content) + "\n")


if __name__ == "__main__":
    freeze_small()
    if sys.argv[1:] != ["small"]:
        freeze()
