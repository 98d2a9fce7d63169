"""The estimated score: slow twins by loops and inverses, laws, refusals; score-sortability."""

import numpy as np
import pytest

from causalassay.data import Dataset, Problem
from causalassay.diagnostics import (
    alignment,
    score_sortability,
    score_variances,
    stein_estimate,
    stein_score,
)
from causalassay.diagnostics.registry import DIAGNOSTICS
from causalassay.graphs import chain


def curved(seed, n=60, d=4):
    rng = np.random.default_rng([2022, seed])
    values = rng.normal(size=(n, d)) * rng.uniform(0.5, 2, d)
    for j in range(1, d):
        values[:, j] += 2 * np.sin(values[:, j - 1])
    return values


def slow_estimates(values, ridge):
    """Score and Jacobian's diagonal as the paper writes them: tensors of differences, inverses."""
    n = len(values)
    difference = values[:, None, :] - values
    distance = np.sqrt((difference**2).sum(axis=2))
    width = np.median(distance[distance > 0])
    kernel = np.exp(-(distance**2) / (2 * width**2)) / width
    inverse = np.linalg.inv(kernel + ridge * np.eye(n))
    score = inverse @ -np.einsum("kij,ik->kj", difference, kernel) / width**2
    second = np.einsum("kij,ik->kj", difference**2 / width**4 - 1 / width**2, kernel)
    return score, inverse @ second - score**2


@pytest.mark.parametrize("ridge", [1e-3, 0.1])
@pytest.mark.parametrize("seed", range(3))
def test_estimates_are_those_of_the_formulas_of_the_paper(seed, ridge):
    values = curved(seed)
    score, diagonal = slow_estimates(values, ridge)
    estimate = stein_estimate(values, ridge)
    np.testing.assert_allclose(estimate.score, score, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(estimate.jacobian_diagonal, diagonal, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("n", [2, 3, 4, 5, 150, 251])
def test_median_distance_is_that_of_different_rows(n):
    """With 150 rows the search is on all pairs, with 251 between brackets; 2 rows are equal."""
    values = curved(0, n=n)
    if n > 3:
        values[1] = values[0]
    distance = np.linalg.norm(values[:, None] - values, axis=2)
    expected = np.median(distance[distance > 0])
    squared = stein_score.squared_distances(values - values.mean(axis=0))
    assert stein_score.median_distance(squared) == pytest.approx(expected, rel=1e-12)


def test_the_middle_is_right_where_the_sample_misses_it():
    """Sorted so that what every few entries show is far from the whole."""
    numbers = np.ones(30_001)
    numbers[:: 30_001 // 2000] = 5.0
    np.testing.assert_array_equal(stein_score._middle(numbers), np.median(numbers))


def test_the_score_of_a_normal_law_is_linear():
    """Of 1000 rows, to a correlation of 0.93 with the truth; the score's variance is precision."""
    rng = np.random.default_rng(0)
    mixing = np.array([[1.0, 0.8], [0.0, 1.0]])
    values = rng.normal(size=(1000, 2)) @ mixing
    precision = np.linalg.inv(mixing.T @ mixing)
    estimate = stein_estimate(values)
    truth = -values @ precision
    for j in range(2):
        assert np.corrcoef(estimate.score[:, j], truth[:, j])[0, 1] > 0.93
    np.testing.assert_allclose(score_variances(values), precision.diagonal(), rtol=0.25)


def test_orders_of_rows_and_columns_and_a_shift_do_not_matter():
    values, rng = curved(1), np.random.default_rng(0)
    rows, label = rng.permutation(60), rng.permutation(4)
    expected = stein_estimate(values)
    moved = stein_estimate(values[rows][:, label] + 7.0)
    np.testing.assert_allclose(moved.score, expected.score[rows][:, label], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(
        moved.jacobian_diagonal,
        expected.jacobian_diagonal[rows][:, label],
        rtol=1e-5,
        atol=1e-8,
    )


@pytest.mark.parametrize("factor", [1e-4, 3.0, 1e5])
def test_a_common_unit_scales_the_estimates_if_it_scales_the_ridge(factor):
    values = curved(2)
    expected, moved = stein_estimate(values), stein_estimate(values * factor, 1e-3 / factor)
    np.testing.assert_allclose(moved.score * factor, expected.score, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(
        moved.jacobian_diagonal * factor**2, expected.jacobian_diagonal, rtol=1e-5, atol=1e-7
    )


@pytest.mark.parametrize("factor", [1e-140, 1e-4, 3.0, 1e5, 1e140])
def test_a_common_unit_changes_nothing_but_the_unit_of_the_variances(factor):
    values, graph = curved(2), chain(4)
    moved = score_variances(values * factor) * factor * factor
    np.testing.assert_allclose(moved, score_variances(values), rtol=1e-6)
    assert score_sortability(values * factor, graph) == score_sortability(values, graph)


def test_score_sortability_counts_paths_along_which_the_variance_falls():
    values, graph = curved(3), chain(4)
    score, _ = slow_estimates(values / np.prod(values.std(axis=0)) ** 0.25, 1e-3)
    assert score_sortability(values, graph) == alignment(graph, -score.var(axis=0))
    assert score_sortability(values, graph.T) == pytest.approx(1 - score_sortability(values, graph))
    assert score_sortability(values, graph, "edges") == alignment(
        graph, -score.var(axis=0), "edges"
    )


def test_the_diagnostic_is_the_function():
    values, graph = curved(3), chain(4)
    problem = Problem(Dataset.from_values(values), graph)
    measured = DIAGNOSTICS["score_sortability"].measure(problem)
    assert measured == score_sortability(values, graph)


def test_refusals_say_what_to_do():
    values = curved(0)
    constant = values.copy()
    constant[:, 2] = 0.1
    with pytest.raises(ValueError, match="column 2 is constant"):
        score_variances(constant)
    with pytest.raises(ValueError, match="at most 11585 rows"):
        score_variances(np.zeros((11586, 2)))
    for factor in (1e-150, 1e150, 1e200):
        with pytest.raises(ValueError, match="divide all columns by one number"):
            stein_estimate(values * factor)
    with pytest.raises(ValueError, match="larger units, or standardise"):
        stein_estimate(curved(0, n=200, d=1) * 1e-14)
