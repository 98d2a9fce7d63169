"""Additive regression by splines: slow twins by dense matrices, level, power, edge cases."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.interpolate import CubicSpline
from scipy.optimize import brentq, minimize
from scipy.stats import binom, f

from causalassay.common.spelling import RefusedValue
from causalassay.discovery.regression.additive_model import (
    fit_additive,
    functions_allowed,
    prune_along_order,
    prune_parents,
)
from causalassay.discovery.regression.boosted_selection import DEGREES, boosted_selection
from causalassay.discovery.regression.further_terms import further_terms
from causalassay.discovery.regression.smoothing import SmoothingProblem
from causalassay.discovery.regression.spline_columns import spline_columns


def curved_values(seed, n=120, p=3):
    """A target that depends on the first two of p correlated predictors, rounded."""
    rng = np.random.default_rng([2014, seed])
    predictors = rng.normal(size=(n, p)) + 0.5 * rng.normal(size=(n, 1))
    target = np.sin(2 * predictors[:, 0]) + 0.7 * predictors[:, 1] + 0.5 * rng.normal(size=n)
    return np.round(np.column_stack([target, predictors]), 6)


# Slow twins: n × n matrices, smoothing as a random effect, a general minimiser.


def standardised(values):
    return (values - values.mean(axis=0)) / values.std(axis=0)


def dense_covariance(column):
    """B S⁻ Bᵀ of the splines with ten knots, with S integrated number by number."""
    knots = np.quantile(np.unique(column), np.linspace(0, 1, 10))
    spline = CubicSpline(knots, np.eye(10), bc_type="natural")
    bends = CubicSpline(knots, np.eye(10), bc_type="natural").derivative(2)

    def integral(i, j):
        pieces = zip(knots[:-1], knots[1:], strict=True)
        return sum(quad(lambda x: bends(x)[i] * bends(x)[j], a, b)[0] for a, b in pieces)

    roughness = np.array([[integral(i, j) for j in range(10)] for i in range(10)])
    basis = spline(column)
    return basis @ np.linalg.pinv(roughness, rcond=1e-10) @ basis.T


class DenseFit:
    """The mixed model y = fixed lines + random bends, its variances by REML."""

    def __init__(self, values):
        scaled = standardised(values)
        self.y, self.x = scaled[:, 0], scaled[:, 1:]
        self.n = len(self.y)
        self.fixed = np.column_stack([np.ones(self.n), self.x])
        self.parts = [dense_covariance(column) for column in self.x.T]
        start = np.full(self.x.shape[1], -3.0)
        found = minimize(self.criterion, start, method="Nelder-Mead", options={"maxiter": 2000})
        self.log_smoothing = found.x

    def covariance(self, log_smoothing):
        weights = np.exp(-np.clip(log_smoothing, -20, 20)) / self.n
        return np.eye(self.n) + sum(w * part for w, part in zip(weights, self.parts, strict=True))

    def criterion(self, log_smoothing):
        inverse = np.linalg.inv(self.covariance(log_smoothing))
        inner = self.fixed.T @ inverse @ self.fixed
        project = inverse - inverse @ self.fixed @ np.linalg.solve(inner, self.fixed.T @ inverse)
        degrees = self.n - self.fixed.shape[1]
        logs = -np.linalg.slogdet(inverse)[1] + np.linalg.slogdet(inner)[1]
        return (degrees * np.log(self.y @ project @ self.y) + logs) / 2

    def residuals(self, log_smoothing):
        inverse = np.linalg.inv(self.covariance(log_smoothing))
        inner = self.fixed.T @ inverse @ self.fixed
        maker = inverse - inverse @ self.fixed @ np.linalg.solve(inner, self.fixed.T @ inverse)
        return maker @ self.y, np.trace(np.eye(self.n) - maker)


@pytest.mark.parametrize("seed", range(3))
def test_the_fit_is_that_of_the_slow_twin(seed):
    """Ours ends within 1e-4 of the best restricted likelihood, which leaves 1e-3 elsewhere."""
    values = curved_values(seed)
    fit, dense = fit_additive(spline_columns(values), 0, np.arange(1, 4)), DenseFit(values)
    assert dense.criterion(fit.log_smoothing) <= dense.criterion(dense.log_smoothing) + 1e-3
    residuals, degrees = dense.residuals(fit.log_smoothing)
    np.testing.assert_allclose(residuals, fit.residuals, atol=1e-6)
    assert np.isclose(np.mean(residuals**2), fit.residual_variance)
    assert np.isclose(degrees, fit.effective_degrees)
    residuals, _ = dense.residuals(dense.log_smoothing)
    assert np.isclose(np.mean(residuals**2), fit.residual_variance, rtol=1e-2)


def dense_p_value(fit, term):
    """Wood's test with the n × n covariance of the term's values."""
    columns, n = fit.columns, fit.columns.n_samples
    design = columns.basis[:, fit.used]
    inverse = np.linalg.inv(design.T @ design + n * np.diag(fit.penalty))
    influence = inverse @ design.T @ design
    residuals = columns.standardised[:, fit.target] - design @ fit.coefficients
    degrees = n - 1 - np.trace(influence)
    scale = residuals @ residuals / degrees
    ends = np.cumsum(fit.sizes)
    part = slice(ends[term] - fit.sizes[term], ends[term])
    rank = (2 * influence - influence @ influence).diagonal()[part].sum()
    rank = np.clip(rank, 1, fit.sizes[term])
    covariance = design[:, part] @ inverse[part, part] @ design[:, part].T * scale
    values, vectors = np.linalg.eigh(covariance)
    along = (vectors.T @ (design[:, part] @ fit.coefficients[part]))[::-1]
    values, whole, tails = values[::-1], int(rank), []
    rest = rank - whole
    for sign in (1, -1):
        middle = np.eye(whole + 1)
        middle[whole, whole] = rest
        cross = sign * np.sqrt(rest * (1 - rest) / 2)
        middle[whole - 1, whole] = middle[whole, whole - 1] = cross
        u = along[: whole + 1] / np.sqrt(values[: whole + 1])
        tails.append(f.sf(u @ middle @ u / rank, rank, degrees))
    return np.mean(tails)


@pytest.mark.parametrize("seed", range(3))
def test_p_values_are_those_of_the_slow_twin(seed):
    fit = fit_additive(spline_columns(curved_values(seed)), 0, np.arange(1, 4))
    expected = [dense_p_value(fit, term) for term in range(3)]
    np.testing.assert_allclose(expected, fit.p_values(), rtol=1e-4, atol=1e-12)


def test_derivatives_of_the_criterion_are_those_of_differences():
    columns = spline_columns(curved_values(0))
    blocks = columns.functions(np.arange(1, 4))
    used = np.concatenate(blocks)
    problem = SmoothingProblem(
        columns.products[np.ix_(used, used)],
        columns.products[used, 0],
        columns.penalties[used],
        np.array([len(block) for block in blocks]),
        columns.n_samples,
    )
    here, h = problem.start + np.array([-3.0, 0.5, 2.0]), 1e-4
    sides = [(problem.at(here + h * e), problem.at(here - h * e)) for e in np.eye(3)]
    slope = [(a.value - b.value) / (2 * h) for a, b in sides]
    curvature = [(a.slope - b.slope) / (2 * h) for a, b in sides]
    np.testing.assert_allclose(slope, problem.at(here).slope, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(curvature, problem.at(here).curvature, rtol=1e-5, atol=1e-7)


def test_a_further_term_is_that_of_the_whole_regression():
    """The candidate with each of the smoothings tried, the others with theirs, from the rows."""
    columns = spline_columns(curved_values(1, p=4))
    fit = fit_additive(columns, 0, np.array([2, 3]))
    terms, y, n = further_terms(fit, np.array([1, 4])), columns.standardised[:, 0], 120
    for k, candidate in enumerate([1, 4]):
        block = columns.functions(np.array([candidate]))[0]
        design = columns.basis[:, np.concatenate([fit.used, block])]
        penalties, solutions = columns.penalties[block], []
        for smoothing in np.exp(np.linspace(np.log(1e-4), np.log(1e5), 22)) / penalties[1]:
            penalty = np.concatenate([fit.penalty, smoothing * penalties])
            inner = design.T @ design / n + np.diag(penalty)
            coefficients = np.linalg.solve(inner, design.T @ y / n)
            variance = np.mean((y - design @ coefficients) ** 2)
            deviance = variance + coefficients**2 @ penalty
            logs = np.linalg.slogdet(inner)[1] - 8 * np.log(smoothing)
            solutions.append(((n - 4) * np.log(deviance) + logs, variance, np.log(smoothing)))
        _, variance, log_smoothing = min(solutions)
        assert np.isclose(variance, terms.variance[k])
        assert np.isclose(log_smoothing, terms.log_smoothing[k])


def slow_boosting(columns, target, candidates):
    """How often each candidate is selected, with the residuals of all rows."""
    left, counts = columns.standardised[:, target].copy(), dict.fromkeys(candidates, 0)
    n = len(left)
    smoothers = {}
    for j, block in zip(candidates, columns.functions(candidates), strict=True):
        basis, penalties = columns.basis[:, block], columns.penalties[block]

        def excess(log_ridge, penalties=penalties):
            return (1 / (1 + np.exp(log_ridge) * penalties)).sum() - DEGREES

        ridge = np.exp(brentq(excess, -30, 30, xtol=1e-12))
        smoothers[j] = basis @ np.diag(1 / (1 + ridge * penalties)) @ basis.T / n
    for _ in range(100):
        fits = {j: smoother @ left for j, smoother in smoothers.items()}
        best = min(candidates, key=lambda j: np.sum((left - fits[j]) ** 2))
        counts[best] += 1
        left = left - 0.1 * fits[best]
    return counts


@pytest.mark.parametrize("seed", range(4))
def test_boosting_selects_what_the_slow_twin_selects(seed):
    columns = spline_columns(curved_values(seed, p=6))
    candidates = np.arange(1, 7)
    counts = slow_boosting(columns, 0, candidates)
    selected = [j for j in candidates if counts[j]]
    np.testing.assert_array_equal(selected, boosted_selection(columns, 0, candidates, 6))
    most = sorted(candidates, key=lambda j: -counts[j])[:2]
    assert counts[most[0]] > counts[most[1]] > sorted(counts.values())[-3]
    np.testing.assert_array_equal(sorted(most), boosted_selection(columns, 0, candidates, 2))


# Level and power, with fixed seeds.


def null_p_values(n_sets, n, p):
    """Of predictors without effect, beside one with an effect."""
    p_values = []
    for seed in range(n_sets):
        rng = np.random.default_rng([n, p, seed])
        predictors = rng.normal(size=(n, p)) + 0.7 * rng.normal(size=(n, 1))
        target = np.sin(2 * predictors[:, 0]) + rng.normal(size=n)
        columns = spline_columns(np.column_stack([target, predictors]))
        p_values.extend(fit_additive(columns, 0, np.arange(1, p + 1)).p_values()[1:])
    return np.array(p_values)


@pytest.mark.parametrize(("n", "p", "n_sets"), [(200, 3, 300), (500, 8, 80)])
def test_the_level_of_a_term_is_near_that_stated(n, p, n_sets):
    """Counts above these bounds have probability below 0.001 at twice the stated level of 0.001,
    at 1.2 times that of 0.01 and of 0.05: terms of one regression are nearly independent.
    """
    p_values = null_p_values(n_sets, n, p)
    for level, factor in ((0.001, 2.0), (0.01, 1.2), (0.05, 1.2)):
        bound = binom.isf(0.001, len(p_values), factor * level)
        assert (p_values <= level).sum() <= bound
    assert 0.4 < (p_values <= 0.5).mean() < 0.65


def test_weak_effects_are_seen():
    """A line of slope 0.3 and a parabola of weight 0.2 in 500 rows: in 9 of 10 at 0.001."""
    hits = np.zeros(2)
    for seed in range(40):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(500, 2))
        values = np.column_stack([x, 0.3 * x[:, 0] + 0.2 * x[:, 1] ** 2 + rng.normal(size=500)])
        hits += prune_along_order(values, np.array([0, 1, 2]))[:2, 2]
    assert (hits >= 36).all()


# Laws and edge cases.


def system(seed=0, n=300):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, 5))
    values[:, 3] += 2 * np.sin(values[:, 1])
    values[:, 0] += values[:, 3] ** 2 + values[:, 4]
    return values, np.array([1, 4, 3, 0, 2])


def test_pruning_finds_the_parents():
    values, order = system()
    graph = prune_along_order(values, order)
    assert {(1, 3), (3, 0), (4, 0)} == set(zip(*np.nonzero(graph), strict=True))


def test_names_units_signs_and_rows_do_not_matter():
    values, order = system()
    expected = prune_along_order(values, order, cutoff=0.2)
    label = np.array([3, 0, 4, 1, 2])
    place = np.argsort(label)
    result = prune_along_order(values[:, label], place[order], cutoff=0.2)
    np.testing.assert_array_equal(expected[np.ix_(label, label)], result)
    scaled = values * [1e-6, -2.0, 1e5, 3.0, -1.0] + [0.0, 5.0, -1e3, 0.0, 1.0]
    np.testing.assert_array_equal(expected, prune_along_order(scaled, order, cutoff=0.2))
    np.testing.assert_array_equal(expected, prune_along_order(values[::-1], order, cutoff=0.2))


def test_a_larger_cutoff_keeps_more():
    values, order = system()
    graphs = [prune_along_order(values, order, cutoff=c) for c in (0.0, 1e-9, 0.3, 1.0)]
    for smaller, larger in zip(graphs[:-1], graphs[1:], strict=True):
        assert not (smaller & ~larger).any()
    assert not graphs[0].any()
    assert 10 == graphs[-1].sum()


def test_constant_and_two_valued_and_repeated_columns():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(200, 5))
    values[:, 0] = 7.0
    values[:, 1] = values[:, 1] > 0
    values[:, 2] += 2 * values[:, 1]
    values[:, 4] = values[:, 3]
    graph = prune_along_order(values, np.arange(5))
    assert not graph[0].any()
    assert not graph[:, 0].any()
    assert graph[1, 2]
    assert graph[3, 4]
    # Of two equal predictors neither is needed beside the other.
    twins = np.column_stack([values[:, 3], values[:, 4], values[:, 3] + rng.normal(size=200)])
    assert not prune_along_order(twins, np.arange(3))[:2, 2].any()


@pytest.mark.parametrize("n", [2, 3, 5, 8, 13, 30])
def test_few_rows_give_a_graph(n):
    values = np.random.default_rng(n).normal(size=(n, 12))
    graph = prune_along_order(values, np.arange(12))
    assert not np.tril(graph).any()


def test_many_predecessors_are_selected_from():
    """50 columns and 300 rows: the parents of the last are found among 49."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(300, 50))
    values[:, 49] += 2 * np.sin(2 * values[:, 7]) + values[:, 30]
    allowed = np.zeros((50, 50), dtype=bool)
    allowed[:49, 49] = True
    graph = prune_parents(spline_columns(values), allowed)
    np.testing.assert_array_equal([7, 30], np.flatnonzero(graph[:, 49]))


def test_functions_are_nested_and_orthonormal():
    columns = spline_columns(curved_values(0))
    for part in range(4):
        block = slice(columns.starts[part], columns.starts[part + 1])
        np.testing.assert_allclose(columns.products[block, block], np.eye(9), atol=1e-9)
        assert columns.penalties[block][0] == 0
        assert (np.diff(columns.penalties[block]) > 0).all()
        line = columns.basis[:, columns.starts[part]]
        np.testing.assert_allclose(line, columns.standardised[:, part])
    assert [9, 5, 3] == [functions_allowed(n, 10) for n in (1000, 100, 20)]


def test_refusals():
    values, _ = system()
    with pytest.raises(RefusedValue, match="expected each of 0 to 4 once"):
        prune_along_order(values, np.array([0, 1, 2, 3, 3]))
    with pytest.raises(RefusedValue, match="expected a p-value from 0 to 1, got 1.5"):
        prune_along_order(values, np.arange(5), cutoff=1.5)
