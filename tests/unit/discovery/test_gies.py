"""GIES by hand: which rows it uses, what it directs, what it refuses."""

import numpy as np
import pytest

from causalassay.contracts import NotApplicable
from causalassay.data import Dataset, Regime
from causalassay.discovery.ges import GIES
from causalassay.discovery.search.gaussian_bic import gaussian_bic, interventional_node_statistics
from causalassay.graphs import chain, erdos_renyi, extend, to_interventional_cpdag
from causalassay.models import Do, LinearSCM, Randomize, draw

RNG = np.random.default_rng(0)


def experiment(model, targets, n=500, seed=0, action=lambda node: Randomize(node, 0.0, 1.0)):
    rng = np.random.default_rng(seed)
    regimes = tuple(
        Regime(f"on {nodes}", model.sample(n, rng, tuple(map(action, nodes))), nodes)
        for nodes in targets
    )
    names = tuple(f"x{j}" for j in range(model.n_nodes))
    return Dataset(names, regimes, "on ()" if () in targets else None)


def chain_model(n_nodes):
    return LinearSCM(np.diag(np.ones(n_nodes - 1), 1), 1.0)


def learn(data, **settings):
    """Search with the penalty of the BIC, which twins and definitions here have."""
    return GIES(**{"penalty_discount": 1.0} | settings).discover(data, RNG)


def test_interventions_direct_the_edges_they_separate():
    model = chain_model(4)
    for targets in ([()], [(), (3,)], [(), (1, 2)], [(), (0,)], [(0,), (1,)], [(), (2,), (0,)]):
        estimate = learn(experiment(model, targets))
        np.testing.assert_array_equal(to_interventional_cpdag(chain(4), targets), estimate.graph)
        assert estimate.kind == ("pdag" if any(targets) else "cpdag")
        assert estimate.info["converged"]


def test_an_intervention_with_another_mean_directs_too():
    data = experiment(chain_model(2), [(), (1,)], action=lambda node: Do(node, 5.0))
    np.testing.assert_array_equal(chain(2), learn(data).graph)


def test_large_samples_give_the_true_class():
    """On 20 ER-1 graphs of 7 nodes, 10 000 rows under each of 4 conditions, 16 are exact."""
    exact = 0
    for seed in range(20):
        rng = np.random.default_rng([13, seed])
        graph = erdos_renyi(7, 1, rng)
        targets = [(), (0,), (1, 2), (3,)]
        data = experiment(draw("scm", graph, rng), targets, n=10_000, seed=seed)
        expected = to_interventional_cpdag(graph, targets)
        exact += np.array_equal(expected, learn(data).graph)
    assert exact >= 16


def score_by_regression(data, dag):
    """The definition: each node by its own rows, one intercept for all of them."""
    total = 0.0
    for node in range(data.n_nodes):
        rows = np.concatenate([r.values for r in data.regimes if node not in r.targets])
        design = np.column_stack([np.ones(len(rows)), rows[:, dag[:, node]]])
        residual = rows[:, node] - design @ np.linalg.lstsq(design, rows[:, node])[0]
        total -= len(rows) / 2 * np.log(np.mean(residual**2))
        total -= np.log(data.n_samples) / 2 * design.shape[1]
    return total


def test_score_uses_the_rows_in_which_the_node_was_left_alone():
    rng = np.random.default_rng(2)
    model = draw("scm", erdos_renyi(5, 1.5, rng), rng)
    data = experiment(model, [(), (0, 3), (4,)], n=60, action=lambda node: Do(node, 2.0))
    statistics = interventional_node_statistics(data)
    for _ in range(5):
        dag = erdos_renyi(5, 1, rng)
        expected = score_by_regression(data, dag)
        assert expected == pytest.approx(gaussian_bic(statistics, dag), rel=1e-12)
    estimate = learn(data)
    expected = score_by_regression(data, extend(estimate.graph))
    assert expected == pytest.approx(estimate.info["score"], rel=1e-9)


def test_one_intercept_for_all_conditions():
    """The mean of a cause moves, and so does its effect's: that tells of the effect."""
    rng = np.random.default_rng(4)
    values = rng.normal(size=(2, 40, 2)) * 0.5
    values[1] += 10  # both shift with the target 0: an effect, but none inside a condition
    regimes = (Regime("o", values[0]), Regime("i", values[1], (0,)))
    data = Dataset(("cause", "effect"), regimes, "o")
    np.testing.assert_array_equal(chain(2), learn(data).graph)
    centred = tuple(
        Regime(r.condition, r.values - r.values.mean(axis=0), r.targets) for r in regimes
    )
    assert not learn(Dataset(("cause", "effect"), centred, "o")).graph.any()


def test_unknown_targets_are_refused():
    values = np.random.default_rng(0).normal(size=(2, 20, 2))
    regimes = (Regime("o", values[0]), Regime("drug", values[1], None))
    with pytest.raises(NotApplicable, match="the targets of condition 'drug' are unknown"):
        learn(Dataset(("a", "b"), regimes, "o"))


def test_a_column_that_is_always_a_target_is_refused():
    data = experiment(chain_model(3), [(1,), (1, 2)])
    with pytest.raises(NotApplicable, match="'x1' is a target in every condition.*conservative"):
        learn(data)


def test_a_column_that_stands_still_in_the_rows_of_another_is_refused():
    values = np.random.default_rng(0).normal(size=(2, 20, 2))
    values[1, :, 0] = 3.0
    regimes = (Regime("on b", values[0], (1,)), Regime("on a", values[1], (0,)))
    with pytest.raises(NotApplicable, match="under 'on a': column 'a' is constant"):
        learn(Dataset(("a", "b"), regimes, None))


def test_dependent_columns_are_refused():
    values = np.random.default_rng(0).normal(size=(2, 20, 2))
    values[0, :, 1] = values[0, :, 0]
    regimes = (Regime("o", values[0]), Regime("on b", values[1], (1,)))
    with pytest.raises(NotApplicable, match="linearly dependent in the 20 rows"):
        learn(Dataset(("a", "b"), regimes, "o"))


def test_one_column_has_no_edge():
    values = np.random.default_rng(0).normal(size=(2, 20, 1))
    data = Dataset(("a",), (Regime("o", values[0]), Regime("i", values[1], (0,))), "o")
    assert learn(data).graph.shape == (1, 1)
