"""The order score against a walk from node to node, and what it satisfies on any graphs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causalassay.graphs import chain, complete, erdos_renyi, to_cpdag
from causalassay.metrics import order_score, ordered_share
from causalassay.metrics.registry import METRICS
from strategies import dags


@st.composite
def pairs(draw):
    """A true DAG and any guess: a pair of nodes is apart, →, ← or —."""
    truth = draw(dags(min_nodes=1, max_nodes=7))
    size = truth.shape
    states = draw(st.lists(st.integers(0, 3), min_size=truth.size, max_size=truth.size))
    state = np.triu(np.array(states).reshape(size), 1)
    return truth, (state & 1 > 0) | (state & 2 > 0).T


def leads(graph, source, target):
    """Whether directed edges lead from one node to the other, by walking."""
    seen, ahead = set(), [source]
    while ahead:
        node = ahead.pop()
        for child in range(len(graph)):
            if graph[node, child] and not graph[child, node] and child not in seen:
                seen.add(child)
                ahead.append(child)
    return target in seen


def slow_counts(truth, guess):
    """How many true edges there are, and how many of them are ordered rightly and wrongly."""
    edges = [(i, j) for i, j in np.ndindex(truth.shape) if truth[i, j] and not truth[j, i]]
    ways = [(leads(guess, i, j), leads(guess, j, i)) for i, j in edges]
    return len(edges), ways.count((True, False)), ways.count((False, True))


@given(pairs())
def test_scores_equal_those_of_walks(two):
    n_edges, right, wrong = slow_counts(*two)
    ordered = right + wrong
    nan = float("nan")
    assert (right / ordered if ordered else nan) == pytest.approx(order_score(*two), nan_ok=True)
    assert (ordered / n_edges if n_edges else nan) == pytest.approx(
        ordered_share(*two), nan_ok=True
    )


@given(pairs())
def test_turning_the_guess_round_turns_the_score_round(two):
    truth, guess = two
    turned = order_score(truth, guess.T)
    assert 1 - turned == pytest.approx(order_score(truth, guess), nan_ok=True)
    assert ordered_share(truth, guess.T) == pytest.approx(ordered_share(truth, guess), nan_ok=True)


@given(dags(min_nodes=2, max_nodes=8))
def test_the_truth_and_its_class_are_never_wrong(truth):
    if truth.any():
        assert (1.0, 1.0) == (order_score(truth, truth), ordered_share(truth, truth))
    of_class = order_score(truth, to_cpdag(truth))
    assert np.isnan(of_class) or of_class == 1.0


def test_random_orders_score_one_half_on_average():
    rng = np.random.default_rng(0)
    truth = erdos_renyi(10, 2, rng)
    scores = [order_score(truth, complete(10, rng)) for _ in range(2000)]
    assert pytest.approx(0.5, abs=0.02) == np.mean(scores)
    assert 1.0 == ordered_share(truth, complete(10, rng))


def test_a_cycle_orders_nothing_within_it_but_what_follows_it():
    cycle = np.zeros((4, 4), dtype=bool)
    cycle[[0, 1, 2, 2], [1, 2, 0, 3]] = True
    assert (1.0, 1 / 3) == (order_score(chain(4), cycle), ordered_share(chain(4), cycle))


def test_undefined_is_nan():
    empty = chain(3) & False
    assert np.isnan(order_score(chain(3), empty))
    assert 0.0 == ordered_share(chain(3), empty)
    assert np.isnan([order_score(empty, chain(3)), ordered_share(empty, chain(3))]).all()


@pytest.mark.parametrize("name", ["order_score", "ordered_share"])
def test_studies_know_them(name):
    assert ("high", "estimate") == (METRICS[name].better, METRICS[name].takes)
