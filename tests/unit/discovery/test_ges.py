"""GES by hand: its score, its operators on small graphs, what it refuses."""

import numpy as np
import pytest

from causalassay.contracts import NotApplicable
from causalassay.data import Dataset, Discrete, Regime
from causalassay.discovery import discover, make_algorithm
from causalassay.discovery.ges import GES
from causalassay.discovery.search import equivalence_classes as class_search
from causalassay.discovery.search.gaussian_bic import (
    gaussian_bic,
    make_bic,
    observational_node_statistics,
)
from causalassay.discovery.search.gaussian_operators import (
    best_delete,
    best_insert,
    best_turn,
    insert_bounds,
)
from causalassay.graphs import erdos_renyi, from_edges, is_cpdag, to_cpdag
from causalassay.models import draw
from causalassay.testing import check_algorithm

RNG = np.random.default_rng(0)


def linear_values(weights, n=2000, seed=0):
    weights = np.asarray(weights, dtype=float)
    noise = np.random.default_rng(seed).normal(size=(n, len(weights)))
    return noise @ np.linalg.inv(np.eye(len(weights)) - weights)


def learn(values, **settings):
    """Search with the penalty of the BIC, which twins and definitions here have."""
    return GES(**{"penalty_discount": 1.0} | settings).discover(Dataset.from_values(values), RNG)


def score_by_regression(values, dag, discount=1.0):
    """The definition, by least squares on the rows with an intercept."""
    n, d = values.shape
    total = 0.0
    for node in range(d):
        parents = values[:, dag[:, node]]
        design = np.column_stack([np.ones(n), parents])
        residual = values[:, node] - design @ np.linalg.lstsq(design, values[:, node])[0]
        total -= n / 2 * np.log(np.mean(residual**2))
        total -= discount * np.log(n) / 2 * (parents.shape[1] + 1)
    return total


def test_score_is_the_penalised_likelihood():
    rng = np.random.default_rng(3)
    values = rng.normal(size=(80, 5)).cumsum(axis=1) * [1, 10, 0.1, 1, 1] + 7
    statistics = observational_node_statistics(Dataset.from_values(values))
    for discount in (1.0, 2.5):
        dag = erdos_renyi(5, 1, rng)
        expected = score_by_regression(values, dag, discount)
        assert expected == pytest.approx(gaussian_bic(statistics, dag, discount), rel=1e-12)
        assert expected == pytest.approx(gaussian_bic(statistics, to_cpdag(dag), discount))


def test_chain_is_undirected_and_collider_directed():
    chain = [[0, 1, 0], [0, 0, 1], [0, 0, 0]]
    collider = [[0, 0, 1], [0, 0, 1], [0, 0, 0]]
    np.testing.assert_array_equal(
        from_edges([(0, 1), (1, 0), (1, 2), (2, 1)], 3), learn(linear_values(chain)).graph
    )
    np.testing.assert_array_equal(
        from_edges([(0, 2), (1, 2)], 3), learn(linear_values(collider)).graph
    )


def test_transposed_data_would_fail():
    """An asymmetric graph: 0→3←1, 3→2."""
    weights = np.zeros((4, 4))
    weights[0, 3] = weights[1, 3] = weights[3, 2] = 1
    np.testing.assert_array_equal(weights != 0, learn(linear_values(weights)).graph)


def test_exact_cpdags_from_large_samples():
    """On 20 ER-1 graphs of 7 nodes with 60 000 rows at least 16 are exact (here 18 are)."""
    exact = 0
    for seed in range(20):
        rng = np.random.default_rng([7, seed])
        graph = erdos_renyi(7, 1, rng)
        values = draw("scm", graph, rng).sample(60_000, rng)
        exact += np.array_equal(to_cpdag(graph), learn(values).graph)
    assert exact >= 16


def test_info_says_what_happened():
    values = linear_values([[0, 0, 1], [0, 0, 1], [0, 0, 0]])
    estimate = learn(values, phases=("forward", "backward", "turning"))
    assert estimate.kind == "cpdag"
    assert estimate.weights is None
    assert estimate.info["converged"]
    assert estimate.info["iterations"] == sum(estimate.info["steps"].values()) >= 2
    assert set(estimate.info["steps"]) == {"forward", "backward", "turning"}
    expected = score_by_regression(values, estimate.graph)
    assert expected == pytest.approx(estimate.info["score"], rel=1e-12)


def test_a_heavy_penalty_leaves_nothing():
    values = linear_values([[0, 1, 0], [0, 0, 1], [0, 0, 0]])
    assert not learn(values, penalty_discount=1e4).graph.any()


def test_one_column_has_no_edge():
    estimate = learn(np.random.default_rng(0).normal(size=(20, 1)))
    assert estimate.graph.shape == (1, 1)
    assert estimate.info["iterations"] == 0


def test_max_parents_is_kept():
    weights = np.zeros((5, 5))
    weights[:4, 4] = 1
    values = linear_values(weights)
    assert learn(values).graph[:, 4].sum() == 4
    for most in range(4):
        graph = learn(values, max_parents=most, phases=("forward", "backward", "turning")).graph
        assert is_cpdag(graph)
        assert (graph & ~graph.T).sum(axis=0).max() <= most
        assert (most == 0) == (not graph.any())


def test_more_phases_and_rounds_never_score_less():
    for seed in range(20):
        rng = np.random.default_rng([9, seed])
        values = draw("iscm", erdos_renyi(8, 2, rng), rng).sample(200, rng)
        two = learn(values).info["score"]
        three = learn(values, phases=("forward", "backward", "turning")).info["score"]
        again = learn(values, phases=("forward", "backward", "turning"), iterate=True)
        assert two - 1e-6 <= three <= again.info["score"] + 1e-6


def bic_of(values):
    return make_bic(observational_node_statistics(Dataset.from_values(values)), 1.0)


def insert_into(bic, graph, most=10):
    bounds = np.empty(graph.shape)
    for y in range(len(graph)):
        insert_bounds(bic, graph, y, most, bounds[y])
    return best_insert(bic, graph, bounds, most, 1e-6)


def test_insert_makes_a_collider_by_its_clique():
    """On 0—1 with 0→1←2 true, Insert(2, 1, {0}) is best."""
    bic = bic_of(linear_values([[0, 1, 0], [0, 0, 0], [0, 1, 0]]))
    gain, x, y, clique = insert_into(bic, from_edges([(0, 1), (1, 0)], 3))
    assert gain > 0
    assert (x, y) == (2, 1)
    assert np.flatnonzero(clique).tolist() == [0]


def test_insert_closes_no_cycle():
    """0→1←2, 1→3: an edge 3→0 is asked for, and only 0→3 is valid."""
    weights = np.zeros((4, 4))
    weights[0, 1] = weights[2, 1] = weights[1, 3] = weights[0, 3] = 1
    graph = from_edges([(0, 1), (2, 1), (1, 3)], 4)
    _, x, y, clique = insert_into(bic_of(linear_values(weights)), graph)
    assert (x, y) == (0, 3)
    assert not clique.any()


def test_delete_takes_the_false_edge():
    """The triangle of a collider: without 0—1 the rest points to 2."""
    bic = bic_of(linear_values([[0, 0, 1], [0, 0, 1], [0, 0, 0]]))
    gain, x, y, clique = best_delete(bic, to_cpdag(np.triu(np.ones((3, 3), dtype=bool), 1)), 0.0)
    assert gain > 0
    assert (x, y) == (0, 1)
    assert not clique.any()


def test_turn_of_an_arrow_and_of_a_line():
    # The chain 0—1—2 is turned into the collider of the data: 0→1 with 2→1.
    bic = bic_of(linear_values([[0, 1, 0], [0, 0, 0], [0, 1, 0]]))
    chain = from_edges([(0, 1), (1, 0), (1, 2), (2, 1)], 3)
    gain, x, y, clique = best_turn(bic, chain, 10, 1e-6)
    assert gain > 0
    assert {x, *np.flatnonzero(clique).tolist()} == {0, 2}
    assert y == 1
    # And the collider, where the data are a chain, back into it.
    bic = bic_of(linear_values([[0, 1, 0], [0, 0, 1], [0, 0, 0]]))
    gain, x, y, _ = best_turn(bic, from_edges([(0, 1), (2, 1)], 3), 10, 1e-6)
    assert gain > 0
    assert x == 1
    assert y in {0, 2}


def test_an_arrow_turns_although_its_head_has_a_neighbour():
    """0→1←2, 0→3←2, 1—3: 1→2, or as well 1→0, closes no cycle, for 1 can come before 3."""
    weights = np.zeros((4, 4))
    weights[0, 1] = weights[1, 2] = weights[2, 3] = weights[1, 3] = weights[0, 3] = 1
    graph = to_cpdag(from_edges([(0, 1), (2, 1), (0, 3), (2, 3), (1, 3)], 4))
    assert graph[1, 3]
    assert graph[3, 1]
    gain, x, y, clique = best_turn(bic_of(linear_values(weights)), graph, 10, 1e-6)
    assert gain > 0
    assert x == 1
    assert y in {0, 2}
    assert not clique.any()


def test_nothing_to_gain_gives_no_operator():
    bic = bic_of(np.random.default_rng(5).normal(size=(300, 3)))
    empty = np.zeros((3, 3), dtype=bool)
    for gain, x, _, _ in (
        insert_into(bic, empty),
        best_delete(bic, empty, 1e-6),
        best_turn(bic, empty, 10, 1e-6),
    ):
        assert x == -1
        assert gain == 1e-6


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"penalty_discount": 0.0}, "penalty_discount: expected a positive number, got 0.0"),
        ({"penalty_discount": float("nan")}, "penalty_discount"),
        ({"phases": ()}, "phases: expected one or several"),
        ({"phases": "forward"}, r"phases: expected a list \(text each\), got 'forward'"),
        ({"phases": ("foreward",)}, "did you mean 'forward'"),
        ({"max_parents": -1}, "max_parents: expected a whole number or None, got -1"),
        ({"max_parents": 1.5}, "max_parents: expected an integer or None, got 1.5"),
    ],
)
def test_wrong_settings_are_refused(settings, message):
    for name in ("ges", "gies"):
        with pytest.raises((ValueError, TypeError), match=message):
            make_algorithm(name, **settings)


def test_phases_from_a_list_are_a_tuple():
    assert GES(phases=["forward"]) == GES(phases=("forward",))
    assert hash(GES(phases=["forward"]))


def columns(*names_and_values):
    names, values = zip(*names_and_values, strict=True)
    return Dataset.from_values(np.column_stack(values), columns=list(names))


def test_dependent_columns_are_refused():
    a, b, noise = np.random.default_rng(1).normal(size=(3, 100))
    with pytest.raises(NotApplicable, match="'a' and 'b'|'b' and 'a'"):
        GES().discover(columns(("a", a), ("b", 3 * a + 1)), RNG)
    with pytest.raises(NotApplicable, match="linearly dependent in the 100 rows"):
        GES().discover(columns(("a", a), ("b", b), ("c", a + b), ("e", noise)), RNG)
    with pytest.raises(NotApplicable, match="take more rows"):
        GES().discover(Dataset.from_values([[0.0, 1.0], [1.0, 5.0]]), RNG)


def test_unfit_data_are_refused():
    values = np.random.default_rng(1).normal(size=(20, 2))
    coded = np.column_stack([values[:, 0], np.arange(20) % 2])
    regime = Regime("control", coded)
    kinds = (Dataset.from_values(values).kinds[0], Discrete(("no", "yes")))
    with pytest.raises(NotApplicable, match="'sex' is discrete"):
        GES().discover(Dataset(("height", "sex"), (regime,), "control", kinds), RNG)
    with pytest.raises(NotApplicable, match="no condition is known to be observational"):
        GES().discover(Dataset(("a", "b"), (Regime("drug", values, (0,)),), None), RNG)


def test_large_cliques_are_refused_with_the_way_out(monkeypatch):
    monkeypatch.setattr(class_search, "MOST_IN_CLIQUE", 3)
    values = linear_values(np.triu(np.ones((5, 5)), 1))
    with pytest.raises(NotApplicable, match="set max_parents below 3"):
        learn(values)
    assert learn(values, max_parents=2).graph.any()


def test_a_circle_ends_the_search(monkeypatch):
    """A gain that is no gain, as rounding errors may make one, leads back and forth."""
    monkeypatch.setattr(class_search, "LEAST_GAIN", -1e9)
    values = linear_values([[0, 1, 0], [0, 0, 1], [0, 0, 0]], n=100)
    estimate = learn(values, phases=("forward", "backward"), iterate=True)
    assert not estimate.info["converged"]


def test_pooled_rows_are_one_observation():
    values = linear_values([[0, 1, 0], [0, 0, 1], [0, 0, 0]])
    regimes = (Regime("a", values[:1000]), Regime("b", values[1000:], (0,)))
    data = Dataset(("x", "y", "z"), regimes, "a")
    np.testing.assert_array_equal(
        learn(values).graph, discover("ges", data.pooled, RNG, penalty_discount=1.0).graph
    )


def test_conformance():
    for name in ("ges", "gies"):
        check_algorithm(make_algorithm(name))
