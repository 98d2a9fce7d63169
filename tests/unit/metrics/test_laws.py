"""Laws and their total variation. Every statistical test fixes its seed and states its error."""

import json
import pickle
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import norm

from causalassay.metrics import (
    Categorical,
    Distance,
    Normal,
    Samples,
    normal_total_variation,
    total_variation,
)


def integrated(mean_p, variance_p, mean_q, variance_q):
    """Half the integral of |p - q| by adaptive quadrature between sign changes on a grid."""
    sd_p, sd_q = np.sqrt([variance_p, variance_q])

    def difference(x):
        p = np.exp(-(((x - mean_p) / sd_p) ** 2) / 2) / sd_p
        q = np.exp(-(((x - mean_q) / sd_q) ** 2) / 2) / sd_q
        return (p - q) / np.sqrt(2 * np.pi)

    steps = np.concatenate([np.linspace(-12, 12, 241), [-40, 40]])
    grid = np.unique(np.concatenate([mean_p + sd_p * steps, mean_q + sd_q * steps]))
    sign = np.sign(difference(grid))
    changes = np.flatnonzero(sign[1:] * sign[:-1] < 0)
    roots = [brentq(difference, grid[k], grid[k + 1], xtol=1e-14) for k in changes]
    pieces = np.unique(np.concatenate([grid[::20], grid[-1:], roots]))
    return sum(abs(quad(difference, a, b, epsabs=1e-12)[0]) for a, b in pairwise(pieces)) / 2


def random_pairs():
    rng = np.random.default_rng(0)
    for _ in range(40):
        mean = rng.normal(0, 2, 2)
        variance = 10 ** rng.uniform(-3, 3)
        yield mean[0], variance, mean[1], variance * 10 ** rng.uniform(-2, 2)
        yield mean[0], variance, mean[1], variance * (1 + 10 ** rng.uniform(-14, -1))


def test_normal_laws_agree_with_quadrature():
    for moments in random_pairs():
        assert integrated(*moments) == pytest.approx(normal_total_variation(*moments), abs=1e-8)


def test_equal_variances_have_the_closed_form():
    """Garant and Jensen 2016, table 1: two standard deviations apart."""
    assert 2 * norm.cdf(1) - 1 == pytest.approx(total_variation((0, 9), (6, 9)), abs=1e-15)


def test_equal_means_have_the_roots_of_the_variances():
    """p and q cross at x² = log(v_q/v_p) v_p v_q / (v_q - v_p)."""
    root = np.sqrt(np.log(4) * 4 / 3)
    expected = 2 * (norm.cdf(root) - norm.cdf(root / 2))
    assert expected == pytest.approx(total_variation((1, 1), (1, 4)), abs=1e-15)


@pytest.mark.parametrize("excess", [1e-15, 1e-12, 1e-9, 1e-6])
def test_nearly_equal_variances_have_their_first_order_distance(excess):
    """d TV / d log v at equal means is φ(1)."""
    found = normal_total_variation(3, 2, 3, 2 * (1 + excess))
    assert norm.pdf(1) * (2 * (1 + excess) - 2) / 2 == pytest.approx(found, rel=1e-5, abs=2e-16)


@pytest.mark.parametrize("excess", [0, 1e-15, 1e-12])
def test_a_hardly_larger_variance_does_not_disturb_a_shift(excess):
    expected = 2 * norm.cdf(0.35) - 1
    assert expected == pytest.approx(normal_total_variation(0, 1, 0.7, 1 + excess), abs=1e-12)


@pytest.mark.parametrize("ratio", [1e-12, 1e12])
def test_very_different_variances_are_nearly_one_apart(ratio):
    """What the narrow law has outside its roots, and the wide one inside them."""
    root = np.sqrt(np.log(1e12) / (1 - 1e-12))
    expected = 2 * (norm.cdf(root) - norm.cdf(root / 1e6))
    assert expected == pytest.approx(normal_total_variation(5, 2, 5, 2 * ratio), abs=1e-14)


@pytest.mark.parametrize(
    ("expected", "moments"),
    [
        (1, (0, 1, 1e300, 1)),
        (1, (1e308, 1, -1e308, 1)),
        (1, (0, 1e-300, 1, 1e300)),
        (1, (0, 1e-300, 0, 1e300)),
        (0, (0, 1e308, 1, 1e308)),
        (0, (3, 1e-300, 3, 1e-300)),
        (0, (1, 0, 1, 0)),
        (1, (1, 0, 2, 0)),
        (1, (1, 0, 1, 2)),
        (1, (1, 1e-320, 1, 0)),
    ],
)
def test_extreme_laws_have_finite_distances(expected, moments):
    assert expected == normal_total_variation(*moments)


def test_the_kernel_broadcasts():
    found = normal_total_variation(0.0, 1.0, np.arange(3.0)[:, None], [1.0, 4.0])
    assert (3, 2) == found.shape
    assert total_variation((0, 1), (2, 4)) == found[2, 1]


def test_discrete_laws_are_half_the_absolute_differences_apart():
    assert 0.3 == pytest.approx(
        total_variation(Categorical([0.2, 0.3, 0.5]), Categorical([0.5, 0.2, 0.3]))
    )
    assert 1 == total_variation(Categorical([1, 0]), Categorical([0, 1]))


def test_a_distance_is_a_float_that_carries_its_error():
    exact = total_variation((0, 1), (2, 1))
    assert isinstance(exact, float)
    assert 0.0 == exact.error
    estimate = Distance(0.5, 0.1)
    copy = pickle.loads(pickle.dumps(estimate))
    assert (0.5, 0.1) == (copy, copy.error)
    assert "0.5" == json.dumps(estimate) == str(estimate)


CASES = {
    "equal": (0.0, 1.0),
    "shift 0.1": (0.1, 1.0),
    "shift 1": (1.0, 1.0),
    "spread 2": (0.0, 4.0),
    "far": (4.0, 1.0),
}


@pytest.mark.parametrize("known", [False, True], ids=["two samples", "one sample"])
@pytest.mark.parametrize("n", [200, 1000])
@pytest.mark.parametrize("case", CASES)
def test_two_standard_errors_cover_the_distance_of_normal_laws(case, n, known):
    """At least 90 of 100 estimates: 2000 runs of each case covered in 0.967 of them or more.

    At 0.967 a case fails with probability 5e-4.
    """
    mean, variance = CASES[case]
    rng = np.random.default_rng(1)
    truth = total_variation((0, 1), (mean, variance))
    covered = 0
    for _ in range(100):
        sample = Samples(rng.normal(mean, np.sqrt(variance), n))
        other = Normal(0, 1) if known else Samples(rng.normal(0, 1, n))
        estimate = total_variation(sample, other)
        assert 0 < estimate.error < 1 / np.sqrt(n)
        covered += abs(estimate - truth) <= 2 * estimate.error
    assert covered >= 90


def test_equal_laws_are_not_pushed_apart_by_sampling():
    """A plug-in of 20 bins would give about 0.08 for n = 1000; the mean here is near 0.01.

    Half of the estimates are 0, as the differences are symmetric about 0:
    outside 55 to 145 of 200 with probability below 1e-9.
    """
    rng = np.random.default_rng(2)
    found = [
        total_variation(Samples(rng.normal(size=1000)), Samples(rng.normal(size=1000)))
        for _ in range(200)
    ]
    assert np.mean(found) < 0.02
    assert 55 <= sum(distance == 0 for distance in found) <= 145


def test_more_draws_come_closer():
    """Mean absolute errors of 20 estimates at 100, 1000 and 10 000 draws; each falls by half."""
    rng = np.random.default_rng(3)
    truth = total_variation((0, 1), (1, 2))
    off = [
        np.mean(
            [
                abs(
                    total_variation(
                        Samples(rng.normal(0, 1, n)), Samples(rng.normal(1, np.sqrt(2), n))
                    )
                    - truth
                )
                for _ in range(20)
            ]
        )
        for n in (100, 1000, 10_000)
    ]
    assert off[1] < off[0] / 2
    assert off[2] < off[1] / 2


def test_samples_of_levels_are_compared_with_a_discrete_law():
    """Three standard errors of one estimate: 0.003."""
    draws = np.random.default_rng(4).choice(3, size=2000, p=[0.2, 0.3, 0.5])
    estimate = total_variation(Samples(draws), Categorical([0.5, 0.2, 0.3]))
    assert abs(0.3 - estimate) < 3 * estimate.error


def test_samples_with_ties_are_compared_level_by_level():
    """Two samples of 0, 1 and 2, 0.3 apart; three standard errors: 0.003."""
    rng = np.random.default_rng(5)
    p = Samples(rng.choice(3, size=2000, p=[0.2, 0.3, 0.5]))
    q = Samples(rng.choice(3, size=2000, p=[0.2, 0.6, 0.2]))
    estimate = total_variation(p, q)
    assert abs(0.3 - estimate) < 3 * estimate.error


def test_a_point_mass_is_far_from_a_continuous_sample():
    sample = Samples(np.random.default_rng(6).normal(size=200))
    estimate = total_variation(sample, Normal(0.0, 0.0))
    assert abs(1 - estimate) < 2 * estimate.error < 0.05
    assert 0 == total_variation(Samples([2.0] * 8), Normal(2.0, 0.0))


def test_estimates_are_symmetric_and_do_not_depend_on_the_unit():
    rng = np.random.default_rng(7)
    x, y = rng.normal(size=300), rng.normal(1, 2, size=200)
    expected = total_variation(Samples(x), Samples(y))
    assert expected == pytest.approx(total_variation(Samples(y), Samples(x)))
    assert expected == pytest.approx(total_variation(Samples(8 * y + 2), Samples(8 * x + 2)))


@pytest.mark.parametrize(
    ("law", "arguments", "message"),
    [
        (Normal, (0.0, -1.0), "variance >= 0"),
        (Normal, (np.nan, 1.0), "finite mean"),
        (Normal, (0.0, np.inf), "finite variance"),
        (Categorical, ([0.5, 0.6],), "sum of 1.1; divide counts"),
        (Categorical, ([1.5, -0.5],), "least one of -0.5"),
        (Categorical, ([[0.5, 0.5]],), "shape"),
        (Samples, ([1.0, 2.0, 3.0],), "at least 4 values"),
        (Samples, ([1.0, 2.0, 3.0, np.nan],), "finite"),
        (Samples, (np.zeros((4, 2)),), "shape"),
    ],
)
def test_bad_laws_are_refused(law, arguments, message):
    with pytest.raises(ValueError, match=message):
        law(*arguments)


@pytest.mark.parametrize(
    ("p", "q", "message"),
    [
        (Normal(0, 1), Categorical([0.5, 0.5]), "not defined between"),
        (Categorical([0.5, 0.5]), (0, 1), "not defined between"),
        (Categorical([0.5, 0.5]), Categorical([1.0]), "2 and 1 levels"),
        ([0.5, 0.5], Normal(0, 1), "got list; for probabilities write"),
        (Samples([0, 1, 2, 1]), Categorical([0.5, 0.5]), "numbers 0 to 1, got 2"),
    ],
)
def test_laws_that_do_not_belong_together_are_refused(p, q, message):
    with pytest.raises((TypeError, ValueError), match=message):
        total_variation(p, q)


@pytest.mark.parametrize(
    ("moments", "message"),
    [((0, -1, 0, 1), "variance"), ((0, np.nan, 0, 1), "variance"), ((np.inf, 1, 0, 1), "mean")],
)
def test_the_kernel_refuses_bad_moments(moments, message):
    with pytest.raises(ValueError, match=message):
        normal_total_variation(*moments)
