"""Sortabilities and regressions of series, beside slow twins."""

import itertools

import numpy as np
import pytest

from causalassay.auditing import audit
from causalassay.data import Dataset
from causalassay.diagnostics import (
    series_pair_weights,
    series_r2,
    series_r2_sortability,
    series_var_sortability,
)
from causalassay.discovery import discover
from causalassay.discovery.granger_lasso import lagged_design, lagged_lasso
from causalassay.discovery.regression.lasso_along_order import PATH_END, sort_regress
from causalassay.graphs import LaggedGraph, lagged_erdos_renyi
from causalassay.models import SeriesSCM, SeriesUUMC


def slow_r2(values, max_lag, own_past):
    """R² by least squares on a design written out entry by entry."""
    n, d = values.shape
    result = []
    for node in range(d):
        rows = [
            [
                values[t - lag, k]
                for lag in range(max_lag + 1)
                for k in range(d)
                if (k != node) or (own_past and lag > 0)
            ]
            + [1.0]
            for t in range(max_lag, n)
        ]
        target = values[max_lag:, node]
        residual = target - np.array(rows) @ np.linalg.lstsq(np.array(rows), target)[0]
        result.append(1 - residual @ residual / ((target - target.mean()) ** 2).sum())
    return np.array(result)


def slow_sortability(scores, summary):
    """Every pair of which one acts on the other by some simple path, and not back."""
    d = len(scores)

    def acts(i, j):
        others = [k for k in range(d) if k not in (i, j)]
        return any(
            all(summary[a, b] for a, b in itertools.pairwise((i, *middle, j)))
            for size in range(d - 1)
            for middle in itertools.permutations(others, size)
        )

    counted = [
        (scores[j] > scores[i]) + 0.5 * (scores[j] == scores[i])
        for i, j in itertools.permutations(range(d), 2)
        if acts(i, j) and not acts(j, i)
    ]
    return np.mean(counted) if counted else np.nan


def drawn(seed, source, d=5, feedback=True, n=150, probability=0.3):
    rng = np.random.default_rng(seed)
    graph = lagged_erdos_renyi(d, probability, 2, rng, feedback=feedback)
    return graph, source.draw(graph, rng).sample(n, rng)


@pytest.mark.parametrize("seed", range(6))
def test_sortabilities_equal_their_slow_twins(seed):
    graph, values = drawn(seed, SeriesUUMC(), d=4)
    for own_past in (True, False):
        r2 = slow_r2(values, 2, own_past)
        np.testing.assert_allclose(series_r2(values, 2, own_past), r2, atol=1e-9)
        result = series_r2_sortability(values, graph, own_past=own_past)
        assert result == pytest.approx(slow_sortability(r2, graph.summary), nan_ok=True)
    expected = slow_sortability(values.var(axis=0), graph.summary)
    assert series_var_sortability(values, graph) == pytest.approx(expected, nan_ok=True)
    assert series_var_sortability(values, graph.summary) == pytest.approx(expected, nan_ok=True)


def test_a_loop_has_no_pairs():
    links = np.zeros((2, 2, 2), dtype=bool)
    links[0, 0, 1] = links[1, 1, 0] = True
    values = np.random.default_rng(0).normal(size=(20, 2))
    assert len(series_pair_weights(LaggedGraph(links)).weight) == 0
    assert np.isnan(series_var_sortability(values, LaggedGraph(links)))
    with pytest.raises(ValueError, match="does not give the largest lag"):
        series_r2_sortability(values, links.any(axis=0))


def test_uumc_hides_the_order_from_variance_and_raw_series_do_not():
    # 60 systems of each. Sortabilities of UUMC scatter by 0.22, their mean by 0.028, so that one
    # of 1/2 is off by 0.14 once in 10^6; those of raw series average 0.955, with an error of 0.007.
    means = {}
    for source in (SeriesUUMC(), SeriesSCM()):
        pairs = (drawn(seed, source, 10, feedback=False, n=300) for seed in range(1000, 1060))
        means[source] = np.mean([series_var_sortability(x, graph) for graph, x in pairs])
    assert abs(means[SeriesUUMC()] - 0.5) < 0.14
    assert means[SeriesSCM()] > 0.9


def test_the_regression_within_a_step_is_that_for_independent_rows():
    graph, values = drawn(0, SeriesSCM(), d=4)
    design = lagged_design(Dataset.from_values(values, rows="series"), 1)
    allowed = np.zeros((2, 4, 4), dtype=bool)
    allowed[0] = np.triu(np.ones((4, 4)), 1)
    result = lagged_lasso(design, allowed, PATH_END)
    expected = sort_regress(design[:, :4], np.arange(4), PATH_END)
    np.testing.assert_allclose(result[0], expected, atol=1e-8)
    assert graph.n_nodes == 4


def test_granger_lasso_finds_lagged_links_and_their_lags():
    links = np.zeros((3, 3, 3), dtype=bool)
    links[1, 0, 1] = links[2, 1, 2] = links[1, 2, 2] = True
    rng = np.random.default_rng(0)
    model = SeriesSCM(weights=(0.6, 0.9)).draw(LaggedGraph(links), rng)
    data = Dataset.from_values(model.sample(2000, rng), rows="series")
    estimate = discover("granger-lasso", data, rng)
    assert np.array_equal(estimate.lagged.links, links)
    assert estimate.kind == "summary"
    turned = discover("granger-lasso", data.permute_columns([2, 0, 1]), rng)
    assert np.array_equal(turned.lagged.links, estimate.lagged.relabel([2, 0, 1]).links)


def test_sorting_orders_links_within_a_step():
    links = np.zeros((2, 3, 3), dtype=bool)
    links[0, 0, 1] = links[0, 1, 2] = links[1, 0, 0] = True
    rng = np.random.default_rng(0)
    model = SeriesSCM(weights=(1.5, 2.0)).draw(LaggedGraph(links), rng)
    data = Dataset.from_values(model.sample(2000, rng), rows="series")
    assert np.array_equal(
        discover("series-var-sortnregress", data, rng, max_lag=1).lagged.links, links
    )


def test_an_audit_of_a_series_names_what_gives_it_away():
    links = np.zeros((2, 6, 6), dtype=bool)
    links[0] = np.eye(6, k=1, dtype=bool)
    graph = LaggedGraph(links)
    rng = np.random.default_rng(0)
    model = SeriesSCM(weights=(1.5, 2.0)).draw(graph, rng)
    data = Dataset.from_values(model.sample(400, rng), rows="series")
    result = audit(data, graph, rng)
    assert result.verdict.kind == "gameable"
    assert "variance" in result.verdict.sentence
    assert {one.convention for one in result.sortabilities} == {"pairs"}
    assert result.sortabilities[0].value == 1.0
    assert np.isnan(result.sortabilities[0].interval).all()
    assert audit(data, graph.summary, np.random.default_rng(0), max_lag=1).n_edges == 5
    assert audit(data, None, rng).verdict.kind == "no-graph"
    with pytest.raises(ValueError, match='rows="series"'):
        audit(data.as_independent(), graph, rng)
