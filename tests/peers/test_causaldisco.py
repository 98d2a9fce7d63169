"""Sortabilities and SortnRegress against CausalDisco 0.2.4, whose tie tolerance is 0."""

import numpy as np
import pytest
from CausalDisco import analytics, baselines

from causalassay.diagnostics import (
    cause_explained_variance,
    r2,
    r2_sortability,
    relatives_sortability,
    snr_sortability,
    var_sortability,
)
from causalassay.discovery import discover
from causalassay.discovery.regression.lasso_along_order import sort_regress
from causalassay.graphs import erdos_renyi, reachability


def problem(d, n, edges_per_node, rng):
    """A raw linear model with weights ±(0.5, 2): values, graph, weights."""
    graph = erdos_renyi(d, min(edges_per_node, (d - 1) / 2), rng)
    weights = graph * rng.uniform(0.5, 2, graph.shape) * rng.choice([-1, 1], graph.shape)
    noise = rng.normal(size=(n, d)) * rng.uniform(0.5, 2, d)
    return noise @ np.linalg.inv(np.eye(d) - weights), graph, weights


def some_problem(seed):
    rng = np.random.default_rng(seed)
    d, n = int(rng.integers(5, 31)), int(rng.choice([100, 300, 1000]))
    return problem(d, n, float(rng.choice([1, 2, 4])), rng)


def standardise(values):
    return (values - values.mean(axis=0)) / values.std(axis=0)


def has_close_pair(scores, graph):
    """Whether some ancestor pair differs by less than a hundred tolerances."""
    cause, effect = np.nonzero(reachability(graph))
    gap = np.abs(scores[effect] - scores[cause])
    return (gap <= 1e-7 * np.maximum(np.abs(scores[effect]), np.abs(scores[cause]))).any()


@pytest.mark.parametrize("seed", range(30))
def test_sortabilities_are_equal(seed):
    values, graph, weights = some_problem(seed)
    measures = {"paths": ("paths", weights), "edges": ("adjacent_pairs", graph.astype(float))}
    for ours, theirs, scores in (
        (var_sortability, analytics.var_sortability, values.var(axis=0)),
        (r2_sortability, analytics.r2_sortability, r2(values)),
        (snr_sortability, analytics.snr_sortability, cause_explained_variance(values, graph)),
    ):
        assert not has_close_pair(scores, graph)
        for convention, (measure, matrix) in measures.items():
            expected = theirs(values, matrix, measure=measure)
            assert expected == pytest.approx(ours(values, graph, convention), abs=1e-12)
    expected = analytics.relatives_sortability(values, weights)
    assert expected == pytest.approx(relatives_sortability(values, graph), abs=1e-12)


@pytest.mark.parametrize("seed", range(50))
def test_sort_and_regress_is_equal_on_raw_data(seed):
    values, _, _ = some_problem(seed)
    rng = np.random.default_rng(seed)
    for name, theirs in (
        ("var-sortnregress", baselines.var_sort_regress),
        ("r2-sortnregress", baselines.r2_sort_regress),
    ):
        check_equal(theirs(values), discover(name, values, rng).weights, values)


@pytest.mark.parametrize("seed", range(50))
def test_sort_and_regress_is_equal_on_standardised_data(seed):
    values = standardise(some_problem(seed)[0])
    rng = np.random.default_rng(seed)
    check_equal(
        baselines.r2_sort_regress(values), discover("r2-sortnregress", values, rng).weights, values
    )
    # All variances tie, which we settle at random, so a given order takes their place.
    scores = rng.permutation(values.shape[1])
    theirs = baselines.sort_regress(values, scores)
    check_equal(theirs, sort_regress(values, np.argsort(scores)), values)


def check_equal(theirs, ours, values):
    """Same support, and the same coefficients once all variables have variance 1."""
    sd = values.std(axis=0)
    np.testing.assert_array_equal(theirs != 0, ours != 0)
    np.testing.assert_allclose(
        ours * sd[:, None] / sd, theirs * sd[:, None] / sd, rtol=0, atol=1e-8
    )
