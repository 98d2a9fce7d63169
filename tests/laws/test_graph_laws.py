"""Laws of orders, walks, CPDAGs, closures and extensions, beside their slow twins."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graph_twins as twins
from causalassay.common.files import unsaid
from causalassay.graphs import (
    NoExtension,
    ancestors,
    d_separated,
    descendants,
    extend,
    from_edges,
    from_gadjid,
    from_lingam,
    from_networkx,
    from_pandas,
    is_cpdag,
    is_dag,
    meek_closure,
    path_counts,
    possible_descendants,
    possible_reachability,
    reachability,
    read_graph,
    skeleton,
    to_cpdag,
    to_edges,
    to_gadjid,
    to_lingam,
    to_networkx,
    to_pandas,
    topological_order,
    v_structures,
    write_graph,
)
from strategies import cpdags, dags, pdags, permutations_of, relabel

few = settings(deadline=None, max_examples=50)


@st.composite
def relabelled(draw, graphs):
    """A graph, a new label for each node, and the graph renamed."""
    graph = draw(graphs)
    label = draw(permutations_of(len(graph)))
    return graph, label, relabel(graph, label)


@st.composite
def separations(draw, max_nodes=6):
    dag = draw(dags(min_nodes=2, max_nodes=max_nodes))
    i, j, *rest = draw(st.permutations(range(len(dag))))
    return dag, i, j, draw(st.sets(st.sampled_from(rest))) if rest else set()


# Orders and paths


@given(dags())
def test_a_topological_order_puts_every_edge_forward(dag):
    order = topological_order(dag)
    assert list(range(len(dag))) == sorted(order.tolist())
    position = np.argsort(order)
    assert all(position[i] < position[j] for i, j in np.argwhere(dag))


@given(pdags())
def test_is_dag_means_no_walk_is_longer_than_the_number_of_nodes(graph):
    assert twins.is_acyclic(graph) == is_dag(graph)


@given(dags())
def test_reachability_is_the_union_of_boolean_powers(dag):
    np.testing.assert_array_equal(twins.reachability_by_powers(dag), reachability(dag))


@given(dags())
def test_ancestors_and_descendants_are_columns_and_rows_of_reachability(dag):
    reach = reachability(dag)
    for node in range(len(dag)):
        assert set(np.flatnonzero(reach[node])) == descendants(dag, node)
        assert set(np.flatnonzero(reach[:, node])) == ancestors(dag, node)


@given(dags())
def test_path_counts_are_the_sum_of_boolean_powers(dag):
    np.testing.assert_array_equal(twins.path_counts_by_powers(dag), path_counts(dag))


def test_path_counts_are_the_sum_of_boolean_powers_beyond_one_machine_word():
    rng = np.random.default_rng(3)
    dag = np.triu(rng.random((150, 150)) < 0.03, 1)
    np.testing.assert_array_equal(twins.path_counts_by_powers(dag), path_counts(dag))


# Separation and possible descendants


@given(separations())
def test_d_separation_means_that_every_path_is_blocked(case):
    dag, i, j, condition = case
    assert twins.d_separated_by_paths(dag, i, j, condition) == d_separated(dag, i, j, condition)


@given(separations(max_nodes=8))
def test_d_separation_is_symmetric(case):
    dag, i, j, condition = case
    assert d_separated(dag, j, i, condition) == d_separated(dag, i, j, condition)


@given(separations(max_nodes=8))
def test_d_separation_is_the_same_in_every_member_of_a_class(case):
    dag, i, j, condition = case
    other = extend(to_cpdag(dag))
    assert d_separated(other, i, j, condition) == d_separated(dag, i, j, condition)


@given(dags(min_nodes=2), st.data())
def test_parents_separate_a_node_from_its_other_non_descendants(dag, data):
    node = data.draw(st.integers(0, len(dag) - 1))
    parents = set(np.flatnonzero(dag[:, node]).tolist())
    others = set(range(len(dag))) - descendants(dag, node) - parents - {node}
    assert d_separated(dag, node, others, parents)


@given(relabelled(pdags()))
def test_possible_descendants_follow_a_relabelling(case):
    graph, label, renamed = case
    for node in range(len(graph)):
        expected = {int(label[other]) for other in possible_descendants(graph, node)}
        assert expected == possible_descendants(renamed, int(label[node]))


@given(pdags())
def test_possible_reachability_is_the_union_of_boolean_powers(graph):
    expected = twins.reachability_by_powers(graph)
    np.fill_diagonal(expected, False)
    np.testing.assert_array_equal(expected, possible_reachability(graph))
    for node in range(len(graph)):
        assert set(np.flatnonzero(expected[node])) == possible_descendants(graph, node)


@few
@given(dags(max_nodes=5))
def test_possible_descendants_in_a_cpdag_descend_in_some_member(dag):
    members = twins.equivalence_class(dag)
    expected = np.any([reachability(member) for member in members], axis=0)
    np.testing.assert_array_equal(expected, possible_reachability(to_cpdag(dag)))


# CPDAGs


@given(pdags())
def test_v_structures_are_those_found_triple_by_triple(graph):
    assert twins.v_structures_by_triples(graph) == v_structures(graph)


@given(dags())
def test_the_cpdag_is_the_closure_of_the_v_structures(dag):
    np.testing.assert_array_equal(twins.cpdag_by_rules(dag), to_cpdag(dag))


@few
@given(dags(max_nodes=5))
def test_the_cpdag_is_the_union_of_the_class_and_constant_on_it(dag):
    members = twins.equivalence_class(dag)
    union = np.any(members, axis=0)
    for member in members:
        np.testing.assert_array_equal(union, to_cpdag(member))


@given(relabelled(dags()))
def test_to_cpdag_commutes_with_relabelling(case):
    dag, label, renamed = case
    np.testing.assert_array_equal(relabel(to_cpdag(dag), label), to_cpdag(renamed))


@given(relabelled(pdags()))
def test_skeleton_commutes_with_relabelling(case):
    graph, label, renamed = case
    np.testing.assert_array_equal(relabel(skeleton(graph), label), skeleton(renamed))


@given(dags())
def test_an_extension_of_a_cpdag_is_markov_equivalent(dag):
    extension = extend(to_cpdag(dag))
    assert is_dag(extension)
    np.testing.assert_array_equal(skeleton(dag), skeleton(extension))
    assert v_structures(dag) == v_structures(extension)
    np.testing.assert_array_equal(to_cpdag(dag), to_cpdag(extension))


@given(pdags(max_nodes=5))
def test_a_graph_is_a_cpdag_if_it_is_the_union_of_its_extensions(graph):
    members = twins.extensions(graph)
    expected = bool(members) and np.array_equal(np.any(members, axis=0), graph)
    # Arrows that close a Meek closure without a v-structure behind them make no CPDAG.
    expected = expected and all(len(twins.equivalence_class(m)) == len(members) for m in members)
    assert expected == is_cpdag(graph)


# Closure and extension


@given(pdags(min_nodes=5, max_nodes=5))
def test_meek_closure_is_what_rounds_of_the_rules_give(pdag):
    np.testing.assert_array_equal(twins.meek_closure_by_rounds(pdag), meek_closure(pdag))


def test_meek_closure_is_what_rounds_of_the_rules_give_for_all_graphs_of_four_nodes():
    for pdag in twins.all_pdags(4):
        np.testing.assert_array_equal(twins.meek_closure_by_rounds(pdag), meek_closure(pdag))


@given(relabelled(pdags(max_nodes=7)))
def test_meek_closure_commutes_with_relabelling_whatever_the_pdag(case):
    pdag, label, renamed = case
    np.testing.assert_array_equal(relabel(meek_closure(pdag), label), meek_closure(renamed))


@given(pdags(max_nodes=7))
def test_meek_closure_is_idempotent_and_keeps_skeleton_and_arrows(pdag):
    closure = meek_closure(pdag)
    np.testing.assert_array_equal(closure, meek_closure(closure))
    np.testing.assert_array_equal(skeleton(pdag), skeleton(closure))
    assert not (closure & ~pdag).any()


@given(cpdags())
def test_a_cpdag_is_its_own_meek_closure(cpdag):
    np.testing.assert_array_equal(cpdag, meek_closure(cpdag))


@few
@given(dags(min_nodes=2, max_nodes=5), st.data())
def test_background_knowledge_is_closed_by_the_four_rules(dag, data):
    """Meek 1995, theorem 4: with knowledge, too, the closure is the union of the members left."""
    cpdag = to_cpdag(dag)
    known = data.draw(st.lists(st.sampled_from(np.argwhere(dag).tolist() or [[0, 0]])))
    for a, b in known:
        cpdag[b, a] = False
    left = [m for m in twins.equivalence_class(dag) if all(m[a, b] for a, b in known if a != b)]
    np.testing.assert_array_equal(np.any(left, axis=0), meek_closure(cpdag))


@given(pdags(max_nodes=5))
def test_extend_finds_an_extension_where_there_is_one(pdag):
    members = twins.extensions(pdag)
    if members:
        assert extend(pdag).tobytes() in twins.as_set(members)
    else:
        with pytest.raises(NoExtension):
            extend(pdag)


# Round trips


@given(pdags(), st.data())
def test_conversions_there_and_back_change_nothing(graph, data):
    names = [f"x{k}" for k in data.draw(permutations_of(len(graph)))]
    for back in (
        from_edges(to_edges(graph, names), names),
        from_edges(to_edges(graph), len(graph)),
        from_networkx(to_networkx(graph, names), names),
        from_pandas(to_pandas(graph, names)),
        from_gadjid(to_gadjid(graph)),
    ):
        np.testing.assert_array_equal(graph, back)
    np.testing.assert_array_equal(graph * 0.5, from_lingam(to_lingam(graph * 0.5)))


odd_names = st.text("ab,;\"' é\\<&#=", min_size=1, max_size=3).filter(str.strip)


@given(pdags(max_nodes=4), st.data())
def test_a_written_graph_is_read_back_with_its_names(tmp_path_factory, graph, data):
    names = data.draw(
        st.lists(odd_names, min_size=len(graph), max_size=len(graph), unique_by=str.strip)
    )
    path = tmp_path_factory.mktemp("graph") / "graph.csv"
    write_graph(path, graph, names)
    read, result = read_graph(path, columns=names)
    assert names == result
    np.testing.assert_array_equal(graph, read)
    assert [name.strip() for name in names] == read_graph(path)[1]


@pytest.mark.parametrize("suffix", [".csv", ".graphml", ".gml", ".dot", ".gv", ".json", ".npz"])
@settings(max_examples=40)
@given(graph=pdags(max_nodes=4), data=st.data())
def test_a_graph_is_read_back_from_each_format(tmp_path_factory, suffix, graph, data):
    names = data.draw(
        st.lists(odd_names, min_size=len(graph), max_size=len(graph), unique_by=str.strip)
    )
    path = tmp_path_factory.mktemp("graph") / f"graph{suffix}"
    numbers = {tuple(edge): {"forward": 0.25, "absent": 0.5} for edge in np.argwhere(graph)}
    write_graph(path, graph, names, layout="edges", numbers=numbers)
    with unsaid():
        read, result = read_graph(path, columns=names)
    assert names == result
    np.testing.assert_array_equal(graph, read)


@given(graph=pdags(max_nodes=5), n_alone=st.integers(0, 2), with_numbers=st.booleans())
def test_an_edge_list_keeps_the_names_of_nodes_without_edges(
    tmp_path_factory, graph, n_alone, with_numbers
):
    graph = np.pad(graph, (0, n_alone))
    names = [f"v{k}" for k in range(len(graph))]
    path = tmp_path_factory.mktemp("graph") / "graph.csv"
    numbers = {tuple(edge): {"forward": 0.5} for edge in np.argwhere(graph)}
    write_graph(path, graph, names, layout="edges", numbers=numbers if with_numbers else None)
    with unsaid():
        read, result = read_graph(path)
    assert sorted(names) == sorted(result)
    order = [result.index(name) for name in names]
    np.testing.assert_array_equal(graph, read[np.ix_(order, order)])


@given(pdags(max_nodes=4))
def test_a_numpy_file_has_the_matrix_alone(tmp_path_factory, graph):
    path = tmp_path_factory.mktemp("graph") / "graph.npy"
    names = [f"v{k}" for k in range(len(graph))]
    write_graph(path, graph, names)
    with unsaid():
        np.testing.assert_array_equal(graph, read_graph(path, columns=names)[0])
