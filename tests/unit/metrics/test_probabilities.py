"""Metrics of probabilities: slow twins, scikit-learn, laws, chance levels, reliability."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as peer

from causalassay import metrics
from causalassay.contracts import Estimate
from causalassay.data import Dataset, Problem
from causalassay.graphs import chain, edge_probabilities, erdos_renyi, skeleton
from causalassay.metrics.probabilities import of_sums, sums_in_bins
from causalassay.metrics.registry import CHANCES, METRICS, PROBABILISTIC
from causalassay.present.charts import static_svg
from strategies import dags, pdags, permutations_of, rngs

SCORES = ("auroc", "auprc", "brier", "calibration_error")


def estimate_of(p):
    return Estimate(np.zeros(p.shape, dtype=bool), "dag", probabilities=p)


def random_probabilities(rng, d, rounded):
    three = rng.dirichlet([0.4] * 3, size=(d, d))
    p = np.triu(three[:, :, 0], 1) + np.triu(three[:, :, 1], 1).T
    p = np.round(p * 10) / 20 if rounded else p  # many ties, and bounds of bins
    label = rng.permutation(d)
    return p[np.ix_(label, label)]


@st.composite
def truths_and_probabilities(draw, min_nodes=2):
    truth = draw(dags(min_nodes=min_nodes))
    return truth, random_probabilities(draw(rngs()), len(truth), draw(st.booleans()))


def cases(truth, p, *, joined):
    d = len(truth)
    if joined:
        either = [(i, j) for i in range(d) for j in range(i)]
        return [(p[i, j] + p[j, i], bool(skeleton(truth)[i, j])) for i, j in either]
    return [(p[i, j], bool(truth[i, j])) for i in range(d) for j in range(d) if i != j]


# Twins that follow the definitions case by case.


def tie(a, b):
    return abs(a - b) <= 1e-6 * max(a, b)


def slow_auroc(pairs):
    true = [p for p, y in pairs if y]
    false = [p for p, y in pairs if not y]
    if not true or not false:
        return np.nan
    return np.mean([0.5 if tie(a, b) else float(a > b) for a in true for b in false])


def slow_auprc(pairs):
    n_true = sum(y for _, y in pairs)
    if not n_true:
        return np.nan
    total, before = 0.0, 0.0
    for threshold in sorted({p for p, _ in pairs}, reverse=True):
        taken = [y for p, y in pairs if p >= threshold or tie(p, threshold)]
        recall = sum(taken) / n_true
        total += (recall - before) * sum(taken) / len(taken)
        before = recall
    return total


def slow_brier(pairs):
    return np.mean([(p - y) ** 2 for p, y in pairs])


def slow_calibration_error(pairs):
    total = 0.0
    for k in range(10):
        low = k / 10 - 1e-6
        high = (k + 1) / 10 - 1e-6 if k < 9 else np.inf
        inside = [(p, y) for p, y in pairs if max(low, 0) <= p < high or (k == 0 and p < high)]
        if inside:
            gap = abs(np.mean([p for p, _ in inside]) - np.mean([y for _, y in inside]))
            total += len(inside) / len(pairs) * gap
    return total


@pytest.mark.parametrize("name", SCORES)
@given(example=truths_and_probabilities())
def test_each_metric_is_its_definition(name, example):
    truth, p = example
    slow = globals()[f"slow_{name}"]
    for prefix, joined in (("", False), ("skeleton_", True)):
        expected = slow(cases(truth, p, joined=joined))
        found = getattr(metrics, prefix + name)(truth, estimate_of(p))
        assert expected == pytest.approx(found, nan_ok=True, abs=1e-12)


def test_scikit_learn_agrees():
    rng = np.random.default_rng(0)
    for seed in range(30):
        truth = erdos_renyi(8, 1.5, rng)
        p = random_probabilities(rng, 8, seed % 2)
        guess = estimate_of(p)
        probability, y = map(np.array, zip(*cases(truth, p, joined=False), strict=True))
        assert peer.roc_auc_score(y, probability) == pytest.approx(metrics.auroc(truth, guess))
        precision = peer.average_precision_score(y, probability)
        assert precision == pytest.approx(metrics.auprc(truth, guess))
        assert peer.brier_score_loss(y, probability) == pytest.approx(metrics.brier(truth, guess))


@given(data=st.data())
def test_relabelling_changes_nothing(data):
    truth, p = data.draw(truths_and_probabilities())
    label = data.draw(permutations_of(len(truth)))
    both = np.ix_(label, label)
    for name in PROBABILISTIC:
        score = getattr(metrics, name)
        one, other = score(truth, estimate_of(p)), score(truth[both], estimate_of(p[both]))
        assert one == pytest.approx(other, nan_ok=True)


@given(dag=dags(min_nodes=2))
def test_the_truth_as_certainty_is_perfect(dag):
    guess = estimate_of(dag.astype(float))
    for name in SCORES:
        for prefix in ("", "skeleton_"):
            best = 1.0 if METRICS[prefix + name].better == "high" else 0.0
            found = getattr(metrics, prefix + name)(dag, guess)
            assert np.isnan(found) or best == pytest.approx(found)


@given(example=truths_and_probabilities(), rng=rngs())
def test_ranks_do_not_depend_on_the_scale_of_probabilities(example, rng):
    truth, p = example
    for name in ("auroc", "auprc"):
        score = getattr(metrics, name)
        one, half = score(truth, estimate_of(p)), score(truth, estimate_of(p / 2))
        assert one == pytest.approx(half, nan_ok=True)


@given(example=truths_and_probabilities(), truths=st.lists(dags(min_nodes=4, max_nodes=4)))
def test_without_probabilities_every_number_is_nan(example, truths):
    truth, _ = example
    problem = Problem(Dataset.from_values(np.random.default_rng(0).normal(size=(9, 2))), chain(2))
    for name in PROBABILISTIC:
        assert np.isnan(getattr(metrics, name)(truth, truth))
        assert np.isnan(getattr(metrics, name)(truth, Estimate(truth, "dag")))
        assert np.isnan(METRICS[CHANCES[name]].score(problem, Estimate(chain(2), "dag")))


@given(graphs=st.lists(pdags(min_nodes=5, max_nodes=5), min_size=3, max_size=30))
def test_edges_of_as_many_graphs_tie_however_they_are_rounded(graphs):
    truth = graphs[0] & ~graphs[0].T
    halves = sum(graph * (2 - (graph & graph.T)) for graph in graphs)  # whole numbers
    p = edge_probabilities(graphs)
    assert np.array_equal(p, halves / (2 * len(graphs)))
    uneven = edge_probabilities(graphs * 3, np.repeat([0.1, 0.2, 0.7], len(graphs)).tolist())
    for name in ("auroc", "auprc"):
        for prefix, joined in (("", False), ("skeleton_", True)):
            expected = globals()[f"slow_{name}"](cases(truth, halves, joined=joined))
            for rounded in (p, p.astype(np.float32), uneven):
                found = getattr(metrics, prefix + name)(truth, estimate_of(rounded))
                assert expected == pytest.approx(found, nan_ok=True, abs=1e-12)


# Chance levels.


def chance_of(name, truth, p):
    d = len(truth)
    values = np.random.default_rng(0).normal(size=(20, d))
    problem = Problem(Dataset.from_values(values), truth)
    return METRICS[f"{name}_chance"].score(problem, estimate_of(p))


def test_chance_levels_are_what_uninformed_probabilities_get():
    rng = np.random.default_rng(1)
    truth = erdos_renyi(12, 2.0, rng)
    density = truth.sum() / (12 * 11)
    base_rate = np.full((12, 12), density) * (1 - np.eye(12))
    p = random_probabilities(rng, 12, rounded=False)
    assert 0.5 == chance_of("auroc", truth, p)
    assert metrics.auroc(truth, estimate_of(base_rate)) == 0.5
    assert density == pytest.approx(chance_of("auprc", truth, p))
    assert density == pytest.approx(metrics.auprc(truth, estimate_of(base_rate)))
    level = chance_of("brier", truth, p)
    assert density * (1 - density) == pytest.approx(level)
    assert metrics.brier(truth, estimate_of(base_rate)) == pytest.approx(level)
    assert chance_of("skeleton_auprc", truth, p) == pytest.approx(2 * density)
    expected = np.abs(p[~np.eye(12, dtype=bool)] - density)
    assert chance_of("calibration_error", truth, p) <= expected.mean() + 1e-12


def test_relabelled_probabilities_rank_at_chance_on_average():
    rng = np.random.default_rng(2)
    truth = erdos_renyi(10, 2.0, rng)
    guess = estimate_of(random_probabilities(rng, 10, rounded=False))
    assert metrics.chance("auroc", truth, guess, 0, n=2000) == pytest.approx(0.5, abs=0.01)
    # The mean over relabellings is linear in the truth.
    p = guess.probabilities[~np.eye(10, dtype=bool)]
    q = truth.sum() / 90
    expected = (p**2).mean() - 2 * q * p.mean() + q
    assert metrics.chance("brier", truth, guess, 0, n=2000) == pytest.approx(expected, abs=0.003)


# The reliability picture.


def test_true_probabilities_lie_on_the_diagonal():
    rng = np.random.default_rng(3)
    truths, guesses = [], []
    for _ in range(60):
        p = np.triu(rng.random((12, 12)), 1)
        truths.append(np.triu(rng.random((12, 12)) < p, 1))
        guesses.append(estimate_of(p))
    found = metrics.reliability(truths, guesses)
    assert 60 * 12 * 11 == found.n_cases
    assert found.calibration_error < 0.03
    joined = metrics.reliability(truths, guesses, joined=True)
    assert 60 * 66 == joined.n_cases
    assert np.all(np.abs(joined.share - joined.probability) < 0.12)


@given(example=truths_and_probabilities())
def test_one_graph_alone_has_its_calibration_error(example):
    truth, p = example
    guess = estimate_of(p)
    for name, joined in (("calibration_error", False), ("skeleton_calibration_error", True)):
        found = metrics.reliability(truth, guess, joined=joined)
        assert getattr(metrics, name)(truth, guess) == pytest.approx(found.calibration_error)
    sums = sums_in_bins(truth, guess)
    again = of_sums(np.add(sums, sums))
    one = metrics.reliability(truth, guess)
    np.testing.assert_array_equal(2 * one.counts, again.counts)
    np.testing.assert_allclose(one.probability, again.probability, atol=1e-5)
    np.testing.assert_allclose(one.share, again.share)


def test_it_shows_itself():
    truth = chain(3)
    p = np.array([[0, 0.9, 0.4], [0.1, 0, 0.5], [0.2, 0.3, 0]])
    found = metrics.reliability([truth, truth], [estimate_of(p)] * 2)
    document = found.document()
    figure, table, _ = document.blocks
    assert [row[1] for row in table.rows] == [2, 2, 2, 2, 2, 2]
    drawn = static_svg(figure.spec(), figure.alt)
    assert drawn.count('aria-roledescription="point"') == 6
    assert "calibration error" in repr(found)
    assert json.loads(json.dumps(found.to_dict()))["counts"] == [0, 2, 2, 2, 2, 2, 0, 0, 0, 2]


def test_estimates_without_probabilities_have_no_reliability():
    with pytest.raises(ValueError, match=r"estimates\[0\] has no probabilities; take an algorithm"):
        metrics.reliability(chain(2), Estimate(chain(2), "dag"))
    with pytest.raises(ValueError, match="a truth for each estimate, got 2, 1"):
        metrics.reliability([chain(2)] * 2, [Estimate(chain(2), "dag")])
    nothing = metrics.reliability(np.zeros((1, 1), bool), estimate_of(np.zeros((1, 1))))
    assert "No pair" in repr(nothing)
    assert np.isnan(
        metrics.calibration_error(np.zeros((1, 1), bool), estimate_of(np.zeros((1, 1))))
    )
