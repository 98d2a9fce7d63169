"""XGES, BOSS and GRaSP on every graph of four nodes, and discrete data beside all classes."""

import itertools

import numpy as np
import pytest

import causalassay as ca
from causalassay.data import Dataset
from causalassay.discovery import make_algorithm
from causalassay.discovery.search.gaussian_bic import parameter_penalty
from causalassay.discovery.search.scores import LevelScore
from causalassay.discovery.statistics import level_statistics
from causalassay.graphs import erdos_renyi, from_edges, to_cpdag
from class_twins import all_classes
from discrete_twins import as_dataset
from graph_twins import is_acyclic

SEARCHES = ("xges", "boss", "grasp")
N_ROWS = 4000


def all_dags(n_nodes):
    pairs = list(itertools.combinations(range(n_nodes), 2))
    for states in itertools.product(range(3), repeat=len(pairs)):
        dag = np.zeros((n_nodes, n_nodes), dtype=bool)
        for (i, j), state in zip(pairs, states, strict=True):
            dag[i, j], dag[j, i] = state == 1, state == 2
        if is_acyclic(dag):
            yield dag


def uncorrelated(n_nodes):
    """Noise whose sample covariance is the identity, so that data have the model's covariance."""
    noise = np.random.default_rng(0).normal(size=(N_ROWS, n_nodes))
    noise -= noise.mean(axis=0)
    return np.linalg.solve(np.linalg.cholesky(noise.T @ noise / N_ROWS), noise.T).T


def partial_correlations(covariance):
    """Of each pair given each set of others."""
    nodes = range(len(covariance))
    for i, j in itertools.combinations(nodes, 2):
        others = [k for k in nodes if k not in (i, j)]
        for size in range(len(others) + 1):
            for given in itertools.combinations(others, size):
                chosen = [i, j, *given]
                precision = np.linalg.inv(covariance[np.ix_(chosen, chosen)])
                yield abs(precision[0, 1]) / np.sqrt(precision[0, 0] * precision[1, 1])


def faithful_data(noise, dag, rng, least=0.06):
    """Rows with the covariance of a model whose partial correlations are 0 or show clearly."""
    while True:
        weights = dag * rng.uniform(0.5, 1.5, dag.shape) * rng.choice([-1, 1], dag.shape)
        mixing = np.linalg.inv(np.eye(len(dag)) - weights)
        if all(r < 1e-9 or r > least for r in partial_correlations(mixing.T @ mixing)):
            return Dataset.from_values(noise @ mixing)


@pytest.fixture(scope="module")
def four_nodes():
    rng, noise = np.random.default_rng(4), uncorrelated(4)
    return [(dag, faithful_data(noise, dag, rng)) for dag in all_dags(4)]


@pytest.fixture(scope="module")
def five_nodes():
    rng, noise = np.random.default_rng(5), uncorrelated(5)
    dags = [erdos_renyi(5, rng.choice([0.5, 1.0, 1.5]), rng) for _ in range(60)]
    return [(dag, faithful_data(noise, dag, rng)) for dag in dags]


def missed_by(name, problems):
    rng, search = np.random.default_rng(0), make_algorithm(name, penalty_discount=1.0)
    return [
        dag.astype(int).tolist()
        for dag, data in problems
        if not np.array_equal(to_cpdag(dag), search.discover(data, rng).graph)
    ]


@pytest.mark.parametrize("name", SEARCHES)
def test_every_graph_of_four_nodes_is_found_from_its_covariance(name, four_nodes):
    assert len(four_nodes) == 543
    assert missed_by(name, four_nodes) == []


@pytest.mark.parametrize("name", SEARCHES)
def test_graphs_of_five_nodes_are_found_from_their_covariances(name, five_nodes):
    assert missed_by(name, five_nodes) == []


def noisy_network(n, rng):
    """a → c ← b, c → d: three levels, two, three and two; each cause shows."""
    a, b = rng.integers(3, size=n), rng.integers(2, size=n)
    c = np.where(rng.random(n) < 0.7, (a + b) % 3, rng.integers(3, size=n))
    d = np.where(rng.random(n) < 0.7, (c == 2).astype(int), rng.integers(2, size=n))
    return np.column_stack([a, b, c, d]), (3, 2, 3, 2)


@pytest.mark.parametrize("score", ["bic", "bdeu"])
@pytest.mark.parametrize("name", SEARCHES)
def test_a_discrete_network_is_found_and_is_the_best_of_all_classes(name, score):
    rng = np.random.default_rng(0)
    data = as_dataset(*noisy_network(5000, rng))
    estimate = make_algorithm(name, score=score, penalty_discount=1.0).discover(data, rng)
    np.testing.assert_array_equal(from_edges([(0, 2), (1, 2), (2, 3)], 4), estimate.graph)
    levels = LevelScore(level_statistics(data), score)
    best = max(levels.of_graph(graph) for graph in all_classes(4))
    assert best == pytest.approx(estimate.info["score"])


ALL_SEARCHES = ("ges", "ges-pooled", "gies", "xges", "xgies", "boss", "grasp")


@pytest.mark.parametrize("name", ALL_SEARCHES)
def test_the_default_penalty_is_extended_bic(name):
    """With γ = 1/2 an edge costs log(n)/2 + log(d): that of a discount of 1 + 2 log d / log n."""
    rng = np.random.default_rng(3)
    d, n = 12, 150
    values = ca.models.draw("scm", erdos_renyi(d, 2, rng), rng).sample(n, rng)
    data = Dataset.from_values(values)
    same = 1 + 4 * 0.5 * np.log(d) / np.log(n)
    found, expected, bic = (
        make_algorithm(name, **settings).discover(data, np.random.default_rng(0))
        for settings in ({}, {"penalty_discount": same}, {"penalty_discount": 1.0})
    )
    np.testing.assert_array_equal(expected.graph, found.graph)
    assert expected.info["score"] == pytest.approx(found.info["score"], rel=1e-12)
    assert (found.graph | found.graph.T).sum() < (bic.graph | bic.graph.T).sum()


@pytest.mark.parametrize("name", ["ges", "xges", "boss", "grasp"])
def test_the_default_penalty_of_tables_is_extended_bic(name):
    rng = np.random.default_rng(0)
    data = as_dataset(*noisy_network(150, rng))
    same = 1 + 4 * 0.5 * np.log(4) / np.log(150)
    found, expected = (
        make_algorithm(name, **settings).discover(data, np.random.default_rng(0))
        for settings in ({}, {"penalty_discount": same})
    )
    np.testing.assert_array_equal(expected.graph, found.graph)
    assert expected.info["score"] == pytest.approx(found.info["score"], rel=1e-12)


def test_one_row_has_a_penalty_too():
    assert parameter_penalty(None, 1, 5) == pytest.approx(np.log(5))
    assert parameter_penalty(None, 100, 1) == parameter_penalty(1.0, 100, 1)
