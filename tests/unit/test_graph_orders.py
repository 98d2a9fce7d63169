"""Orders, ancestors and path counts by hand."""

import numpy as np
import pytest

from causalassay.graphs import (
    ancestors,
    chain,
    descendants,
    from_edges,
    is_dag,
    path_counts,
    reachability,
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
