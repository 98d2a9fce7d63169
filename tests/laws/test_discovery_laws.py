"""What the sorting baselines satisfy whatever the data; the conformance suite has the rest."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causalassay.data import Dataset
from causalassay.discovery import discover
from causalassay.graphs import is_dag
from strategies import permutations_of, rngs


@st.composite
def values(draw, max_nodes=6):
    d = draw(st.integers(1, max_nodes))
    rng = draw(rngs())
    mixing = np.eye(d) + np.triu(rng.normal(size=(d, d)) * (rng.random((d, d)) < 0.5), 1)
    label = rng.permutation(d)
    return ((rng.normal(size=(d + 10, d)) * rng.uniform(0.5, 2, d)) @ mixing)[:, label]


BASELINES = [
    "empty",
    "r2-sortnregress",
    "random-sorting",
    "random-sortnregress",
    "relatives-sortnregress",
    "var-sortnregress",
    "variance-sorting",
]


@pytest.mark.parametrize("name", BASELINES)
@given(array=values(), seed=st.integers(0, 2**32 - 1))
def test_result_is_a_dag_and_repeats_with_its_rng(name, array, seed):
    before = array.copy()
    first = discover(name, array, np.random.default_rng(seed))
    second = discover(name, array, np.random.default_rng(seed))
    assert is_dag(first.graph)
    np.testing.assert_array_equal(first.graph, second.graph)
    assert first.order == second.order
    np.testing.assert_array_equal(before, array)


@pytest.mark.parametrize(
    "name", ["empty", "r2-sortnregress", "var-sortnregress", "variance-sorting"]
)
@given(data=st.data())
def test_relabelling_columns_relabels_the_result(name, data):
    # Two variables have the same R²; from three on, scores are distinct.
    dataset = Dataset.from_values(data.draw(values().filter(lambda v: v.shape[1] != 2)))
    label = data.draw(permutations_of(len(dataset.columns)))
    expected = discover(name, dataset, np.random.default_rng(0)).graph[np.ix_(label, label)]
    result = discover(name, dataset.permute_columns(label), np.random.default_rng(1)).graph
    np.testing.assert_array_equal(expected, result)


@pytest.mark.parametrize("name", ["empty", "r2-sortnregress", "random-sortnregress"])
@given(array=values(), powers=st.lists(st.integers(-8, 8), min_size=6, max_size=6))
def test_units_do_not_matter_where_they_should_not(name, array, powers):
    moved = array * 2.0 ** np.array(powers[: array.shape[1]])
    expected = discover(name, array, np.random.default_rng(0))
    estimate = discover(name, moved, np.random.default_rng(0))
    np.testing.assert_array_equal(expected.graph, estimate.graph)
