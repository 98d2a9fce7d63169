"""Laws of interventional essential graphs."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from causalassay.graphs import extend, meek_closure, to_cpdag, to_interventional_cpdag
from causalassay.graphs.cpdag import separated_pairs
from graph_twins import equivalence_class
from strategies import dags, permutations_of, relabel


@st.composite
def dags_and_targets(draw, max_nodes=5):
    dag = draw(dags(max_nodes=max_nodes))
    some = st.lists(st.integers(0, len(dag) - 1), unique=True, max_size=3).map(tuple)
    return dag, [(), *draw(st.lists(some, max_size=3))]


@given(dags_and_targets())
def test_it_is_the_union_of_the_dags_that_no_data_tell_apart(case):
    """By theorem 10: same skeleton, same v-structures, and intervened graphs of one skeleton."""
    dag, targets = case
    union = np.zeros_like(dag)
    for other in equivalence_class(dag):
        if all(
            np.array_equal(skeleton_under(dag, some), skeleton_under(other, some))
            for some in targets
        ):
            union |= other
    np.testing.assert_array_equal(union, to_interventional_cpdag(dag, targets))


def skeleton_under(dag, targets):
    cut = dag.copy()
    cut[:, list(targets)] = False
    return cut | cut.T


@given(dags_and_targets(max_nodes=7))
def test_any_member_gives_it_back(case):
    dag, targets = case
    graph = to_interventional_cpdag(dag, targets)
    np.testing.assert_array_equal(graph, to_interventional_cpdag(extend(graph), targets))


@given(dags_and_targets(max_nodes=7))
def test_it_directs_what_the_cpdag_directs_and_all_that_is_separated(case):
    dag, targets = case
    graph, cpdag = to_interventional_cpdag(dag, targets), to_cpdag(dag)
    assert (graph <= cpdag).all()
    assert not (graph & graph.T & separated_pairs(targets, len(dag))).any()
    np.testing.assert_array_equal(graph, meek_closure(graph))


@given(dags_and_targets(max_nodes=7), st.data())
def test_relabelling_commutes(case, data):
    dag, targets = case
    label = data.draw(permutations_of(len(dag)))
    expected = relabel(to_interventional_cpdag(dag, targets), label)
    moved = [tuple(label[list(some)]) for some in targets]
    np.testing.assert_array_equal(expected, to_interventional_cpdag(relabel(dag, label), moved))
