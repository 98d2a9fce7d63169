"""Predictions of left-out rows in closed form, against fits that leave them out."""

import numpy as np
import pytest

from causalassay.discovery.regression import held_out_kernel_ridge as ridge
from causalassay.discovery.regression.held_out_kernel_ridge import (
    features_of,
    landmarks,
    leave_folds_out,
    leave_one_out,
)


def sample(seed, n=40):
    rng = np.random.default_rng([2023, seed])
    x = rng.normal(size=(n, 2))
    return x, np.sin(2 * x[:, 0]) * x[:, 1] + 0.3 * rng.normal(size=n) + 5


def kernel_of(x, y, gamma=0.3):
    return np.exp(-gamma * ((x[:, None] - y) ** 2).sum(axis=2))


def slow_leave_one_out(features, target, penalty):
    """Fit intercept and slopes on all other rows, row after row."""
    left = np.empty(len(target))
    for i in range(len(target)):
        others = np.arange(len(target)) != i
        mean, level = features[others].mean(axis=0), target[others].mean()
        x = features[others] - mean
        slopes = np.linalg.solve(
            x.T @ x + penalty * np.eye(x.shape[1]), x.T @ (target[others] - level)
        )
        left[i] = target[i] - level - (features[i] - mean) @ slopes
    return left


@pytest.mark.parametrize("seed", range(4))
def test_each_row_is_predicted_from_all_others_with_the_best_penalty(seed):
    x, target = sample(seed)
    features = np.column_stack([x, x**2, x[:, 0] * x[:, 1]])
    fits = [slow_leave_one_out(features, target, penalty) for penalty in ridge.PENALTIES]
    best = min(fits, key=lambda left: np.mean(left**2))
    fit = leave_one_out(features, target)
    np.testing.assert_allclose(fit.residuals, best, rtol=1e-6, atol=1e-8)
    assert fit.mean_square == pytest.approx(np.mean(best**2))


@pytest.mark.parametrize("n", [40, 43])
def test_each_fold_is_predicted_from_the_other_folds(n):
    x, target = sample(0, n)
    kernel, expected = kernel_of(x, x), np.empty(n)
    sizes = [n // 5 + (k < n % 5) for k in range(5)]
    start = 0
    for size in sizes:
        fold = np.arange(n)[start : start + size]
        others = np.setdiff1d(np.arange(n), fold)
        start += size
        weights = np.linalg.solve(
            kernel[np.ix_(others, others)] + 0.01 * np.eye(len(others)), target[others]
        )
        expected[fold] = target[fold] - kernel[np.ix_(fold, others)] @ weights
    fit = leave_folds_out(kernel, target, 0.01)
    np.testing.assert_allclose(fit.residuals, expected, rtol=1e-6, atol=1e-8)
    assert fit.mean_square == pytest.approx(np.mean(expected**2))


def test_landmarks_do_not_depend_on_the_order_of_rows():
    x, _ = sample(1)
    rows = np.random.default_rng(0).permutation(len(x))
    np.testing.assert_array_equal(rows[landmarks(x[rows], 1.0, 12)], landmarks(x, 1.0, 12))


def test_landmarks_end_where_all_rows_are_known():
    x = np.repeat(sample(2, 5)[0], 4, axis=0)
    assert len(landmarks(x, 1.0, 20)) == 5


def test_features_of_all_rows_give_the_kernel():
    x, _ = sample(3)
    kernel = kernel_of(x, x)
    features = features_of(kernel, kernel)
    np.testing.assert_allclose(features @ features.T, kernel, atol=1e-5)
