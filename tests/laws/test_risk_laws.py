"""What every causal risk satisfies, whatever the graphs and the data."""

from dataclasses import dataclass, field
from itertools import combinations
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from causalassay import risk
from causalassay.contracts import Estimate
from causalassay.data import Dataset, Regime
from causalassay.graphs import enumerate_dags, reachability, to_cpdag
from causalassay.risk.tests import compare_columns
from strategies import cpdags, dags, pdags, permutations_of, relabel, rngs

small_sets = st.frozensets(st.integers(0, 5))


@dataclass(frozen=True, eq=False)
class Stubborn:
    """Gives its graph whatever the data, and keeps the data for inspection."""

    graph: np.ndarray
    seen: list = field(default_factory=list)
    version: ClassVar[int] = 1

    def discover(self, data, rng):
        self.seen.append(data)
        return Estimate(self.graph, "pdag")


def experiments(n_nodes, targets, rng):
    """Observational rows, and a regime for each tuple of targets, which shifts them."""
    mixing = np.triu(rng.normal(size=(n_nodes, n_nodes)) * (rng.random((n_nodes,) * 2) < 0.5), 1)
    regimes = [
        Regime("rest", rng.normal(size=(n_nodes + 20, n_nodes)) @ (np.eye(n_nodes) + mixing))
    ]
    for k, target in enumerate(targets):
        shifted = rng.normal(size=(n_nodes + 8, n_nodes))
        shifted[:, list(target or ())] += 5
        regimes.append(Regime(f"regime {k}", shifted @ (np.eye(n_nodes) + mixing), target))
    return Dataset(tuple(f"x{j}" for j in range(n_nodes)), tuple(regimes), "rest")


@st.composite
def any_experiments(draw):
    """Single targets on at least two nodes, some shared, and regimes with several or none."""
    d = draw(st.integers(3, 6))
    nodes = draw(st.lists(st.integers(0, d - 1), min_size=2, max_size=6))
    nodes += [node for node in (0, 1) if len(set(nodes)) < 2]
    others = st.none() | st.lists(st.integers(0, d - 1), min_size=2, unique=True).map(tuple)
    targets = [(node,) for node in nodes] + draw(st.lists(others, max_size=2))
    return experiments(d, targets, draw(rngs()))


@given(small_sets, small_sets, small_sets)
@pytest.mark.parametrize("loss", [risk.jaccard, risk.mistakes])
def test_the_losses_are_metrics(loss, a, b, c):
    assert loss(a, b) == loss(b, a)
    assert (loss(a, b) == 0) == (a == b)
    assert loss(a, c) <= loss(a, b) + loss(b, c) + 1e-12


@given(st.data())
def test_oracle_is_a_relabelled_zero_for_equal_graphs_and_symmetric(data):
    truth = data.draw(dags(max_nodes=6))
    guess = data.draw(pdags(min_nodes=len(truth), max_nodes=len(truth)))
    label = data.draw(permutations_of(len(truth)))
    result = risk.oracle(truth, guess)
    assert 0 <= result <= 1
    assert 0 == risk.oracle(truth, truth)
    assert result == risk.oracle(guess, truth)
    assert pytest.approx(result) == risk.oracle(relabel(truth, label), relabel(guess, label))


@given(pdags(max_nodes=6))
def test_implied_descendants_are_the_transitive_closure(graph):
    """By powers of I + A, cyclic graphs included."""
    closure = np.linalg.matrix_power(np.eye(len(graph)) + graph, len(graph)) > 0
    expected = [set(np.flatnonzero(row).tolist()) - {node} for node, row in enumerate(closure)]
    assert expected == list(risk.implied_descendants(graph))


@given(cpdags(max_nodes=5))
def test_implied_descendants_of_a_cpdag_are_those_of_its_members_together(cpdag):
    expected = np.any([reachability(dag) for dag in enumerate_dags(cpdag)], axis=0)
    graph = risk.implied_descendants(cpdag)
    assert [set(np.flatnonzero(row).tolist()) for row in expected] == list(graph)


@pytest.mark.parametrize("name", ["t", "welch"])
@given(rng=rngs(), n=st.integers(2, 9), m=st.integers(2, 9))
def test_t_statistics_are_those_of_scipy(name, rng, n, m):
    before, after = rng.normal(size=(n, 3)), rng.normal(size=(m, 3)) * [1, 2, 0.5] + [0, 3, 0]
    expected = stats.ttest_ind(after, before, equal_var=name == "t")
    tests = compare_columns(before, after, name)
    np.testing.assert_allclose(tests.statistic, expected.statistic, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(tests.p_value, expected.pvalue, rtol=1e-7)


@settings(max_examples=40)
@given(st.data())
def test_with_all_nodes_intervened_upon_and_true_descendants_weighted_is_the_oracle(data):
    """Theorem 3.3, its case |I| = p: the weight of the cross-validated risk is 0."""
    truth = data.draw(dags(min_nodes=2, max_nodes=6))
    guess = data.draw(pdags(min_nodes=len(truth), max_nodes=len(truth)))
    rng = data.draw(rngs())
    folds = data.draw(st.sampled_from([None, 2, 5]))
    everything = experiments(len(truth), [(node,) for node in range(len(truth))], rng)
    for algorithm in (Stubborn(guess), "random-sorting", "var-sortnregress"):
        estimate = risk.estimate(algorithm, everything, rng, truth, folds)
        assert pytest.approx(risk.oracle(truth, estimate.graph)) == estimate.weighted
        assert estimate.weighted == pytest.approx(estimate.naive)


@settings(max_examples=40)
@given(any_experiments(), st.sampled_from([None, 2, 3]), rngs())
def test_the_algorithm_never_receives_what_is_held_out(data, folds, rng):
    spy = Stubborn(np.zeros((data.n_nodes,) * 2, dtype=bool))
    result = risk.estimate(spy, data, rng, folds=folds)
    assert data.conditions == spy.seen[0].conditions
    assert len(result.folds) == len(spy.seen) - 1
    assert sorted(result.intervened) == sorted(node for fold in result.folds for node in fold)
    for fold, seen in zip(result.folds, spy.seen[1:], strict=True):
        targets = {target for regime in seen.regimes for target in regime.targets or ()}
        assert not targets & set(fold)
        rows = {tuple(row) for row in seen.pooled}
        for regime in data.regimes:
            hidden = bool(set(regime.targets or ()) & set(fold))
            assert hidden == (regime.condition not in seen.conditions)
            assert hidden == rows.isdisjoint(tuple(row) for row in regime.values)


# An algorithm gives graphs, a cut-off gives descendants: neither knows of the other, so that
# pairs of them drawn at random show as much as all pairs.
@settings(max_examples=50)
@given(
    data=st.data(),
    name=st.sampled_from(["empty", "var-sortnregress", "variance-sorting"]),
    cutoff=st.sampled_from([risk.Bonferroni(), risk.SimulatedMax(0.1, 99)]),
)
def test_relabelling_columns_leaves_risks_unchanged(name, cutoff, data):
    dataset = data.draw(any_experiments())
    label = data.draw(permutations_of(dataset.n_nodes))
    folds = data.draw(st.sampled_from([None, 2]))
    tests = risk.DescendantTests(cutoff=cutoff)
    before, after = (
        risk.estimate(name, each, np.random.default_rng(3), tests, folds)
        for each in (dataset, dataset.permute_columns(label))
    )
    # Only rounding can differ: sums over rows run in another order in memory.
    assert pytest.approx(before.weighted) == after.weighted
    assert pytest.approx(before.naive) == after.naive
    assert pytest.approx(before.cross_validated) == after.cross_validated
    assert pytest.approx(before.intervals.weighted) == after.intervals.weighted
    named = {column: set(effects) for column, effects in after.descendants.named().items()}
    assert {c: set(effects) for c, effects in before.descendants.named().items()} == named


@settings(max_examples=25)
@given(any_experiments(), rngs())
def test_differences_are_differences_and_change_sign_with_the_order(data, rng):
    comparison = risk.compare(["empty", "variance-sorting", "random-sorting"], data, rng)
    for first, second in combinations(comparison.risks, 2):
        there, back = comparison.difference(first, second), comparison.difference(second, first)
        expected = comparison.risks[first].weighted - comparison.risks[second].weighted
        assert pytest.approx(expected, abs=1e-12) == there.weighted
        assert pytest.approx(-expected, abs=1e-12) == back.weighted
        low, high = there.intervals.weighted
        assert pytest.approx((-high, -low), abs=1e-12) == back.intervals.weighted
        assert low <= high


@settings(max_examples=25)
@given(any_experiments(), st.integers(0, 2**32 - 1))
def test_the_same_stream_gives_the_same_risk(data, seed):
    first, second = (
        risk.estimate("random-sorting", data, np.random.default_rng(seed), folds=2)
        for _ in range(2)
    )
    assert first.intervals == second.intervals
    assert first.held_out_losses == second.held_out_losses
    assert first.folds == second.folds


@given(dags(min_nodes=2, max_nodes=6))
def test_a_cpdag_claims_at_least_the_descendants_of_its_dag(dag):
    wider = risk.implied_descendants(to_cpdag(dag))
    narrower = risk.implied_descendants(dag)
    assert all(few <= many for few, many in zip(narrower, wider, strict=True))
