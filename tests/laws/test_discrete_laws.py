import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from causalassay.discovery.independence import GTest
from causalassay.discovery.search.scores import LevelScore
from causalassay.discovery.statistics import LevelStatistics
from causalassay.graphs import enumerate_dags, reachability, to_cpdag
from causalassay.metrics import tv_dag, tv_matrix
from causalassay.models import Do, RandomizeLevels, fit
from causalassay.models.discrete.tables import as_codes
from discrete_twins import slow_bdeu, slow_bic, slow_g, slow_joint, slow_marginal, slow_tv
from strategies import discrete_models, rngs


@st.composite
def interventions_on(draw, model):
    result = []
    for node in range(model.n_nodes):
        match draw(st.sampled_from(["nothing", "nothing", "do", "randomize"])):
            case "do":
                result.append(Do(node, draw(st.integers(0, model.n_levels[node] - 1))))
            case "randomize":
                law = np.arange(1, model.n_levels[node] + 1)
                stated = draw(st.sampled_from([None, tuple((law / law.sum()).tolist())]))
                result.append(RandomizeLevels(node, stated))
    return tuple(result)


@given(st.data(), discrete_models())
def test_laws_are_those_of_the_enumerated_joint(data, model):
    intervention = data.draw(interventions_on(model))
    joint = slow_joint(model, intervention)
    np.testing.assert_allclose(joint, model.joint(intervention), atol=1e-14)
    result = model.marginals(intervention)
    assert result.exact
    for node in range(model.n_nodes):
        expected = slow_marginal(joint, node)
        np.testing.assert_allclose(expected, result.probabilities[node], atol=1e-14)
        np.testing.assert_allclose(expected, model.laws([node], intervention)[node], atol=1e-14)


@given(st.data(), discrete_models(min_nodes=2))
def test_interventions_leave_non_descendants_alone(data, model):
    node = data.draw(st.integers(0, model.n_nodes - 1))
    before = model.marginals().probabilities
    after = model.marginals((Do(node, 0),)).probabilities
    for other in np.flatnonzero(~reachability(model.graph)[node]).tolist():
        if other != node:
            np.testing.assert_allclose(before[other], after[other], atol=1e-14)


@given(st.data(), discrete_models(min_nodes=2), rngs())
def test_samples_change_only_below_the_intervention(data, model, rng):
    node = data.draw(st.integers(0, model.n_nodes - 1))
    seed = int(rng.integers(2**32))
    plain = model.sample(20, np.random.default_rng(seed))
    changed = model.sample(20, np.random.default_rng(seed), (Do(node, 0),))
    apart = ~reachability(model.graph)[node]
    apart[node] = False
    np.testing.assert_array_equal(plain[:, apart], changed[:, apart])
    np.testing.assert_array_equal(0, changed[:, node])


@given(discrete_models(), rngs())
def test_only_possible_configurations_are_sampled(model, rng):
    joint = slow_joint(model)
    for row in model.sample(30, rng).astype(int):
        assert joint[tuple(row)] > 0


@settings(max_examples=40)
@given(st.data(), discrete_models(min_nodes=2, max_nodes=4), rngs())
def test_total_variation_is_that_of_the_enumerated_joints(data, model, rng):
    values = model.sample(30, rng)
    guess = data.draw(st.sampled_from([model.graph, model.graph.T, model.graph & False]))
    fitted = fit(guess, values, model.n_levels, smoothing=data.draw(st.sampled_from([0.0, 0.5])))
    last = [k - 1 for k in model.n_levels]
    assert slow_tv(model, fitted, last) == pytest.approx(tv_dag(model, fitted), abs=1e-12)
    first = [0] * model.n_nodes
    assert slow_tv(model, fitted, first) == pytest.approx(tv_dag(model, fitted, at=0), abs=1e-12)
    both = tv_matrix(model, fitted, at=[first, first])
    np.testing.assert_allclose(tv_matrix(model, fitted, at=0), both, atol=1e-12)
    assert 0 == tv_dag(model, model)


@given(discrete_models(min_nodes=3, max_nodes=5), rngs(), st.data())
def test_g_is_that_of_scipy(model, rng, data):
    values = model.sample(60, rng)
    test = GTest(LevelStatistics(as_codes(values), np.array(model.n_levels)))
    x, y, *rest = data.draw(st.permutations(range(model.n_nodes)))
    given_ = tuple(rest[: data.draw(st.integers(0, len(rest)))])
    g, degrees = slow_g(values, model.n_levels, x, y, given_)
    assert g == pytest.approx(test.statistic(x, [y], given_)[0], abs=1e-9)
    assert degrees == test.degrees(x, [y], given_)[0]
    assert g == pytest.approx(test.statistic(y, [x], given_)[0], abs=1e-9)


@given(discrete_models(min_nodes=1, max_nodes=4), rngs(), st.data())
def test_scores_are_sums_over_all_cells(model, rng, data):
    values = model.sample(25, rng)
    statistics = LevelStatistics(as_codes(values), np.array(model.n_levels))
    node, *rest = data.draw(st.permutations(range(model.n_nodes)))
    parents = rest[: data.draw(st.integers(0, len(rest)))]
    expected = slow_bic(values, model.n_levels, node, parents, 2.0)
    result = LevelScore(statistics, "bic", penalty_discount=2.0)(node, frozenset(parents))
    assert expected == pytest.approx(result, abs=1e-9)
    expected = slow_bdeu(values, model.n_levels, node, parents, 3.0)
    result = LevelScore(statistics, "bdeu", equivalent_sample_size=3.0)(node, frozenset(parents))
    assert expected == pytest.approx(result, abs=1e-9)


@settings(max_examples=50)
@given(discrete_models(min_nodes=2, max_nodes=5), rngs(), st.sampled_from(["bic", "bdeu"]))
def test_equivalent_dags_have_equal_scores(model, rng, name):
    statistics = LevelStatistics(as_codes(model.sample(50, rng)), np.array(model.n_levels))
    score = LevelScore(statistics, name)
    graph = [score.of_graph(dag) for dag in enumerate_dags(to_cpdag(model.graph))]
    np.testing.assert_allclose(graph[0], graph, rtol=1e-10)


@given(discrete_models(min_nodes=1, max_nodes=4), rngs())
def test_fitted_tables_have_the_greatest_likelihood_and_lose_no_level(model, rng):
    values = model.sample(10, rng)
    fitted = fit(model.graph, values, model.levels)
    assert model.levels == fitted.levels
    assert [table.shape for table in model.tables] == [table.shape for table in fitted.tables]
    rows = tuple(values.astype(int).T)
    # The truth gives every sampled row a positive probability, and the fit a greater product.
    assert np.log(fitted.joint()[rows]).sum() >= np.log(model.joint()[rows]).sum() - 1e-9


@given(discrete_models(min_nodes=1, max_nodes=4))
def test_fitting_all_configurations_in_proportion_gives_the_tables_back(model):
    """With each configuration as often as it is probable, up to counts of one in 10^4."""
    joint = slow_joint(model)
    counts = np.round(joint * 1e4).astype(int)
    values = np.repeat(np.argwhere(joint >= 0), counts.reshape(-1), axis=0)
    fitted = fit(model.graph, values, model.levels)
    for node in range(model.n_nodes):
        law = fitted.marginals().probabilities[node]
        np.testing.assert_allclose(slow_marginal(joint, node), law, atol=0.02)
