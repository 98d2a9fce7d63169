"""The regressions along an order against their slow twin: whole paths, whole Gram matrices."""

import numpy as np
import pytest

from causalassay.contracts import NotApplicable
from causalassay.data import Dataset
from causalassay.discovery.regression.bic_lasso import adaptive_lasso, best_knot
from causalassay.discovery.regression.lasso_along_order import (
    PATH_END,
    prefix_fits,
    sort_regress,
    sort_regress_each,
)
from causalassay.discovery.sortnregress import RandomSortnRegress, along_random_orders
from causalassay.graphs import erdos_renyi
from causalassay.models import draw
from lasso_twins import slow_adaptive_lasso, whole_path, whole_path_bic


def scheme(kind, standardise=False):
    def values(d, n, rng):
        graph = erdos_renyi(d, min(rng.choice([1, 2, 4]), (d - 1) / 2), rng)
        drawn = draw(kind, graph, rng).sample(n, rng)
        return drawn / drawn.std(axis=0) if standardise else drawn

    return values


def near_pairs(d, n, rng):
    """Every third column is nearly the one before it."""
    values = scheme("scm")(d, n, rng)
    for j in range(1, d, 3):
        values[:, j] = values[:, j - 1] * (1 + 1e-3 * rng.normal(size=n))
    return values


def sums_of_near_pairs(d, n, rng):
    """The later half are sums and differences of the first, with little or much noise."""
    values, half = near_pairs(d, n, rng), d // 2
    for j in range(half, d):
        values[:, j] = values[:, :half] @ rng.choice([0, 1, -1], half)
        values[:, j] += rng.choice([0.01, 1, 10]) * rng.normal(size=n)
    return values


def factors(d, n, rng):
    common = rng.normal(size=(n, 3)) @ rng.normal(size=(3, d))
    return common + rng.choice([1e-3, 0.1, 1]) * rng.normal(size=(n, d))


def smooth(d, n, rng):
    """Neighbouring columns are strongly correlated."""
    place = np.arange(d)
    kernel = np.exp(-0.5 * np.square((place[:, None] - place) / rng.choice([0.3, 1, 3])))
    kernel += 10.0 ** -rng.integers(1, 6) * np.eye(d)
    return rng.normal(size=(n, d)) @ np.linalg.cholesky(kernel).T


def dense_in_many_units(d, n, rng):
    mixed = rng.standard_t(2, size=(n, d)) @ rng.normal(size=(d, d))
    return mixed * 10.0 ** rng.integers(-3, 4, d)


def many_weak(d, n, rng):
    values, half = rng.normal(size=(n, d)), d // 2
    values[:, half:] += values[:, :half] @ rng.normal(size=(half, d - half)) * 3 / np.sqrt(n)
    return values


KINDS = {
    "raw": scheme("scm"),
    "standardised": scheme("scm", standardise=True),
    "uumc": scheme("uumc"),
    "binary": lambda *size: (scheme("scm")(*size) > 0).astype(float),
    "rounded": lambda *size: np.round(scheme("scm", standardise=True)(*size)),
    "near pairs": near_pairs,
    "sums of near pairs": sums_of_near_pairs,
    "factors": factors,
    "smooth": smooth,
    "dense in many units": dense_in_many_units,
    "many weak": many_weak,
    "walk": lambda d, n, rng: rng.normal(size=(n, d)).cumsum(axis=1),
}


def an_order(values, rng):
    d = values.shape[1]
    return rng.permutation(d) if rng.random() < 0.5 else np.argsort(values.var(axis=0))


def determined(fits):
    return (fits.residual > 10 * len(fits.residual) * np.finfo(float).eps).all()


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("kind", KINDS)
def test_results_are_those_of_whole_paths(kind):
    compared = 0
    for seed in range(50):
        rng = np.random.default_rng(seed)
        d = int(rng.integers(2, 61))
        n = d + 2 + int(rng.integers(0, 3)) * d + int(rng.choice([0, 50, 1000]))
        values = KINDS[kind](d, n, rng)
        if (np.ptp(values, axis=0) == 0).any():
            continue
        order = an_order(values, rng)
        path_end = rng.choice([0.0, PATH_END])
        fits = prefix_fits(values[:, order])
        if not determined(fits):
            with pytest.raises(NotApplicable, match="linear combination"):
                sort_regress(values, order)
            continue
        stop = path_end / np.maximum(np.square(fits.scale), 1.0)
        settings = (fits.correlation, fits.coefficients, fits.residual, n, stop)
        expected = slow_adaptive_lasso(*settings)
        np.testing.assert_array_equal(expected, adaptive_lasso(*settings))
        in_units = np.zeros((d, d))
        in_units[np.ix_(order, order)] = expected * fits.scale / fits.scale[:, None]
        np.testing.assert_array_equal(in_units, sort_regress(values, order, path_end))
        compared += 1
    assert compared >= 40


def test_paths_are_left_long_before_their_end():
    values = scheme("scm")(200, 1000, np.random.default_rng(0))
    fits = prefix_fits(values[:, np.argsort(values.var(axis=0))])
    ols, size = fits.coefficients[:199, 199], np.abs(fits.coefficients[:199, 199])
    moment = fits.correlation[:199, 199] * size
    chosen, visited = best_knot(
        fits.correlation, size, moment, np.sign(ols), fits.residual[199], 1000, 0.0
    )
    gram = np.ascontiguousarray(fits.correlation[:199, :199] * size[:, None] * size)
    knots, _ = whole_path(gram, moment, 0.0)
    assert np.count_nonzero(chosen) < visited < len(knots) / 2


def test_whole_paths_are_followed_where_rounding_errors_rule():
    """Coefficients of 1e6 and more that cancel: RSS seems to fall below that of least squares."""
    for seed in range(300):
        rng = np.random.default_rng(seed)
        p = int(rng.integers(30, 90))
        n = p + 2 + int(rng.choice([0, 100, 1000]))
        mixing = np.tril(rng.choice([1, 3]) * rng.normal(size=(p, p)), -1) + np.eye(p)
        covariance = mixing @ mixing.T
        sd = np.sqrt(covariance.diagonal())
        correlation = covariance / sd / sd[:, None]
        ols = np.linalg.solve((mixing / sd[:, None]).T, rng.normal(size=p)) / np.sqrt(2 * n)
        size = np.abs(ols)
        moment = (correlation @ ols) * size
        gram = np.ascontiguousarray(correlation * size[:, None] * size)
        chosen, _ = best_knot(correlation, size, moment, np.sign(ols), 0.5, n, 0.0)
        expected = whole_path_bic(gram, moment, np.sign(ols), 0.5, n, 0.0)
        np.testing.assert_array_equal(expected, chosen)


@pytest.mark.parametrize("kind", KINDS)
def test_many_orders_give_what_each_order_gives(kind):
    rng = np.random.default_rng(1)
    values = KINDS[kind](12, 150, rng)
    orders = [rng.permutation(12) for _ in range(20)]
    for order, found in zip(orders, sort_regress_each(values, orders), strict=True):
        expected = sort_regress(values, order)
        np.testing.assert_array_equal(expected != 0, found != 0)
        np.testing.assert_allclose(expected, found, rtol=1e-8)


def test_random_orders_are_those_of_calls_one_by_one():
    values = KINDS["raw"](15, 200, np.random.default_rng(2))
    data = Dataset.from_values(values)
    rng, rng_of_calls = np.random.default_rng(3), np.random.default_rng(3)
    for found in along_random_orders(data, 10, rng):
        expected = RandomSortnRegress().discover(data, rng_of_calls)
        assert expected.order == found.order
        np.testing.assert_array_equal(expected.graph, found.graph)
        np.testing.assert_allclose(expected.weights, found.weights, rtol=1e-8)
    assert rng.random() == rng_of_calls.random()


def test_many_orders_refuse_what_one_order_refuses():
    values = np.random.default_rng(0).normal(size=(50, 4))
    values[:, 3] = values[:, 0] - 2 * values[:, 1]
    with pytest.raises(NotApplicable, match="column 3 is a linear combination"):
        next(sort_regress_each(values, [np.arange(4)]))
    with pytest.raises(ValueError, match="path_end: expected a finite number >= 0, got -1"):
        next(sort_regress_each(values, [np.arange(4)], -1))
