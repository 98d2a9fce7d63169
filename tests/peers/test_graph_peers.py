"""Graph algorithms beside those of networkx, gadjid and cliquepicking."""

import cliquepicking
import gadjid
import networkx as nx
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from causalassay.graphs import (
    chain,
    d_separated,
    enumerate_dags,
    erdos_renyi,
    from_edges,
    mec_size,
    reachability,
    sample_dag,
    skeleton,
    to_cpdag,
    to_edges,
    to_gadjid,
    to_networkx,
)
from causalassay.graphs.chordal import chordless_cycle, clique_tree, members, neighbour_masks
from causalassay.graphs.classes import Orientations
from strategies import chordal_graphs, cpdags, dags, pdags

few = settings(deadline=None, max_examples=40)
ROW_TO_COLUMN = "from row to column"


def test_gadjid_reads_our_graphs_in_our_direction():
    truth, guess = to_gadjid(chain(3)), to_gadjid(from_edges([(0, 1)], 3))
    assert gadjid.sid(truth, truth, edge_direction=ROW_TO_COLUMN) == (0.0, 0)
    # Without 1→2 node 2 is not adjusted for its parent, so do(2) seems to move 0 and 1;
    # read the other way round, the middle node would lack its parent: 1 mistake.
    assert gadjid.sid(truth, guess, edge_direction=ROW_TO_COLUMN)[1] == 2
    assert gadjid.sid(truth, guess, edge_direction="from column to row")[1] == 1


def test_gadjid_gives_the_distances_of_peters_and_buehlmann():
    """METHODS C.2: H1 adds 3→4 to G, H2 reverses 1→2."""
    names = range(1, 6)
    edges = [(1, 2), (1, 3), (1, 4), (1, 5), (2, 3), (2, 4), (2, 5)]
    truth = to_gadjid(from_edges(edges, names))
    added = to_gadjid(from_edges([*edges, (3, 4)], names))
    reversed_edge = to_gadjid(from_edges([(2, 1), *edges[1:]], names))
    assert gadjid.shd(truth, added)[1] == 1
    assert gadjid.sid(truth, added, edge_direction=ROW_TO_COLUMN)[1] == 0
    assert gadjid.shd(truth, reversed_edge)[1] == 1
    assert gadjid.sid(truth, reversed_edge, edge_direction=ROW_TO_COLUMN)[1] == 8


def test_gadjid_accepts_our_cpdags():
    cpdag = to_gadjid(to_cpdag(erdos_renyi(20, 1.5, np.random.default_rng(0))))
    assert gadjid.parent_aid(cpdag, cpdag, edge_direction=ROW_TO_COLUMN)[1] == 0
    assert gadjid.shd(cpdag, cpdag)[1] == 0
    # METHODS C.3: 0→1 against 0—1 is wrong in both ordered pairs.
    guess = to_gadjid(skeleton(chain(2)))
    assert gadjid.parent_aid(to_gadjid(chain(2)), guess, edge_direction=ROW_TO_COLUMN)[1] == 2


@given(dags(min_nodes=2, max_nodes=10), st.data())
def test_d_separation_agrees_with_networkx(dag, data):
    i, j, *rest = data.draw(st.permutations(range(len(dag))))
    given_nodes = data.draw(st.sets(st.sampled_from(rest))) if rest else set()
    expected = nx.is_d_separator(to_networkx(dag), {i}, {j}, given_nodes)
    assert expected == d_separated(dag, i, j, given_nodes)


def test_d_separation_agrees_with_networkx_on_larger_graphs():
    rng = np.random.default_rng(0)
    for _ in range(30):
        dag = erdos_renyi(40, 1.5, rng)
        i, j, *condition = rng.choice(40, size=rng.integers(2, 12), replace=False).tolist()
        expected = nx.is_d_separator(to_networkx(dag), {i}, {j}, set(condition))
        assert expected == d_separated(dag, i, j, condition)


@few
@given(dags(max_nodes=12))
def test_reachability_agrees_with_networkx(dag):
    closure = nx.transitive_closure_dag(to_networkx(dag))
    assert set(closure.edges) == set(to_edges(reachability(dag)))


@few
@given(pdags(max_nodes=8))
def test_chordality_agrees_with_networkx(graph):
    lines = skeleton(graph)
    expected = nx.is_chordal(nx.Graph(to_edges(lines)))
    assert expected == (not chordless_cycle(neighbour_masks(lines)))


@few
@given(chordal_graphs(min_nodes=2, max_nodes=12))
def test_cliques_agree_with_networkx(graph):
    expected = {frozenset(clique) for clique in nx.find_cliques(nx.Graph(to_edges(graph)))}
    tree = clique_tree(neighbour_masks(graph), (1 << len(graph)) - 1)
    assert expected == {frozenset(members(clique.nodes)) for clique in tree}
    assert len(expected) == len(tree)


@few
@given(chordal_graphs(min_nodes=2, max_nodes=25))
def test_our_counts_agree_with_cliquepicking(graph):
    everything = (1 << len(graph)) - 1
    assert mec_size(graph) == Orientations(neighbour_masks(graph)).count(everything)


@few
@given(cpdags(min_nodes=2, max_nodes=6).filter(lambda cpdag: cpdag.any()))
def test_our_members_agree_with_cliquepicking(cpdag):
    # Version 0.3.2 panics on a graph that is one clique; node 0, left without edges, prevents it.
    names = range(1, len(cpdag) + 1)
    listed = cliquepicking.mec_list_dags(to_edges(cpdag, names))
    expected = {frozenset(map(tuple, dag)) for dag in listed}
    assert expected == {frozenset(to_edges(dag, names)) for dag in enumerate_dags(cpdag)}
    assert len(listed) == len(expected)


def test_counts_of_large_chordal_graphs_agree_with_cliquepicking():
    rng = np.random.default_rng(5)
    cliques, graph = [[0]], np.zeros((80, 80), dtype=bool)
    for new in range(1, 80):
        clique = cliques[rng.integers(len(cliques))]
        joined = rng.choice(clique, size=rng.integers(1, len(clique) + 1), replace=False).tolist()
        graph[new, joined] = graph[joined, new] = True
        cliques.append([*joined[-5:], new])
    assert mec_size(graph) == Orientations(neighbour_masks(graph)).count((1 << 80) - 1)
    np.testing.assert_array_equal(graph, to_cpdag(sample_dag(graph, rng)))
