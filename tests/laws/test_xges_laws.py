"""XGES against slow twins that change members of a class, and what relabelling does."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from causalassay.data import Dataset
from causalassay.discovery.search import extremely_greedy
from causalassay.discovery.search.class_changes import DELETE, INSERT, TURN, changed_class
from causalassay.discovery.search.extremely_greedy import ExtremelyGreedySearch
from causalassay.discovery.search.gaussian_bic import (
    gaussian_bic,
    interventional_node_statistics,
    observational_node_statistics,
)
from causalassay.discovery.search.gaussian_operators import is_valid
from causalassay.discovery.search.operator_table import (
    best_delete,
    best_insert,
    best_turn,
    can_be_made,
    directed_walks,
    empty_table,
    refresh,
)
from causalassay.discovery.search.scores import gaussian_families
from causalassay.discovery.xges import XGES, XGIES
from causalassay.graphs import erdos_renyi, is_cpdag, to_interventional_cpdag
from causalassay.graphs.cpdag import separated_pairs
from causalassay.models import draw
from class_twins import all_classes, classes_beside
from graph_twins import all_pdags
from laws.test_ges_laws import experiments, targets_of
from strategies import dags, linear_models, permutations_of, rngs

RNG = np.random.default_rng(0)
KINDS = {"forward": INSERT, "backward": DELETE, "turning": TURN}


def filled(score, graph, least=-np.inf):
    table = empty_table(len(graph))
    for y in range(len(graph)):
        refresh(score, graph, y, len(graph), least, table)
    return table


def operators_on(score, graph, least=-np.inf):
    """The best operator of each kind, by the table."""
    d, table, walks = len(graph), filled(score, graph), directed_walks(graph)
    return {
        "forward": best_insert(score, graph, walks, table, (d, least), np.zeros_like(graph)),
        "backward": best_delete(score, graph, table, least),
        "turning": best_turn(score, graph, walks, table, (d, least), np.zeros_like(graph)),
    }


@given(st.data(), experiments(max_nodes=5))
@settings(max_examples=100)
def test_each_operator_is_the_best_change_of_a_member(data, experiment):
    """On any class; and its gain is the difference of the scores before and after."""
    d, targets = experiment.n_nodes, targets_of(experiment)
    dag = data.draw(dags(min_nodes=d, max_nodes=d))
    graph = to_interventional_cpdag(dag, targets)
    statistics = interventional_node_statistics(experiment)
    score = gaussian_families(statistics, 1.0)
    separated = separated_pairs(targets, d)
    for phase, (gain, x, y, clique) in operators_on(score, graph).items():
        beside = classes_beside(graph, phase, targets)
        assert (x == -1) == (beside == [])
        if beside:
            best = max(gaussian_bic(statistics, other) for other in beside)
            expected = best - gaussian_bic(statistics, graph)
            assert expected == pytest.approx(gain, rel=1e-6, abs=1e-6)
            after, _ = changed_class(graph, KINDS[phase], x, y, clique, separated)
            assert after.tobytes() in {other.tobytes() for other in beside}
            expected = gaussian_bic(statistics, after) - gaussian_bic(statistics, graph)
            assert expected == pytest.approx(gain, rel=1e-6, abs=1e-6)


def test_walks_of_arrows_tell_which_arrows_can_be_made():
    """On all CPDAGs of four nodes, for all pairs and cliques."""
    n_compared = 0
    for graph in all_pdags(4):
        if not is_cpdag(graph):
            continue
        reach, detour = directed_walks(graph)
        for x in range(4):
            for y in range(4):
                if x == y or (graph[x, y] and not graph[y, x]):
                    continue
                for clique in cliques_at(graph, x, y):
                    expected = is_valid(graph, x, y, clique)
                    cyclic = detour[y, x] if graph[y, x] else reach[y, x]
                    possible = not (cyclic and not graph[x, y])
                    assert expected == (possible and can_be_made(graph, reach, x, y, clique))
                    n_compared += 1
    assert n_compared > 1000


def cliques_at(graph, x, y):
    near = np.flatnonzero(graph[y] & graph[:, y])
    near = near[near != x]
    for chosen in range(2 ** len(near)):
        members = near[[bool(chosen >> k & 1) for k in range(len(near))]]
        if all(graph[a, b] for a in members for b in members if a != b):
            clique = np.zeros(len(graph), dtype=bool)
            clique[members] = True
            yield clique


def search_slowly(statistics, targets):
    """XGES-0: go to the best class beside that one edge less, one turned, one more leads to."""
    graph = np.zeros(2 * (len(statistics.sd),), dtype=bool)
    score, going_on = gaussian_bic(statistics, graph), True
    while going_on:
        going_on = False
        for phase in ("backward", "turning", "forward"):
            beside = classes_beside(graph, phase, targets)
            scores = [gaussian_bic(statistics, other) for other in beside]
            if scores and max(scores) - score > 1e-6:
                score, graph = max(scores), beside[int(np.argmax(scores))]
                going_on = True
                break
    return graph


@given(linear_models(min_nodes=2, max_nodes=4), rngs())
@settings(max_examples=30)
def test_xges_0_is_the_slow_search(model, rng):
    data = Dataset.from_values(model.sample(50, rng))
    expected = search_slowly(observational_node_statistics(data), [()])
    estimate = XGES(extended=False, penalty_discount=1.0).discover(data, RNG)
    assert is_cpdag(estimate.graph)
    np.testing.assert_array_equal(expected, estimate.graph)


@given(experiments())
@settings(max_examples=30)
def test_with_interventions_too(data):
    statistics = interventional_node_statistics(data)
    expected = search_slowly(statistics, targets_of(data))
    estimate = XGIES(extended=False, penalty_discount=1.0).discover(data, RNG)
    np.testing.assert_array_equal(expected, estimate.graph)


def random_problem(seed, n_nodes=10):
    rng = np.random.default_rng([12, seed])
    graph = erdos_renyi(n_nodes, (1, 1.5, 2)[seed % 3], rng)
    return Dataset.from_values(draw(("scm", "iscm")[seed % 2], graph, rng).sample(300, rng))


@pytest.mark.parametrize("seed", range(12))
def test_what_is_kept_is_what_is_computed_anew(seed, monkeypatch):
    """At the end of every climb, so that leaving out what has not changed is exact."""
    climbs = []
    climb_after = extremely_greedy.climb_after

    def compare(score, limits, place, delete):
        result = climb_after(score, limits, place, delete)
        expected = filled(score, place.graph, limits.least_gain)
        for anew, kept in zip(expected, place.table, strict=True):
            np.testing.assert_allclose(kept, anew, rtol=1e-9, atol=1e-9)
        climbs.append(result[0])
        return result

    monkeypatch.setattr(extremely_greedy, "climb_after", compare)
    data = random_problem(seed)
    estimate = XGES().discover(data, RNG)
    assert len(climbs) > estimate.info["forced"]


@pytest.mark.parametrize("seed", range(6))
def test_the_gains_of_all_steps_are_the_difference_of_the_scores(seed):
    data = random_problem(seed)
    statistics = observational_node_statistics(data)
    nothing = np.zeros((10, 10), dtype=bool)
    search = ExtremelyGreedySearch(gaussian_families(statistics, 1.0), nothing, 10, data.columns)
    search.run(extended=True)
    gained = gaussian_bic(statistics, search.graph) - gaussian_bic(statistics, nothing)
    assert gained == pytest.approx(search.gained, rel=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_relabelling_columns_relabels_the_result(seed):
    data, label = random_problem(seed), np.random.default_rng(seed).permutation(10)
    for extended in (False, True):
        expected = XGES(extended=extended).discover(data, RNG).graph[np.ix_(label, label)]
        found = XGES(extended=extended).discover(data.permute_columns(label), RNG).graph
        np.testing.assert_array_equal(expected, found)


@given(st.data(), experiments(max_nodes=5))
@settings(max_examples=30)
def test_relabelling_experiments_relabels_the_result(data, experiment):
    label = data.draw(permutations_of(experiment.n_nodes))
    expected = XGIES().discover(experiment, RNG).graph[np.ix_(label, label)]
    found = XGIES().discover(experiment.permute_columns(label), RNG).graph
    np.testing.assert_array_equal(expected, found)


def test_the_best_of_all_classes_is_found():
    """Of 25 problems with 4 nodes and 20 000 rows at least 24 (when written, 25)."""
    classes = all_classes(4)
    assert len(classes) == 185
    found = 0
    for seed in range(25):
        rng = np.random.default_rng([5, seed])
        values = draw("scm", erdos_renyi(4, 1, rng), rng).sample(20_000, rng)
        statistics = observational_node_statistics(Dataset.from_values(values))
        best = max(gaussian_bic(statistics, graph) for graph in classes)
        estimate = XGES(penalty_discount=1.0).discover(Dataset.from_values(values), RNG)
        found += estimate.info["score"] >= best - 1e-6
    assert found >= 24
