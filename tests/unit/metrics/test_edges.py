import itertools

import numpy as np
import pytest

from causalassay.graphs import chain, erdos_renyi
from causalassay.metrics import direction_score, f1, precision, recall, shd

NONE = np.zeros((2, 2), dtype=bool)
RIGHT = np.array([[False, True], [False, False]])
LEFT = RIGHT.T
BOTH = RIGHT | LEFT


@pytest.mark.parametrize(("a", "b"), list(itertools.product([NONE, RIGHT, LEFT, BOTH], repeat=2)))
def test_shd_counts_a_pair_once_whatever_the_difference(a, b):
    assert (0 if a is b else 1) == shd(a, b)


def test_shd_of_the_reference_graphs():
    # Peters and Bühlmann 2015: G, G with one edge more, G with 1→2 reversed.
    g = np.zeros((5, 5), dtype=bool)
    g[0, 1:] = g[1, 2:] = True
    more, reversed_ = g.copy(), g.copy()
    more[2, 3] = True
    reversed_[0, 1], reversed_[1, 0] = False, True
    assert (1, 1, 2) == (shd(g, more), shd(g, reversed_), shd(more, reversed_))


def test_an_undirected_edge_is_two_entries_and_one_hit():
    assert (0.5, 1.0) == (precision(RIGHT, BOTH), recall(RIGHT, BOTH))
    assert 2 / 3 == pytest.approx(f1(RIGHT, BOTH))


def test_undefined_is_nan():
    assert np.isnan(precision(RIGHT, NONE))
    assert np.isnan(recall(NONE, RIGHT))
    assert np.isnan(f1(NONE, NONE))


def test_defined_though_one_graph_is_empty():
    assert (0.0, 0.0) == (f1(RIGHT, NONE), f1(NONE, RIGHT))
    assert (0.0, 0.0) == (recall(RIGHT, NONE), precision(NONE, RIGHT))
    assert 0.0 == f1(RIGHT, LEFT)


def test_one_node_has_nothing_to_compare():
    one = np.zeros((1, 1), dtype=bool)
    assert 0 == shd(one, one)
    assert np.isnan(f1(one, one))


@pytest.mark.parametrize("metric", [shd, precision, recall, f1])
def test_mistakes_are_named(metric):
    with pytest.raises(ValueError, match="truth has 3 nodes but the guess has 2"):
        metric(chain(3), RIGHT)
    with pytest.raises(TypeError, match="guess: .*weights != 0"):
        metric(RIGHT, 0.5 * RIGHT)
    assert metric(RIGHT, RIGHT) == metric(RIGHT.tolist(), RIGHT.astype(float))
    with pytest.raises(ValueError, match="truth: node 0"):
        metric(np.eye(2, dtype=bool), RIGHT)


def test_the_direction_score_is_a_count_of_edges_and_blind_to_skeletons():
    rng = np.random.default_rng(3)
    for _ in range(20):
        truth, guess = erdos_renyi(7, 1.5, rng), erdos_renyi(7, 2.0, rng) | erdos_renyi(7, 1.0, rng)
        rightly = sum(bool(guess[i, j]) for i, j in np.argwhere(truth))
        wrongly = sum(bool(guess[j, i]) for i, j in np.argwhere(truth))
        assert (rightly - wrongly) / truth.sum() == pytest.approx(direction_score(truth, guess))
        assert 0 == direction_score(truth, guess | guess.T)
        assert -direction_score(truth, guess) == direction_score(truth, guess.T)
    assert np.isnan(direction_score(np.zeros((3, 3), bool), np.zeros((3, 3), bool)))
