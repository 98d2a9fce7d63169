"""What chance gives, against slow and obvious twins."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import causalassay as ca
from causalassay.data import Dataset, Discrete, Regime
from causalassay.diagnostics import aligned_share, pair_weights
from causalassay.discovery.granger_lasso import lagged_design, lagged_estimate
from causalassay.discovery.regression.lasso_along_order import PATH_END, sort_regress
from causalassay.discovery.search.any_score_search import parents_along
from causalassay.discovery.search.scores import LevelScore
from causalassay.discovery.statistics import LevelStatistics
from causalassay.graphs import erdos_renyi
from causalassay.judging import order_tests
from causalassay.judging.order_tests import (
    DIRECTION,
    FAMILY_LEVEL,
    RandomAssignments,
    RandomOrders,
    graphs_along_all_orders,
    judge_together,
)
from causalassay.judging.regression_along import (
    LaggedLassoGraphs,
    LassoGraphs,
    LevelGraphs,
    regression_along,
)
from causalassay.models import draw
from causalassay.models.discrete.tables import as_codes

LEVEL = 0.0125


def continuous(n_nodes, seed=0):
    rng = np.random.default_rng(seed)
    graph = ca.graphs.erdos_renyi(n_nodes, 1, rng)
    return Dataset.from_values(ca.models.draw("scm", graph, rng).sample(200, rng)), graph


def discrete(n_nodes):
    rng = np.random.default_rng(1)
    graph = ca.graphs.erdos_renyi(n_nodes, 1, rng)
    model = ca.models.draw("dirichlet", graph, rng)
    kinds = tuple(Discrete(levels) for levels in model.levels)
    return Dataset(model.names, (Regime("o", model.sample(300, rng)),), "o", kinds), graph


def series(n_nodes):
    rng = np.random.default_rng(2)
    graph = ca.graphs.lagged_erdos_renyi(n_nodes, 0.5, 1, rng)
    values = ca.models.draw("uumc", graph, rng, mechanism="var").sample(300, rng)
    return Dataset.from_values(values, rows="series"), graph.summary


@pytest.mark.parametrize("world", [continuous, discrete, series])
def test_graphs_along_all_orders_equal_one_regression_for_each(world):
    data, _ = world(4)
    along = regression_along(data, 1)
    slow = [along(np.array(order)) for order in permutations(range(4))]
    assert (np.array(slow) == graphs_along_all_orders(along, 4)).all()


@pytest.mark.parametrize("n_nodes", [3, 12])
def test_compiled_regressions_equal_those_of_the_baselines(n_nodes):
    rng = np.random.default_rng(6)
    orders = np.array([rng.permutation(n_nodes) for _ in range(20)])
    values = continuous(n_nodes, 7)[0].observational_values
    slow = [sort_regress(values, order) != 0 for order in orders]
    assert (np.array(slow) == LassoGraphs(values)(orders)).all()
    lagged = ca.graphs.lagged_erdos_renyi(n_nodes, 0.3, 2, rng)
    series = ca.models.draw("uumc", lagged, rng, mechanism="var").sample(300, rng)
    design = lagged_design(Dataset.from_values(series, rows="series"), 2)
    slow = [lagged_estimate(design, 2, PATH_END, order).graph for order in orders]
    assert (np.array(slow) == LaggedLassoGraphs(design, 2)(orders)).all()


def twin_scores(graph, guesses):
    """F1, SHD, direction score and F1 of the skeleton of each graph, by the metrics themselves."""
    metrics = (
        ca.metrics.f1,
        ca.metrics.shd,
        ca.metrics.direction_score,
        ca.metrics.skeleton_f1,
    )
    return np.array([[metric(graph, guess) for metric in metrics] for guess in guesses])


def test_the_four_scores_of_any_graphs_are_those_of_the_metrics():
    """Guesses with reversed, missing, added and undirected edges."""
    rng = np.random.default_rng(8)
    graph = ca.graphs.erdos_renyi(6, 1.5, rng)
    guesses = rng.random((200, 6, 6)) < 0.3
    guesses[:, range(6), range(6)] = False
    guesses[0], guesses[1], guesses[2] = graph, graph.T, graph | graph.T
    assert np.allclose(twin_scores(graph, guesses), order_tests._compare(graph, guesses))


def plain_holm(pairs):
    """Which claims hold: their larger p-values by Holm, one after another, the smallest first."""
    larger = [max(pair) for pair in pairs]
    made = []
    for rank, claim in enumerate(sorted(range(len(pairs)), key=larger.__getitem__)):
        if larger[claim] > FAMILY_LEVEL / (len(pairs) - rank):
            break
        made.append(claim)
    return made


p_values = st.floats(0, 0.06) | st.floats(0, 1)


@given(st.lists(st.tuples(p_values, p_values), min_size=1, max_size=12))
def test_claims_are_judged_together_as_a_plain_holm_does(pairs):
    passed, level = judge_together(
        lambda level: [(one <= level, other <= level) for one, other in pairs], len(pairs)
    )
    made = plain_holm(pairs)
    assert made == sorted(made, key=lambda claim: max(pairs[claim]))
    assert {claim for claim, pair in enumerate(passed) if all(pair)} == set(made)
    assert pytest.approx(FAMILY_LEVEL / max(len(pairs) - len(made), 1)) == level
    for claim, pair in enumerate(passed):
        if claim not in made:
            assert tuple(one <= level / 2 for one in pairs[claim]) == pair


@pytest.mark.parametrize("world", [continuous, discrete, series])
def test_the_p_value_of_few_columns_is_the_share_of_all_orders(world):
    data, graph = world(4)
    along = regression_along(data, 1)
    orders = RandomOrders(along, graph, np.random.default_rng(0))
    found = [along(np.array(order)) for order in permutations(range(4))]
    assert np.allclose(twin_scores(graph, found), orders.drawn)
    scores = [ca.metrics.direction_score(graph, one) for one in found]
    for own in sorted(set(scores)):
        found = orders.test(own, LEVEL)
        assert pytest.approx(np.mean([score >= own - 1e-9 for score in scores])) == found.p_value
        assert found.decided


def test_random_orders_are_shared_by_all_tests():
    data, graph = continuous(9)
    steps = []
    orders = RandomOrders(
        regression_along(data, 1), graph, np.random.default_rng(0), lambda: steps.append(1)
    )
    first = orders.reaching(0.5)(100)
    assert (first == orders.reaching(0.5)(100)).all()
    assert (first == (orders.scores(100)[:, DIRECTION] >= 0.5)).all()
    assert 100 == len(steps)


@pytest.mark.parametrize("n_nodes", [4, 9])
def test_sortabilities_of_assignments_equal_one_by_one(n_nodes):
    graph = ca.graphs.erdos_renyi(n_nodes, 1, np.random.default_rng(3))
    weights = pair_weights(graph, "paths")
    statistic = np.random.default_rng(4).integers(0, 4, n_nodes).astype(float)  # with ties
    assignments = RandomAssignments(weights, statistic, np.random.default_rng(5))
    drawn = np.random.default_rng(5).permuted(np.tile(np.arange(n_nodes), (200, 1)), axis=1)
    slow = [aligned_share(weights, statistic[one], 1e-9) for one in drawn]
    assert np.allclose(slow, assignments.shares(200))


@pytest.mark.parametrize("sign", [1, -1])
def test_the_p_value_of_few_columns_is_the_share_of_all_assignments(sign):
    weights = pair_weights(ca.graphs.chain(4), "paths")
    statistic = np.array([0.5, 2.0, 1.0, 3.0])
    own = aligned_share(weights, statistic, 1e-9)
    slow = [
        sign * (aligned_share(weights, statistic[list(one)], 1e-9) - own) >= -1e-9
        for one in permutations(range(4))
    ]
    assignments = RandomAssignments(weights, statistic, np.random.default_rng(0))
    assert pytest.approx(np.mean(slow)) == assignments.test(own, sign, LEVEL).p_value


def test_many_assignments_of_many_pairs_come_in_parts(monkeypatch):
    weights = pair_weights(ca.graphs.chain(12), "paths")
    statistic = np.arange(12.0)
    whole = RandomAssignments(weights, statistic, np.random.default_rng(0)).shares(60)
    monkeypatch.setattr("causalassay.judging.order_tests._MOST_CELLS", 500)
    parts = RandomAssignments(weights, statistic, np.random.default_rng(0)).shares(60)
    assert whole.tolist() == parts.tolist()


# Parents of discrete columns


@pytest.mark.parametrize("kind", ["dirichlet", "logistic", "copies"])
def test_parents_along_an_order_are_those_of_the_greedy_search(kind):
    rng = np.random.default_rng(3)
    graph = erdos_renyi(12, 2, rng)
    model = draw("logistic" if kind == "logistic" else "dirichlet", graph, rng)
    codes = as_codes(model.sample(300, rng))
    if kind == "copies":  # whose gains tie
        codes[[3, 7]] = codes[[4, 4]]
    statistics = LevelStatistics(codes, np.array(model.n_levels))
    fast, score = LevelGraphs(statistics), LevelScore(statistics)
    for _ in range(20):
        order = rng.permutation(12)
        assert (fast(order) == parents_along(order.tolist(), score)).all()
