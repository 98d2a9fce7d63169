import numpy as np
import pytest
from scipy.stats import pearsonr

from causalassay.common.spelling import RefusedValue
from causalassay.contracts import NotApplicable
from causalassay.data import Dataset, Regime
from causalassay.diagnostics import relatives, relatives_sortability
from causalassay.discovery import discover
from causalassay.discovery.registry import ALGORITHMS
from causalassay.discovery.regression.additive_model import prune_along_order
from causalassay.discovery.regression.bic_lasso import lasso_bic
from causalassay.discovery.regression.lasso_along_order import PATH_END, sort_regress
from causalassay.discovery.sortnregress import (
    R2SortnRegress,
    RandomSortnRegress,
    VarSortnRegress,
)
from causalassay.discovery.statistics import random_ties_order
from causalassay.graphs import erdos_renyi, is_dag, topological_order
from causalassay.models import SCM
from causalassay.testing import check_algorithm

NAMES = ["var-sortnregress", "r2-sortnregress", "relatives-sortnregress", "random-sortnregress"]


def curved_values(n, seed):
    """X1 = X0² and X2 = sin X1 with noise; X3 apart from them."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, 4)) * [1, 0.7, 0.7, 3]
    values[:, 1] += values[:, 0] ** 2
    values[:, 2] += 3 * np.sin(values[:, 1])
    return values


def linear_values(d, n, seed, edges_per_node=1.5):
    rng = np.random.default_rng(seed)
    graph = erdos_renyi(d, min(edges_per_node, (d - 1) / 2), rng)
    weights = graph * rng.uniform(0.5, 2, graph.shape) * rng.choice([-1, 1], graph.shape)
    return rng.normal(size=(n, d)) @ np.linalg.inv(np.eye(d) - weights), graph, weights


def slow_bic(gram, moment, yy, n, penalties):
    """Coordinate descent on a fine grid of penalties; the path's criterion on each."""
    p = len(moment)
    ols = np.linalg.solve(gram, moment)
    noise = (yy - moment @ ols) * n / (n - p - 1)
    result, b = [], np.zeros(p)
    for penalty in penalties:
        for _ in range(500):
            for j in range(p):
                rest = moment[j] - gram[j] @ b + gram[j, j] * b[j]
                b[j] = np.sign(rest) * max(abs(rest) - penalty, 0) / gram[j, j]
        rss = n * (yy - 2 * moment @ b + b @ gram @ b)
        result.append((rss / noise + np.log(n) * (np.abs(b) > 1e-12).sum(), b.copy()))
    return min(result, key=lambda pair: pair[0])


@pytest.mark.parametrize("seed", range(5))
def test_lasso_beats_a_fine_grid_of_penalties(seed):
    rng = np.random.default_rng(seed)
    n, p = 60, 5
    x = rng.normal(size=(n, p)) @ rng.normal(size=(p, p))
    y = x @ [1.0, 0, 0, -2.0, 0] + rng.normal(size=n)
    x, y = x - x.mean(axis=0), y - y.mean()
    gram, moment, yy = x.T @ x / n, x.T @ y / n, y @ y / n
    ols = np.linalg.solve(gram, moment)
    residual = yy - moment @ ols
    b = lasso_bic(gram, moment, ols, residual, n, PATH_END)
    rss = n * (yy - 2 * moment @ b + b @ gram @ b)
    value = rss * (n - p - 1) / (n * residual) + np.log(n) * (b != 0).sum()
    best, _ = slow_bic(gram, moment, yy, n, np.abs(moment).max() * np.geomspace(1, 1e-5, 80))
    # The criterion falls between two knots, so its infimum lies at the lower one.
    assert value <= best + 1e-6


def test_an_asymmetric_chain_is_not_transposed():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(500, 3))
    values[:, 0] += 2 * values[:, 2]
    values[:, 1] += 3 * values[:, 0]
    estimate = discover("var-sortnregress", values, rng)
    assert {(2, 0), (0, 1)} == set(zip(*map(list, np.nonzero(estimate.graph)), strict=True))
    assert (2, 0, 1) == estimate.order
    np.testing.assert_allclose([2, 3], estimate.weights[[2, 0], [0, 1]], atol=0.15)


@pytest.mark.parametrize("name", NAMES)
def test_estimate_is_a_dag_along_its_order(name):
    values, _, _ = linear_values(12, 200, 1)
    estimate = discover(name, values, np.random.default_rng(0))
    assert "dag" == estimate.kind
    assert is_dag(estimate.graph)
    np.testing.assert_array_equal(estimate.graph, estimate.weights != 0)
    position = np.argsort(estimate.order)
    cause, effect = np.nonzero(estimate.graph)
    assert (position[cause] < position[effect]).all()


def test_orders_are_those_of_the_scores():
    values, _, _ = linear_values(10, 300, 2)
    rng = np.random.default_rng(0)
    expected = np.argsort(values.var(axis=0)).tolist()
    assert expected == list(discover("var-sortnregress", values, rng).order)
    r2 = 1 - 1 / np.diag(np.linalg.inv(np.corrcoef(values.T)))
    assert np.argsort(r2).tolist() == list(discover("r2-sortnregress", values, rng).order)


def slow_relatives(values, alpha):
    """Count the correlations that a t test finds, pair by pair."""
    columns = values.T
    return [
        sum(np.array_equal(x, y) or pearsonr(x, y).pvalue < alpha for y in columns) for x in columns
    ]


@pytest.mark.parametrize("alpha", [0.05, 0.001])
def test_the_order_is_that_of_the_number_of_correlated_variables(alpha):
    for seed in range(5):
        values, _, _ = linear_values(12, 300, seed, edges_per_node=1)
        rng = np.random.default_rng(0)
        order = discover("relatives-sortnregress", values, rng, alpha=alpha).order
        number = np.array(slow_relatives(values, alpha))[list(order)]
        assert (np.diff(number) >= 0).all()
        assert len(set(number.tolist())) > 1


def test_equally_many_relatives_are_sorted_at_random():
    values = np.random.default_rng(0).normal(size=(500, 1)) + np.eye(500, 4)
    orders = {
        discover("relatives-sortnregress", values, np.random.default_rng(seed)).order
        for seed in range(200)
    }
    assert len(orders) == 24


def test_relatives_grow_from_cause_to_effect_in_a_faithful_distribution():
    # With 20 000 rows and strong weights hardly any test is wrong.
    for seed in range(5):
        rng = np.random.default_rng(seed)
        graph = erdos_renyi(10, 1, rng)
        values = SCM(weights=(1.0, 2.0)).draw(graph, rng).sample(20_000, rng)
        assert relatives_sortability(values, graph, alpha=1e-6) >= 0.5
        number = relatives(values, 1e-6)
        cause, effect = np.nonzero(graph)
        assert (number[cause] <= number[effect]).all()


def test_relatives_need_three_rows_and_a_level():
    with pytest.raises(NotApplicable, match="needs 3 rows, got 2"):
        discover("relatives-sortnregress", [[0.0], [1.0]], np.random.default_rng(0))
    with pytest.raises(ValueError, match="alpha"):
        discover("relatives-sortnregress", np.eye(3)[:, :2], np.random.default_rng(0), alpha=1.0)


def test_graph_is_found_along_a_causal_order():
    values, graph, weights = linear_values(15, 5000, 4)
    result = sort_regress(values, topological_order(graph))
    assert (result != 0)[graph].all()
    assert np.abs(result - weights).max() < 0.1


def test_random_order_depends_on_rng_alone():
    values, _, _ = linear_values(10, 100, 5)
    orders = {
        discover("random-sortnregress", values, np.random.default_rng(seed)).order
        for seed in range(5)
    }
    assert 5 == len(orders)


def test_ties_are_broken_at_random():
    values, _, _ = linear_values(6, 200, 6)
    standardised = (values - values.mean(axis=0)) / values.std(axis=0)
    first = [
        discover("var-sortnregress", standardised, np.random.default_rng(seed)).order[0]
        for seed in range(60)
    ]
    assert set(range(6)) == set(first)
    scores = np.array([2.0, 1.0, 2.0, 1.0])
    seen = {tuple(random_ties_order(scores, np.random.default_rng(k)).tolist()) for k in range(60)}
    assert {(1, 3, 0, 2), (1, 3, 2, 0), (3, 1, 0, 2), (3, 1, 2, 0)} == seen


@pytest.mark.parametrize("unit", [1e-6, 1e-3, 1e4])
def test_small_units_do_not_empty_the_graph(unit):
    values, _, _ = linear_values(8, 300, 7)
    order = np.argsort(values.var(axis=0))
    expected = sort_regress(values, order)
    np.testing.assert_allclose(expected, sort_regress(unit * values, order), atol=1e-9)


def test_a_full_path_ignores_units_column_by_column():
    values, _, _ = linear_values(20, 300, 8, edges_per_node=4)
    order = np.argsort(values.var(axis=0))
    sd = values.std(axis=0)
    expected = sort_regress(values, order, path_end=0.0)
    result = sort_regress(values / sd, order, path_end=0.0) * sd / sd[:, None]
    np.testing.assert_array_equal(expected != 0, result != 0)
    np.testing.assert_allclose(expected, result, rtol=1e-7, atol=1e-9)


def test_a_single_variable_gives_a_single_node():
    for name in NAMES:
        estimate = discover(name, [[0.0], [1.0], [3.0]], np.random.default_rng(0))
        assert ((0,), [[False]]) == (estimate.order, estimate.graph.tolist())


def test_orthogonal_regressors_do_no_harm():
    design = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)] * 2, dtype=float)
    y = design @ [1, 0, 2] + np.tile([0.1, -0.1], 8) * np.repeat([1, -1], 8)
    estimate = VarSortnRegress().discover(
        Dataset.from_values(np.column_stack([design, y])), np.random.default_rng(0)
    )
    assert [True, False, True] == estimate.graph[:3, 3].tolist()


@pytest.mark.parametrize("name", NAMES)
def test_too_few_rows_are_not_applicable(name):
    values = np.random.default_rng(0).normal(size=(5, 5))
    with pytest.raises(NotApplicable, match="at least 6 rows, got 5"):
        discover(name, values, np.random.default_rng(0))
    assert discover(name, values[:, :4], np.random.default_rng(0)).graph.shape == (4, 4)


@pytest.mark.parametrize("name", NAMES)
def test_dependent_columns_are_not_applicable(name):
    values = np.random.default_rng(0).normal(size=(50, 4))
    values[:, 3] = values[:, 0] - 2 * values[:, 1]
    with pytest.raises(NotApplicable, match="linear combination"):
        discover(name, values, np.random.default_rng(0))


@pytest.mark.parametrize("name", NAMES)
def test_columns_constant_in_the_observational_rows_are_not_applicable(name):
    rng = np.random.default_rng(0)
    control = rng.normal(size=(20, 2)) * [1, 0] + [0, 0.1]
    data = Dataset(
        ("a", "b"),
        (Regime("control", control), Regime("drug", rng.normal(size=(20, 2)), targets=(1,))),
        observational="control",
    )
    with pytest.raises(NotApplicable, match="'b' is constant"):
        discover(name, data, rng)


def test_no_observational_condition_is_not_applicable():
    values = np.random.default_rng(0).normal(size=(20, 2))
    data = Dataset(("a", "b"), (Regime("drug", values, targets=None),), observational=None)
    for name in [*NAMES, "variance-sorting"]:
        with pytest.raises(NotApplicable, match="observational"):
            discover(name, data, np.random.default_rng(0))


def test_a_negative_path_end_is_refused():
    with pytest.raises(ValueError, match="path_end"):
        discover("var-sortnregress", np.eye(3)[:, :2], np.random.default_rng(0), path_end=-1.0)


@pytest.mark.parametrize("name", NAMES)
def test_additive_regression_along_the_same_order_finds_what_the_lasso_misses(name):
    """X0 and X1 are not correlated; along any order an edge joins them."""
    values = curved_values(200, 1)
    linear = discover(name, values, np.random.default_rng(6))
    estimate = discover(name, values, np.random.default_rng(6), regression="additive")
    assert linear.order == estimate.order
    assert estimate.weights is None
    expected = prune_along_order(values, np.array(estimate.order))
    np.testing.assert_array_equal(expected, estimate.graph)
    position = np.argsort(estimate.order)
    assert not linear.graph[0, 1]
    assert (position[0] < position[1]) == estimate.graph[0, 1]
    assert not estimate.graph[3].any()


@pytest.mark.parametrize("name", ["var-sortnregress", "r2-sortnregress"])
def test_relabelling_commutes_with_additive_regression(name):
    values, label = curved_values(100, 2), np.array([2, 0, 3, 1])
    expected = discover(name, values, regression="additive").graph
    result = discover(name, values[:, label], regression="additive").graph
    np.testing.assert_array_equal(expected[np.ix_(label, label)], result)


@pytest.mark.parametrize("kind", [VarSortnRegress, R2SortnRegress, RandomSortnRegress])
def test_the_promises_of_algorithms_hold_with_additive_regression(kind):
    check_algorithm(kind(regression="additive"))


@pytest.mark.parametrize("name", ["var-sortnregress", "random-sortnregress"])
def test_what_is_assumed_and_what_is_misspelt_name_other_regressions(name):
    assert "nonlinear with additive noise, by `regression`" in ALGORITHMS[name].assumptions
    for word in ("spline", "gam", "additve"):
        with pytest.raises(RefusedValue, match="regression: .* did you mean 'additive'"):
            discover(name, np.eye(3), regression=word)
