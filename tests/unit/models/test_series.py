"""Lagged graphs, vector autoregressions and where they come from."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import solve_discrete_lyapunov

from causalassay.graphs import LaggedGraph, lagged_erdos_renyi, summary_ancestors
from causalassay.models import (
    VAR,
    At,
    Do,
    NoStationarySystem,
    Randomize,
    SeriesISCM,
    SeriesSCM,
    SeriesStandardized,
    SeriesUUMC,
    Shift,
    draw,
    source,
)
from causalassay.models.series.sources import _log_variances, components
from causalassay.models.series.var import companion, reduced_form, solve_lyapunov
from strategies import rngs


@st.composite
def lagged_graphs(draw, max_nodes=5, max_lag=3):
    rng = draw(rngs())
    return lagged_erdos_renyi(
        draw(st.integers(1, max_nodes)),
        draw(st.floats(0, 1)),
        draw(st.integers(1, max_lag)),
        rng,
        draw(st.floats(0, 1)),
        draw(st.booleans()),
    )


def iterated_covariance(model, n_steps=6000):
    """Var X(t) by brute force: the covariance of the state moved step by step from 0."""
    d, n_lags = model.n_nodes, model.max_lag
    past = np.zeros((n_lags * d, n_lags * d))
    for _ in range(n_steps):
        # Built row by row from the structural equations, within a step in causal order.
        joint = np.zeros(((n_lags + 1) * d,) * 2)
        joint[d:, d:] = past
        done = []
        while len(done) < d:
            for node in set(range(d)) - set(done):
                if not set(np.flatnonzero(model.coefficients[0, :, node])) <= set(done):
                    continue
                weights = model.coefficients[:, :, node].ravel()
                joint[node] = weights @ joint
                joint[:, node] = joint[node]
                joint[node, node] = joint[node] @ weights + model.noise_variance[node]
                done.append(node)
        if np.abs(joint[: n_lags * d, : n_lags * d] - past).max() < 1e-13:
            break
        past = joint[: n_lags * d, : n_lags * d]
    return joint


@given(lagged_graphs(max_nodes=3, max_lag=2), rngs())
@settings(max_examples=10, deadline=None)
def test_the_stationary_covariance_is_the_limit_of_the_recursion(graph, rng):
    model = SeriesSCM(radius=0.7).draw(graph, rng)
    found, d = iterated_covariance(model), model.n_nodes
    for lag in range(model.max_lag + 1):
        expected = found[lag * d : (lag + 1) * d, :d]
        scale = np.abs(found).max()
        np.testing.assert_allclose(model.stationary_covariance(lag), expected, atol=1e-9 * scale)


@given(lagged_graphs(), rngs())
@settings(max_examples=25, deadline=None)
def test_doubling_solves_the_lyapunov_equation(graph, rng):
    transition, mixing = reduced_form(SeriesSCM().draw(graph, rng).coefficients)
    matrix = companion(transition)
    shocks = np.zeros_like(matrix)
    shocks[: len(mixing), : len(mixing)] = mixing @ mixing.T
    expected = solve_discrete_lyapunov(matrix, shocks)
    found = solve_lyapunov(matrix, shocks)
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-8 * np.abs(expected).max())


@given(lagged_graphs(max_nodes=6), rngs())
@settings(max_examples=60, deadline=None)
def test_uumc_has_unit_variances_on_its_graph_with_and_without_feedback(graph, rng):
    model = SeriesUUMC().draw(graph, rng)
    assert model.is_stationary
    np.testing.assert_allclose(model.stationary_covariance().diagonal(), 1.0, atol=1e-9)
    assert (model.noise_variance <= 1 + 1e-9).all()
    assert np.array_equal(model.graph.links, graph.links)


def test_of_a_hundred_components_hardly_one_is_rejected():
    # Measured: 1 of 2609 components was rejected over 700 systems of 5 to 20 nodes.
    rejected = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        graph = lagged_erdos_renyi(5, 0.5, 2, rng)
        rejected += SeriesUUMC().draw_counted(graph, rng)[1]
    assert rejected <= 2


@given(lagged_graphs(max_nodes=4), rngs())
@settings(max_examples=15, deadline=None)
def test_the_derivatives_of_the_variances_are_those_of_differences(graph, rng):
    model = SeriesSCM(radius=0.6).draw(graph, rng)
    sd, nodes = np.sqrt(model.noise_variance), np.arange(graph.n_nodes)
    theta = np.full(graph.n_nodes, -0.5)
    found = _log_variances(model.coefficients, sd, nodes, theta)
    for k in nodes:
        step = np.where(nodes == k, 1e-6, 0.0)
        high, low = (
            _log_variances(model.coefficients, sd, nodes, theta + sign * step)[0]
            for sign in (1, -1)
        )
        np.testing.assert_allclose(found[1][:, k], (high - low) / 2e-6, atol=1e-5)


def test_the_first_row_is_stationary_already():
    # 4000 replicates: the standard error of a variance of 1 is 0.022; 5 of them fail once in 10^6.
    rng = np.random.default_rng(0)
    model = SeriesUUMC().draw(lagged_erdos_renyi(3, 0.7, 2, rng), rng)
    first = np.array([model.sample(2, rng) for _ in range(4000)])
    np.testing.assert_allclose(first[:, 0].var(axis=0), 1.0, atol=5 * np.sqrt(2 / 4000))
    lagged = first[:, 0].T @ first[:, 1] / 4000
    np.testing.assert_allclose(lagged, model.stationary_covariance(1), atol=5 * np.sqrt(2 / 4000))


def test_long_samples_have_the_stationary_moments():
    rng = np.random.default_rng(1)
    model = SeriesStandardized(radius=0.5).draw(lagged_erdos_renyi(4, 0.6, 2, rng), rng)
    values = model.sample(200_000, rng)
    # Errors of about sqrt((1 + r)/(1 - r)/n) with r up to 0.5 at most: 0.004; 6 of them.
    for lag in range(4):
        found = values[: len(values) - lag].T @ values[lag:] / len(values)
        np.testing.assert_allclose(found, model.stationary_covariance(lag), atol=0.025)


@pytest.mark.parametrize(
    "intervention",
    [
        (Do(0, 2.0),),
        (At(Do(1, 2.0), 2, 5),),
        (At(Shift(0, 1.0), 1), At(Do(2, -1.0), 0, 3), At(Do(2, 3.0), 4, 6)),
        (Shift(2, 0.5), At(Randomize(1, 1.0, 4.0), 3, 6)),
    ],
)
def test_the_mean_path_is_that_of_many_samples(intervention):
    rng = np.random.default_rng(2)
    model = SeriesUUMC().draw(lagged_erdos_renyi(3, 0.8, 2, rng), rng)
    paths = np.array([model.sample(8, rng, intervention) for _ in range(4000)])
    expected = model.mean_path(8, intervention)
    # 24 means, each off by more than 5 standard errors once in 10^6.
    error = 5 * paths.std(axis=0) / np.sqrt(len(paths)) + 1e-9
    assert (np.abs(paths.mean(axis=0) - expected) <= error).all()


def test_an_intervention_leaves_what_it_does_not_reach():
    links = np.zeros((2, 3, 3), dtype=bool)
    links[1, 0, 1] = links[1, 0, 0] = links[0, 2, 1] = True
    model = SeriesSCM().draw(LaggedGraph(links), np.random.default_rng(0))
    plain, acted = (
        model.sample(20, np.random.default_rng(1), done) for done in ((), (At(Do(0, 9.0), 5, 10),))
    )
    assert np.array_equal(plain[:, 2], acted[:, 2])
    assert np.array_equal(plain[:5], acted[:5])
    assert (acted[5:10, 0] == 9).all()
    assert not np.isclose(plain[6:, 1], acted[6:, 1]).any()


def test_all_times_include_those_before_the_first_row():
    model = VAR([[[0.0]], [[0.9]]], 1.0)
    assert model.mean_path(3, (Shift(0, 1.0),)).ravel() == pytest.approx([10.0] * 3)
    assert model.mean_path(3, (At(Shift(0, 1.0)),)).ravel() == pytest.approx([1.0, 1.9, 2.71])


@pytest.mark.parametrize(
    ("intervention", "told"),
    [
        ((At(Do(0, 1.0), 0, 5), At(Do(0, 2.0), 4)), "disjoint"),
        ((Do(0, 1.0), At(Shift(0, 2.0), 4)), "disjoint"),
        ((At(Do(7, 1.0)),), "nodes are 0 to 1"),
        ((Do(0, 1.0, "latent"),), "no latent scale"),
        (At(Do(0, 1.0)), "expected a tuple"),
    ],
)
def test_impossible_interventions_are_refused(intervention, told):
    with pytest.raises((ValueError, TypeError), match=told):
        VAR(np.zeros((2, 2, 2)), 1.0).sample(10, np.random.default_rng(0), intervention)


def test_an_intervention_that_breaks_a_stabilising_feedback_is_refused():
    coefficients = np.zeros((2, 2, 2))
    coefficients[1, 0, 0], coefficients[1, 1, 0], coefficients[1, 0, 1] = 1.1, -0.5, 0.5
    model = VAR(coefficients, 1.0)
    assert model.is_stationary
    with pytest.raises(ValueError, match="limit it with At"):
        model.sample(10, np.random.default_rng(0), (Do(1, 0.0),))
    assert model.mean_path(3, (At(Do(1, 1.0), 0, 2),)).shape == (3, 2)


@given(lagged_graphs())
@settings(max_examples=50, deadline=None)
def test_summary_ancestors_are_reached_by_powers_of_the_matrix(graph):
    steps = graph.summary.astype(int)
    reach = sum(np.linalg.matrix_power(steps, k) for k in range(1, graph.n_nodes + 1)) > 0
    np.fill_diagonal(reach, False)
    assert np.array_equal(reach, graph.summary_ancestors())
    parts = components(graph.summary)
    assert sorted(np.concatenate(parts)) == list(range(graph.n_nodes))
    for k, part in enumerate(parts):
        later = np.concatenate(parts[k:])
        earlier = np.setdiff1d(np.arange(graph.n_nodes), later)
        assert not reach[np.ix_(part, earlier)].any()
        assert all(reach[i, j] for i in part for j in part if i != j)


def test_summary_links_have_the_stated_probability():
    # 2000 graphs, 20 ordered pairs: 6 standard errors of the mean share of pairs.
    rng = np.random.default_rng(0)
    graphs = [lagged_erdos_renyi(5, 0.3, 2, rng, feedback=False) for _ in range(2000)]
    share = np.mean([graph.summary.sum() / 10 for graph in graphs])
    assert abs(share - 0.3) < 6 * np.sqrt(0.21 / 20_000)
    own = np.mean([graph.self_links.mean() for graph in graphs])
    assert abs(own - 0.8) < 6 * np.sqrt(0.16 / 10_000)
    assert not any(graph.has_feedback for graph in graphs)
    counted = np.mean(
        [
            graph.links[:, *np.nonzero(graph.summary)].mean(axis=1)
            for graph in graphs
            if graph.summary.any()
        ],
        axis=0,
    )
    np.testing.assert_allclose(counted, counted.mean(), atol=0.03)  # the same at every lag


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda a: a.astype(int), "bool"),
        (lambda a: a[0], "shape"),
        (lambda a: a | np.eye(3, dtype=bool), "acts on itself at lag 0"),
        (lambda a: a | True ^ np.eye(3, dtype=bool), "cycle"),
    ],
)
def test_what_is_no_lagged_graph_is_refused(change, told):
    with pytest.raises((ValueError, TypeError), match=told):
        LaggedGraph(change(np.zeros((2, 3, 3), dtype=bool)))


def test_a_single_lagged_link_has_the_correlation_that_uumc_draws():
    # Without memory r is uniform on (-1, 1) and is the correlation with the cause a step before.
    links = np.zeros((2, 2, 2), dtype=bool)
    links[1, 0, 1] = True
    graph = LaggedGraph(links)
    rng = np.random.default_rng(0)
    drawn = [SeriesUUMC().draw(graph, rng) for _ in range(400)]
    effect = np.array([model.coefficients[1, 0, 1] for model in drawn])
    lagged = np.array([model.stationary_covariance(1)[0, 1] for model in drawn])
    np.testing.assert_allclose(effect, lagged, atol=1e-12)
    # Kolmogorov and Smirnov's distance of 400 uniform draws exceeds 0.12 once in 10^5.
    empirical = (np.arange(400) + 0.5) / 400
    assert np.abs(np.sort((effect + 1) / 2) - empirical).max() < 0.12


def test_memory_is_a_power_of_a_uniform_draw():
    # alpha^f with f ~ F(100, 100), whose law is near 1: within 0.12 of uniform in 400 draws.
    links = np.ones((2, 1, 1), dtype=bool)
    links[0] = False
    rng = np.random.default_rng(0)
    total = [SeriesUUMC().draw(LaggedGraph(links), rng).coefficients.sum() for _ in range(400)]
    assert np.abs(np.sort(total) - (np.arange(400) + 0.5) / 400).max() < 0.12


def test_standardising_keeps_the_links_and_the_correlations():
    rng = np.random.default_rng(0)
    graph = lagged_erdos_renyi(5, 0.5, 2, rng)
    raw = SeriesSCM().draw(graph, np.random.default_rng(1))
    done = SeriesStandardized().draw(graph, np.random.default_rng(1))
    covariance = raw.stationary_covariance(1)
    sd = np.sqrt(raw.stationary_covariance().diagonal())
    np.testing.assert_allclose(done.stationary_covariance(1), covariance / np.outer(sd, sd))
    assert np.array_equal(done.graph.links, graph.links)


def test_internal_standardisation_needs_an_order():
    rng = np.random.default_rng(0)
    graph = lagged_erdos_renyi(5, 0.9, 2, rng)
    with pytest.raises(ValueError, match="feedback=False"):
        SeriesISCM().draw(graph, rng)
    graph = lagged_erdos_renyi(5, 0.9, 2, rng, feedback=False)
    model = SeriesISCM().draw(graph, rng)
    np.testing.assert_allclose(model.stationary_covariance().diagonal(), 1.0, atol=1e-9)


def test_sources_are_found_by_name_and_refuse_other_graphs():
    assert source("uumc", mechanism="var") == SeriesUUMC()
    rng = np.random.default_rng(0)
    with pytest.raises(TypeError, match="LaggedGraph"):
        draw("uumc", np.zeros((2, 2), dtype=bool), rng, mechanism="var")
    with pytest.raises(TypeError, match="LaggedGraph"):
        draw("uumc", lagged_erdos_renyi(3, 0.5, 1, rng), rng)


def test_a_graph_that_admits_no_system_is_given_up_with_the_way_out(monkeypatch):
    monkeypatch.setattr("causalassay.models.series.sources.unit_scales", lambda *_: None)
    rng = np.random.default_rng(0)
    with pytest.raises(NoStationarySystem, match=r"3 draws were rejected .* fewer links"):
        SeriesUUMC(most_attempts=3).draw(lagged_erdos_renyi(3, 0.5, 1, rng), rng)


def test_series_that_explode_are_not_sampled():
    with pytest.raises(ValueError, match="not stationary"):
        VAR([[[0.0]], [[1.0]]], 1.0).sample(5, np.random.default_rng(0))


def test_summary_ancestors_may_have_cycles():
    ring = np.roll(np.eye(4, dtype=bool), 1, axis=1)
    assert summary_ancestors(ring).sum() == 12
