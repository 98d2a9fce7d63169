import numpy as np
import pytest

from causalassay.diagnostics import chain_leaning, orient_chain


def slow_leaning(covariance):
    """The counts of appendix F.2, pair by pair."""

    def increase(sequence):
        return sum(
            int(np.sign(later - earlier))
            for position, earlier in enumerate(sequence)
            for later in sequence[position + 1 :]
        )

    d = len(covariance)
    right = [abs(covariance[i, i + 1]) / covariance[i, i] for i in range(d - 1)]
    left = [abs(covariance[i, i + 1]) / covariance[i + 1, i + 1] for i in reversed(range(d - 1))]
    return int(np.sign(increase(right) - increase(left)))


@pytest.mark.parametrize("d", [2, 3, 4, 7])
def test_leaning_equals_the_count(d):
    rng = np.random.default_rng(d)
    factors = rng.normal(size=(40, d, d))
    covariances = factors @ factors.transpose(0, 2, 1)
    expected = [slow_leaning(covariance) for covariance in covariances]
    assert expected == chain_leaning(covariances).tolist()


def test_turning_the_chain_turns_the_verdict():
    values = np.random.default_rng(0).normal(size=(100, 6)).cumsum(axis=1)
    for rule in ("coefficients", "variances"):
        assert "left-to-right" == orient_chain(values, rule)
        assert "right-to-left" == orient_chain(values[:, ::-1], rule)


def test_standardised_variances_decide_nothing():
    values = np.random.default_rng(0).normal(size=(100, 6)).cumsum(axis=1)
    assert "undecided" == orient_chain(values / values.std(axis=0), "variances")


def test_two_variables_have_one_coefficient_each_way():
    assert "undecided" == orient_chain([[0.0, 1.0], [1.0, 5.0], [2.0, 1.0]])
    assert "undecided" == orient_chain([[0.0], [1.0]])


def test_mistakes_are_named():
    with pytest.raises(ValueError, match="coefficients.*variances"):
        chain_leaning(np.eye(3), "variance")
    with pytest.raises(ValueError, match="constant"):
        orient_chain([[0.0, 1.0], [0.0, 2.0]])
    with pytest.raises(ValueError, match="shape"):
        chain_leaning(np.ones((2, 3)))
