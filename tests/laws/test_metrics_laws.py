"""What every structural metric satisfies, on DAGs and on graphs with undirected edges."""

import inspect

import gadjid
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causalassay import metrics
from causalassay.contracts import Estimate
from causalassay.graphs import enumerate_dags, is_cpdag, skeleton, to_cpdag
from causalassay.metrics import (
    f1,
    favourable_resolution,
    fpr,
    mean_over_members,
    mec_shd,
    order_score,
    ordered_share,
    precision,
    recall,
    repair,
    shd,
    shd_double,
    shd_normalized,
    shd_parts,
    skeleton_f1,
    skeleton_fpr,
    skeleton_precision,
    skeleton_recall,
    skeleton_shd,
)
from strategies import dags, permutations_of

STRUCTURAL = (
    shd,
    shd_double,
    shd_normalized,
    shd_parts,
    skeleton_shd,
    precision,
    recall,
    f1,
    fpr,
    skeleton_precision,
    skeleton_recall,
    skeleton_f1,
    skeleton_fpr,
    order_score,
    ordered_share,
)


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
    for metric in STRUCTURAL:
        assert metric(*two) == pytest.approx(metric(*renamed), nan_ok=True)


@given(st.data())
def test_shd_equals_gadjid(data):
    truth = data.draw(dags(min_nodes=2, max_nodes=7))
    guess = data.draw(dags(min_nodes=len(truth), max_nodes=len(truth)))
    assert gadjid.shd(truth.astype(np.int8), guess.astype(np.int8))[1] == shd(truth, guess)


@given(pairs())
def test_the_parts_are_counted_pair_by_pair(two):
    truth, guess = two
    missing = extra = flipped = undecided = 0
    for i in range(len(truth)):
        for j in range(i):
            true, guessed = (truth[i, j], truth[j, i]), (guess[i, j], guess[j, i])
            missing += any(true) and not any(guessed)
            extra += any(guessed) and not any(true)
            flipped += true != guessed and sum(true) == sum(guessed) == 1
            undecided += {1, 2} == {sum(true), sum(guessed)}
    assert (missing, extra, flipped, undecided) == shd_parts(truth, guess)
    assert shd(truth, guess) == sum(shd_parts(truth, guess))
    if not (truth & truth.T).any() and not (guess & guess.T).any():
        assert shd(truth, guess) + flipped == shd_double(truth, guess)


@given(pairs())
def test_skeleton_metrics_are_those_of_the_skeletons(two):
    bare = [skeleton(graph) for graph in two]
    assert skeleton_shd(*two) == shd(*bare) == sum(shd_parts(*two)[:2])
    assert skeleton_f1(*two) == pytest.approx(f1(*bare), nan_ok=True)


@given(dags(max_nodes=5), st.data())
def test_class_distance_is_zero_exactly_within_a_class(dag, data):
    other = data.draw(dags(min_nodes=len(dag), max_nodes=len(dag)))
    same = np.array_equal(to_cpdag(dag), to_cpdag(other))
    assert same == (mec_shd(dag, other) == 0)
    assert mec_shd(dag, other) == mec_shd(to_cpdag(dag), other)


@given(pairs(), st.integers(0, 100))
def test_every_graph_can_be_repaired_without_a_change_of_skeleton(two, seed):
    for graph in two:
        estimate = repair(graph, np.random.default_rng(seed))
        np.testing.assert_array_equal(skeleton(graph), skeleton(estimate.graph))
        assert ("none" == estimate.how) == np.array_equal(graph, estimate.graph)
        assert "none" == estimate.how or is_cpdag(estimate.graph)


@given(dags(max_nodes=5), st.data())
def test_favourable_resolution_is_no_further_than_any_member(dag, data):
    cpdag = to_cpdag(data.draw(dags(min_nodes=len(dag), max_nodes=len(dag))))
    distances = [shd(dag, member) for member in enumerate_dags(cpdag)]
    assert shd(dag, favourable_resolution(dag, cpdag)) <= min(distances)
    mean = mean_over_members(lambda m: shd(dag, m), cpdag, np.random.default_rng(0), most=1000)
    assert mean.value == pytest.approx(np.mean(distances))


def public_comparisons():
    """Every public metric of a true graph and a guess, and how the guess is called there."""
    for name in metrics.__all__:
        value = getattr(metrics, name)
        if inspect.isfunction(value):
            first, *rest = inspect.signature(value).parameters
            if first == "truth":
                yield value, rest[0]


def compared(metric, role, truth, guess):
    if role == "cpdag":
        guess = to_cpdag(guess)
    estimate = Estimate(guess, "dag", weights=guess * 0.5)
    return metric(truth, estimate), metric(truth, estimate.weights if role == "weights" else guess)


@given(dags(max_nodes=5), st.data())
def test_an_estimate_is_scored_as_its_graph(truth, data):
    guess = data.draw(dags(min_nodes=len(truth), max_nodes=len(truth)))
    comparisons = list(public_comparisons())
    assert {"shd", "sid_bounds", "oset_aid", "favourable_threshold"} <= {
        metric.__name__ for metric, _ in comparisons
    }
    for metric, role in comparisons:
        np.testing.assert_equal(*compared(metric, role, truth, guess))


@given(pairs(), st.integers(0, 100))
def test_an_estimate_is_resolved_as_its_graph(two, seed):
    graph = two[0]
    first, second = (
        repair(guess, np.random.default_rng(seed)) for guess in (Estimate(graph, "pdag"), graph)
    )
    np.testing.assert_equal(first, second)
    first, second = (
        metrics.members(guess, np.random.default_rng(seed), most=3)
        for guess in (Estimate(second.graph, "cpdag"), second.graph)
    )
    np.testing.assert_equal(first, second)


@pytest.mark.parametrize(("metric", "role"), list(public_comparisons()))
def test_an_estimate_is_no_truth(metric, role):
    graph = np.eye(3, k=1, dtype=bool)
    with pytest.raises(TypeError, match="truth: expected the true graph, got an Estimate"):
        metric(Estimate(graph, "dag"), to_cpdag(graph))
