"""Orders, ancestors, walks, d-separation and thresholds, by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causalassay.graphs import (
    acyclic_threshold,
    ancestors,
    chain,
    d_separated,
    descendants,
    from_edges,
    is_dag,
    path_counts,
    possible_descendants,
    possible_reachability,
    reachability,
    threshold,
    topological_order,
)


def test_a_chain_has_one_order():
    assert topological_order(chain(5)).tolist() == [0, 1, 2, 3, 4]
    assert topological_order(chain(5).T).tolist() == [4, 3, 2, 1, 0]


def test_a_cycle_is_named():
    graph = from_edges([(3, 1), (1, 2), (2, 3), (0, 1), (3, 4)], 5)
    with pytest.raises(ValueError, match="expected a DAG, but there is the cycle") as caught:
        topological_order(graph)
    cycle = [int(node) for node in str(caught.value).rpartition("cycle ")[2].split(" -> ")]
    assert cycle[0] == cycle[-1]
    assert {1, 2, 3} == set(cycle)
    assert all(graph[i, j] for i, j in zip(cycle, cycle[1:], strict=False))


def test_an_undirected_edge_is_no_dag():
    assert not is_dag(from_edges([(0, 1), (1, 0)], 2))
    with pytest.raises(ValueError, match="the cycle [01] -> [01] -> [01]"):
        reachability(from_edges([(0, 1), (1, 0)], 2))


def test_ancestors_and_descendants_leave_the_node_out():
    diamond = from_edges([(0, 1), (0, 2), (1, 3), (2, 3)], 5)
    assert {1, 2, 3} == descendants(diamond, 0)
    assert {0, 1, 2} == ancestors(diamond, 3)
    assert set() == descendants(diamond, 4) == ancestors(diamond, 4)


def test_paths_of_the_same_length_count_once():
    diamond = from_edges([(0, 1), (0, 2), (1, 3), (2, 3)], 4)
    assert path_counts(diamond)[0, 3] == 1
    assert path_counts(diamond).sum() == 5


def test_each_length_counts():
    triangle = from_edges([(0, 1), (1, 2), (0, 2)], 3)
    np.testing.assert_array_equal([[0, 1, 2], [0, 0, 1], [0, 0, 0]], path_counts(triangle))


def test_a_long_chain_has_one_length_a_pair():
    counts = path_counts(chain(130))
    np.testing.assert_array_equal(np.triu(np.ones((130, 130)), 1), counts)


@pytest.mark.parametrize("function", [is_dag, topological_order, reachability, path_counts])
def test_weights_are_refused_with_the_way_out(function):
    with pytest.raises(TypeError, match=r"got float64 with values such as 0.3; .* `weights != 0`"):
        function(0.3 * chain(3))


COLLIDER = from_edges([(0, 2), (1, 2), (2, 3)], 4)
FORK = from_edges([(2, 0), (2, 1)], 3)
# Pearl's M: conditioning on 2 joins 0 and 1.
M = from_edges([(3, 0), (3, 2), (4, 2), (4, 1)], 5)


@pytest.mark.parametrize(
    ("dag", "i", "j", "given", "expected"),
    [
        (chain(3), 0, 2, [], False),
        (chain(3), 0, 2, [1], True),
        (chain(3), 2, 0, [1], True),
        (FORK, 0, 1, [], False),
        (FORK, 0, 1, [2], True),
        (COLLIDER, 0, 1, [], True),
        (COLLIDER, 0, 1, [2], False),
        (COLLIDER, 0, 1, [3], False),
        (COLLIDER, 0, 1, [2, 3], False),
        (M, 0, 1, [], True),
        (M, 0, 1, [2], False),
        (M, 0, 1, [2, 3], True),
        (M, 0, 1, [2, 4], True),
        (chain(2), 0, 1, [], False),
    ],
)
def test_d_separation_of_small_graphs(dag, i, j, given, expected):
    assert expected == d_separated(dag, i, j, given)


def test_sets_are_separated_when_each_pair_is():
    assert d_separated(COLLIDER, [0], {1}, ())
    assert not d_separated(COLLIDER, [0, 2], [1], [])
    assert d_separated(chain(5), [0, 1], np.array([3, 4]), np.array([2]))
    assert d_separated(chain(3), [], [2], [])


def test_overlapping_sets_are_refused():
    with pytest.raises(ValueError, match=r"i and j must share no node, got \[1\] in both"):
        d_separated(chain(3), 1, 1, [])
    with pytest.raises(ValueError, match=r"j and given must share no node, got \[2\] in both"):
        d_separated(chain(3), 0, 2, [1, 2])


@pytest.mark.parametrize("node", [-1, 3, 1.0, "a", True, np.True_, None])
def test_a_node_that_is_no_node_number_is_refused(node):
    with pytest.raises(ValueError, match="expected node numbers 0 to 2, got"):
        d_separated(chain(3), 0, 1, [node])
    with pytest.raises(ValueError, match="expected node numbers 0 to 2, got"):
        possible_descendants(chain(3), node)


def test_d_separation_needs_a_dag():
    with pytest.raises(ValueError, match="dag: expected a DAG, but there is the cycle"):
        d_separated(from_edges([(0, 1), (1, 0)], 3), 0, 2, [])


def test_numpy_integers_are_nodes():
    assert d_separated(chain(3), np.int64(0), np.int32(2), np.array([1], dtype=np.uint8))


def test_possible_descendants_walk_lines_both_ways_and_arrows_forward():
    # 0—1→2—3, 4→1
    graph = from_edges([(0, 1), (1, 0), (1, 2), (2, 3), (3, 2), (4, 1)], 5)
    assert {1, 2, 3} == possible_descendants(graph, 0)
    assert {3} == possible_descendants(graph, 2)
    assert {0, 1, 2, 3} == possible_descendants(graph, 4)


def test_a_directed_cycle_does_not_make_a_node_its_own_descendant():
    ring = from_edges([(0, 1), (1, 2), (2, 0)], 3)
    assert {1, 2} == possible_descendants(ring, 0)
    np.testing.assert_array_equal(~np.eye(3, dtype=bool), possible_reachability(ring))


def test_read_only_and_transposed_graphs_are_walked_alike():
    dag = from_edges([(0, 1), (1, 2)], 3)
    dag.flags.writeable = False
    assert d_separated(dag, 0, 2, [1])
    assert {0, 1} == possible_descendants(dag.T, 2)


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
