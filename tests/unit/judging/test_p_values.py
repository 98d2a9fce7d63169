"""P-values: combined over instances, by sign flips, corrected, and by Monte Carlo until decided."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from causalassay.common.seeding import stream
from causalassay.judging import p_values as tests_over_instances
from causalassay.judging.p_values import (
    MOST_DRAWS,
    RISK,
    MonteCarlo,
    boundaries,
    combined,
    decide,
    enumerated,
    holm,
    sign_flips,
    units_needed,
)

steps = st.integers(-1000, 1000)


def flips_twin(differences):
    own = sum(differences)
    signs = product((1, -1), repeat=len(differences))
    sums = [sum(s * d for s, d in zip(sign, differences, strict=True)) for sign in signs]
    return np.mean([total >= own for total in sums])


@settings(max_examples=60)
@given(st.lists(steps, min_size=1, max_size=9))
def test_sign_flips_are_those_of_an_enumeration(differences):
    told = [d for d in differences if d]
    expected = flips_twin(told) if told else 1.0
    assert pytest.approx(expected) == sign_flips(np.array(differences, dtype=float))


@settings(max_examples=60)
@given(st.lists(steps, min_size=1, max_size=9))
def test_rounded_differences_are_counted_like_all_flips(differences):
    """The counting of many instances, tried on few: whole steps of a thousandth are exact."""
    told = np.array([d for d in (*differences, 1000) if d])
    assert pytest.approx(flips_twin(told.tolist())) == tests_over_instances._tail(  # noqa: SLF001
        np.abs(told), int(told.sum())
    )


def test_the_normal_law_takes_over_where_counting_would_be_long():
    differences = stream(1, "flips").normal(0.05, 1.0, 301)
    counted = sign_flips(differences[:300])
    assert pytest.approx(sign_flips(differences), abs=0.05) == counted


@pytest.mark.parametrize("n_units", [3, 12, 13, 60])
def test_a_sum_of_uniform_p_values_is_uniform(n_units):
    # 4000 draws: a share of 5 % has a standard error of 0.34 %, so 1.6 % apart is 4.6 of them.
    rng = stream(2, "uniform", n_units)
    drawn = np.array([combined(rng.random(n_units)) for _ in range(4000)])
    assert pytest.approx(0.05, abs=0.016) == (drawn <= 0.05).mean()


@pytest.mark.parametrize("n_units", [10, 30])
def test_monte_carlo_p_values_are_never_combined_to_too_many_rejections(n_units):
    """The share of 50 random orders that reach a score, the score counted in: 1/51, 2/51, …"""
    # 4000 draws: 5 % + 4 standard errors is 6.4 %.
    rng = stream(3, "ranks", n_units)
    drawn = [combined(rng.integers(1, 52, n_units) / 51) for _ in range(4000)]
    assert (np.array(drawn) <= 0.05).mean() <= 0.064


@pytest.mark.parametrize("n_units", [10, 30, 100])
def test_sign_flips_reject_five_percent_where_pairs_could_be_swapped(n_units):
    # 1000 draws of differences with heavy tails: 5 % + 4 standard errors is 7.8 %.
    rng = stream(4, "swapped", n_units)
    drawn = [sign_flips(rng.standard_t(3, n_units)) for _ in range(1000)]
    assert (np.array(drawn) <= 0.05).mean() <= 0.078


@settings(max_examples=100)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_is_the_closed_test_of_bonferroni(p_values):
    """A claim's corrected p-value is the largest of all intersections that it belongs to."""
    corrected = holm(dict(enumerate(p_values)))
    for claim in range(len(p_values)):
        worst = 0.0
        for members in product((False, True), repeat=len(p_values)):
            if members[claim]:
                chosen = [p for p, is_in in zip(p_values, members, strict=True) if is_in]
                worst = max(worst, min(1.0, len(chosen) * min(chosen)))
        assert pytest.approx(worst) == corrected[claim]


def test_units_needed_are_the_fewest_that_can_reach_the_level():
    for n_claims in range(1, 30):
        needed = units_needed(n_claims)
        assert n_claims * sign_flips(np.ones(needed)) <= 0.05
        assert n_claims * sign_flips(np.ones(needed - 1)) > 0.05


def test_what_was_not_measured_is_left_out():
    assert math.isnan(combined(np.array([math.nan])))
    assert combined(np.array([0.1, math.nan])) == pytest.approx(0.1)
    assert sign_flips(np.array([0.1, math.nan, 0.1])) == sign_flips(np.array([0.1, 0.1]))


# Monte Carlo tests that stop when they can decide, against exact computation.


def crossing_probabilities(p_value, level, n_draws):
    """How probable it is to reach the lower and the upper boundary first: count by count."""
    lower, upper = boundaries(level, 0, n_draws)
    going = {0: 1.0}
    low = high = 0.0
    for draw in range(n_draws):
        after = {}
        for count, probability in going.items():
            for more, share in ((0, 1 - p_value), (1, p_value)):
                after[count + more] = after.get(count + more, 0.0) + probability * share
        low += sum(p for count, p in after.items() if count <= lower[draw])
        high += sum(p for count, p in after.items() if count >= upper[draw])
        going = {c: p for c, p in after.items() if lower[draw] < c < upper[draw]}
    return low, high


@pytest.mark.parametrize("level", [0.0125, 0.05])
def test_the_wrong_side_is_rarer_than_the_risk(level):
    """Exact, and it is worst where the p-value is at the level."""
    low, high = crossing_probabilities(level, level, 2000)
    assert 0 < low <= RISK
    assert 0 < high <= RISK
    assert crossing_probabilities(1.5 * level, level, 2000)[0] < low
    assert crossing_probabilities(0.5 * level, level, 2000)[1] < high


def test_boundaries_do_not_depend_on_how_they_are_asked_for():
    whole = boundaries(0.03, 0, 300)
    parts = [boundaries(0.03, start, start + 50) for start in range(0, 300, 50)]
    for side in (0, 1):
        assert whole[side].tolist() == np.concatenate([part[side] for part in parts]).tolist()


@pytest.mark.parametrize(("p_value", "below"), [(0.0, True), (0.005, True), (0.03, False)])
def test_what_is_far_from_the_level_is_decided_alike_by_all_seeds(p_value, below):
    """A wrong one among 50 has probability 5 % at most; in fact far less, off the level."""
    for seed in range(50):
        rng = np.random.default_rng(seed)
        found = decide(lambda n, rng=rng: rng.random(n) < p_value, 0.0125)
        assert (below, True) == (found.below, found.decided)
        assert found.draws < MOST_DRAWS


def test_at_the_level_the_draws_end_and_the_estimate_decides():
    def exactly(n):
        return np.arange(n) % 10 == 0

    found = decide(exactly, 0.1, most_draws=500)
    assert MonteCarlo(51 / 501, False, False, 500) == found


def test_an_enumerated_p_value_is_exact_and_may_equal_the_level():
    found = enumerated(np.arange(40) == 3, 0.025)
    assert MonteCarlo(0.025, True, True, 40) == found
