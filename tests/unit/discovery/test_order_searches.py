"""BOSS and GRaSP against slow twins: trees, moves, tucks, and what comes out."""

import itertools

import numpy as np
import pytest

from causalassay.contracts import NotApplicable
from causalassay.data import Dataset
from causalassay.discovery import make_algorithm
from causalassay.discovery.ges import GES
from causalassay.discovery.order_searches import BOSS, GRaSP
from causalassay.discovery.search.gaussian_bic import gaussian_bic, observational_node_statistics
from causalassay.discovery.search.order_search import (
    Depths,
    Orchard,
    TuckSearch,
    _gains,
    _moved,
    best_order,
)
from causalassay.discovery.search.scores import LevelScore, score_data
from causalassay.discovery.statistics import level_statistics
from causalassay.graphs import erdos_renyi, from_edges, is_cpdag, is_dag, to_cpdag
from causalassay.models import draw
from causalassay.testing import check_algorithm
from class_twins import all_classes
from unit.discovery.test_xges import levels_of, linear_values

SEARCHES = (BOSS(penalty_discount=1.0), GRaSP(penalty_discount=1.0))


def random_problem(seed, n_nodes=8, n=200):
    rng = np.random.default_rng([31, seed])
    model = draw(("scm", "iscm")[seed % 2], erdos_renyi(n_nodes, 1.5, rng), rng)
    return Dataset.from_values(model.sample(n, rng))


def orchard_of(data, most=None, score="bic"):
    families = score_data(data, BOSS(score=score, penalty_discount=1.0)).families
    return Orchard(families, most or data.n_nodes, data.columns)


def gaussian_local(data):
    """The score of a node and its parents, as a difference of scores of whole graphs."""
    statistics = observational_node_statistics(data)
    empty = np.zeros((data.n_nodes, data.n_nodes), dtype=bool)
    zero = gaussian_bic(statistics, empty)

    def local(node, parents):
        graph = empty.copy()
        graph[list(parents), node] = True
        return gaussian_bic(statistics, graph) - zero

    return local


def grown_and_shrunk(local, node, before, most):
    """Add the best parent while that gains, then take back the worst while that gains."""
    parents = frozenset()
    while len(parents) < most and before - parents:
        best = max(sorted(before - parents), key=lambda x: local(node, parents | {x}))
        if local(node, parents | {best}) <= local(node, parents) + 1e-6:
            break
        parents |= {best}
    while parents:
        worst = max(sorted(parents), key=lambda x: local(node, parents - {x}))
        if local(node, parents - {worst}) <= local(node, parents) + 1e-6:
            break
        parents -= {worst}
    return parents


@pytest.mark.parametrize("most", [8, 2])
def test_trees_find_what_growing_and_shrinking_finds(most):
    for seed in range(4):
        data = random_problem(seed)
        local, orchard = gaussian_local(data), orchard_of(data, most)
        for _ in range(6):
            order = np.random.default_rng(seed).permutation(8)
            state = orchard.along(order)
            total = 0.0
            for position, node in enumerate(order.tolist()):
                before = frozenset(order[:position].tolist())
                expected = grown_and_shrunk(local, node, before, most)
                assert expected == orchard.parents(int(state.places[node]))
                total += local(node, expected) - local(node, frozenset())
            assert total == pytest.approx(orchard.total(state))
            assert is_dag(orchard.dag(state))


@pytest.mark.parametrize("score", ["bic", "bdeu"])
def test_trees_of_discrete_data(score):
    data = levels_of(5)
    local, orchard = LevelScore(level_statistics(data), score), orchard_of(data, score=score)
    for order in itertools.islice(itertools.permutations(range(5)), 0, 120, 17):
        state = orchard.along(np.array(order))
        for position, node in enumerate(order):
            expected = grown_and_shrunk(local, node, frozenset(order[:position]), 5)
            assert expected == orchard.parents(int(state.places[node]))


def test_arrays_that_are_full_grow():
    data, order = random_problem(0), np.arange(8)
    ample, tight = orchard_of(data), orchard_of(data)
    small = tight.trees
    tight.trees = small._replace(
        place=small.place[:9].copy(),
        gain=small.gain[:9].copy(),
        branch=small.branch[:8].copy(),
        branch_gain=small.branch_gain[:8].copy(),
        kept=small.kept[:1].copy(),
    )
    np.testing.assert_array_equal(ample.dag(ample.along(order)), tight.dag(tight.along(order)))
    assert len(tight.trees.place) > 9


def test_gains_at_positions_are_those_of_the_moved_orders():
    for seed in range(3):
        orchard = orchard_of(random_problem(seed))
        state = orchard.along(np.random.default_rng(seed).permutation(8))
        for at in range(8):
            moved = [_moved(state.order, at, to) for to in range(8)]
            expected = [orchard.total(orchard.along(order)) for order in moved]
            np.testing.assert_allclose(_gains(orchard, state, at), expected, atol=1e-9)


def test_no_move_improves_the_order_that_is_found():
    for seed in range(3):
        orchard, rng = orchard_of(random_problem(seed)), np.random.default_rng(seed)
        state = best_order(orchard, rng.permutation(8), rng)
        total = orchard.total(state)
        for at, to in itertools.product(range(8), repeat=2):
            assert orchard.total(orchard.along(_moved(state.order, at, to))) <= total + 1e-6


def test_a_tuck_moves_the_node_and_its_ancestors():
    orchard = orchard_of(random_problem(1))
    search = TuckSearch(orchard, Depths(3, 1, 1), np.random.default_rng(0))
    state = orchard.along(np.arange(8))
    dag = orchard.dag(state)
    for x, y in np.argwhere(dag).tolist():
        tucked = search._tuck(state, x, y)
        rank = {node: position for position, node in enumerate(tucked.order.tolist())}
        walks = np.linalg.matrix_power(dag + np.eye(8), 8)
        above = {z for z in range(8) if walks[z, y]} - {x}
        assert rank[y] < rank[x]
        for a, b in itertools.combinations(range(8), 2):
            if (a in above) == (b in above) or a < x:
                assert rank[a] < rank[b]
        np.testing.assert_array_equal(orchard.dag(orchard.along(tucked.order)), orchard.dag(tucked))


def test_no_tuck_improves_what_grasp_finds():
    for seed in range(3):
        orchard, rng = orchard_of(random_problem(seed)), np.random.default_rng(seed)
        search = TuckSearch(orchard, Depths(3, 1, 1), rng)
        state = search.run(orchard.along(rng.permutation(8)))
        for x, y in np.argwhere(orchard.dag(state)).tolist():
            tucked = search._tuck(state, x, y)
            assert orchard.total(tucked) <= orchard.total(state) + 1e-6


def test_tiers_allow_more_and_more_tucks():
    """0→1, 0→2, 1→2, 1→3: 0→1 and 1→3 are not alike, 0→2 has a way around."""
    weights = np.zeros((4, 4))
    weights[0, 1] = weights[0, 2] = weights[1, 2] = weights[1, 3] = 1
    orchard = orchard_of(Dataset.from_values(linear_values(weights)))
    state = orchard.along(np.arange(4))
    np.testing.assert_array_equal(weights != 0, orchard.dag(state))
    allowed = []
    for tier in range(3):
        depths = Depths(1, int(tier > 0), int(tier > 1))
        search = TuckSearch(orchard, depths, np.random.default_rng(0))
        allowed.append(set(search._edges(state, 1)))
    assert allowed[0] == {(0, 1), (1, 2)}
    assert allowed[1] == {(0, 1), (1, 2), (1, 3)}
    assert allowed[2] == {(0, 1), (1, 2), (1, 3), (0, 2)}


@pytest.mark.parametrize("search", SEARCHES)
def test_chain_collider_and_an_asymmetric_graph(search):
    chain = [[0, 1, 0], [0, 0, 1], [0, 0, 0]]
    weights = np.zeros((4, 4))
    weights[0, 3] = weights[1, 3] = weights[3, 2] = 1
    lines = from_edges([(0, 1), (1, 0), (1, 2), (2, 1)], 3)
    for values, expected in ((chain, lines), (weights, weights != 0)):
        data = Dataset.from_values(linear_values(values))
        for seed in range(3):
            estimate = search.discover(data, np.random.default_rng(seed))
            np.testing.assert_array_equal(expected, estimate.graph)
            statistics = observational_node_statistics(data)
            score = gaussian_bic(statistics, estimate.graph)
            assert score == pytest.approx(estimate.info["score"])


@pytest.mark.parametrize("search", SEARCHES)
def test_the_best_of_all_classes_is_found(search):
    """Of 25 problems with 4 nodes and 20 000 rows at least 24 (when written, 25)."""
    classes, found = all_classes(4), 0
    for seed in range(25):
        rng = np.random.default_rng([5, seed])
        data = Dataset.from_values(draw("scm", erdos_renyi(4, 1, rng), rng).sample(20_000, rng))
        statistics = observational_node_statistics(data)
        best = max(gaussian_bic(statistics, graph) for graph in classes)
        found += search.discover(data, rng).info["score"] >= best - 1e-6
    assert found >= 24


@pytest.mark.parametrize("search", SEARCHES)
def test_scores_at_least_as_much_as_ges_in_most_problems(search):
    """On 30 problems of 10 nodes at most 4 score less than GES (when written, none)."""
    less = 0
    for seed in range(30):
        rng = np.random.default_rng([21, seed])
        data = Dataset.from_values(draw("scm", erdos_renyi(10, 2, rng), rng).sample(300, rng))
        estimate = search.discover(data, rng)
        assert is_cpdag(estimate.graph)
        ges = GES(penalty_discount=1.0).discover(data, rng)
        less += estimate.info["score"] < ges.info["score"] - 1e-6
    assert less <= 4


@pytest.mark.parametrize("name", ["boss", "grasp"])
def test_discrete_data_and_more_starts(name):
    data, chain = levels_of(4, n=3000), np.eye(4, k=1, dtype=bool)
    for score in ("bic", "bdeu"):
        estimate = make_algorithm(name, score=score, starts=2).discover(
            data, np.random.default_rng(0)
        )
        np.testing.assert_array_equal(to_cpdag(chain), estimate.graph)
    with pytest.raises(NotApplicable, match="BDeu is a score of discrete data"):
        make_algorithm(name, score="bdeu").discover(random_problem(0), np.random.default_rng(0))


@pytest.mark.parametrize("name", ["boss", "grasp"])
def test_what_cannot_be_is_refused(name):
    a, b = np.random.default_rng(1).normal(size=(2, 100))
    data = Dataset.from_values(np.column_stack([a, 3 * a + 1, b]), columns=["a", "b", "c"])
    with pytest.raises(NotApplicable, match="'a' and 'b'|'b' and 'a'"):
        make_algorithm(name).discover(data, np.random.default_rng(0))
    with pytest.raises(ValueError, match="starts: expected a whole number from 1 on, got 0"):
        make_algorithm(name, starts=0)
    with pytest.raises(ValueError, match="penalty_discount: expected a positive number"):
        make_algorithm(name, penalty_discount=0.0)
    one = Dataset.from_values(np.random.default_rng(0).normal(size=(20, 1)))
    assert not make_algorithm(name).discover(one, np.random.default_rng(0)).graph.any()


def test_depths_are_checked():
    with pytest.raises(ValueError, match="depth: expected a whole number from 1 on, got 0"):
        GRaSP(depth=0)
    with pytest.raises(ValueError, match="uncovered_depth: expected a whole number from 0 on"):
        GRaSP(uncovered_depth=-1)


def test_conformance():
    for name in ("boss", "grasp"):
        check_algorithm(make_algorithm(name))


@pytest.mark.parametrize("number", [45, 50, 54])
def test_units_do_not_decide_between_positions_that_tie(number):
    rng = np.random.default_rng(500 + number)
    graph = erdos_renyi(15, 2, rng)
    kind = ("scm", "standardized", "iscm", "uumc")[number % 4]
    values = draw(kind, graph, rng).sample(1000, rng)
    factors = 10.0 ** np.arange(-7, 8)
    found = [
        BOSS(starts=starts).discover(Dataset.from_values(same), np.random.default_rng(1)).graph
        for starts in (1, 3)
        for same in (values, values * 3.7, values * factors, values + values.std(axis=0))
    ]
    for first in (0, 4):
        for other in found[first + 1 : first + 4]:
            np.testing.assert_array_equal(found[first], other)
