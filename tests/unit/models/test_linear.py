import numpy as np
import pytest

from causalassay.graphs import chain
from causalassay.models import SCM, Do, LinearSCM, Noise, Randomize, Shift


@pytest.fixture
def diamond():
    """0→1 (2), 0→2 (-1), 1→3 (1), 2→3 (3)."""
    weights = np.zeros((4, 4))
    weights[0, 1], weights[0, 2], weights[1, 3], weights[2, 3] = 2, -1, 1, 3
    return LinearSCM(weights, [1, 2, 3, 4], [1, 0, 0, -1])


def test_mean_follows_the_paths(diamond):
    np.testing.assert_allclose([1, 2, -1, -2], diamond.mean())


def test_covariance_matches_hand_computation(diamond):
    # X3 = (2 - 3) X0 + e1 + 3 e2 + e3
    np.testing.assert_allclose([-1, 0, 10, 34], diamond.covariance()[3], atol=1e-12)


def test_total_effects_sum_products_over_directed_paths(diamond):
    np.testing.assert_allclose(-1.0, diamond.total_effects()[0, 3])


def test_do_cuts_causes_and_noise(diamond):
    intervention = (Do(1, 7.0),)
    np.testing.assert_allclose([1, 7, -1, 7 - 3 - 1], diamond.mean(intervention))
    assert 0 == diamond.covariance(intervention)[1, 1]
    assert 0 == diamond.covariance(intervention)[0, 1]


def test_shift_keeps_the_covariance(diamond):
    intervention = (Shift(2, by=10.0),)
    np.testing.assert_allclose([1, 2, 9, -2 + 30], diamond.mean(intervention))
    np.testing.assert_allclose(diamond.covariance(), diamond.covariance(intervention))


def test_several_actions_at_once(diamond):
    intervention = (Randomize(1, mean=0.0, variance=9.0), Do(2, 0.0), Shift(3, 1.0))
    np.testing.assert_allclose([1, 0, 0, 0], diamond.mean(intervention))
    np.testing.assert_allclose([1, 9, 0, 13], np.diag(diamond.covariance(intervention)))


def test_r2_of_a_chain_matches_the_regression_on_all_others():
    model = LinearSCM([[0, 1.5, 0], [0, 0, -0.7], [0, 0, 0]], [1, 2, 0.5])
    covariance = model.covariance()
    expected = 1 - 1 / (np.diag(covariance) * np.diag(np.linalg.inv(covariance)))
    np.testing.assert_allclose(expected, model.r2())


def test_r2_is_one_beside_a_deterministic_child():
    model = LinearSCM([[0, 2.0], [0, 0]], [1.0, 0.0])
    np.testing.assert_array_equal([1.0, 1.0], model.r2())


def test_a_constant_node_has_no_share_of_explained_variance():
    model = LinearSCM([[0, 2.0], [0, 0]], 1.0).under((Do(0, 1.0),))
    assert np.isnan(model.r2()[0])
    assert np.isnan(model.cause_explained_variance()[0])


def test_latent_actions_use_the_observational_standardisation():
    model = LinearSCM([[0, 1.0], [0, 0]], 1.0, latent_mean=[3.0, 0.0], latent_sd=[2.0, 4.0])
    np.testing.assert_allclose([1, 1], model.mean((Do(0, 5.0, scale="latent"),)))
    np.testing.assert_allclose([0, 0.25], model.mean((Shift(1, 1.0, scale="latent"),)))
    randomized = (Randomize(0, mean=3.0, variance=8.0, scale="latent"),)
    np.testing.assert_allclose([0, 0], model.mean(randomized))
    np.testing.assert_allclose([2, 3], np.diag(model.covariance(randomized)))


def test_a_model_owns_its_arrays():
    weights = np.array([[0, 1.0], [0, 0]])
    model = LinearSCM(weights, 1.0)
    weights[0, 1] = 5
    assert 1.0 == model.weights[0, 1]
    with pytest.raises(ValueError, match="read-only"):
        model.weights[0, 1] = 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[0, 1], [1, 0]], 1.0), "cycle 0 -> 1 -> 0"),
        (([[0, 1, 0]], 1.0), "shape"),
        (([[0, np.nan], [0, 0]], 1.0), "finite"),
        (([[0, 1], [0, 0]], [1, 1, 1]), "noise_variance: expected a number or 2"),
        (([[0, 1], [0, 0]], -1.0), "negative"),
        (([[0, 1], [0, 0]], 1.0, 0.0, "cauchy"), "cauchy"),
    ],
)
def test_bad_models_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        LinearSCM(*arguments)


@pytest.mark.parametrize(
    ("intervention", "message"),
    [
        (Do(0, 1.0), "write `"),
        ((Do(5, 1.0),), "nodes are 0 to 1"),
        ((Do(0, 1.0), Shift(0, 1.0)), "at most one action"),
        ((Randomize(0, 0.0, -1.0),), "negative variance"),
        ((Do(0, 1.0, scale="raw"),), "latent"),
        (("do",), "expected Do, Shift or Randomize"),
    ],
)
def test_bad_interventions_are_refused(intervention, message):
    model = LinearSCM([[0, 1], [0, 0]], 1.0)
    with pytest.raises((TypeError, ValueError), match=message):
        model.sample(2, np.random.default_rng(0), intervention)


def test_noise_refuses_what_does_not_apply():
    with pytest.raises(ValueError, match="df belongs to student-t"):
        Noise("gaussian", df=3)
    with pytest.raises(ValueError, match="df > 2"):
        Noise("student-t", df=2)
    assert 5.0 == Noise("student-t").df


def test_sampling_needs_a_row():
    with pytest.raises(ValueError, match="n_samples"):
        LinearSCM(np.zeros((1, 1)), 1.0).sample(0, np.random.default_rng(0))


def test_repr_is_short():
    assert "LinearSCM(3 nodes, 2 edges, gaussian noise)" == repr(
        SCM().draw(chain(3), np.random.default_rng(0))
    )


def test_a_seed_samples_as_its_generator_does_and_none_is_refused():
    model = LinearSCM([[0, 1], [0, 0]], 1.0)
    np.testing.assert_array_equal(model.sample(5, np.random.default_rng(3)), model.sample(5, 3))
    with pytest.raises(TypeError, match="expected a numpy Generator or an int, got NoneType"):
        model.sample(5, None)
