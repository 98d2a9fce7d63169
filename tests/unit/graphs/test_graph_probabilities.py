"""Probabilities of edges: what they must be, how graphs become them, and they a graph."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causalassay.graphs import (
    chain,
    edge_probabilities,
    enumerate_dags,
    is_dag,
    most_probable_dag,
    to_cpdag,
)
from causalassay.graphs.probabilities import check_probabilities, order_by_probability
from strategies import dags, pdags, permutations_of, rngs


@st.composite
def probabilities(draw, max_nodes=7):
    """Return probabilities, often with ties, zeros and certain edges."""
    d, rng = draw(st.integers(1, max_nodes)), draw(rngs())
    three = rng.dirichlet([draw(st.sampled_from([0.1, 1.0]))] * 3, size=(d, d))
    if draw(st.booleans()):
        three = np.round(three * 4) / 4
    p = np.triu(three[:, :, 0], 1) + np.triu(three[:, :, 1], 1).T
    return np.where(p + p.T > 1, p / 2, p)


def by_paths(p, threshold):
    """Return the graph as the docstring of `most_probable_dag` has it, one edge after the other."""
    d = len(p)

    def leads(graph, a, b):
        return a == b or any(leads(graph, k, b) for k in range(d) if graph[a, k])

    pairs = [(i, j) if p[i, j] >= p[j, i] else (j, i) for i in range(d) for j in range(i + 1, d)]
    joined = [(i, j) for i, j in pairs if p[i, j] + p[j, i] > threshold]
    graph = np.zeros((d, d), dtype=bool)
    for i, j in sorted(joined, key=lambda pair: -p[pair]):
        if not leads(graph, j, i):
            graph[i, j] = True
        elif p[j, i] > 1 - p[i, j] - p[j, i]:
            graph[j, i] = True
    return graph


@given(p=probabilities(), threshold=st.sampled_from([0.0, 0.3, 0.5, 0.9, 1.0]))
def test_the_reading_is_an_acyclic_graph_of_pairs_above_the_threshold(p, threshold):
    graph = most_probable_dag(p, threshold)
    assert is_dag(graph)
    assert not graph[p + p.T <= threshold].any()
    np.testing.assert_array_equal(by_paths(p, threshold), graph)
    rank = np.argsort(order_by_probability(graph, p))
    assert all(rank[i] < rank[j] for i, j in np.argwhere(graph))


@given(dag=dags())
def test_a_certain_dag_is_read_as_itself(dag):
    np.testing.assert_array_equal(dag, most_probable_dag(dag.astype(float)))


@given(data=st.data())
def test_relabelling_probabilities_that_do_not_tie_relabels_the_reading(data):
    d, rng = data.draw(st.integers(2, 7)), data.draw(rngs())
    three = rng.dirichlet([0.5] * 3, size=(d, d))
    p = np.triu(three[:, :, 0], 1) + np.triu(three[:, :, 1], 1).T
    label = data.draw(permutations_of(d))
    both = np.ix_(label, label)
    np.testing.assert_array_equal(most_probable_dag(p)[both], most_probable_dag(p[both]))


@given(graphs=st.lists(pdags(min_nodes=4, max_nodes=4), min_size=1, max_size=5), rng=rngs())
def test_probabilities_are_weighted_shares_of_graphs(graphs, rng):
    weights = rng.random(len(graphs)) + 0.01
    found = edge_probabilities(graphs, list(7 * weights))
    for i in range(4):
        for j in range(4):
            share = sum(
                weight * (0.5 if graph[j, i] else 1.0)
                for graph, weight in zip(graphs, weights, strict=True)
                if graph[i, j]
            )
            assert share / weights.sum() == pytest.approx(found[i, j])
    check_probabilities(found, 4)
    np.testing.assert_allclose(edge_probabilities(graphs), edge_probabilities(graphs * 2))


def test_the_dags_of_a_class_know_its_skeleton_for_sure():
    members = list(enumerate_dags(to_cpdag(chain(4))))
    p = edge_probabilities(members)
    np.testing.assert_allclose((chain(4) | chain(4).T).astype(float), p + p.T)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.zeros((2, 3)), r"expected the shape \(2, 2\), got \(2, 3\)"),
        ([[0, 1.5], [0, 0]], "that of 0→1 is 1.5, expected a number from 0 to 1"),
        ([[0, -0.1], [0, 0]], "that of 0→1 is -0.1"),
        ([[0, np.nan], [0, 0]], "that of 0→1 is nan"),
        ([[0.1, 0], [0, 0]], "that of 0→0 is 0.1, expected 0"),
        ([[0, 0.8], [0.8, 0]], "0→1 and 1→0 sum to 1.6, expected at most 1; halve"),
    ],
)
def test_what_are_no_probabilities_is_refused(value, message):
    with pytest.raises(ValueError, match=message):
        check_probabilities(value, 2)
    if "sum" in message:
        assert check_probabilities(value, 2, both_ways=True).tolist() == value


def test_what_is_no_list_of_graphs_is_refused():
    with pytest.raises(ValueError, match="graphs: expected at least one graph, got none"):
        edge_probabilities([])
    with pytest.raises(ValueError, match="the first has 2 nodes, that at index 1 has 3"):
        edge_probabilities([chain(2), chain(3)])
    with pytest.raises(ValueError, match=r"weights: expected one for each of 1 graphs, got .*2"):
        edge_probabilities([chain(2)], [1, 2])
    for weights in ([-1.0], [0.0], [np.nan]):
        with pytest.raises(ValueError, match="weights: expected numbers >= 0"):
            edge_probabilities([chain(2)], weights)
    with pytest.raises(TypeError, match="a matrix of numbers"):
        check_probabilities([["a", "b"], ["c", "d"]], 2)
