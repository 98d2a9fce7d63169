"""GOLEM against finite differences and a plain transcription on the data."""

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.optimize import approx_fprime

from causalassay.contracts import NotApplicable
from causalassay.discovery import discover
from causalassay.discovery.golem import GolemEV, GolemNV, golem_loss
from causalassay.graphs import erdos_renyi, threshold
from causalassay.metrics import f1
from causalassay.models import draw


def problem(d, seed, n=1000):
    rng = np.random.default_rng(seed)
    graph = erdos_renyi(d, min(2, (d - 1) / 2), rng)
    return graph, draw("scm", graph, rng).sample(n, rng)


def standardise(values):
    return (values - values.mean(axis=0)) / values.std(axis=0)


def covariance_of(values):
    return np.atleast_2d(np.cov(values.T, bias=True))


def plain_loss(x, weights, variant, lambda1, lambda2):
    """As the authors write it, on centred data."""
    d = len(weights)
    residual = x - x @ weights
    if variant == "ev":
        likelihood = d / 2 * np.log(np.linalg.norm(residual) ** 2)
    else:
        likelihood = np.log(np.square(residual).sum(axis=0)).sum() / 2
    log_determinant = np.linalg.slogdet(np.eye(d) - weights)[1]
    h = np.trace(expm(weights * weights)) - d
    return likelihood - log_determinant + lambda1 * np.abs(weights).sum() + lambda2 * h


def plain_gradient(x, weights, variant, lambda1, lambda2):
    d = len(weights)
    residual = x - x @ weights
    square = np.square(residual).sum(axis=0)
    scale = square.sum() / d if variant == "ev" else square
    return (
        -x.T @ residual / scale
        + np.linalg.inv(np.eye(d) - weights).T
        + lambda1 * np.sign(weights)
        + 2 * lambda2 * expm(weights * weights).T * weights
    )


def plain_golem(values, variant, lambda1, lambda2, steps):
    """Adam with its bias corrections, as in TensorFlow."""
    x = values - values.mean(axis=0)
    d = x.shape[1]
    weights, mean, square = np.zeros((d, d)), np.zeros((d, d)), np.zeros((d, d))
    for t in range(1, steps + 1):
        gradient = plain_gradient(x, weights, variant, lambda1, lambda2)
        np.fill_diagonal(gradient, 0)
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.999 * square + 0.001 * gradient**2
        rate = 1e-3 * np.sqrt(1 - 0.999**t) / (1 - 0.9**t)
        weights = weights - rate * mean / (np.sqrt(square) + 1e-8)
    return weights


@pytest.mark.parametrize("variant", ["ev", "nv"])
@pytest.mark.parametrize("d", [1, 2, 5, 12])
def test_loss_is_that_on_the_data(variant, d):
    _, values = problem(d, d)
    x = values - values.mean(axis=0)
    weights = np.random.default_rng(d).normal(size=(d, d)) * 0.4
    loss, gradient = golem_loss(weights, covariance_of(values), 1000, variant, 0.02, 5.0)
    assert plain_loss(x, weights, variant, 0.02, 5.0) == pytest.approx(loss, rel=1e-10)
    np.testing.assert_allclose(
        gradient, plain_gradient(x, weights, variant, 0.02, 5.0), rtol=1e-8, atol=1e-8
    )


@pytest.mark.parametrize("variant", ["ev", "nv"])
@pytest.mark.parametrize("penalties", [(0.0, 0.0), (0.3, 0.0), (0.0, 2.0), (0.02, 5.0)])
def test_gradient_agrees_with_finite_differences(variant, penalties):
    covariance = covariance_of(problem(4, 1)[1])
    weights = np.random.default_rng(2).normal(size=(4, 4)) * 0.5

    def loss(flat):
        return golem_loss(flat.reshape(4, 4), covariance, 1000, variant, *penalties)[0]

    _, gradient = golem_loss(weights, covariance, 1000, variant, *penalties)
    differences = approx_fprime(weights.ravel(), loss, 1e-7)
    np.testing.assert_allclose(gradient.ravel(), differences, rtol=1e-4, atol=1e-4)


def test_first_step_is_symmetric_for_equal_variances():
    # Reisach et al. (2021), section 3.4: proportional to the covariance.
    covariance = covariance_of(problem(5, 0)[1])
    _, gradient = golem_loss(np.zeros((5, 5)), covariance, 1000, "ev")
    expected = np.eye(5) - 5 * covariance / np.trace(covariance)
    np.testing.assert_allclose(gradient, expected, atol=1e-12)


def test_first_step_favours_low_variances_for_any_variances():
    # Column j is divided by the variance of j.
    covariance = covariance_of(problem(5, 0)[1])
    _, gradient = golem_loss(np.zeros((5, 5)), covariance, 1000, "nv")
    np.testing.assert_allclose(gradient, np.eye(5) - covariance / np.diag(covariance), atol=1e-12)
    low, high = np.argsort(np.diag(covariance))[[0, -1]]
    assert abs(gradient[high, low]) > abs(gradient[low, high])


def test_penalties_do_not_act_on_the_first_step():
    covariance = covariance_of(problem(3, 0)[1])
    bare = golem_loss(np.zeros((3, 3)), covariance, 1000, "ev")
    penalised = golem_loss(np.zeros((3, 3)), covariance, 1000, "ev", 0.5, 5.0)
    assert bare[0] == penalised[0]
    np.testing.assert_array_equal(bare[1], penalised[1])


@pytest.mark.parametrize("variant", ["ev", "nv"])
def test_weights_are_those_of_the_transcription(variant):
    _, values = problem(5, 3)
    estimate = discover(f"golem-{variant}", values, np.random.default_rng(0), steps=400)
    expected = plain_golem(values, variant, {"ev": 2e-2, "nv": 2e-3}[variant], 5.0, 400)
    np.testing.assert_allclose(estimate.weights, expected, atol=1e-6)
    assert estimate.info["steps"] == 400


def test_start_from_equal_variances_is_two_runs_in_turn():
    _, values = problem(5, 3)
    x = values - values.mean(axis=0)
    estimate = discover("golem-nv", values, np.random.default_rng(0), steps=1, start="ev")
    first = discover("golem-ev", values, np.random.default_rng(0), steps=1).weights
    slope = plain_gradient(x, first, "nv", 2e-3, 5.0)
    np.fill_diagonal(slope, 0)
    # The first step of Adam has the length of the learning rate.
    np.testing.assert_allclose(estimate.weights, first - 1e-3 * np.sign(slope), atol=1e-6)


def test_equal_variances_live_on_growing_variances():
    raw, standardised = [], []
    for seed in range(5):
        graph, values = problem(10, seed)
        for scores, array in ((raw, values), (standardised, standardise(values))):
            estimate = discover("golem-ev", array, np.random.default_rng(0))
            scores.append(f1(graph, estimate.graph))
    assert min(raw) > 0.8
    assert max(standardised) < 0.6
    assert np.median(standardised) < np.median(raw) - 0.4


def test_any_variances_need_a_start_from_equal_ones():
    scores = {"zero": [], "ev": []}
    for seed in range(5):
        graph, values = problem(10, seed)
        for start, some in scores.items():
            estimate = discover("golem-nv", values, np.random.default_rng(0), start=start)
            some.append(f1(graph, estimate.graph))
    assert min(scores["ev"]) > 0.8
    assert np.median(scores["zero"]) < 0.6


def test_estimate_says_how_it_was_found():
    _, values = problem(6, 0)
    estimate = discover("golem-ev", values, np.random.default_rng(0))
    loss, _ = golem_loss(estimate.weights, covariance_of(values), 1000, "ev", 2e-2, 5.0)
    assert loss == pytest.approx(estimate.info["loss"], rel=1e-10)
    assert estimate.info["converged"]
    assert abs(estimate.info["change"]) <= 1e-3
    assert 0 < estimate.info["h"] < 0.1
    assert not estimate.weights.diagonal().any()
    short = discover("golem-ev", values, np.random.default_rng(0), steps=20)
    assert not short.info["converged"]


def test_weights_up_to_the_threshold_make_no_edge():
    _, values = problem(5, 0)
    weights = discover("golem-ev", values, np.random.default_rng(0)).weights
    at = float(np.sort(np.abs(weights), axis=None)[-3])
    estimate = discover("golem-ev", values, np.random.default_rng(0), threshold=at)
    assert threshold(weights, at).sum() == 3
    assert estimate.graph.sum() == 2


@pytest.mark.parametrize("made", [GolemEV, GolemNV])
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"lambda1": -1.0}, "lambda1: expected a finite number >= 0, got -1"),
        ({"lambda2": np.inf}, "lambda2: expected"),
        ({"threshold": -0.1}, "threshold: expected"),
        ({"learning_rate": 0.0}, "learning_rate: expected a finite number > 0"),
        ({"steps": 0}, "steps: expected at least 1, got 0"),
    ],
)
def test_bad_settings_are_refused(made, settings, message):
    with pytest.raises(ValueError, match=message):
        made(**settings)


def test_bad_start_is_refused():
    with pytest.raises(ValueError, match="start: expected 'zero' or 'ev', got 'one'"):
        GolemNV(start="one")


def test_bad_arguments_of_the_loss_are_refused():
    with pytest.raises(ValueError, match="variant: expected 'ev' or 'nv'"):
        golem_loss(np.zeros((2, 2)), np.eye(2), 10, "eq")
    with pytest.raises(ValueError, match="covariance: expected the shape of the weights"):
        golem_loss(np.zeros((2, 2)), np.eye(3), 10, "ev")


@pytest.mark.parametrize("name", ["golem-ev", "golem-nv"])
def test_data_that_leave_the_likelihood_unbounded_are_refused(name):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(50, 3))
    twice = np.c_[values, values[:, 0] - values[:, 2]]
    with pytest.raises(NotApplicable, match="likelihood has no bound"):
        discover(name, twice, rng)


def test_loss_past_double_precision_is_refused():
    with pytest.raises(NotApplicable, match="range of double precision"):
        discover("golem-ev", problem(4, 0)[1], np.random.default_rng(0), learning_rate=1e6)
