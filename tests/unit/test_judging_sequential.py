"""Monte Carlo tests that stop when they can decide, against exact computation."""

import numpy as np
import pytest

from causalassay.judging.p_values import (
    MOST_DRAWS,
    RISK,
    MonteCarlo,
    boundaries,
    decide,
    enumerated,
)


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
