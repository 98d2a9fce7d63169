"""Graph families: edge counts, shapes, shuffled labels, errors."""

import numpy as np
import pytest
from scipy import stats

from causalassay.graphs import (
    bipartite,
    chain,
    complete,
    erdos_renyi,
    forest,
    is_dag,
    scale_free,
    skeleton,
    v_structures,
)

RANDOM_FAMILIES = {
    "erdos_renyi": lambda rng: erdos_renyi(10, 1.5, rng),
    "erdos_renyi in expectation": lambda rng: erdos_renyi(10, 1.5, rng, exact=False),
    "scale_free": lambda rng: scale_free(10, 2, rng),
    "scale_free, any hubs": lambda rng: scale_free(10, 2, rng, hubs="any"),
    "forest": lambda rng: forest(10, rng, n_trees=2),
    "forest, random orientation": lambda rng: forest(10, rng, orientation="random"),
    "complete": lambda rng: complete(10, rng),
    "bipartite": lambda rng: bipartite(3, 7, 0.5, rng),
}


@pytest.mark.parametrize("family", RANDOM_FAMILIES.values(), ids=RANDOM_FAMILIES)
def test_a_random_family_gives_dags(family):
    rng = np.random.default_rng(0)
    assert all(is_dag(family(rng)) for _ in range(50))


@pytest.mark.parametrize("family", RANDOM_FAMILIES.values(), ids=RANDOM_FAMILIES)
def test_a_random_family_repeats_with_its_seed(family):
    one, other = (family(np.random.default_rng(5)) for _ in range(2))
    np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("family", RANDOM_FAMILIES.values(), ids=RANDOM_FAMILIES)
def test_index_order_carries_no_information(family):
    """Edges upwards minus downwards are 0 on average: 400 graphs, |z| < 4, error rate 6e-5."""
    rng = np.random.default_rng(11)
    graphs = [family(rng) for _ in range(400)]
    surplus = np.array([np.triu(g).sum() - np.tril(g).sum() for g in graphs], dtype=float)
    z = surplus.mean() / (surplus.std() / np.sqrt(len(surplus)))
    assert abs(z) < 4


@pytest.mark.parametrize("family", RANDOM_FAMILIES.values(), ids=RANDOM_FAMILIES)
def test_every_node_has_the_same_expected_in_degree(family):
    """400 graphs, 10 nodes, |z| < 4.5 each, error rate at most 7e-5 for a family."""
    rng = np.random.default_rng(12)
    in_degree = np.array([family(rng).sum(axis=0) for _ in range(400)], dtype=float)
    error = in_degree.std(axis=0) / np.sqrt(len(in_degree))
    z = (in_degree.mean(axis=0) - in_degree.mean()) / error
    assert np.abs(z).max() < 4.5


# Erdős–Rényi


@pytest.mark.parametrize(
    ("n_nodes", "edges_per_node", "n_edges"),
    [(10, 1, 10), (10, 1.5, 15), (7, 0.3, 2), (50, 4, 200)],
)
def test_erdos_renyi_has_exactly_round_kd_edges(n_nodes, edges_per_node, n_edges):
    graph = erdos_renyi(n_nodes, edges_per_node, np.random.default_rng(0))
    assert n_edges == graph.sum()


def test_expected_neighbourhood_size_is_2k_where_edges_are_independent():
    """The mean degree of 300 graphs is within 4 standard errors of 2k; error rate 6e-5."""
    rng, n_nodes, k = np.random.default_rng(1), 20, 1.5
    degree = [
        skeleton(erdos_renyi(n_nodes, k, rng, exact=False)).sum(axis=0).mean() for _ in range(300)
    ]
    probability = 2 * k / (n_nodes - 1)
    n_pairs = n_nodes * (n_nodes - 1) / 2
    deviation = 2 / n_nodes * np.sqrt(n_pairs * probability * (1 - probability))
    assert 2 * k == pytest.approx(np.mean(degree), abs=4 * deviation / np.sqrt(300))
    assert deviation == pytest.approx(np.std(degree), rel=0.2)


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("n_nodes", [1, 2, 5, 8])
def test_the_complete_graph_is_the_densest_erdos_renyi_graph(n_nodes, exact):
    graph = erdos_renyi(n_nodes, (n_nodes - 1) / 2, np.random.default_rng(0), exact=exact)
    assert n_nodes * (n_nodes - 1) // 2 == graph.sum()


@pytest.mark.parametrize("exact", [True, False])
def test_no_edges_per_node_gives_the_empty_graph(exact):
    assert not erdos_renyi(5, 0, np.random.default_rng(0), exact=exact).any()


def test_every_pair_is_equally_likely_in_erdos_renyi():
    """2000 graphs, 15 pairs, |z| < 4.5 each, error rate 1e-4."""
    rng = np.random.default_rng(2)
    joined = np.mean([skeleton(erdos_renyi(6, 1, rng)) for _ in range(2000)], axis=0)
    share = 6 / 15
    z = (joined[np.triu_indices(6, 1)] - share) / np.sqrt(share * (1 - share) / 2000)
    assert np.abs(z).max() < 4.5


@pytest.mark.parametrize("k", [-0.1, 2.6, float("nan")])
def test_erdos_renyi_names_the_possible_densities(k):
    with pytest.raises(ValueError, match=r"6 nodes can have 0 to 2\.5 edges per node, got"):
        erdos_renyi(6, k, np.random.default_rng(0))


# Scale-free


@pytest.mark.parametrize("hubs", ["in", "any"])
@pytest.mark.parametrize(("n_nodes", "k"), [(1, 1), (2, 3), (20, 1), (20, 2), (30, 4)])
def test_scale_free_has_kd_minus_a_triangle_edges(n_nodes, k, hubs):
    graph = scale_free(n_nodes, k, np.random.default_rng(0), hubs=hubs)
    k = min(k, n_nodes - 1)
    assert k * n_nodes - k * (k + 1) // 2 == graph.sum()


def test_hubs_in_means_many_parents_and_at_most_k_children():
    graph = scale_free(300, 2, np.random.default_rng(0), hubs="in")
    assert graph.sum(axis=1).max() == 2
    assert graph.sum(axis=0).max() > 20


def test_hubs_any_means_many_children_too():
    graph = scale_free(300, 2, np.random.default_rng(0), hubs="any")
    assert graph.sum(axis=1).max() > 5
    assert skeleton(graph).sum(axis=0).max() > 15


def test_scale_free_refuses_other_hubs_and_fractions():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match='hubs: expected "in" or "any", got \'out\''):
        scale_free(5, 1, rng, hubs="out")
    with pytest.raises(ValueError, match=r"whole number >= 1, got 1\.5"):
        scale_free(5, 1.5, rng)
    with pytest.raises(ValueError, match="whole number >= 1, got 0"):
        scale_free(5, 0, rng)


# Forests, chains, complete and bipartite graphs


@pytest.mark.parametrize("orientation", ["away", "random"])
@pytest.mark.parametrize("n_trees", [1, 3, 12])
def test_a_forest_has_an_acyclic_skeleton_of_n_trees_parts(n_trees, orientation):
    rng = np.random.default_rng(0)
    for _ in range(20):
        graph = forest(12, rng, n_trees=n_trees, orientation=orientation)
        assert 12 - n_trees == graph.sum()
        # With d - c edges and c parts no part has a cycle.
        laplacian = np.diag(skeleton(graph).sum(axis=0)) - skeleton(graph)
        assert n_trees == 12 - np.linalg.matrix_rank(laplacian)


def test_a_forest_away_from_its_roots_has_one_parent_a_node():
    rng = np.random.default_rng(0)
    assert all(forest(12, rng).sum(axis=0).max() == 1 for _ in range(20))


def test_a_forest_of_random_orientation_has_colliders():
    rng = np.random.default_rng(0)
    assert any(v_structures(forest(12, rng, orientation="random")) for _ in range(5))


def test_labelled_trees_are_uniform():
    """16 trees of 4 nodes, 1600 draws, chi-square, error rate 1e-4."""
    rng = np.random.default_rng(3)
    drawn = [skeleton(forest(4, rng)).tobytes() for _ in range(1600)]
    counts = [drawn.count(tree) for tree in set(drawn)]
    assert len(counts) == 16
    assert stats.chisquare(counts).pvalue > 1e-4


def test_forest_names_what_it_expects():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="n_trees: expected 1 to 4, got 5"):
        forest(4, rng, n_trees=5)
    with pytest.raises(ValueError, match="orientation: expected"):
        forest(4, rng, orientation="up")


def test_a_chain_keeps_its_labels_in_order():
    np.testing.assert_array_equal(np.eye(4, k=1, dtype=bool), chain(4))
    assert chain(1).shape == (1, 1)


def test_a_complete_graph_joins_every_pair():
    assert skeleton(complete(6, np.random.default_rng(0))).sum() == 30


def test_a_bipartite_graph_has_treatments_that_cause_and_outcomes_that_do_not():
    graph = bipartite(2, 3, 1.0, np.random.default_rng(0))
    assert sorted(graph.sum(axis=1).tolist()) == [0, 0, 0, 3, 3]
    assert not (graph @ graph).any()


def test_bipartite_names_what_it_expects():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="n_treatments: expected at least 1, got 0"):
        bipartite(0, 3, 0.5, rng)
    with pytest.raises(ValueError, match="n_outcomes: expected at least 1, got 0"):
        bipartite(3, 0, 0.5, rng)
    with pytest.raises(ValueError, match=r"edge_probability: expected 0 to 1, got 1\.2"):
        bipartite(3, 3, 1.2, rng)


@pytest.mark.parametrize(
    "family",
    [lambda d, rng: erdos_renyi(d, 0, rng), lambda d, rng: scale_free(d, 1, rng), forest, complete],
)
def test_a_graph_needs_a_node(family):
    with pytest.raises(ValueError, match="n_nodes: expected at least 1, got 0"):
        family(0, np.random.default_rng(0))


@pytest.mark.parametrize("draw", RANDOM_FAMILIES.values(), ids=RANDOM_FAMILIES)
def test_an_int_is_a_seed_and_none_is_refused(draw):
    np.testing.assert_array_equal(draw(np.random.default_rng(7)), draw(7))
    with pytest.raises(TypeError, match="rng: expected a numpy Generator or an int, got NoneType"):
        draw(None)
