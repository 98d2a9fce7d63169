"""What chance gives a metric at a guess's own number and kinds of edges."""

from dataclasses import replace
from itertools import combinations, permutations
from math import comb

import numpy as np
import pytest
from scipy.stats import hypergeom

from causalassay import metrics
from causalassay.contracts import Estimate
from causalassay.data import Dataset, Problem
from causalassay.graphs import chain, erdos_renyi, to_cpdag
from causalassay.metrics import chance, f1_chance, n_guessed, order_score, ordered_share, skeleton_p
from causalassay.metrics.chance_level import _CLOSED
from causalassay.metrics.registry import CHANCES, CONTROLS, METRICS


def pairs_of_graphs():
    """A truth and a guess each: DAGs, classes, mixed and empty ones, and feedback on both sides."""
    rng = np.random.default_rng(4)
    dag, other = erdos_renyi(5, 1.0, rng), erdos_renyi(5, 1.4, rng)
    mixed = other | to_cpdag(chain(5))
    summary = dag | (rng.random((5, 5)) < 0.2) & ~np.eye(5, dtype=bool)
    empty = np.zeros((5, 5), dtype=bool)
    return [(dag, other), (dag, to_cpdag(other)), (dag, mixed), (summary, mixed), (dag, empty)]


def relabelled_mean(function, truth, guess):
    """The mean over all relabellings of the guess."""
    scores = []
    for label in permutations(range(len(truth))):
        both = np.ix_(label, label)
        scores.append(float(function(truth, guess[both])))
    return np.mean(scores)


@pytest.mark.parametrize("name", list(_CLOSED))
@pytest.mark.parametrize("which", range(5))
def test_closed_forms_are_means_over_all_relabellings(name, which):
    truth, guess = pairs_of_graphs()[which]
    expected = relabelled_mean(getattr(metrics, name), truth, guess)
    assert expected == pytest.approx(chance(name, truth, guess, 0), nan_ok=True)


def test_the_chance_of_f1_stands_on_its_own():
    truth, guess = pairs_of_graphs()[2]
    assert chance("f1", truth, guess, 0) == f1_chance(truth, guess)
    assert np.isnan(f1_chance(truth & False, guess & False))
    assert 0 == f1_chance(truth, guess & False)


def test_what_is_not_linear_is_averaged_over_random_relabellings():
    truth, guess = pairs_of_graphs()[0]
    expected = relabelled_mean(metrics.sid, truth, guess)
    assert expected == pytest.approx(chance("sid", truth, guess, 0, n=4000), rel=0.03)
    by_function = chance(metrics.sid, truth, guess, 0, n=50)
    assert by_function == chance("sid", truth, guess, 0, n=50)


def test_an_order_is_right_by_chance_half_of_the_time():
    estimate = Estimate(chain(6), "dag", order=(0, 1, 2, 3, 4, 5))
    assert 1 == order_score(chain(6), estimate)
    assert 0.5 == pytest.approx(chance("order_score", chain(6), estimate, 0, n=2000), abs=0.02)
    assert np.isnan(chance("order_score", chain(3), chain(3) & False, 0))


def test_a_metric_that_compares_no_graphs_is_refused_in_one_line():
    with pytest.raises(ValueError, match="no metric of two graphs 'tv_dag'; .* or pass a function"):
        chance("tv_dag", chain(3), chain(3), 0)
    with pytest.raises(ValueError, match="at least 1 relabelling"):
        chance("sid", chain(3), chain(3), 0, n=0)


@pytest.mark.parametrize("which", range(5))
def test_the_skeleton_fit_is_a_share_of_all_skeletons(which):
    truth, guess = pairs_of_graphs()[which]
    places = list(combinations(range(5), 2))
    joined = {(i, j) for i, j in places if truth[i, j] or truth[j, i]}
    guessed = {(i, j) for i, j in places if guess[i, j] or guess[j, i]}
    hits = [len(joined.intersection(skeleton)) for skeleton in combinations(places, len(guessed))]
    assert comb(10, len(guessed)) == len(hits)
    expected = np.mean([hit >= len(joined & guessed) for hit in hits])
    assert expected == pytest.approx(skeleton_p(truth, guess))
    assert len(guessed) == n_guessed(guess) == n_guessed(Estimate(guess, "pdag"))


def test_the_skeleton_fit_of_many_nodes_is_the_tail_of_the_hypergeometric_law():
    rng = np.random.default_rng(0)
    truth, guess = erdos_renyi(300, 2.0, rng), erdos_renyi(300, 3.0, rng)
    hits = int((truth & (guess | guess.T)).sum())
    expected = hypergeom.sf(hits - 1, 300 * 299 // 2, int(truth.sum()), int(guess.sum()))
    assert expected == pytest.approx(skeleton_p(truth, guess), rel=1e-6)
    assert np.isnan(skeleton_p(np.zeros((1, 1), dtype=bool), np.zeros((1, 1), dtype=bool)))


def test_a_reported_order_comes_before_directed_paths():
    wrong_graph = Estimate(chain(3).T, "dag", order=(0, 1, 2))
    assert (1, 1) == (order_score(chain(3), wrong_graph), ordered_share(chain(3), wrong_graph))
    without = replace(wrong_graph, order=None)
    assert (0, 1) == (order_score(chain(3), without), ordered_share(chain(3), without))
    with pytest.raises(ValueError, match="each of 3 nodes once"):
        order_score(chain(3), replace(wrong_graph, order=(0, 1, 1)))


def test_controls_are_no_scores():
    none = {name for name in METRICS if METRICS[name].better == "none"}
    assert {*CHANCES.values(), "skeleton_p", "direction_p", "skeleton_f1_p", "n_guessed"} == none
    assert none < {*CONTROLS, *CHANCES.values()}


@pytest.mark.parametrize("name", ["f1", "precision", "recall", "shd"])
def test_what_a_study_calls_chance_is_the_mean_over_all_relabellings(name):
    truth, guess = pairs_of_graphs()[0]
    problem = Problem(Dataset.from_values(np.eye(len(truth))), truth)
    expected = relabelled_mean(getattr(metrics, name), truth, guess)
    assert expected == pytest.approx(METRICS[CHANCES[name]].score(problem, guess))
