"""The check of a graph: which independences, by which tests, with which errors."""

import numpy as np
import pytest
from scipy.stats import t as student

import causalassay as ca
from causalassay.data import Dataset, Discrete, Regime
from causalassay.graphs import chain, d_separated, erdos_renyi
from causalassay.judging.graph_check import (
    NOTHING,
    check_graph,
    implied_independences,
    normal_scores,
    pair_test,
    residual_test,
)


def sampled(graph, rng, kind="scm", n_samples=1000, **parameters):
    model = ca.models.draw(kind, graph, rng, **parameters)
    values = model.sample(n_samples, rng)
    if kind not in {"dirichlet", "logistic"}:
        return Dataset.from_values(values)
    kinds = tuple(Discrete(levels) for levels in model.levels)
    return Dataset(model.names, (Regime("o", values),), "o", kinds)


def verdicts(n_sets, graph_of, relabel=False, **parameters):
    kinds = []
    for seed in range(n_sets):
        rng = np.random.default_rng([5, seed])
        graph = graph_of(rng)
        data = sampled(graph, rng, **parameters)
        if relabel:
            label = rng.permutation(len(graph))
            graph = graph[np.ix_(label, label)]
        kinds.append(check_graph(data, graph, rng).finding.kind)
    return kinds


@pytest.mark.parametrize("edges_per_node", [0.5, 1, 2])
def test_every_implied_independence_is_a_d_separation(edges_per_node):
    graph = erdos_renyi(8, edges_per_node, np.random.default_rng(1))
    statements = implied_independences(graph)
    for i, j, given in statements.tolist():
        assert d_separated(graph, i, j, [] if given == NOTHING else [given])
    apart = {frozenset(s[:2]) for s in statements.tolist() if s[2] == NOTHING}
    pairs = [(i, j) for i in range(8) for j in range(i)]
    assert apart == {frozenset(p) for p in pairs if d_separated(graph, *p, [])}


def test_the_covariance_measure_equals_its_definition():
    rng = np.random.default_rng(2)
    scores = normal_scores(rng.normal(size=(300, 3)) @ rng.normal(size=(3, 3)))
    found = residual_test(scores, NOTHING)
    product = scores[:, 0] * scores[:, 1]
    statistic = product.sum() / np.sqrt((product**2).sum()) * np.sqrt(299 / 300)
    assert pytest.approx(-np.log(2 * student.sf(abs(statistic), 299))) == found[0, 1]
    assert pytest.approx(found) == found.T


def test_a_smooth_common_cause_explains_its_effects():
    """At 0.1 % for each of 3 pairs."""
    rng = np.random.default_rng(3)
    cause = rng.normal(size=2000) * 2
    effects = [np.sin(2 * cause), np.tanh(cause), np.exp(cause / 2)]
    columns = [cause, *(effect + rng.normal(size=2000) for effect in effects)]
    test = pair_test(Dataset.from_values(np.column_stack(columns)))
    given, alone = test(0), test(NOTHING)
    assert given[1:, 1:][np.triu_indices(3, 1)].max() < -np.log(0.001)
    assert alone[2, 3] > -np.log(1e-6)
    assert np.isnan(given[0]).all()


def test_a_column_that_another_determines_is_not_tested():
    values = np.random.default_rng(0).normal(size=(100, 2))
    copied = np.column_stack([values, values[:, 0] ** 3])
    assert np.isnan(pair_test(Dataset.from_values(copied))(0)[1, 2])


TRUE_GRAPHS = {
    "raw of 5": (lambda rng: erdos_renyi(5, 1, rng), {}),
    "raw, 120 edges": (lambda rng: erdos_renyi(20, 6, rng), {}),
    "nonlinear": (lambda rng: erdos_renyi(10, 2, rng), {"mechanism": "gp"}),
    "nonlinear, 120 edges": (lambda rng: erdos_renyi(20, 6, rng), {"mechanism": "gp"}),
    "tables": (lambda rng: erdos_renyi(10, 1, rng), {"kind": "dirichlet"}),
}


@pytest.mark.parametrize("name", TRUE_GRAPHS)
def test_true_graphs_are_hardly_ever_refuted(name):
    """At a rate of 1 % more than 2 of 25 have probability 0.002."""
    graph_of, parameters = TRUE_GRAPHS[name]
    assert verdicts(25, graph_of, **parameters).count("graph-refuted") <= 2


@pytest.mark.parametrize("parameters", [{}, {"mechanism": "gp"}])
def test_permuted_labels_are_refuted(parameters):
    """At a rate of 95 % fewer than 10 of 15 have probability below 0.0001."""
    kinds = verdicts(15, lambda rng: erdos_renyi(20, 2, rng), relabel=True, **parameters)
    assert kinds.count("graph-refuted") >= 10


def test_what_cannot_be_checked_says_why():
    rng = np.random.default_rng(0)
    few = Dataset.from_values(rng.normal(size=(10, 3)))
    assert "it takes 30 rows, and there are 10" in check_graph(few, chain(3), rng).finding.sentence
    data = Dataset.from_values(rng.normal(size=(100, 3)))
    complete = np.triu(np.ones((3, 3), dtype=bool), 1)
    found = check_graph(data, complete, rng)
    assert "graph-not-checked" == found.finding.kind
    assert "implies no independence" in found.finding.sentence
    series = Dataset.from_values(rng.normal(size=(100, 3)), rows="series")
    assert "summary graph" in check_graph(series, chain(3), rng).finding.sentence


def test_a_graph_better_than_its_relabellings_is_not_refuted_by_one_pair():
    """A chain of 8 with one link that the graph does not have: rejected, and yet not refuted."""
    rng = np.random.default_rng(4)
    graph = chain(8)
    true = graph.copy()
    true[0, 7] = True
    found = check_graph(sampled(true, rng), graph, rng)
    assert found.least_p <= 0.01
    assert "graph-not-refuted" == found.finding.kind
    assert found.share_as_few <= 0.05
