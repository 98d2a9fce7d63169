"""What every structural metric satisfies, on DAGs and on graphs with undirected edges."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causalassay.metrics import f1, precision, recall, shd
from strategies import dags, permutations_of


@st.composite
def graphs(draw, n_nodes):
    """Any adjacency: a pair is apart, →, ← or —."""
    states = draw(st.lists(st.integers(0, 3), min_size=n_nodes**2, max_size=n_nodes**2))
    state = np.triu(np.array(states).reshape(n_nodes, n_nodes), 1)
    return (state & 1 > 0) | (state & 2 > 0).T


@st.composite
def triples(draw):
    d = draw(st.integers(1, 6))
    return draw(graphs(d)), draw(graphs(d)), draw(graphs(d))


@st.composite
def pairs(draw):
    return draw(triples())[:2]


def slow_shd(truth, guess):
    d = len(truth)
    return sum(
        (truth[i, j], truth[j, i]) != (guess[i, j], guess[j, i]) for i in range(d) for j in range(i)
    )


def slow_shares(truth, guess):
    """Precision, recall and F1 by counting entries one at a time."""
    cells = [(i, j) for i in range(len(truth)) for j in range(len(truth))]
    hits = sum(1 for c in cells if truth[c] and guess[c])
    n_true, n_guessed = (sum(1 for c in cells if graph[c]) for graph in (truth, guess))
    nan = float("nan")
    both = n_true + n_guessed
    return (
        hits / n_guessed if n_guessed else nan,
        hits / n_true if n_true else nan,
        2 * hits / both if both else nan,
    )


@given(triples())
def test_shd_is_a_metric(three):
    a, b, c = three
    assert shd(a, b) == shd(b, a)
    assert (shd(a, b) == 0) == np.array_equal(a, b)
    assert shd(a, c) <= shd(a, b) + shd(b, c)


@given(pairs())
def test_shd_equals_the_count_of_pairs(two):
    assert slow_shd(*two) == shd(*two)


@given(pairs())
def test_shares_equal_the_count_of_entries(two):
    assert slow_shares(*two) == pytest.approx(
        (precision(*two), recall(*two), f1(*two)), nan_ok=True
    )


@given(pairs())
def test_f1_is_the_harmonic_mean_where_there_is_a_hit(two):
    if (two[0] & two[1]).any():
        p, r = precision(*two), recall(*two)
        assert 2 * p * r / (p + r) == pytest.approx(f1(*two))


@given(pairs(), st.data())
def test_relabelling_nodes_leaves_every_metric_unchanged(two, data):
    label = data.draw(permutations_of(len(two[0])))
    renamed = [graph[np.ix_(label, label)] for graph in two]
    for metric in (shd, precision, recall, f1):
        assert metric(*two) == pytest.approx(metric(*renamed), nan_ok=True)


@given(st.data())
def test_shd_equals_gadjid(data):
    gadjid = pytest.importorskip("gadjid")
    truth = data.draw(dags(min_nodes=2, max_nodes=7))
    guess = data.draw(dags(min_nodes=len(truth), max_nodes=len(truth)))
    assert gadjid.shd(truth.astype(np.int8), guess.astype(np.int8))[1] == shd(truth, guess)
