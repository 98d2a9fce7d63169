"""Laws of equivalence classes: their size, their members, draws from them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import graph_twins as twins
from causalassay.graphs import (
    chain,
    complete,
    enumerate_dags,
    erdos_renyi,
    from_edges,
    is_cpdag,
    mec_size,
    sample_dag,
    skeleton,
    to_cpdag,
)
from causalassay.graphs.chordal import chordless_cycle, clique_tree, members, neighbour_masks
from causalassay.graphs.classes import Orientations, draw_below
from strategies import chordal_graphs, cpdags, dags, pdags, relabel, rngs

few = settings(deadline=None, max_examples=40)


@few
@given(dags(max_nodes=5))
def test_enumeration_gives_each_member_once(dag):
    expected = twins.as_set(twins.equivalence_class(dag))
    graph = [member.tobytes() for member in enumerate_dags(to_cpdag(dag))]
    assert len(graph) == len(set(graph))
    assert expected == set(graph)


@few
@given(cpdags(max_nodes=6))
def test_the_size_is_the_number_of_members_all_of_that_cpdag(cpdag):
    graph = list(enumerate_dags(cpdag))
    assert mec_size(cpdag) == len(graph) == len(twins.as_set(graph))
    for member in graph:
        np.testing.assert_array_equal(cpdag, to_cpdag(member))


@given(chordal_graphs(max_nodes=7))
@few
def test_a_chordal_graph_is_a_cpdag_and_its_members_are_counted(graph):
    assert is_cpdag(graph)
    everything = (1 << len(graph)) - 1
    n_members = sum(1 for _ in enumerate_dags(graph))
    assert n_members == mec_size(graph)
    assert n_members == Orientations(neighbour_masks(graph)).count(everything)


@given(cpdags(), rngs())
def test_a_draw_is_a_member(cpdag, rng):
    np.testing.assert_array_equal(cpdag, to_cpdag(sample_dag(cpdag, rng)))


@given(chordal_graphs(max_nodes=12), rngs())
def test_a_draw_from_a_chordal_graph_is_a_member(graph, rng):
    np.testing.assert_array_equal(graph, to_cpdag(sample_dag(graph, rng)))


@given(cpdags(), st.integers(0, 100))
def test_a_draw_depends_on_the_generator_only(cpdag, seed):
    one, other = (sample_dag(cpdag, np.random.default_rng(seed)) for _ in range(2))
    np.testing.assert_array_equal(one, other)


@given(cpdags())
def test_the_enumeration_has_one_order(cpdag):
    one, other = ([member.tobytes() for member in enumerate_dags(cpdag)] for _ in range(2))
    assert one == other


@given(cpdags(), st.data())
def test_the_size_does_not_depend_on_labels(cpdag, data):
    label = data.draw(st.permutations(range(len(cpdag))))
    assert mec_size(cpdag) == mec_size(relabel(cpdag, label))


@given(chordal_graphs(max_nodes=9))
def test_a_clique_tree_holds_maximal_cliques_and_their_intersections(graph):
    masks = neighbour_masks(graph)
    tree = clique_tree(masks, (1 << len(graph)) - 1)
    for clique in tree:
        common = ~0
        for node in members(clique.nodes):
            assert clique.nodes & ~masks[node] == 1 << node
            common &= masks[node]
        assert common == 0
        if clique.parent >= 0:
            assert clique.separator == clique.nodes & tree[clique.parent].nodes
    covered = {
        (i, j) for clique in tree for i in members(clique.nodes) for j in members(clique.nodes)
    }
    assert set(map(tuple, np.argwhere(graph).tolist())) <= covered


@given(pdags(max_nodes=7))
def test_a_chordless_cycle_is_found_where_the_graph_is_not_chordal(graph):
    lines = skeleton(graph)
    cycle = chordless_cycle(neighbour_masks(lines))
    if cycle:
        assert len(cycle) >= 4
        ring = from_edges([(k, (k + 1) % len(cycle)) for k in range(len(cycle))], len(cycle))
        np.testing.assert_array_equal(skeleton(ring), lines[np.ix_(cycle, cycle)])
    else:
        assert is_cpdag(lines)


UNIFORM_CASES = {
    "a chain": skeleton(chain(5)),
    "a clique": skeleton(np.triu(np.ones((4, 4), dtype=bool), 1)),
    "a clique without an edge": skeleton(from_edges([(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)], 4)),
    "a kite with a tail": skeleton(from_edges([(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (3, 4)], 5)),
    "two triangles at a node": skeleton(
        from_edges([(0, 1), (0, 2), (1, 2), (2, 3), (2, 4), (3, 4)], 5)
    ),
    "nested separators": skeleton(
        from_edges([(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3), (0, 4), (1, 4), (0, 5)], 6)
    ),
    "two parts beside a collider": to_cpdag(
        from_edges([(0, 1), (1, 2), (3, 4), (5, 7), (6, 7)], 8)
    ),
}


@pytest.mark.parametrize("name", UNIFORM_CASES)
def test_draws_are_uniform_over_the_class(name):
    """Chi-square with 40 draws expected a member; each case errs with probability 1e-4."""
    cpdag = UNIFORM_CASES[name]
    position = {member.tobytes(): k for k, member in enumerate(enumerate_dags(cpdag))}
    rng = np.random.default_rng(20250101)
    drawn = [position[sample_dag(cpdag, rng).tobytes()] for _ in range(40 * len(position))]
    counts = np.bincount(drawn, minlength=len(position))
    assert stats.chisquare(counts).pvalue > 1e-4


def test_draws_below_a_huge_bound_are_uniform():
    """Chi-square over ten equal slices of 3^200, error rate 1e-4."""
    bound, rng = 3**200, np.random.default_rng(7)
    slices = [10 * draw_below(bound, rng) // bound for _ in range(2000)]
    assert stats.chisquare(np.bincount(slices, minlength=10)).pvalue > 1e-4


@given(st.integers(1, 300), rngs())
def test_draws_stay_below_their_bound(bound, rng):
    assert 0 <= draw_below(bound, rng) < bound


@pytest.mark.parametrize(
    "cpdag",
    [
        to_cpdag(erdos_renyi(100, 2, np.random.default_rng(0))),
        skeleton(chain(200)),
        skeleton(complete(30, np.random.default_rng(0))),
    ],
    ids=["ER-2 of 100 nodes", "chain of 200 nodes", "clique of 30 nodes"],
)
def test_large_classes_are_drawn_from(cpdag):
    np.testing.assert_array_equal(cpdag, to_cpdag(sample_dag(cpdag, np.random.default_rng(1))))
