"""Interventional essential graphs, by hand."""

import numpy as np
import pytest

from causalassay.graphs import chain, complete, from_edges, to_cpdag, to_interventional_cpdag


def test_without_interventions_it_is_the_cpdag():
    diamond = from_edges([(0, 1), (0, 2), (1, 3), (2, 3)], 4)
    for targets in ([], [()], [(), ()], [(0, 1, 2, 3), ()]):
        np.testing.assert_array_equal(to_cpdag(diamond), to_interventional_cpdag(diamond, targets))


def test_an_intervention_directs_all_edges_at_its_target():
    star = from_edges([(0, 1), (0, 2), (0, 3)], 4)
    np.testing.assert_array_equal(star, to_interventional_cpdag(star, [(), (0,)]))


def test_a_source_found_directs_what_follows():
    np.testing.assert_array_equal(chain(5), to_interventional_cpdag(chain(5), [(), (0,)]))


def test_a_sink_found_directs_its_own_edge_only():
    graph = to_interventional_cpdag(chain(5), [(), (4,)])
    expected = to_cpdag(chain(5))
    expected[4, 3] = False
    np.testing.assert_array_equal(expected, graph)


def test_two_targets_at_once_leave_their_own_edge():
    # 0→1→2 with 1 and 2 acted upon together: only 0→1 is separated, then 1 is no collider.
    graph = to_interventional_cpdag(chain(3), [(), (1, 2)])
    np.testing.assert_array_equal(chain(3), graph)
    # In a triangle 1—2 stays, for nothing tells 1 from 2.
    triangle = complete(3, np.random.default_rng(0))
    first, second, third = np.argsort(triangle.sum(axis=0))
    graph = to_interventional_cpdag(triangle, [(), (second, third)])
    assert graph[second, third]
    assert graph[third, second]
    assert graph[first, second]
    assert not graph[second, first]


def test_targets_alone_tell_as_much_as_beside_observation():
    for targets in ([(0,), (1,)], [(), (0,), (1,)]):
        np.testing.assert_array_equal(chain(2), to_interventional_cpdag(chain(2), targets))


def test_unknown_nodes_are_refused():
    with pytest.raises(ValueError, match="targets: expected node numbers 0 to 2, got 3"):
        to_interventional_cpdag(chain(3), [(3,)])


def test_cycles_are_refused():
    with pytest.raises(ValueError, match="cycle"):
        to_interventional_cpdag(np.array([[False, True], [True, False]]), [()])
