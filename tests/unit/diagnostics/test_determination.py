import numpy as np
import pytest

from causalassay.diagnostics import (
    RankDeficientWarning,
    cause_explained_variance,
    determination,
    r2,
    r2_sortability,
)
from causalassay.graphs import chain, erdos_renyi


def slow_r2(values, target, regressors):
    """Least squares with an intercept, for one variable."""
    centred = values - values.mean(axis=0)
    unit = centred / np.linalg.norm(centred, axis=0)
    y = unit[:, target]
    residual = y - unit[:, regressors] @ np.linalg.lstsq(unit[:, regressors], y)[0]
    return 1 - residual @ residual


def slow_r2s(values):
    d = values.shape[1]
    return np.array([slow_r2(values, j, [k for k in range(d) if k != j]) for j in range(d)])


def linear_values(d, n, rng, edges_per_node=2):
    graph = erdos_renyi(d, min(edges_per_node, (d - 1) / 2), rng)
    weights = graph * rng.uniform(0.5, 2, graph.shape) * rng.choice([-1, 1], graph.shape)
    return rng.normal(size=(n, d)) @ np.linalg.inv(np.eye(d) - weights), graph


@pytest.mark.parametrize("seed", range(10))
def test_cholesky_equals_least_squares(seed):
    rng = np.random.default_rng(seed)
    values, _ = linear_values(int(rng.integers(2, 20)), 60, rng)
    determined = determination(values)
    assert ("cholesky", values.shape[1]) == (determined.method, determined.rank)
    np.testing.assert_allclose(determined.r2, slow_r2s(values), atol=1e-11)


@pytest.mark.parametrize("seed", range(10))
def test_dependent_columns_get_one_and_the_others_their_r2(seed):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(50, 6)) @ rng.normal(size=(6, 6))
    total = values[:, 0] + 3 * values[:, 1]
    values = np.column_stack([values, total])[:, rng.permutation(7)]
    determined = determination(values)
    expected = slow_r2s(values)
    assert ("rank-deficient", 6) == (determined.method, determined.rank)
    assert 3 == (determined.r2 == 1).sum()
    np.testing.assert_allclose(determined.r2, expected, atol=1e-10)


def test_small_part_in_a_dependency_is_seen():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(50, 4))
    values[:, 2] = values[:, 0] + 1e-5 * values[:, 1]
    expected = [True, True, True, False]
    assert expected == (determination(values).r2 == 1).tolist()


def test_two_copies_leave_the_others_alone():
    rng = np.random.default_rng(1)
    values = rng.normal(size=(40, 3))
    doubled = np.column_stack([values, values[:, 0], values[:, 0]])
    determined = determination(doubled)
    assert 3 == determined.rank
    np.testing.assert_allclose(determined.r2[[1, 2]], slow_r2s(values)[[1, 2]], atol=1e-12)
    assert [1, 1, 1] == determined.r2[[0, 3, 4]].tolist()


@pytest.mark.parametrize(("n", "d"), [(2, 2), (5, 5), (5, 12), (40, 40), (30, 100)])
def test_as_many_columns_as_rows_tie_at_one(n, d):
    values, _ = linear_values(d, n, np.random.default_rng(d))
    determined = determination(values)
    assert ("rank-deficient", n - 1) == (determined.method, determined.rank)
    assert (determined.r2 == 1).all()


def test_one_more_row_than_columns_is_regular():
    values, _ = linear_values(8, 10, np.random.default_rng(4))
    determined = determination(values)
    assert "cholesky" == determined.method
    np.testing.assert_allclose(determined.r2, slow_r2s(values), atol=1e-9)


def test_near_collinear_columns_do_not_spoil_the_others():
    # The square of the condition number would leave errors of 1e-4 here.
    rng = np.random.default_rng(5)
    values = rng.normal(size=(500, 12))
    values[:, 1] = values[:, 0] + 1e-6 * (values[:, 1] + values[:, 2])
    determined = determination(values)
    assert ("svd", 12) == (determined.method, determined.rank)
    np.testing.assert_allclose(determined.r2, slow_r2s(values), atol=1e-9)


@pytest.mark.parametrize("seed", range(60))
def test_any_rank_and_any_number_of_rows_equal_least_squares(seed):
    rng = np.random.default_rng(seed)
    d, n = int(rng.integers(2, 15)), int(rng.integers(3, 40))
    n_factors = int(rng.integers(1, d + 1))
    loadings = rng.normal(size=(n_factors, d)) * (rng.random((n_factors, d)) < 0.4)
    loadings[0, ~loadings.any(axis=0)] = 1.0
    values = rng.normal(size=(n, n_factors)) @ (loadings * 10.0 ** rng.uniform(-2, 2, d))
    np.testing.assert_allclose(determination(values).r2, slow_r2s(values), atol=1e-9)


def test_a_single_variable_has_r2_zero():
    assert (np.zeros(1), "cholesky", 1) == determination([[1.0], [2.0]])


def test_rank_is_told():
    values = np.random.default_rng(0).normal(size=(20, 3))
    values = np.column_stack([values, values.sum(axis=1)])
    with pytest.warns(RankDeficientWarning, match="4 variables and 20 rows has rank 3"):
        assert [1, 1, 1, 1] == r2(values).tolist()
    with pytest.warns(RankDeficientWarning, match="rank 3"):
        assert 0.5 == r2_sortability(values, chain(4))


@pytest.mark.parametrize("seed", range(5))
def test_cause_explained_variance_equals_least_squares(seed):
    rng = np.random.default_rng(seed)
    values, graph = linear_values(12, 80, rng)
    expected = [
        slow_r2(values, j, np.flatnonzero(graph[:, j])) if graph[:, j].any() else 0.0
        for j in range(12)
    ]
    result = cause_explained_variance(values, graph)
    np.testing.assert_allclose(result, expected, atol=1e-11)
    assert (result <= r2(values) + 1e-12).all()


@pytest.mark.parametrize("apart", [0.0, 1e-6])
def test_collinear_parents_are_no_obstacle(apart):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(30, 4))
    values[:, 2] = 2 * values[:, 0] - values[:, 1] + apart * values[:, 2]
    graph = np.zeros((4, 4), dtype=bool)
    graph[:3, 3] = True
    expected = slow_r2(values, 3, [0, 1, 2])
    assert expected == pytest.approx(cause_explained_variance(values, graph)[3], abs=1e-9)


def test_constant_column_is_named_whatever_its_rounding():
    values = np.column_stack([np.arange(1000.0), np.full(1000, 0.1)])
    with pytest.raises(ValueError, match=r"column 1 is constant \(0.1\)"):
        determination(values)
    values[0, 1] += 1e-9
    assert "cholesky" == determination(values).method


def test_squares_out_of_range_are_refused():
    values = np.random.default_rng(0).normal(size=(9, 2)) * [1, 1e-170]
    with pytest.raises(ValueError, match="column 1 .*unit"):
        determination(values)
