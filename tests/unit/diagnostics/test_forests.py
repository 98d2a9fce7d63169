"""Theorems 3 and 4 of Ormaniec 2024 as a function, beside the enumeration of the class."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from causalassay.diagnostics import identified_edges
from causalassay.graphs import chain, enumerate_dags, forest, meek_closure, skeleton, to_cpdag
from causalassay.models import ISCM, Standardized, iscm_implied, standardized_implied
from causalassay.models.linear.scm import LinearSCM
from strategies import relabel, rngs

SOURCES = {"standardized": Standardized, "iscm": ISCM}


@st.composite
def forests(draw, max_nodes=7):
    """A forest DAG, with v-structures or without."""
    d = draw(st.integers(1, max_nodes))
    n_trees = draw(st.integers(1, d))
    orientation = draw(st.sampled_from(["away", "random"]))
    return forest(d, draw(rngs()), n_trees=n_trees, orientation=orientation)


def weights_of_member(correlation, dag, scheme):
    """The weights with which a member gives these correlations, noise variances being 1."""
    d = len(dag)
    coefficients, left = np.zeros((d, d)), np.ones(d)
    for node in range(d):
        parents = np.flatnonzero(dag[:, node])
        among = correlation[np.ix_(parents, parents)]
        coefficients[parents, node] = np.linalg.solve(among, correlation[parents, node])
        left[node] = 1 - correlation[node, parents] @ coefficients[parents, node]
    cause_sd = 1 / np.sqrt(left) if scheme == "standardized" else np.ones(d)
    return coefficients / np.sqrt(left) / cause_sd[:, None]


def made_by(weights, scheme):
    if scheme == "iscm":
        return iscm_implied(weights, 1.0).covariance()
    raw = LinearSCM(weights, 1.0)
    return standardized_implied(raw, 0.0, np.sqrt(np.diag(raw.covariance()))).covariance()


def slow_identified(correlation, cpdag, bound, scheme):
    """All members laid over each other whose weights can be those of the data; None if none."""
    overlaid = np.zeros_like(cpdag)
    for member in enumerate_dags(cpdag):
        weights = weights_of_member(correlation, member, scheme)
        np.testing.assert_allclose(correlation, made_by(weights, scheme), atol=1e-8)
        if (np.abs(weights[member]) >= bound * (1 - 1e-9)).all():
            overlaid |= member
    return overlaid if overlaid.any() or not cpdag.any() else None


def by_order_of_correlations(correlation, cpdag):
    """The steps of the paper's proofs: compare the two correlations at a node, then Meek.

    j→k where a neighbour i of j has |ρ_ij| <= |ρ_jk|, for k→j→i would need the opposite.
    """
    known = cpdag.copy()
    undirected = cpdag & cpdag.T
    size = np.abs(correlation)
    for j, k in np.argwhere(undirected):
        if any(i != k and size[i, j] <= size[j, k] for i in np.flatnonzero(undirected[j])):
            known[k, j] = False
    return meek_closure(known)


@pytest.mark.parametrize("scheme", SOURCES)
@pytest.mark.parametrize("knowledge", SOURCES)
@settings(max_examples=40)
@given(dag=forests(), rng=rngs(), low=st.floats(0.2, 1.5), asked=st.floats(0.0, 1.0))
def test_it_equals_the_enumeration_of_the_class(scheme, knowledge, dag, rng, low, asked):
    """The data made by one scheme, the knowledge, right or wrong, of one."""
    covariance = SOURCES[scheme](weights=(low, low + 1)).draw(dag, rng).covariance()
    cpdag = to_cpdag(dag)
    bound = asked * low
    expected = slow_identified(covariance, cpdag, bound, knowledge)
    if expected is None:
        with pytest.raises(ValueError, match="no DAG of the class"):
            identified_edges(covariance, cpdag, bound, knowledge)
    else:
        graph = identified_edges(covariance, cpdag, bound, knowledge)
        np.testing.assert_array_equal(expected, graph)


@given(dag=forests(), rng=rngs(), low=st.floats(0.2, 1.5), asked=st.floats(0.0, 1.0))
def test_what_it_directs_is_directed_so_in_the_true_dag(dag, rng, low, asked):
    covariance = Standardized(weights=(low, low + 1)).draw(dag, rng).covariance()
    graph = identified_edges(covariance, to_cpdag(dag), asked * low)
    np.testing.assert_array_equal(skeleton(dag), skeleton(graph))
    assert dag[graph & ~graph.T].all()


@given(dag=forests(), rng=rngs(), low=st.floats(1.0, 1.5))
def test_theorem_3_leaves_at_most_one_edge_of_each_undirected_part(dag, rng, low):
    covariance = Standardized(weights=(low, low + 1)).draw(dag, rng).covariance()
    cpdag = to_cpdag(dag)
    graph = identified_edges(covariance, cpdag)
    parts = np.linalg.matrix_power((cpdag & cpdag.T) + np.eye(len(dag)), len(dag)) > 0
    left = graph & graph.T
    for node in range(len(dag)):
        assert left[parts[node]].sum() <= 2  # an undirected edge is two entries


@given(dag=forests(), rng=rngs(), low=st.floats(1.0, 1.5))
def test_it_directs_all_that_the_proof_directs(dag, rng, low):
    """More, where an arrow out of an undirected part rules out a root."""
    covariance = Standardized(weights=(low, low + 1)).draw(dag, rng).covariance()
    cpdag = to_cpdag(dag)
    graph = identified_edges(covariance, cpdag)
    by_proof = by_order_of_correlations(covariance, cpdag)
    assert (graph <= by_proof).all()
    if (cpdag == skeleton(dag)).all():
        left = (by_proof & by_proof.T).sum() // 2
        assert left <= 1 + (len(dag) - 1 - skeleton(dag).sum() // 2)


@pytest.mark.parametrize("orientation", ["away", "random"])
def test_a_higher_bound_directs_more(orientation):
    """200 forests of 12 nodes, weights of magnitude 1.5 to 2.5: nested, and growing on average.

    The least weight that a wrong member of these has is √(2.25 / (1 + 6.25 · 3.25)) = 0.32,
    of k→j→i for the true i→j→k, so bounds below it direct nothing. Trees without
    v-structure leave at most one of 11 edges from bound 1 on.
    """
    rng = np.random.default_rng(0)
    bounds = [0.3, 0.5, 0.75, 1.0, 1.25, 1.5]
    shares = []
    for _ in range(200):
        dag = forest(12, rng, orientation=orientation)
        cpdag = to_cpdag(dag)
        covariance = Standardized(weights=(1.5, 2.5)).draw(dag, rng).covariance()
        graphs = [identified_edges(covariance, cpdag, bound) for bound in bounds]
        assert all((high <= low).all() for low, high in zip(graphs, graphs[1:], strict=False))
        np.testing.assert_array_equal(cpdag, graphs[0])
        if n_undirected := (cpdag & cpdag.T).sum():
            shares.append([1 - (graph & graph.T).sum() / n_undirected for graph in graphs])
    mean = np.mean(shares, axis=0)
    assert (np.diff(mean) > 0).all()
    if orientation == "away":
        assert mean[3] >= 10 / 11


@given(dag=forests(), rng=rngs(), low=st.floats(0.2, 2.0))
def test_theorem_4_no_bound_directs_an_edge_of_an_iscm(dag, rng, low):
    covariance = ISCM(weights=(low, low + 1)).draw(dag, rng).covariance()
    cpdag = to_cpdag(dag)
    np.testing.assert_array_equal(cpdag, identified_edges(covariance, cpdag, low, "iscm"))


@given(dag=forests(), rng=rngs(), data=st.data())
def test_units_and_labels_do_not_matter(dag, rng, data):
    covariance = Standardized(weights=(1.0, 2.0)).draw(dag, rng).covariance()
    expected = identified_edges(covariance, to_cpdag(dag))
    scale = rng.uniform(0.1, 10, len(dag))
    in_units = identified_edges(covariance * np.outer(scale, scale), to_cpdag(dag))
    np.testing.assert_array_equal(expected, in_units)
    label = np.array(data.draw(st.permutations(range(len(dag)))))
    renamed = identified_edges(relabel(covariance, label), to_cpdag(relabel(dag, label)))
    np.testing.assert_array_equal(relabel(expected, label), renamed)


def test_three_nodes_of_section_4_2():
    """0→1→2, weights 2 and 1: |ρ01| < |ρ12|, so 1→2 is known and 0—1 is not."""
    raw = LinearSCM([[0, 2, 0], [0, 0, 1], [0, 0, 0]], 1.0).covariance()
    expected = [[0, 1, 0], [1, 0, 1], [0, 0, 0]]
    np.testing.assert_array_equal(expected, identified_edges(raw, to_cpdag(chain(3))))


def test_an_arrow_out_of_an_undirected_part_rules_out_a_root():
    """0←1→3←2 with weights 2, 1, 1: were 0 the root, 1→3 would have the weight 1/√5.

    The order of the correlations, which the proof goes by, sees one undirected edge alone.
    """
    weights = np.zeros((4, 4))
    weights[1, 0], weights[1, 3], weights[2, 3] = 2, 1, 1
    covariance = LinearSCM(weights, 1.0).covariance()
    cpdag = to_cpdag(weights != 0)
    assert (cpdag & cpdag.T)[0, 1]
    graph = identified_edges(covariance, cpdag, 1.0)
    np.testing.assert_array_equal(weights != 0, graph)
    by_proof = by_order_of_correlations(covariance, cpdag)
    assert (by_proof & by_proof.T)[0, 1]


def test_other_data_than_supposed_are_noticed():
    covariance = ISCM(weights=(1, 1)).draw(chain(4), np.random.default_rng(0)).covariance()
    with pytest.raises(ValueError, match=r"no DAG of the class.*\[0, 1, 2, 3\].*lower"):
        identified_edges(covariance, to_cpdag(chain(4)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cpdag": np.ones((3, 3), bool) ^ np.eye(3, dtype=bool)}, "expected a forest.*3 edges"),
        ({"cpdag": chain(3)}, "not a CPDAG"),
        ({"cpdag": to_cpdag(chain(4))}, "4 nodes"),
        ({"covariance": np.diag([1.0, 0.0, 1.0])}, "node 1 has variance"),
        ({"covariance": np.triu(np.full((3, 3), 0.5) + np.eye(3))}, "symmetric"),
        ({"covariance": np.ones((3, 2))}, "shape"),
        ({"weight_bound": -1.0}, "weight_bound"),
        ({"weight_bound": float("nan")}, "weight_bound"),
        ({"scheme": "raw"}, "standardized.*iscm"),
    ],
)
def test_mistakes_are_named(change, message):
    asked = {"covariance": np.eye(3), "cpdag": to_cpdag(chain(3)), "weight_bound": 0.0} | change
    with pytest.raises(ValueError, match=message):
        identified_edges(**asked)
