"""CPDAGs, interventional ones too, and whether a graph is one, by hand."""

import numpy as np
import pytest

from causalassay.graphs import (
    NoExtension,
    chain,
    check_cpdag,
    complete,
    erdos_renyi,
    extend,
    from_edges,
    is_cpdag,
    is_dag,
    meek_closure,
    skeleton,
    to_cpdag,
    to_edges,
    to_interventional_cpdag,
    v_structures,
)


def graph_of(n_nodes, arrows=(), lines=()):
    return from_edges([*arrows, *lines, *((j, i) for i, j in lines)], n_nodes)


# CPDAGs


def test_a_chain_loses_all_directions():
    np.testing.assert_array_equal(skeleton(chain(4)), to_cpdag(chain(4)))


def test_a_collider_keeps_its_directions_and_those_it_compels():
    dag = from_edges([(0, 2), (1, 2), (2, 3)], 4)
    np.testing.assert_array_equal(dag, to_cpdag(dag))


def test_a_shielded_collider_is_reversible():
    triangle = from_edges([(0, 1), (0, 2), (1, 2)], 3)
    np.testing.assert_array_equal(skeleton(triangle), to_cpdag(triangle))


def test_some_edges_into_a_node_are_compelled_and_others_not():
    # 0→2←1 is a collider; 2→3 and 0→3 follow, 4—5 hangs on nothing.
    dag = from_edges([(0, 2), (1, 2), (2, 3), (0, 3), (4, 5)], 6)
    expected = graph_of(6, arrows=[(0, 2), (1, 2), (2, 3), (0, 3)], lines=[(4, 5)])
    np.testing.assert_array_equal(expected, to_cpdag(dag))


def test_a_graph_of_one_node_is_its_own_cpdag():
    np.testing.assert_array_equal([[False]], to_cpdag(chain(1)))


def test_to_cpdag_leaves_its_input_alone_and_reads_any_layout():
    dag = chain(4)
    dag.flags.writeable = False
    np.testing.assert_array_equal(to_cpdag(dag), to_cpdag(dag.T))
    np.testing.assert_array_equal(to_cpdag(dag), to_cpdag(np.asfortranarray(dag)))
    np.testing.assert_array_equal(np.eye(4, k=1, dtype=bool), dag)


def test_to_cpdag_refuses_cycles_and_weights():
    with pytest.raises(ValueError, match="dag: expected a DAG, but there is the cycle"):
        to_cpdag(skeleton(chain(3)))
    with pytest.raises(TypeError, match="for weights pass `weights != 0`"):
        to_cpdag(chain(3) * 1.5)


def test_v_structures_are_unshielded_and_directed():
    assert {(0, 2, 1)} == v_structures(from_edges([(0, 2), (1, 2)], 3))
    assert set() == v_structures(from_edges([(0, 2), (1, 2), (0, 1)], 3))
    assert set() == v_structures(graph_of(3, arrows=[(0, 2)], lines=[(1, 2)]))
    assert {(0, 3, 1), (0, 3, 2), (1, 3, 2)} == v_structures(
        from_edges([(0, 3), (1, 3), (2, 3)], 4)
    )


# Meek's rules: each orients 0—1 into 0→1


@pytest.mark.parametrize(
    ("arrows", "lines"),
    [
        ([(2, 0)], []),
        ([(0, 2), (2, 1)], []),
        ([(2, 1), (3, 1)], [(0, 2), (0, 3)]),
        ([(3, 2), (2, 1)], [(0, 2), (0, 3)]),
    ],
    ids=["rule 1", "rule 2", "rule 3", "rule 4"],
)
def test_each_rule_orients_its_edge(arrows, lines):
    closed = meek_closure(graph_of(4, arrows, [*lines, (0, 1)]))
    assert closed[0, 1]
    assert not closed[1, 0]


def test_no_rule_orients_without_its_premises():
    for pdag in (
        graph_of(4, lines=[(0, 1), (1, 2), (2, 3), (0, 3)]),
        graph_of(3, arrows=[(2, 0)], lines=[(0, 1), (1, 2)]),
        graph_of(4, arrows=[(2, 1), (3, 1)], lines=[(0, 1), (0, 2), (0, 3), (2, 3)]),
    ):
        np.testing.assert_array_equal(pdag, meek_closure(pdag))


def test_an_edge_demanded_both_ways_stays_undirected():
    # 2→0—1←3: rule 1 asks for 0→1 and for 1→0.
    pdag = graph_of(4, arrows=[(2, 0), (3, 1)], lines=[(0, 1)])
    np.testing.assert_array_equal(pdag, meek_closure(pdag))


def test_a_direction_travels_along_a_chain():
    pdag = skeleton(chain(50))
    pdag[1, 0] = False
    np.testing.assert_array_equal(chain(50), meek_closure(pdag))


def test_meek_closure_leaves_its_input_alone():
    pdag = graph_of(3, arrows=[(0, 1)], lines=[(1, 2)])
    pdag.flags.writeable = False
    assert [(0, 1), (1, 2)] == to_edges(meek_closure(pdag))


# Extensions


def test_an_extension_keeps_arrows_and_adds_no_collider():
    pdag = graph_of(4, arrows=[(0, 1)], lines=[(1, 2), (2, 3)])
    np.testing.assert_array_equal(chain(4), extend(pdag))


def test_a_dag_extends_itself():
    dag = erdos_renyi(30, 2, np.random.default_rng(0))
    np.testing.assert_array_equal(dag, extend(dag))


@pytest.mark.parametrize(
    ("pdag", "left"),
    [
        (graph_of(5, lines=[(0, 1), (1, 2), (2, 3), (0, 3), (3, 4)]), [0, 1, 2, 3]),
        (graph_of(4, arrows=[(0, 1), (1, 2), (2, 0), (2, 3)]), [0, 1, 2]),
        (graph_of(4, arrows=[(2, 0), (3, 1)], lines=[(0, 1)]), [0, 1, 2, 3]),
    ],
    ids=["a square without chord", "a directed cycle", "a line between two heads"],
)
def test_without_an_extension_the_nodes_left_are_named(pdag, left):
    with pytest.raises(NoExtension, match=r"none of the nodes \[.*\] can come last") as caught:
        extend(pdag)
    assert left == caught.value.left
    assert str(left) in str(caught.value)


def test_a_large_dense_cpdag_is_extended():
    for dag in (
        erdos_renyi(200, 10, np.random.default_rng(0)),
        complete(200, np.random.default_rng(0)),
    ):
        cpdag = to_cpdag(dag)
        assert is_dag(extend(cpdag))
        np.testing.assert_array_equal(cpdag, to_cpdag(extend(cpdag)))
        np.testing.assert_array_equal(cpdag, meek_closure(cpdag))


# Validity


@pytest.mark.parametrize(
    ("graph", "flaw"),
    [
        (
            graph_of(4, arrows=[(1, 2), (2, 3), (3, 1)]),
            r"its arrows make the cycle \d -> \d -> \d -> \d",
        ),
        (
            graph_of(6, lines=[(0, 5), (5, 1), (1, 2), (2, 0), (3, 0)]),
            "the undirected part is not chordal: the cycle 0 -- 2 -- 1 -- 5 -- 0 has no chord",
        ),
        (
            graph_of(3, arrows=[(0, 1)], lines=[(1, 2)]),
            "the edge 0 -> 1 should be undirected, since another DAG",
        ),
        (chain(2), "the edge 0 -> 1 should be undirected, since another DAG"),
        (
            graph_of(4, arrows=[(2, 0), (3, 1)], lines=[(0, 1)]),
            r"none of the nodes \[0, 1, 2, 3\] can come last",
        ),
        (
            graph_of(5, arrows=[(0, 2), (1, 2)], lines=[(2, 3), (3, 4)]),
            "the edge 2 -- 3 should be directed, 2 -> 3, since every DAG",
        ),
    ],
)
def test_what_is_wrong_with_a_cpdag_is_named(graph, flaw):
    assert not is_cpdag(graph)
    with pytest.raises(ValueError, match=f"guess: not a CPDAG: {flaw}"):
        check_cpdag(graph, "guess")


def test_a_cpdag_is_handed_through():
    cpdag = to_cpdag(erdos_renyi(40, 2, np.random.default_rng(0)))
    assert check_cpdag(cpdag) is cpdag
    assert is_cpdag(cpdag)
    assert is_cpdag(np.zeros((3, 3), dtype=bool))


def test_a_malformed_matrix_is_an_error_not_a_no():
    with pytest.raises(ValueError, match="node 1 has an edge to itself"):
        is_cpdag(np.diag([False, True]))
    with pytest.raises(TypeError, match="bool array, got int64"):
        is_cpdag(np.full((2, 2), 2))


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
