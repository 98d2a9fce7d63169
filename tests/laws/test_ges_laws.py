"""GES and GIES against a slow twin that changes members of a class, and what relabelling does."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from causalassay.data import Dataset, Regime
from causalassay.discovery.ges import GES, GIES
from causalassay.discovery.search import equivalence_classes as class_search
from causalassay.discovery.search.gaussian_bic import (
    gaussian_bic,
    interventional_node_statistics,
    make_bic,
    observational_node_statistics,
)
from causalassay.discovery.search.gaussian_operators import (
    best_delete,
    best_insert,
    best_operator,
    best_turn,
    insert_bounds,
)
from causalassay.graphs import erdos_renyi, is_cpdag, reachability, to_interventional_cpdag
from causalassay.graphs.cpdag import directed_part
from causalassay.models import Randomize, draw
from class_twins import classes_beside
from strategies import dags, linear_models, permutations_of, rngs

PHASES = ("forward", "backward", "turning")
RNG = np.random.default_rng(0)


def search_slowly(statistics, targets, phases, iterate):
    """Score whole graphs, all classes beside the present one, and go to the best."""
    graph = np.zeros(2 * (len(statistics.sd),), dtype=bool)
    score, going_on = gaussian_bic(statistics, graph), True
    while going_on:
        before = score
        for phase in phases:
            while beside := classes_beside(graph, phase, targets):
                scores = [gaussian_bic(statistics, other) for other in beside]
                if max(scores) - score <= 1e-6:
                    break
                score, graph = max(scores), beside[int(np.argmax(scores))]
        going_on = iterate and score > before
    return graph


@st.composite
def experiments(draw_from, max_nodes=4):
    """Data of a linear model under no, one or two interventions, conservative."""
    model = draw_from(linear_models(min_nodes=2, max_nodes=max_nodes))
    rng, d = draw_from(rngs()), model.n_nodes
    some = st.lists(st.integers(0, d - 1), unique=True, min_size=1, max_size=2).map(tuple)
    targets = draw_from(st.lists(some, max_size=2))
    if set(range(d)).intersection(*targets) or draw_from(st.booleans()):
        targets = [(), *targets]
    regimes = tuple(
        Regime(
            f"condition {k}",
            model.sample(30, rng, tuple(Randomize(node, 1.0, 1.0) for node in nodes)),
            nodes,
        )
        for k, nodes in enumerate(targets)
    )
    return Dataset(tuple(f"x{j}" for j in range(d)), regimes, observational=None)


def targets_of(data):
    return [regime.targets for regime in data.regimes]


@given(linear_models(min_nodes=2, max_nodes=4), rngs(), st.sampled_from([2, 3]))
@settings(max_examples=40)
def test_ges_is_the_slow_search(model, rng, n_phases):
    data = Dataset.from_values(model.sample(50, rng))
    expected = search_slowly(
        observational_node_statistics(data), [()], PHASES[:n_phases], iterate=False
    )
    estimate = GES(penalty_discount=1.0, phases=PHASES[:n_phases]).discover(data, RNG)
    assert is_cpdag(estimate.graph)
    np.testing.assert_array_equal(expected, estimate.graph)


@given(experiments())
@settings(max_examples=40)
def test_gies_is_the_slow_search(data):
    statistics = interventional_node_statistics(data)
    expected = search_slowly(statistics, targets_of(data), PHASES, iterate=True)
    estimate = GIES(penalty_discount=1.0).discover(data, RNG)
    np.testing.assert_array_equal(expected, estimate.graph)
    expected = gaussian_bic(statistics, expected)
    assert expected == pytest.approx(estimate.info["score"], rel=1e-9, abs=1e-9)


@given(st.data(), experiments(max_nodes=5))
@settings(max_examples=150)
def test_each_operator_is_the_best_change_of_a_member(data, experiment):
    """On any class, also such as no search would come to."""
    d, targets = experiment.n_nodes, targets_of(experiment)
    dag = data.draw(dags(min_nodes=d, max_nodes=d))
    graph = to_interventional_cpdag(dag, targets)
    statistics = interventional_node_statistics(experiment)
    bic = make_bic(statistics, 1.0)
    bounds = np.empty((d, d))
    for y in range(d):
        insert_bounds(bic, graph, y, d, bounds[y])
    result = {
        "forward": best_insert(bic, graph, bounds, d, -np.inf),
        "backward": best_delete(bic, graph, -np.inf),
        "turning": best_turn(bic, graph, d, -np.inf),
    }
    for phase, (gain, x, _, _) in result.items():
        beside = classes_beside(graph, phase, targets)
        assert (x == -1) == (beside == [])
        if beside:
            best = max(gaussian_bic(statistics, other) for other in beside)
            expected = best - gaussian_bic(statistics, graph)
            assert expected == pytest.approx(gain, rel=1e-6, abs=1e-6)


def random_problem(seed, n_nodes=10):
    rng = np.random.default_rng([11, seed])
    graph = erdos_renyi(n_nodes, (1, 1.5, 2)[seed % 3], rng)
    return draw(("scm", "iscm")[seed % 2], graph, rng).sample(300, rng)


@pytest.mark.parametrize("seed", range(30))
def test_bounds_that_are_kept_are_those_computed_anew(seed, monkeypatch):
    """At every step, so that leaving out what has not changed is exact."""
    n_compared = 0

    def compare(bic, graph, phase, kept, limits):
        nonlocal n_compared
        operator = best_operator(bic, graph, phase, kept, limits)
        if PHASES[phase] == "forward":
            bounds, _, cyclic = kept
            anew = np.empty_like(bounds)
            for y in range(len(graph)):
                insert_bounds(bic, graph, y, limits[0], anew[y])
            np.testing.assert_array_equal(anew, bounds)
            np.testing.assert_array_equal(reachability(directed_part(graph)), cyclic)
            n_compared += 1
        return operator

    monkeypatch.setattr(class_search, "best_operator", compare)
    data = Dataset.from_values(random_problem(seed))
    estimate = GES(phases=PHASES, iterate=True).discover(data, RNG)
    assert n_compared > estimate.info["steps"]["forward"]


@pytest.mark.parametrize("seed", range(10))
def test_gies_without_interventions_is_ges(seed):
    data = Dataset.from_values(random_problem(seed))
    for phases, iterate in ((PHASES[:2], False), (PHASES, True)):
        one = GES(phases=phases, iterate=iterate).discover(data, RNG)
        other = GIES(phases=phases, iterate=iterate).discover(data, RNG)
        np.testing.assert_array_equal(one.graph, other.graph)
        assert one.kind == other.kind == "cpdag"
        assert one.info["score"] == pytest.approx(other.info["score"], rel=1e-12)


@given(st.data(), experiments(max_nodes=6))
def test_relabelling_columns_relabels_the_result(data, experiment):
    label = data.draw(permutations_of(experiment.n_nodes))
    values = experiment.permute_columns(label)
    expected = GIES().discover(experiment, RNG).graph[np.ix_(label, label)]
    np.testing.assert_array_equal(expected, GIES().discover(values, RNG).graph)
    rows = Dataset.from_values(experiment.pooled)
    expected = GES().discover(rows, RNG).graph[np.ix_(label, label)]
    np.testing.assert_array_equal(expected, GES().discover(rows.permute_columns(label), RNG).graph)


@pytest.mark.parametrize("seed", range(10))
def test_units_and_origins_do_not_matter(seed):
    values = random_problem(seed)
    moved = values * 2.0 ** np.arange(-5, 5) + np.arange(10)
    np.testing.assert_array_equal(
        GES().discover(Dataset.from_values(values), RNG).graph,
        GES().discover(Dataset.from_values(moved), RNG).graph,
    )
