import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causalassay.graphs import acyclic_threshold, is_dag, threshold


def slow_break_cycles(weights, at):
    """Zero what is below the threshold, then the smallest again and again while cyclic."""
    kept = np.where(np.abs(weights) >= at, weights, 0.0)
    while not is_dag(kept != 0):
        kept[np.abs(kept) == np.abs(kept[kept != 0]).min()] = 0.0
    return kept != 0


@given(st.integers(0, 10_000), st.integers(1, 7))
def test_raising_the_threshold_equals_dropping_the_weakest_edges(seed, d):
    weights = np.random.default_rng(seed).normal(size=(d, d)).round(1)
    np.fill_diagonal(weights, 0.0)
    at = acyclic_threshold(weights, 0.3)
    assert at >= 0.3
    np.testing.assert_array_equal(slow_break_cycles(weights, 0.3), threshold(weights, at))


def test_the_threshold_itself_is_kept():
    assert threshold([[0, 0.3], [0, 0]], at=0.3)[0, 1]
    assert not threshold([[0, 0.0], [0, 0]], at=0.0).any()


def test_a_cycle_of_equal_weights_goes_altogether():
    assert np.inf == acyclic_threshold([[0, 1.0], [1.0, 0]], 0.3)


def test_self_loops_are_refused():
    with pytest.raises(ValueError, match="node 1 has an edge to itself"):
        threshold([[0, 1.0], [0, 1.0]], at=0.3)
