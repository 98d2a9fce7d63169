"""What DirectLiNGAM and MSE-GDS satisfy whatever the data."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from causalassay.data import Dataset
from causalassay.discovery import discover
from causalassay.graphs import is_dag
from strategies import permutations_of, rngs


@st.composite
def linear_values(draw, max_nodes=7):
    """Values of a linear model of 1 to 7 nodes with exponential noise."""
    d = draw(st.integers(1, max_nodes))
    rng = draw(rngs())
    mixing = np.eye(d) + np.triu(rng.normal(size=(d, d)) * (rng.random((d, d)) < 0.5), 1)
    noise = rng.exponential(size=(d + 40, d)) * rng.uniform(0.5, 2, d)
    return (noise @ mixing)[:, rng.permutation(d)]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("direct-lingam", {}),
        ("direct-lingam", {"pruning": "cross-validated"}),
        ("mse-gds", {}),
        ("mse-gds", {"penalty_discount": 0.0}),
    ],
)
@settings(max_examples=40)
@given(data=st.data())
def test_relabelling_columns_relabels_the_result(name, options, data):
    dataset = Dataset.from_values(data.draw(linear_values()))
    label = data.draw(permutations_of(dataset.n_nodes))
    expected = discover(name, dataset, np.random.default_rng(0), **options)
    estimate = discover(name, dataset.permute_columns(label), np.random.default_rng(1), **options)
    assert is_dag(estimate.graph)
    np.testing.assert_array_equal(expected.graph[np.ix_(label, label)], estimate.graph)
    np.testing.assert_allclose(expected.weights[np.ix_(label, label)], estimate.weights, atol=1e-9)
    if expected.order is not None:
        assert expected.order == tuple(label[list(estimate.order)].tolist())


@given(array=linear_values(), powers=st.lists(st.integers(-8, 8), min_size=7, max_size=7))
def test_units_and_signs_do_not_matter_to_direct_lingam(array, powers):
    scale = (-2.0) ** np.array(powers[: array.shape[1]])
    expected = discover("direct-lingam", array, np.random.default_rng(0))
    estimate = discover("direct-lingam", array * scale, np.random.default_rng(0))
    assert expected.order == estimate.order
    np.testing.assert_array_equal(expected.graph, estimate.graph)
    np.testing.assert_allclose(
        expected.weights, estimate.weights * scale[:, None] / scale, rtol=1e-9
    )


@given(array=linear_values(), factor=st.sampled_from([1e-3, 0.5, 4.0, 1e3]))
def test_a_common_unit_does_not_matter_to_mse_gds(array, factor):
    expected = discover("mse-gds", array, np.random.default_rng(0))
    estimate = discover("mse-gds", array * factor, np.random.default_rng(0))
    np.testing.assert_array_equal(expected.graph, estimate.graph)
    np.testing.assert_allclose(expected.weights, estimate.weights, atol=1e-9)
