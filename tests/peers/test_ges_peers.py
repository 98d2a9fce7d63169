"""GES and GIES against the packages ges and gies: frozen, and live where they are installed.

To freeze anew: ``python tests/peers/test_ges_peers.py`` in an environment with ges, gies and
pytest; it takes some minutes.
"""

import hashlib
import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parent / "frozen"
N_OBSERVATIONAL, N_INTERVENTIONAL = 200, 80
ALL_PHASES = ("forward", "backward", "turning")


def draw_model(rng, d):
    """A random order, random edges and weights ±(0.5, 2)."""
    edge = np.triu(rng.random((d, d)) < rng.choice([1, 2, 4]) / (d - 1), 1)
    return edge * rng.uniform(0.5, 2, (d, d)) * rng.choice([-1, 1], (d, d)), rng.permutation(d)


def draw_rows(rng, n, weights, targets=(), scale_inside=False):
    """Rows of the model, column by column, so that no BLAS matters; targets become N(2, 1)."""
    columns = []
    for j in range(len(weights)):
        column = rng.normal(size=n)
        for i in range(j):
            column = column + (0.0 if j in targets else weights[i, j]) * columns[i]
        column = column + 2.0 * (j in targets)
        columns.append(standardise(column) if scale_inside else column)
    return np.stack(columns, axis=1)


def standardise(values):
    return (values - values.mean(axis=0)) / values.std(axis=0)


def observational_values(seed):
    """Raw, standardised and internally standardised in turn; 5 to 12 nodes, a few have 20."""
    rng = np.random.default_rng([2002, seed])
    d = 20 if seed % 25 == 0 else int(rng.integers(5, 13))
    weights, label = draw_model(rng, d)
    values = draw_rows(rng, int(rng.integers(200, 2001)), weights, scale_inside=seed % 3 == 2)
    if seed % 3 == 1:
        values = standardise(values)
    return np.round(values[:, label], 6)


def interventional_values(seed):
    """The targets and values of 2 to 5 conditions, each centred, the first often observational.

    The package gies has an intercept for each condition, ours one for all; on centred values
    they are the same.
    """
    rng = np.random.default_rng([2012, seed])
    d = int(rng.integers(4, 11))
    weights, label = draw_model(rng, d)
    targets = [rng.choice(d, rng.integers(1, 3), replace=False) for _ in range(rng.integers(1, 5))]
    everywhere = set(range(d)).intersection(*(set(some.tolist()) for some in targets))
    if everywhere or seed % 4:
        targets = [np.array([], dtype=int), *targets]
    position = np.argsort(label)
    conditions = []
    for some in targets:
        values = draw_rows(rng, int(rng.integers(50, 501)), weights, some.tolist())
        values = np.round((values - values.mean(axis=0))[:, label], 6)
        conditions.append((sorted(position[some].tolist()), values))
    return conditions


def fingerprint():
    digest = hashlib.sha256()
    arrays = [observational_values(seed) for seed in range(N_OBSERVATIONAL)]
    for seed in range(N_INTERVENTIONAL):
        arrays += [values for _, values in interventional_values(seed)]
    for values in arrays:
        digest.update(np.round(values * 1e6).astype("<i8").tobytes())
    return digest.hexdigest()


def run_ges(seed):
    """Return the edges that ges finds, as cells of the matrix, and its score."""
    import ges

    # Half of the data without the turning phase.
    graph, score = ges.fit_bic(observational_values(seed), phases=list(phases_of(seed)))
    return np.flatnonzero(graph).tolist(), round(float(score), 6)


def phases_of(seed):
    return ALL_PHASES if seed % 2 else ALL_PHASES[:2]


def run_gies(seed):
    import gies

    targets, values = zip(*interventional_values(seed), strict=True)
    graph, score = gies.fit_bic(list(values), list(targets))
    return np.flatnonzero(graph).tolist(), round(float(score), 6)


@pytest.fixture(scope="module")
def checked():
    """The frozen results of both packages, if the data are those they were frozen for."""
    result = {name: json.loads((FOLDER / f"{name}.json").read_text()) for name in ("ges", "gies")}
    drawn = fingerprint()
    for name, frozen in result.items():
        if drawn != frozen["sha256"]:
            from needs import other_data_than_frozen

            other_data_than_frozen(name, frozen["numpy"])
    return result


def compare_ges(seed, cells):
    """Whether our CPDAG is theirs, by how much it scores better, and the score of theirs."""
    from causalassay.data import Dataset
    from causalassay.discovery.ges import GES
    from causalassay.discovery.search.gaussian_bic import observational_node_statistics

    data = Dataset.from_values(observational_values(seed))
    result = GES(penalty_discount=1.0, phases=phases_of(seed)).discover(
        data, np.random.default_rng(0)
    )
    return compare(result, observational_node_statistics(data), cells)


def compare_gies(seed, cells):
    from causalassay.discovery.ges import GIES
    from causalassay.discovery.search.gaussian_bic import interventional_node_statistics

    data = interventional_data(seed)
    result = GIES(penalty_discount=1.0).discover(data, np.random.default_rng(0))
    return compare(result, interventional_node_statistics(data), cells)


def interventional_data(seed):
    from causalassay.data import Dataset, Regime

    regimes = [
        Regime(f"condition {k}", values, tuple(targets))
        for k, (targets, values) in enumerate(interventional_values(seed))
    ]
    columns = tuple(f"x{j}" for j in range(regimes[0].values.shape[1]))
    return Dataset(columns, tuple(regimes), observational=None)


def compare(estimate, statistics, cells):
    from causalassay.discovery.search.gaussian_bic import gaussian_bic

    theirs = np.zeros(estimate.graph.shape, dtype=bool)
    theirs.flat[cells] = True
    score = gaussian_bic(statistics, theirs)
    # Their score has the constant -1/2 for each row of each node.
    full = score - statistics.n_rows.sum() / 2
    return np.array_equal(theirs, estimate.graph), estimate.info["score"] - score, full


def check(results, compare_one):
    """The same graph, or one of a better score; and one score for the same graph."""
    differing = []
    for seed, (cells, score) in enumerate(results):
        same, better_by, full = compare_one(seed, cells)
        assert score == pytest.approx(full, rel=1e-9, abs=1e-5)
        if not same:
            differing.append((seed, better_by))
    assert [] == [(seed, by) for seed, by in differing if by < 0]
    return differing


def test_ges_is_as_good_as_frozen_ges(checked):
    assert N_OBSERVATIONAL == len(checked["ges"]["results"])
    assert [] == check(checked["ges"]["results"], compare_ges)


def test_gies_is_as_good_as_frozen_gies(checked):
    assert N_INTERVENTIONAL == len(checked["gies"]["results"])
    assert [] == check(checked["gies"]["results"], compare_gies)


@pytest.mark.needs("package:ges")
@pytest.mark.parametrize("seed", [1, 2, 3, 6])
def test_ges_is_as_good_as_live_ges(seed):
    same, better_by, _ = compare_ges(seed, run_ges(seed)[0])
    assert same or better_by > 0


@pytest.mark.needs("package:gies")
@pytest.mark.parametrize("seed", range(4))
def test_gies_is_as_good_as_live_gies(seed):
    same, better_by, _ = compare_gies(seed, run_gies(seed)[0])
    assert same or better_by > 0


def freeze():
    for name, run, n_data_sets, first in (
        ("ges", run_ges, N_OBSERVATIONAL, 2002),
        ("gies", run_gies, N_INTERVENTIONAL, 2012),
    ):
        frozen = {
            "peer": name,
            "version": version(name),
            "numpy": np.__version__,
            "seeds": f"[{first}, k] for k from 0 to {n_data_sets - 1}",
            "sha256": fingerprint(),
            "results": [run(seed) for seed in range(n_data_sets)],
        }
        (FOLDER / f"{name}.json").write_text(json.dumps(frozen, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    freeze()
