"""d-separation and possible descendants by hand."""

import numpy as np
import pytest

from causalassay.graphs import (
    chain,
    d_separated,
    from_edges,
    possible_descendants,
    possible_reachability,
)

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
