"""What PC satisfies whatever the data."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causalassay.data import Dataset
from causalassay.discovery.pc import PC
from causalassay.graphs import erdos_renyi, is_cpdag, is_dag, skeleton, to_cpdag
from causalassay.models import ISCM, SCM, UUMC
from constraint_twins import values_with_correlation
from strategies import linear_models, permutations_of, rngs

ORACLE = 1 - 1e-6
"""A level at which only correlations below about 1e-7 pass for independence."""


@st.composite
def values(draw, max_nodes=8):
    d = draw(st.integers(1, max_nodes))
    rng = draw(rngs())
    mixing = np.eye(d) + np.triu(rng.normal(size=(d, d)) * (rng.random((d, d)) < 0.5), 1)
    n = draw(st.sampled_from([8, 20, 50, 200]))
    return (rng.normal(size=(n, d)) @ mixing)[:, rng.permutation(d)]


levels = st.sampled_from([0.01, 0.05, 0.2, 0.5])


def run(array, **fields):
    return PC(**fields).discover(Dataset.from_values(array), np.random.default_rng(0))


@given(array=values(), alpha=levels, data=st.data())
def test_relabelling_columns_relabels_the_result(array, alpha, data):
    label = data.draw(permutations_of(array.shape[1]))
    expected = run(array, alpha=alpha).graph[np.ix_(label, label)]
    np.testing.assert_array_equal(expected, run(array[:, label], alpha=alpha).graph)


@pytest.mark.parametrize("n", [15, 50, 200, 1000])
def test_relabelling_columns_relabels_the_result_of_larger_models(n):
    n_conflicts = 0
    for seed in range(75):
        rng = np.random.default_rng([n, seed])
        d = int(rng.integers(5, 31))
        model = (SCM, ISCM, UUMC)[seed % 3]().draw(erdos_renyi(d, 2, rng), rng)
        array, label = model.sample(n, rng), rng.permutation(d)
        estimate = run(array)
        n_conflicts += estimate.info["conflicts"]
        np.testing.assert_array_equal(
            estimate.graph[np.ix_(label, label)], run(array[:, label]).graph
        )
    assert n_conflicts > 0


@given(array=values(), alpha=levels)
def test_kind_is_true_of_the_graph(array, alpha):
    before = array.copy()
    estimate = run(array, alpha=alpha)
    assert ("cpdag" if is_cpdag(estimate.graph) else "pdag") == estimate.kind
    assert estimate.info["cyclic"] != is_dag(estimate.graph & ~estimate.graph.T)
    np.testing.assert_array_equal(before, array)


@given(array=values(), powers=st.lists(st.integers(-8, 8), min_size=8, max_size=8), data=st.data())
def test_neither_units_nor_signs_matter(array, powers, data):
    d = array.shape[1]
    signs = data.draw(st.lists(st.sampled_from([-1.0, 1.0]), min_size=d, max_size=d))
    moved = array * np.array(signs) * 2.0 ** np.array(powers[:d])
    np.testing.assert_array_equal(run(array).graph, run(moved).graph)


@given(array=values(), alpha=levels, sizes=st.tuples(st.integers(0, 4), st.integers(0, 4)))
def test_larger_conditioning_sets_only_remove_edges(array, alpha, sizes):
    few, many = sorted(sizes)
    sparse = skeleton(run(array, alpha=alpha, max_condition=many).graph)
    assert not (sparse & ~skeleton(run(array, alpha=alpha, max_condition=few).graph)).any()


@given(model=linear_models(max_nodes=6), rng=rngs())
def test_exact_correlations_give_the_class(model, rng):
    covariance = model.covariance()
    scale = np.sqrt(covariance.diagonal())
    array = values_with_correlation(covariance / np.outer(scale, scale), 200, rng)
    for stable in (True, False):
        found = run(array, alpha=ORACLE, stable=stable).graph
        np.testing.assert_array_equal(to_cpdag(model.graph), found)
