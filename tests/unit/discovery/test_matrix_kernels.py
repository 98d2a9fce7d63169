"""The kernels that GOLEM steps with, against plain twins."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causalassay.discovery.continuous.matrix_functions import (
    expm1,
    expm1_by_columns,
    expm1_workspace,
    inverse_workspace,
    invert,
)
from causalassay.discovery.golem import golem_loss


def long_series(matrix):
    """exp(A) - I by 400 terms, none of which is negative."""
    term, total = np.eye(len(matrix)), np.zeros_like(matrix)
    for k in range(1, 401):
        term = term @ matrix / k
        total += term
    return total


def inverted(matrix):
    inverse = matrix.copy()
    size = invert(inverse, inverse_workspace(len(matrix)))
    return size, inverse


# Sizes around multiples of the block of 20 rows, and one block alone.
@pytest.mark.parametrize("d", [1, 2, 19, 20, 21, 39, 40, 41, 75, 100])
@pytest.mark.parametrize("sparse", [True, False])
def test_inverse_is_that_of_lapack(d, sparse):
    rng = np.random.default_rng(d)
    matrix = np.eye(d) - rng.normal(size=(d, d)) * (rng.random((d, d)) < 3 / d if sparse else 1)
    size, inverse = inverted(matrix)
    expected = np.linalg.inv(matrix)
    worst = np.linalg.cond(matrix) * d * 1e-15
    assert np.abs(inverse - expected).max() <= worst * np.abs(expected).max()
    assert np.linalg.slogdet(matrix)[1] == pytest.approx(size, rel=1e-10, abs=worst)


@given(st.permutations(range(45)))
def test_inverse_of_a_permutation_is_exact(order):
    # Without a choice of pivots its zeros on the diagonal would be divided by.
    matrix = np.eye(45)[list(order)]
    size, inverse = inverted(matrix)
    assert size == 0.0
    np.testing.assert_array_equal(inverse, matrix.T)


@pytest.mark.parametrize("d", [2, 30])
def test_singular_matrix_has_no_determinant(d):
    matrix = np.eye(d)
    matrix[-1, -1] = 0.0
    assert inverted(matrix)[0] == -np.inf


def test_loss_is_infinite_where_the_determinant_vanishes():
    weights = np.array([[0.0, 1.0], [1.0, 0.0]])
    assert golem_loss(weights, np.diag([1.0, 2.0]), 100, "ev")[0] == np.inf


@pytest.mark.parametrize("d", [1, 2, 5, 20, 60])
@pytest.mark.parametrize("scale", [0.0, 1e-3, 0.1, 1.0, 4.0])
@pytest.mark.parametrize("near_dag", [True, False])
def test_exponential_leaves_less_than_rounding_out_of_each_column(d, scale, near_dag):
    rng = np.random.default_rng(d)
    matrix = rng.exponential(size=(d, d)) * scale * (rng.random((d, d)) < 3 / d)
    if near_dag:
        matrix *= np.where(np.tri(d) > 0, 1e-6, 3.0)
    expected = long_series(matrix)
    result = expm1_by_columns(matrix.copy(), expm1_workspace(d))
    # Rounding: each product has d terms, and squaring, at most 5 times here, doubles it.
    error = np.abs(result - expected).sum(axis=0)
    assert (error <= 2**5 * d * 2e-16 * expected.sum(axis=0)).all()
    np.testing.assert_allclose(expm1(matrix, expm1_workspace(d)), expected, rtol=1e-11)


def test_exponential_of_columns_is_infinite_past_double_precision():
    for entry in (1e100, 1e200):
        matrix = np.array([[0.0, entry], [entry, 0.0]])
        assert (expm1_by_columns(matrix, expm1_workspace(2)) == np.inf).all()


def test_exponential_of_columns_survives_a_great_norm():
    # A² = I, so that exp(A) = cosh(1) I + sinh(1) A; 26 squarings cost 8 digits.
    matrix = np.array([[0.0, 2.0**30], [2.0**-30, 0.0]])
    result = expm1_by_columns(matrix.copy(), expm1_workspace(2))
    expected = (np.cosh(1) - 1) * np.eye(2) + np.sinh(1) * matrix
    np.testing.assert_allclose(result, expected, rtol=2**27 * 2e-16)


def test_exponential_of_columns_stops_where_powers_vanish():
    matrix = np.array([[0.0, 1e200], [0.0, 0.0]])
    np.testing.assert_array_equal(expm1_by_columns(matrix.copy(), expm1_workspace(2)), matrix)
