import numpy as np
import pytest
from scipy.stats import norm

from causalassay.graphs import chain, complete
from causalassay.metrics import Quantile, normal_total_variation, total_variation, tv_dag, tv_matrix
from causalassay.models import SCM, Do, LinearSCM


@pytest.fixture
def truth():
    """0→1 (2), 0→2 (-1), 1→2 (1)."""
    return LinearSCM([[0, 2, -1], [0, 0, 1], [0, 0, 0]], [1, 2, 3], [1, 0, 5])


@pytest.fixture
def fitted():
    """0→1 (2), 1→2 (0.5): the direct effect of 0 on 2 is missed."""
    return LinearSCM([[0, 2, 0], [0, 0, 0.5], [0, 0, 0]], [1, 2, 3.25], [1, 0, 5])


def test_pairs_by_hand(truth, fitted):
    """do(0 = 3): 2 has mean 5 - 3 + 6 or 5 + 3, variance 2 + 3 or 0.5 + 3.25."""
    found = tv_matrix(truth, fitted, at=3)
    assert total_variation((8, 5), (8, 3.75)) == pytest.approx(found[0, 2])
    # do(1 = 3): 2 has mean 5 - 1 + 3 or 5 + 1.5, variance 1 + 3 or 3.25.
    assert total_variation((7, 4), (6.5, 3.25)) == pytest.approx(found[1, 2])
    # What is not reached keeps its law: 2 is no cause.
    np.testing.assert_allclose(0, found[2], atol=1e-15)
    assert 0 == found[0, 1]
    assert found[0, 2] + found[1, 2] == pytest.approx(tv_dag(truth, fitted, at=3))


def test_held_parents_leave_the_nodes_own_equation(truth, fitted):
    """Held at (1, -1, 0): do(0 = 3) gives 2 the mean 5 - 3 - 1 or 5 - 0.5."""
    found = tv_matrix(truth, fitted, at=3, held=[1, -1, 0])
    assert total_variation((1, 3), (4.5, 3.25)) == pytest.approx(found[0, 2])
    assert total_variation((5 - 1 + 3, 3), (5 + 1.5, 3.25)) == pytest.approx(found[1, 2])
    np.testing.assert_array_equal(0, found.diagonal())


def test_held_parents_agree_with_joint_interventions(truth, fitted):
    """Every other parent, of either model, set by Do: the definition."""
    held = np.array([0.5, -2.0, 1.0])
    expected = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            parents = np.flatnonzero(truth.graph[:, j] | fitted.graph[:, j])
            action = (Do(i, 3.0), *(Do(int(k), held[k]) for k in parents if k != i))
            if i != j:
                laws = [
                    (model.mean(action)[j], model.covariance(action)[j, j])
                    for model in (truth, fitted)
                ]
                expected[i, j] = total_variation(*laws)
    np.testing.assert_allclose(expected, tv_matrix(truth, fitted, at=3, held=held), atol=1e-12)


def test_the_default_setting_is_a_large_quantile_of_the_true_model(truth, fitted):
    value = truth.mean() + norm.ppf(0.95) * np.sqrt(np.diag(truth.covariance()))
    expected = tv_matrix(truth, fitted, at=value)
    np.testing.assert_allclose(expected, tv_matrix(truth, fitted), atol=1e-12)
    np.testing.assert_allclose(expected, tv_matrix(truth, fitted, Quantile(0.95)), atol=1e-12)


def test_several_settings_are_averaged(truth, fitted):
    parts = [tv_dag(truth, fitted, Quantile(level)) for level in (0.1, 0.5, 0.9)]
    assert np.mean(parts) == pytest.approx(tv_dag(truth, fitted, Quantile(0.1, 0.5, 0.9)))
    given = [tv_dag(truth, fitted, value) for value in (1.0, 2.0)]
    assert np.mean(given) == pytest.approx(tv_dag(truth, fitted, [[1, 1, 1], [2, 2, 2]]))


def test_a_mapping_names_the_treatments(truth, fitted):
    found = tv_matrix(truth, fitted, {1: 3.0})
    np.testing.assert_array_equal([True, False, True], np.isnan(found).any(axis=1))
    expected = tv_matrix(truth, fitted, 3.0)[1].sum()
    assert expected == pytest.approx(tv_dag(truth, fitted, {1: 3.0}))
    with pytest.raises(ValueError, match="treatment 0 has no value"):
        tv_dag(truth, fitted, {1: 3.0}, treatments=[0, 1])


def test_treatments_and_outcomes_restrict_the_sum(truth, fitted):
    matrix = tv_matrix(truth, fitted, 3.0)
    assert matrix[0, 2] == tv_dag(truth, fitted, 3.0, treatments=0, outcomes=2)
    assert matrix[:2, 1:].sum() == pytest.approx(
        tv_dag(truth, fitted, 3.0, treatments=[0, 1], outcomes=[1, 2, 2])
    )


def test_variances_survive_cancellation():
    """1 has a variance of 1e20, of which 0 explains all but 1."""
    weights = np.zeros((3, 3))
    weights[0, 1] = 1e10
    weights[1, 2] = 1
    truth, other = (LinearSCM(weights, [1, 1, variance]) for variance in (1, 4))
    found = tv_matrix(truth, other, at=0)
    assert total_variation((0, 2), (0, 5)) == pytest.approx(found[0, 2], abs=1e-6)
    assert 0 == found[0, 1]


def test_models_whose_variances_explode_agree_with_one_intervention_at_a_time():
    """Variances of a complete graph of 30 nodes reach 1e14."""
    rng = np.random.default_rng(0)
    truth = SCM(signs="positive").draw(complete(30, rng), rng)
    assert np.diag(truth.covariance()).max() > 1e14
    other = LinearSCM(truth.weights, truth.noise_variance * 2)
    found = tv_matrix(truth, other, at=1)
    for i in range(30):
        do = (Do(i, 1.0),)
        expected = normal_total_variation(
            truth.mean(do),
            np.diag(truth.covariance(do)),
            other.mean(do),
            np.diag(other.covariance(do)),
        )
        np.testing.assert_allclose(expected, found[i], atol=1e-7)


def test_deterministic_nodes_are_point_masses():
    truth = LinearSCM([[0, 1], [0, 0]], [1, 0])
    assert 0 == tv_dag(truth, truth)
    wrong = LinearSCM([[0, 1.5], [0, 0]], [1, 0])
    assert 1 == tv_dag(truth, wrong, treatments=0)


def test_one_node_has_no_pairs():
    one = LinearSCM([[0]], 1.0)
    np.testing.assert_array_equal([[0]], tv_matrix(one, LinearSCM([[0]], 2.0)))
    assert 0 == tv_dag(one, LinearSCM([[0]], 2.0))


@pytest.mark.parametrize(
    ("at", "message"),
    [
        ("median", "a Quantile or values, got 'median'"),
        ([1.0, 2.0], "at: expected a finite number or 3 of them"),
        (np.nan, "finite"),
        (np.ones((2, 2)), r"shape \(settings, 3\), got shape \(2, 2\)"),
        ({5: 1.0}, "at: expected node numbers 0 to 2, got 5"),
        ({0: np.inf}, "finite"),
    ],
)
def test_bad_settings_are_refused(truth, fitted, at, message):
    with pytest.raises(ValueError, match=message):
        tv_dag(truth, fitted, at)


def test_bad_quantiles_are_refused():
    for levels in ((), (0.0,), (0.5, 1.0), (95,)):
        with pytest.raises(ValueError, match="between 0 and 1"):
            Quantile(*levels)


def test_bad_models_and_nodes_are_refused(truth, fitted):
    with pytest.raises(ValueError, match="true model has 3 nodes but the fitted one has 2"):
        tv_dag(truth, LinearSCM([[0, 1], [0, 0]], 1.0))
    with pytest.raises(ValueError, match=r"fitted_model: .* Gaussian noise only, got laplace"):
        tv_dag(truth, LinearSCM(truth.weights, 1.0, noise="laplace"))
    with pytest.raises(TypeError, match="true_model: expected a LinearSCM, got ndarray"):
        tv_dag(chain(3), fitted)
    with pytest.raises(ValueError, match="treatments: expected node numbers"):
        tv_dag(truth, fitted, treatments=[3])
    with pytest.raises(ValueError, match="outcomes: expected node numbers"):
        tv_dag(truth, fitted, outcomes=[-1])
    with pytest.raises(ValueError, match="held: expected a finite number or 3"):
        tv_dag(truth, fitted, held=[1, 2])
