"""CAM: the greedy search beside a recomputation of every gain, laws, refusals."""

import numpy as np
import pytest

from causalassay.common.spelling import RefusedValue
from causalassay.contracts import NotApplicable
from causalassay.discovery import discover
from causalassay.discovery.cam import CAM, insert_edges
from causalassay.discovery.regression.additive_model import fit_additive
from causalassay.discovery.regression.spline_columns import spline_columns
from causalassay.graphs import erdos_renyi, is_dag
from causalassay.models import draw
from causalassay.testing import check_algorithm


def curved_values(seed, d=6, n=200, edges_per_node=1.0, kind="iscm"):
    rng = np.random.default_rng([2014, seed])
    graph = erdos_renyi(d, edges_per_node, rng)
    return draw(kind, graph, rng, mechanism="gp-additive").sample(n, rng), graph


def variance_from_rows(fit, candidate):
    """Of the regression with one more term, the present smoothings held, by the whole design."""
    columns, n = fit.columns, fit.columns.n_samples
    y, block = columns.standardised[:, fit.target], columns.functions(np.array([candidate]))[0]
    design, penalties = columns.basis[:, np.append(fit.used, block)], columns.penalties[block]
    free_rows = n - 2 - len(fit.predictors)
    solutions = []
    for smoothing in np.exp(np.linspace(np.log(1e-4), np.log(1e5), 22)) / penalties[1]:
        penalty = np.append(fit.penalty, smoothing * penalties)
        inner = design.T @ design / n + np.diag(penalty)
        coefficients = np.linalg.solve(inner, design.T @ y / n)
        variance = np.mean((y - design @ coefficients) ** 2)
        deviance = variance + coefficients**2 @ penalty
        criterion = free_rows * np.log(deviance) + np.linalg.slogdet(inner)[1]
        solutions.append((criterion - (len(block) - 1) * np.log(smoothing), variance))
    return min(solutions)[1]


def slow_search(columns):
    """Every gain anew in every step; cycles by powers of the adjacency."""
    d = columns.n_columns
    graph = np.zeros((d, d), dtype=bool)
    while True:
        best = (0.0, -1, -1)
        for effect in range(d):
            fit = fit_additive(columns, effect, np.flatnonzero(graph[:, effect]))
            for cause in range(d):
                trial = graph.copy()
                trial[cause, effect] = True
                if cause == effect or graph[cause, effect] or not is_dag(trial):
                    continue
                gain = np.log(fit.residual_variance / variance_from_rows(fit, cause))
                best = max(best, (gain, cause, effect))
        if best[0] <= 0:
            return graph
        graph[best[1], best[2]] = True


@pytest.mark.parametrize("seed", range(3))
def test_the_search_inserts_what_the_slow_twin_inserts(seed):
    values, _ = curved_values(seed, d=4)
    columns = spline_columns(values)
    graph, score = insert_edges(columns, ~np.eye(4, dtype=bool))
    expected = slow_search(columns)
    np.testing.assert_array_equal(expected, graph)
    variances = [
        fit_additive(columns, j, np.flatnonzero(graph[:, j])).residual_variance for j in range(4)
    ]
    assert np.isclose(np.log(variances).sum(), score, atol=1e-3)


def test_edges_are_found():
    """12 graphs of six nodes, 300 rows: of 72 edges at most 12 differ; seeds are fixed."""
    distance = 0
    for seed in range(12):
        values, graph = curved_values(seed, n=300)
        distance += (discover("cam", values).graph != graph).sum()
    assert distance <= 12


def test_the_graph_is_along_the_order_and_the_score_falls_with_more_candidates():
    values, _ = curved_values(0, d=14, edges_per_node=2)
    few, all_others = (discover("cam", values, n_neighbours=k) for k in (3, None))
    for estimate in (few, all_others):
        position = np.argsort(estimate.order)
        cause, effect = np.nonzero(estimate.graph)
        assert (position[cause] < position[effect]).all()
        assert estimate.graph.sum() <= estimate.info["edges_before_pruning"]
    assert few.info["edges_before_pruning"] <= 3 * 14
    assert all_others.info["score"] < few.info["score"]
    in_words = discover("cam", values, n_neighbours="all")
    np.testing.assert_array_equal(in_words.graph, all_others.graph)


def test_cutoff_1_keeps_all_edges_of_the_search():
    values, _ = curved_values(1)
    estimate = discover("cam", values, cutoff=1.0)
    assert estimate.info["edges_before_pruning"] == estimate.graph.sum()


def test_relabelling_units_and_the_order_of_rows_do_not_matter():
    values, _ = curved_values(2, d=8, kind="scm")
    expected, label = discover("cam", values).graph, np.array([3, 7, 0, 4, 1, 6, 2, 5])
    relabelled = discover("cam", values[:, label]).graph
    np.testing.assert_array_equal(expected[np.ix_(label, label)], relabelled)
    moved = values * [1e-4, -3.0, 1.0, 1e4, 2.0, -1.0, 0.1, 5.0] + np.arange(8.0)
    np.testing.assert_array_equal(expected, discover("cam", moved).graph)
    np.testing.assert_array_equal(expected, discover("cam", values[::-1]).graph)


@pytest.mark.parametrize("fields", [{}, {"n_neighbours": None, "cutoff": 0.05}])
def test_the_promises_of_algorithms_hold(fields):
    check_algorithm(CAM(**fields))


def test_a_single_column_gives_a_single_node():
    assert [[False]] == discover("cam", np.arange(30.0)[:, None]).graph.tolist()


def test_unusable_data_are_refused():
    values = np.random.default_rng(0).normal(size=(50, 3))
    with pytest.raises(NotApplicable, match="at least 20 rows, got 19"):
        discover("cam", values[:19])
    with pytest.raises(NotApplicable, match="linear combination of others"):
        discover("cam", np.column_stack([values, 2 - values[:, 1]]))


def test_wrong_hyperparameters_are_refused():
    with pytest.raises(RefusedValue, match='n_neighbours: expected at least 1, or "all"'):
        CAM(n_neighbours=0)
    with pytest.raises(RefusedValue, match="n_neighbours: there is no 'al'; did you mean 'all'"):
        CAM(n_neighbours="al")
    with pytest.raises(RefusedValue, match="cutoff: expected a p-value from 0 to 1, got -1"):
        CAM(cutoff=-1)
