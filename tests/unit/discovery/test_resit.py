"""RESIT: HSIC beside dense kernels, phase 1 and 2 beside slow twins, laws, refusals."""

import numpy as np
import pytest
from scipy.stats import binom, gamma

from causalassay.common.spelling import RefusedValue
from causalassay.contracts import NotApplicable
from causalassay.discovery import discover
from causalassay.discovery.nonlinear_independence import gaussian_kernel
from causalassay.discovery.regression.additive_model import fit_additive, prune_along_order
from causalassay.discovery.regression.spline_columns import spline_columns
from causalassay.discovery.resit import RESIT, WIDTH, ResidualDependence
from causalassay.graphs import erdos_renyi
from causalassay.models import draw
from causalassay.testing import check_algorithm


def curved_values(seed, d=5, n=150, edges_per_node=1.0, kind="iscm"):
    rng = np.random.default_rng([2014, seed])
    graph = erdos_renyi(d, edges_per_node, rng)
    return draw(kind, graph, rng, mechanism="gp-additive").sample(n, rng), graph


def dense_p_value(residuals, others):
    """HSIC with n × n kernels, the one of the others summed over columns."""

    def centred(columns):
        kernel = sum(
            gaussian_kernel(((column - column.mean()) / column.std())[:, None], WIDTH)
            for column in columns.T
        )
        centre = np.eye(len(columns)) - 1 / len(columns)
        return centre @ kernel @ centre

    one, other, n = centred(residuals[:, None]), centred(others), len(others)
    mean = np.trace(one) * np.trace(other) / n
    variance = 2 * np.trace(one @ one) * np.trace(other @ other) / n**2
    return gamma.sf(np.trace(one @ other), mean**2 / variance, scale=variance / mean)


@pytest.mark.parametrize("seed", range(4))
def test_dependence_is_that_of_the_slow_twin(seed):
    values, _ = curved_values(seed)
    dependence = ResidualDependence(spline_columns(values))
    rng = np.random.default_rng(seed)
    for weight in (0.0, 0.2, 0.5):
        residuals = weight * values[:, 0] ** 2 + rng.normal(size=len(values))
        for others in ([0], [1, 3], [0, 1, 2, 4]):
            expected = np.log(dense_p_value(residuals, values[:, others]))
            got = -dependence.minus_log_p(residuals, np.array(others))
            assert np.isclose(expected, got, rtol=1e-3, atol=1e-3)


def test_the_level_of_the_test_is_near_5_percent():
    """At most 24 of 250 at 5 %: at that level more have probability 0.001; seeds are fixed."""
    n_rejected = 0
    for seed in range(250):
        values = np.random.default_rng(seed).normal(size=(100, 4))
        dependence = ResidualDependence(spline_columns(values))
        n_rejected += dependence.minus_log_p(values[:, 0], np.array([1, 2, 3])) > -np.log(0.05)
    assert binom.isf(0.001, 250, 0.05) == 24
    assert n_rejected <= 24


def residuals_of(values, node, others):
    return fit_additive(spline_columns(values), node, np.array(others, dtype=int)).residuals


def slow_resit(values, alpha):
    """Algorithm 1 with dense kernels, nothing shared between regressions."""
    left, order = list(range(values.shape[1])), []
    while len(left) > 1:
        p_values = []
        for node in left:
            others = [other for other in left if other != node]
            p_values.append(dense_p_value(residuals_of(values, node, others), values[:, others]))
        order.insert(0, left.pop(int(np.argmax(p_values))))
    order.insert(0, left[0])
    graph = np.zeros((len(order), len(order)), dtype=bool)
    for position, node in enumerate(order):
        before, parents = order[:position], order[:position]
        for candidate in before:
            without = [parent for parent in parents if parent != candidate]
            residuals = residuals_of(values, node, without)
            if dense_p_value(residuals, values[:, before]) >= alpha:
                parents = without
        graph[parents, node] = True
    return order, graph


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("alpha", [0.05, 0.001])
def test_order_and_graph_are_those_of_the_slow_twin(seed, alpha):
    """P-values are far above the smallest number on these data, so the twin can compare them."""
    values, _ = curved_values(seed)
    estimate = discover("resit", values, alpha=alpha)
    order, graph = slow_resit(values, alpha)
    assert tuple(order) == estimate.order
    np.testing.assert_array_equal(graph, estimate.graph)


def test_edges_are_found_whatever_the_noise():
    """10 graphs of five nodes for each law, 300 rows: at most 20 entries differ."""
    for noise in ("gaussian", "uniform"):
        distance = 0
        for seed in range(10):
            rng = np.random.default_rng(seed)
            graph = erdos_renyi(5, 1, rng)
            model = draw("iscm", graph, rng, mechanism="gp-additive", noise=noise)
            distance += (discover("resit", model.sample(300, rng)).graph != graph).sum()
        assert distance <= 20


def test_additive_pruning_is_that_of_cam():
    values, _ = curved_values(1, d=7)
    estimate = discover("resit", values, pruning="additive")
    expected = prune_along_order(values, np.array(estimate.order))
    np.testing.assert_array_equal(expected, estimate.graph)
    assert discover("resit", values).order == estimate.order


@pytest.mark.parametrize("pruning", ["independence", "additive"])
def test_relabelling_units_and_the_order_of_rows_do_not_matter(pruning):
    values, _ = curved_values(2, d=6, kind="scm")
    expected, label = discover("resit", values, pruning=pruning).graph, np.array([3, 0, 4, 1, 5, 2])
    relabelled = discover("resit", values[:, label], pruning=pruning).graph
    np.testing.assert_array_equal(expected[np.ix_(label, label)], relabelled)
    moved = values * [1e-4, -3.0, 1.0, 1e4, 2.0, -1.0] + np.arange(6.0)
    np.testing.assert_array_equal(expected, discover("resit", moved, pruning=pruning).graph)
    np.testing.assert_array_equal(expected, discover("resit", values[::-1], pruning=pruning).graph)


@pytest.mark.parametrize("pruning", ["independence", "additive"])
def test_the_promises_of_algorithms_hold(pruning):
    check_algorithm(RESIT(pruning=pruning))


def test_more_columns_than_the_rows_allow_are_selected_from():
    values = np.random.default_rng(0).normal(size=(40, 12))
    estimate = discover("resit", values, pruning="additive")
    assert sorted(estimate.order) == list(range(12))


def test_a_single_column_gives_a_single_node():
    assert [[False]] == discover("resit", np.arange(40.0)[:, None]).graph.tolist()


def test_unusable_data_are_refused():
    values = np.random.default_rng(0).normal(size=(50, 3))
    with pytest.raises(NotApplicable, match="at least 30 rows, got 29"):
        discover("resit", values[:29])
    with pytest.raises(NotApplicable, match="linear combination of others"):
        discover("resit", np.column_stack([values, 2 - values[:, 1]]))


def test_wrong_hyperparameters_are_refused():
    with pytest.raises(RefusedValue, match="alpha: expected 0 < alpha < 1, got 0"):
        RESIT(alpha=0)
    with pytest.raises(ValueError, match="did you mean 'additive'"):
        RESIT(pruning="aditive")
