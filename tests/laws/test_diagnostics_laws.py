"""What sortabilities satisfy whatever the data."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causalassay.diagnostics import (
    RankDeficientWarning,
    alignment,
    cause_explained_variance,
    r2,
    r2_sortability,
    relatives_sortability,
    snr_sortability,
    var_sortability,
)
from strategies import dags, permutations_of, rngs

CONVENTIONS = ("paths", "pairs", "edges")


@st.composite
def problems(draw, max_nodes=6):
    """Values of a linear model on a graph of at least one edge, and the graph."""
    graph = draw(dags(min_nodes=2, max_nodes=max_nodes).filter(np.any))
    rng = draw(rngs())
    d = len(graph)
    weights = graph * rng.uniform(0.5, 2, graph.shape) * rng.choice([-1, 1], graph.shape)
    values = rng.normal(size=(20 + d, d)) @ np.linalg.inv(np.eye(d) - weights)
    return values, graph


@st.composite
def scored(draw):
    """A graph and scores on a coarse grid, so that ties are frequent and never marginal."""
    graph = draw(dags(min_nodes=1))
    d = len(graph)
    return graph, np.array(draw(st.lists(st.integers(1, 6), min_size=d, max_size=d)), dtype=float)


def credit(earlier, later):
    return 0.5 + 0.5 * np.sign(later - earlier)


def slow_alignment(graph, scores, convention):
    """Sum over the boolean powers of the matrix, the closure, or the edges."""
    d = len(graph)
    powers = [graph]
    for _ in range(d - 2):
        powers.append((powers[-1].astype(int) @ graph.astype(int)) > 0)
    counted = {"paths": powers, "pairs": [np.any(powers, axis=0)], "edges": [graph]}[convention]
    result = [
        credit(scores[i], scores[j])
        for power in counted
        for i in range(d)
        for j in range(d)
        if power[i, j]
    ]
    return np.mean(result) if result else float("nan")


@given(scored(), st.sampled_from(CONVENTIONS))
def test_alignment_equals_the_naive_sum(problem, convention):
    expected = slow_alignment(*problem, convention)
    assert expected == pytest.approx(alignment(*problem, convention), nan_ok=True)


@given(scored(), st.sampled_from(CONVENTIONS))
def test_reversed_scores_give_the_complement(problem, convention):
    graph, scores = problem
    forward = alignment(graph, scores, convention)
    for backward in (-scores, 1 / scores, 7 - scores):
        expected = 1 - forward
        assert expected == pytest.approx(
            alignment(graph, backward, convention), abs=1e-15, nan_ok=True
        )


@given(scored(), st.sampled_from(CONVENTIONS))
def test_alignment_only_asks_for_the_order(problem, convention):
    graph, scores = problem
    expected = alignment(graph, scores, convention)
    assert expected == pytest.approx(alignment(graph, scores**3, convention), nan_ok=True)


@given(problems(), st.sampled_from(CONVENTIONS), st.data())
def test_relabelling_leaves_sortabilities_unchanged(problem, convention, data):
    values, graph = problem
    label = data.draw(permutations_of(len(graph)))
    renamed = graph[np.ix_(label, label)]
    for sortability in (var_sortability, r2_sortability, snr_sortability, relatives_sortability):
        expected = sortability(values, graph, convention)
        assert expected == pytest.approx(sortability(values[:, label], renamed, convention))


@given(problems(), st.sampled_from(CONVENTIONS))
def test_mirroring_leaves_sortabilities_unchanged(problem, convention):
    values, graph = problem
    for sortability in (var_sortability, r2_sortability, snr_sortability, relatives_sortability):
        assert sortability(values, graph, convention) == sortability(-values, graph, convention)


@given(problems(), st.data())
def test_r2_and_cause_explained_variance_ignore_scale_and_shift(problem, data):
    values, graph = problem
    d = len(graph)
    powers = data.draw(st.lists(st.integers(-20, 20), min_size=d, max_size=d))
    moved = (values + 0.5) * 2.0 ** np.array(powers)
    np.testing.assert_allclose(r2(values), r2(moved), atol=1e-9)
    np.testing.assert_allclose(
        cause_explained_variance(values, graph), cause_explained_variance(moved, graph), atol=1e-9
    )
    assert r2_sortability(values, graph) == r2_sortability(moved, graph)


@given(problems())
def test_parents_explain_no_more_than_all_others(problem):
    values, graph = problem
    assert (cause_explained_variance(values, graph) <= r2(values) + 1e-12).all()


@given(problems(max_nodes=5), st.integers(2, 9))
def test_sortabilities_lie_between_zero_and_one_even_with_few_rows(problem, n):
    values, graph = problem
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankDeficientWarning)
        for sortability in (var_sortability, r2_sortability, snr_sortability):
            assert 0 <= sortability(values[:n], graph) <= 1


@given(problems(max_nodes=5))
def test_inputs_stay_as_they_were(problem):
    values, graph = problem
    before = values.copy(), graph.copy()
    for sortability in (var_sortability, r2_sortability, snr_sortability, relatives_sortability):
        sortability(values, graph)
    np.testing.assert_array_equal(before[0], values)
    np.testing.assert_array_equal(before[1], graph)
