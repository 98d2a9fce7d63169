"""The model of fixed functions and additive noise, by hand."""

import numpy as np
import pytest

from causalassay.graphs import chain
from causalassay.models import AdditiveNoiseSCM, Do, LinearSCM, Randomize, Shift


def square(parents):
    return parents[:, 0] ** 2


def product(parents):
    return parents[:, 0] * parents[:, 1]


@pytest.fixture
def model():
    """0→1, (0, 1)→2: x1 = 1 + x0² + 2 e1, x2 = 3 x0 x1 + e2."""
    graph = np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]], dtype=bool)
    return AdditiveNoiseSCM(
        graph, [None, square, product], [1, 4, 1], [0, 1, 0], signal_scale=[1, 1, 3]
    )


NOISE = np.array([[2.0, 0.5, -1.0], [-1.0, 0.0, 0.25]])


def test_the_equations_are_solved_in_order(model):
    expected = [[2, 6, 35], [-1, 2, -5.75]]
    np.testing.assert_allclose(expected, model.respond(NOISE))


def test_parents_come_by_their_number_whatever_the_order_of_causes():
    graph = np.array([[0, 0, 0], [1, 0, 0], [1, 0, 0]], dtype=bool)

    def difference(parents):
        return parents[:, 1] - 10 * parents[:, 0]

    model = AdditiveNoiseSCM(graph, [difference, None, None])
    np.testing.assert_allclose([[0.0 + 3 - 20, 2, 3]], model.respond(np.array([[0.0, 2.0, 3.0]])))


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        (Do(1, 5.0), [[2, 5, 29], [-1, 5, -14.75]]),
        (Shift(1, -1.0), [[2, 5, 29], [-1, 1, -2.75]]),
        (Randomize(1, mean=3.0, variance=9.0), [[2, 4.5, 26], [-1, 3, -8.75]]),
        (Do(2, 7.0), [[2, 6, 7], [-1, 2, 7]]),
    ],
)
def test_interventions_by_hand(model, action, expected):
    np.testing.assert_allclose(expected, model.under((action,)).respond(NOISE))


def test_do_and_randomize_cut_the_graph_and_shift_does_not(model):
    assert 1 == model.under((Do(2, 1.0),)).graph.sum()
    assert 2 == model.under((Randomize(1, 0.0, 1.0),)).graph.sum()
    np.testing.assert_array_equal(model.graph, model.under((Shift(1, 1.0),)).graph)
    assert model is model.under(())


def test_latent_interventions_are_put_on_the_observed_scale(model):
    """As for linear models: observed = (latent - mean) / sd."""
    latent = model.standardized([1, 2, 3], [2, 4, 5])
    for on_latent, on_observed in [
        (Do(1, 10.0, "latent"), Do(1, 2.0)),
        (Shift(1, 2.0, "latent"), Shift(1, 0.5)),
        (Randomize(2, 13.0, 50.0, "latent"), Randomize(2, 2.0, 2.0)),
    ]:
        one, two = (latent.under((action,)).respond(NOISE) for action in (on_latent, on_observed))
        np.testing.assert_allclose(one, two)


def test_standardising_rescales_every_response_also_under_interventions(model):
    mean, sd = np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 5.0])
    scaled = model.standardized(mean, sd)
    np.testing.assert_allclose((model.respond(NOISE) - mean) / sd, scaled.respond(NOISE))
    do, latent = (Do(0, 1.5),), (Do(0, 1.5, "latent"),)
    np.testing.assert_allclose(
        (model.under(do).respond(NOISE) - mean) / sd, scaled.under(latent).respond(NOISE)
    )


def test_standardising_twice_is_standardising_once(model):
    twice = model.standardized([1, 2, 3], [2, 4, 5]).standardized([0.5, -1, 0], [3, 1, 2])
    once = model.standardized([2, -2, 3], [6, 4, 10])
    np.testing.assert_allclose(once.respond(NOISE), twice.respond(NOISE))


def test_linear_functions_make_a_linear_model():
    linear = LinearSCM([[0, 2.0, 0], [0, 0, -1.0], [0, 0, 0]], [1, 2, 3], [1, 0, -1], "laplace")
    additive = AdditiveNoiseSCM(
        chain(3),
        [None, lambda x: 2 * x[:, 0], lambda x: -x[:, 0]],
        [1, 2, 3],
        [1, 0, -1],
        "laplace",
    )
    for intervention in [(), (Do(0, 2.0), Shift(2, 1.0)), (Randomize(1, 1.0, 4.0),)]:
        one, two = (
            m.sample(50, np.random.default_rng(0), intervention) for m in (linear, additive)
        )
        np.testing.assert_allclose(one, two, rtol=1e-12, atol=1e-12)


def test_a_constant_array_of_the_caller_is_left_alone():
    graph = chain(2)
    model = AdditiveNoiseSCM(graph, [None, square])
    graph[0, 1] = False
    assert model.graph[0, 1]
    with pytest.raises(ValueError, match="read-only"):
        model.graph[0, 1] = False
    noise = NOISE[:, :2].copy()
    model.respond(noise)
    np.testing.assert_array_equal(NOISE[:, :2], noise)


def test_there_are_no_moments_to_be_had(model):
    assert not hasattr(model, "covariance")
    assert not hasattr(model, "mean")


def test_a_notebook_shows_the_graph(model):
    assert "<svg" in model._repr_html_()
    assert "AdditiveNoiseSCM(3 nodes, 3 edges, gaussian noise)" == repr(model)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: AdditiveNoiseSCM(chain(2), [None]), "functions: expected 2, one per node; got 1"),
        (lambda: AdditiveNoiseSCM(chain(2), [None, None]), "node 1 has parents"),
        (lambda: AdditiveNoiseSCM(chain(2), [square, square]), "node 0 has no parents"),
        (lambda: AdditiveNoiseSCM(chain(2), [None, 3.0]), "node 1 has a float"),
        (lambda: AdditiveNoiseSCM(chain(2), [None, square], -1.0), "no negative"),
        (lambda: AdditiveNoiseSCM(chain(2), [None, square], latent_sd=0.0), "latent_sd"),
        (lambda: AdditiveNoiseSCM(chain(2), [None, square], input_sd=-1.0), "input_sd"),
        (lambda: AdditiveNoiseSCM(chain(2), [None, square], [1.0, 2.0, 3.0]), "noise_variance"),
        (lambda: AdditiveNoiseSCM(np.full((2, 2), 0.5), [None, square]), "bool array"),
        (
            lambda: AdditiveNoiseSCM(chain(2), [None, lambda x: x]).respond(NOISE[:, :2]),
            r"node 1 returned shape \(2, 1\); expected \(2,\)",
        ),
        (
            lambda: AdditiveNoiseSCM(chain(2), [None, square]).sample(0, np.random.default_rng(0)),
            "n_samples",
        ),
        (lambda: AdditiveNoiseSCM(chain(2), [None, square]).under(Do(0, 1.0)), "tuple"),
    ],
)
def test_nonsense_is_refused(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()
