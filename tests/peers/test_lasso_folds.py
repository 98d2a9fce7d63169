"""The lasso with a held-out penalty against scikit-learn's LassoLarsCV on the same folds."""

import numpy as np
import pytest
from sklearn import linear_model

from causalassay.discovery.regression.cross_validated_lasso import (
    N_FOLDS,
    lasso_path,
    sort_regress_held_out,
)
from causalassay.graphs import erdos_renyi


def standardised_values(d, n, seed):
    rng = np.random.default_rng(seed)
    graph = erdos_renyi(d, 2, rng)
    weights = graph * rng.uniform(0.5, 2, graph.shape) * rng.choice([-1, 1], graph.shape)
    values = rng.exponential(size=(n, d)) @ np.linalg.inv(np.eye(d) - weights)
    return (values - values.mean(axis=0)) / values.std(axis=0)


@pytest.mark.parametrize("seed", range(6))
def test_paths_are_equal(seed):
    values = standardised_values(8, 60, seed)
    x, y = values[:, 1:], values[:, 0]
    expected, _, coefficients = linear_model.lars_path(x, y, method="lasso")
    levels, knots = lasso_path(x.T @ x / 60, x.T @ y / 60, 1e-9)
    np.testing.assert_allclose(expected, levels, atol=1e-9)
    np.testing.assert_allclose(coefficients.T, knots, atol=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_held_out_regressions_are_equal(seed):
    d, n = 10, [60, 301][seed % 2]
    values = standardised_values(d, n, seed)
    order = np.random.default_rng(seed).permutation(d)
    fold = np.arange(n) % N_FOLDS
    splits = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(N_FOLDS)]
    expected = np.zeros((d, d))
    for position in range(1, d):
        before, y = order[:position], values[:, order[position]]
        size = np.abs(np.linalg.lstsq(values[:, before], y)[0])
        model = linear_model.LassoLarsCV(cv=splits, max_n_alphas=10**6)
        expected[before, order[position]] = model.fit(values[:, before] * size, y).coef_ * size
    result = sort_regress_held_out(values, order)
    # scikit-learn leaves 1e-19 where a coefficient passes through zero.
    np.testing.assert_array_equal(np.abs(expected) > 1e-15, result != 0)
    np.testing.assert_allclose(expected, result, rtol=0, atol=1e-10)
