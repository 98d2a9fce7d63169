"""What MMHC satisfies whatever the data."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from causalassay.data import Dataset
from causalassay.discovery.independence import z_scales
from causalassay.discovery.mmhc import MMHC, candidates_by_fisher_z
from causalassay.discovery.statistics import gaussian_statistics
from causalassay.graphs import erdos_renyi, is_dag, skeleton
from causalassay.models import ISCM, SCM, UUMC
from constraint_twins import values_with_correlation
from strategies import linear_models, rngs

ORACLE = 1 - 1e-6
"""A level at which only correlations below about 1e-7 pass for independence."""


def candidates_of(values, alpha=0.05):
    n, d = values.shape
    data = Dataset.from_values(values)
    correlation = gaussian_statistics(data).correlation
    return candidates_by_fisher_z(correlation, alpha, z_scales(n, d - 2), data)


def test_relabelling_columns_relabels_the_candidates():
    for seed in range(100):
        rng = np.random.default_rng(seed)
        d, n = int(rng.integers(5, 31)), int(rng.choice([15, 50, 200, 1000]))
        model = (SCM, ISCM, UUMC)[seed % 3]().draw(erdos_renyi(d, 2, rng), rng)
        values, label = model.sample(n, rng), rng.permutation(d)
        expected = candidates_of(values)[np.ix_(label, label)]
        np.testing.assert_array_equal(expected, candidates_of(values[:, label]))


@given(model=linear_models(), rng=rngs())
def test_exact_correlations_keep_every_edge(model, rng):
    covariance = model.covariance()
    scale = np.sqrt(covariance.diagonal())
    values = values_with_correlation(covariance / np.outer(scale, scale), 200, rng)
    assert not (skeleton(model.graph) & ~candidates_of(values, ORACLE)).any()


@given(
    model=linear_models(),
    n=st.sampled_from([12, 50, 200]),
    powers=st.lists(st.integers(-8, 8), min_size=6, max_size=6),
    seed=st.integers(0, 2**32 - 1),
)
def test_result_is_a_dag_that_repeats_with_its_rng_in_any_units(model, n, powers, seed):
    values = model.sample(n, np.random.default_rng(seed))
    moved = values * 2.0 ** np.array(powers[: values.shape[1]])
    first, second = (
        MMHC().discover(Dataset.from_values(array), np.random.default_rng(seed))
        for array in (values, moved)
    )
    assert is_dag(first.graph)
    np.testing.assert_array_equal(first.graph, second.graph)
