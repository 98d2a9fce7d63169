"""The pretrained network: its forward pass, what it is blind to, what it refuses and tells."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from causalassay.contracts import NotApplicable
from causalassay.data import Dataset, Discrete, Regime
from causalassay.discovery import ALGORITHMS, Amortized, algorithms, discover
from causalassay.discovery import amortized as amortized_module
from causalassay.discovery.amortized_network import Network, pair_features
from causalassay.graphs import is_cpdag, is_dag
from causalassay.study.keys import digest
from causalassay.testing import check_algorithm
from random_networks import random_arrays, random_file
from strategies import rngs


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    return str(random_file(tmp_path_factory.mktemp("weights")))


def some_values(n=300, d=6, seed=0):
    rng = np.random.default_rng(seed)
    mixing = np.eye(d) + np.triu(rng.normal(size=(d, d)), 1)
    return (rng.exponential(size=(n, d)) @ mixing)[:, rng.permutation(d)] * 3.0 + 7.0


# Twins: slow and obvious, in double precision.


def features_one_by_one(values, blind):
    n, d = values.shape
    z = (values - values.mean(axis=0)) / values.std(axis=0)
    c = np.corrcoef(values, rowvar=False).reshape(d, d)
    p = np.linalg.inv(c + 0.001 * np.eye(d))
    v = np.zeros(d) if blind else (np.log(values.var(axis=0)))
    v = (v - v.mean()) / 2
    z = np.clip(z, -10, 10)
    features = np.empty((d, d, 13))
    for i in range(d):
        for j in range(d):
            features[i, j] = [
                c[i, j],
                1.0 if i == j else -p[i, j] / np.sqrt(p[i, i] * p[j, j]),
                np.tanh((z[:, i] ** 2 * z[:, j]).mean()),
                np.tanh((z[:, i] * z[:, j] ** 2).mean()),
                np.tanh((z[:, i] ** 3 * z[:, j]).mean() - 3 * c[i, j]),
                np.tanh((z[:, i] * z[:, j] ** 3).mean() - 3 * c[i, j]),
                np.tanh((z[:, i] ** 2 * z[:, j] ** 2).mean() - 1 - 2 * c[i, j] ** 2),
                1 - 1 / p[i, i],
                1 - 1 / p[j, j],
                v[i],
                v[j],
                (np.log(n) - np.log(1000)) / 2,
                float(i == j),
            ]
    return features


def forward_by_einsum(arrays, features, n_blocks):
    w = {name: array.astype(float) for name, array in arrays.items()}
    d = len(features)

    def linear(name, x):
        return np.einsum("ijc,oc->ijo", x, w[f"{name}.weight"]) + w[f"{name}.bias"]

    def norm(name, x):
        centred = x - x.mean(axis=-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-5)
        return scaled * w[f"{name}.weight"] + w[f"{name}.bias"]

    x = linear("embed", features)
    for k in range(n_blocks):
        u = norm(f"block{k}.norm1", x)
        a, b, c, e, ga, gb, gc, ge = np.split(linear(f"block{k}.maps", u), 8, axis=-1)
        a, b, c, e = (m * expit(g) for m, g in ((a, ga), (b, gb), (c, gc), (e, ge)))
        p1 = np.einsum("imk,mjk->ijk", a, b) / np.sqrt(d)
        p2 = np.einsum("mik,mjk->ijk", c, e) / np.sqrt(d)
        mixed = norm(f"block{k}.norm2", np.concatenate([p1, p2], axis=-1))
        x = x + expit(linear(f"block{k}.gate", u)) * linear(f"block{k}.out", mixed)
        hidden = linear(f"block{k}.up", norm(f"block{k}.norm3", x))
        x = x + linear(f"block{k}.down", hidden * expit(hidden))
    score = linear("head", norm("head_norm", x))[:, :, 0]
    p = np.exp(score) / (1 + np.exp(score) + np.exp(score.T))
    np.fill_diagonal(p, 0)
    return p


@pytest.mark.parametrize("blind", [True, False])
def test_the_features_are_those_of_each_pair_alone(blind):
    values = some_values(d=5)
    values[0, 0] = 1000.0  # more than ten standard deviations
    expected = features_one_by_one(values, blind)
    found = pair_features(values, blind_to_scale=blind).reshape(5, 5, 13)
    np.testing.assert_allclose(expected, found, atol=2e-6)
    fewer = pair_features(values, blind_to_scale=blind, n_independent=10.5).reshape(5, 5, 13)
    np.testing.assert_allclose((np.log(10.5) - np.log(1000)) / 2, fewer[:, :, 11], rtol=1e-6)
    np.testing.assert_array_equal(np.delete(found, 11, axis=2), np.delete(fewer, 11, axis=2))


@pytest.mark.parametrize(("d", "sizes"), [(3, (8, 4, 2)), (7, (8, 4, 2)), (23, (12, 5, 3))])
def test_the_forward_pass_is_that_of_plain_sums_in_double_precision(d, sizes):
    arrays = random_arrays(*sizes, seed=d)
    features = np.random.default_rng(d).normal(size=(d, d, 13)).astype(np.float32)
    expected = forward_by_einsum(arrays, features, sizes[2])
    found = Network.of(arrays, sizes[2]).probabilities(features.reshape(d * d, 13))
    assert expected.max() - expected[~np.eye(d, dtype=bool)].min() > 0.1  # it says something
    np.testing.assert_allclose(expected, found, atol=2e-4)


@given(rng=rngs(), d=st.integers(2, 7), shift=st.integers(-9, 9))
def test_relabelling_columns_relabels_every_bit_and_units_do_not_matter(weights, rng, d, shift):
    values = rng.gamma(2.0, size=(60, d)) @ (np.eye(d) + np.triu(rng.normal(size=(d, d)), 1))
    first = discover("amortized", values, 0, weights=weights)
    label = rng.permutation(d)
    turned = discover("amortized", values[:, label], 0, weights=weights)
    assert np.array_equal(first.probabilities[np.ix_(label, label)], turned.probabilities)
    assert np.array_equal(first.graph[np.ix_(label, label)], turned.graph)
    units = 2.0 ** rng.integers(-20, 20, size=d) * 10.0**shift
    in_units = discover("amortized", values * units, 0, weights=weights)
    np.testing.assert_allclose(first.probabilities, in_units.probabilities, atol=1e-3)


def test_a_network_that_sees_the_scale_looks_at_it(tmp_path):
    seeing = str(random_file(tmp_path, blind_to_scale=False))
    values = some_values()
    first, second = (
        discover("amortized", values * scale, 0, weights=seeing).probabilities
        for scale in (1.0, np.array([100.0, 1, 1, 1, 1, 1]))
    )
    assert np.abs(first - second).max() > 0.01


def test_it_keeps_the_contract_and_repeats(weights):
    check_algorithm(Amortized(weights=weights))


def test_the_estimate_is_the_stated_reading_of_its_probabilities(weights):
    found = discover("amortized", some_values(), 0, weights=weights, threshold=0.3)
    p = found.probabilities
    assert is_dag(found.graph)
    assert found.kind == "dag"
    assert not found.graph[p + p.T <= 0.3].any()
    rank = np.argsort(found.order)
    assert all(rank[i] < rank[j] for i, j in np.argwhere(found.graph))
    assert {"prior": "mine", "threshold": 0.3}.items() <= found.info.items()
    assert "warning" not in found.info


def test_a_prior_without_directions_gives_a_class(tmp_path):
    undirected = str(random_file(tmp_path, identifies="cpdag"))
    found = discover("amortized", some_values(), 0, weights=undirected, threshold=0.2)
    assert found.kind == "cpdag"
    assert is_cpdag(found.graph)
    assert found.order is None
    assert found.probabilities is not None


def test_only_observational_rows_are_read(weights):
    values = some_values()
    data = Dataset.from_values(values)
    moved = Regime("i", values[:20] + 50.0, (0,))
    with_more = Dataset(data.columns, (Regime("o", values), moved), "o")
    one, other = (discover("amortized", d, 0, weights=weights) for d in (data, with_more))
    assert np.array_equal(one.probabilities, other.probabilities)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.ones((50, 1)).cumsum(axis=0), "needs at least 2 columns, got 1"),
        (some_values(n=9, d=3), "9 rows, expected at least 10"),
        (np.random.default_rng(0).normal(size=(12, 501)), "501 columns, expected at most 500"),
    ],
)
def test_data_without_an_answer_are_refused(weights, values, message):
    with pytest.raises(NotApplicable, match=message):
        discover("amortized", values, 0, weights=weights)


def test_a_column_that_is_constant_without_interventions_is_refused(weights):
    values = some_values()
    values[:, 2] = 5.0
    moved = Regime("i", some_values(n=20), (2,))
    data = Dataset(tuple("abcdef"), (Regime("o", values), moved), "o")
    with pytest.raises(NotApplicable, match="column 'c' is constant in the rows used"):
        discover("amortized", data, 0, weights=weights)


@pytest.mark.parametrize("unit", [1e300, 1e-300])
def test_numbers_whose_squares_overflow_are_refused(weights, unit):
    values = some_values()
    values[:, 1] *= unit
    with pytest.raises(ValueError, match="column 1 leave the range of double precision; change"):
        discover("amortized", values, 0, weights=weights)


def test_missing_values_are_refused(weights):
    values = some_values()
    values[3, 2] = np.nan
    with pytest.raises(ValueError, match="nan|missing"):
        discover("amortized", values, 0, weights=weights)


def test_data_unlike_the_training_are_told_of(weights):
    def warning(data):
        return discover("amortized", data, 0, weights=weights).info["warning"]

    assert "31 columns: the network was trained on 2 to 30" in warning(some_values(d=31))
    assert "30 rows: the network was trained on 50 to 5000" in warning(some_values(n=30))
    assert "linear combination" in warning(some_values(n=20, d=25))
    dependent = some_values()
    dependent[:, 0] = dependent[:, 1] + dependent[:, 2]
    assert "some columns are linear combinations of others" in warning(dependent)
    dependent[:, 0] += 0.01 * dependent.std() * np.random.default_rng(1).normal(size=300)
    assert "some columns are nearly linear combinations of others" in warning(dependent)
    dependent[:, 0] += dependent.std() * np.random.default_rng(2).normal(size=300)
    assert "warning" not in discover("amortized", dependent, 0, weights=weights).info
    rounded = some_values()
    rounded[:, 4] = rounded[:, 4] > rounded[:, 4].mean()
    assert "'x4' is discrete" in warning(rounded)
    kinds = tuple(Discrete(("a", "b")) if j == 4 else None for j in range(6))
    columns = Dataset.from_values(rounded).columns
    known = [kind or Dataset.from_values(rounded).kinds[0] for kind in kinds]
    declared = Dataset(columns, (Regime("o", rounded),), "o", tuple(known))
    assert "'x4' is discrete" in warning(declared)


def test_copied_rows_are_counted_as_fewer_independent_ones(weights, monkeypatch):
    told = []

    def features(*args, n_independent, **options):
        told.append(n_independent)
        return pair_features(*args, n_independent=n_independent, **options)

    monkeypatch.setattr(amortized_module, "pair_features", features)
    values = some_values(n=200)
    once = discover("amortized", values, 0, weights=weights)
    twice = discover("amortized", np.vstack([values, values]), 0, weights=weights)
    # The same moments, and the same number of independent rows: the same answer.
    np.testing.assert_allclose(once.probabilities, twice.probabilities, atol=1e-5)
    assert "warning" not in once.info
    assert "rows that are copies of others: these 400 rows count as 200" in twice.info["warning"]
    drawn = discover("amortized", np.vstack([values, values[:100]]), 0, weights=weights)
    assert "these 300 rows count as 180" in drawn.info["warning"]  # 300²/(100·1 + 100·4)
    # Of discrete columns equal rows are no copies.
    codes = np.random.default_rng(0).integers(0, 3, (300, 4)).astype(float)
    assert "copies" not in discover("amortized", codes, 0, weights=weights).info["warning"]
    assert told == [200, 200, 180, 300]


def test_bootstraps_of_unrelated_columns_do_not_join_them_all():
    """Told that a bootstrap's rows are independent, the broad network joined every pair."""
    rng = np.random.default_rng(3)
    values = rng.normal(size=(300, 40))
    found = discover("amortized", values[rng.integers(0, 300, 300)], 0).probabilities
    assert 0.1 > (found + found.T)[np.triu_indices(40, 1)].mean()


def test_wrong_hyperparameters_are_refused():
    with pytest.raises(ValueError, match="prior: there is no 'brod'; did you mean 'broad'"):
        Amortized(prior="brod")
    with pytest.raises(ValueError, match="threshold: expected a number from 0 to 1, got 2"):
        Amortized(threshold=2)


def test_without_weights_it_says_which_priors_there_are(tmp_path, monkeypatch):
    monkeypatch.setattr(amortized_module, "FOLDER", tmp_path)
    with pytest.raises(NotApplicable, match="no weights of the prior 'uumc'; there are none"):
        discover("amortized", some_values(), 0, prior="uumc")
    (record,) = [record for record in algorithms() if record.name == "amortized"]
    assert "no weights" in record.missing
    random_file(tmp_path).rename(tmp_path / "iscm.npz")
    with pytest.raises(NotApplicable, match="there are those of 'iscm'"):
        discover("amortized", some_values(), 0, prior="uumc")
    assert discover("amortized", some_values(), 0, prior="iscm").info["prior"] == "mine"
    (record,) = [record for record in algorithms() if record.name == "amortized"]
    assert record.missing == ""


def test_the_key_follows_the_content_of_the_weights(tmp_path, monkeypatch):
    monkeypatch.setattr(amortized_module, "FOLDER", tmp_path)
    random_file(tmp_path).rename(tmp_path / "broad.npz")
    first = digest(Amortized())
    assert first == digest(Amortized())
    random_file(tmp_path, seed=1).rename(tmp_path / "broad.npz")
    assert first != digest(Amortized())
    own = Amortized(weights="mine.npz")
    random_file(tmp_path, seed=2)
    placed = own.in_study(tmp_path)
    random_file(tmp_path, seed=3)
    assert digest(placed) != digest(own.in_study(tmp_path))
    with pytest.raises(ValueError, match="was changed since the study was read; run it again"):
        pickle.loads(pickle.dumps(placed)).discover(
            Dataset.from_values(some_values()), np.random.default_rng(0)
        )


def test_weights_are_read_once(tmp_path, monkeypatch):
    path = str(random_file(tmp_path))
    first = discover("amortized", some_values(), 0, weights=path)
    monkeypatch.setattr(amortized_module, "read", None)  # whoever calls it now fails
    again = discover("amortized", some_values(), 0, weights=path)
    assert np.array_equal(first.probabilities, again.probabilities)


def test_it_is_a_built_in():
    assert ALGORITHMS.built_in["amortized"] == "causalassay.discovery.amortized:Amortized"
