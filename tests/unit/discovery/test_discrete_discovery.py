import numpy as np
import pytest
from scipy.special import log_ndtr, softmax
from scipy.stats import chi2

import causalassay as ca
from causalassay.contracts import NotApplicable
from causalassay.data import Continuous, Dataset, Discrete, Regime
from causalassay.discovery.ges import GES
from causalassay.discovery.independence import GTest, chi2_minus_log_p
from causalassay.discovery.mmhc import MMHC
from causalassay.discovery.pc import PC
from causalassay.discovery.search.scores import LevelScore
from causalassay.discovery.statistics import LevelStatistics, level_statistics
from causalassay.graphs import erdos_renyi, from_edges, to_cpdag
from causalassay.models.discrete.tables import as_codes, configurations, count_levels
from discrete_twins import as_dataset, slow_minus_log_p

ALGORITHMS = [PC(alpha=0.01), MMHC(), MMHC(score="bdeu"), GES(), GES(score="bdeu")]


def strong_problem(seed, n_nodes=6, n_samples=20_000):
    """Each parent raises the log odds of one level by 2 for each of its own."""
    rng = np.random.default_rng([3, seed])
    graph = erdos_renyi(n_nodes, 1, rng)
    tables = []
    for node in range(n_nodes):
        n_parents = int(graph[:, node].sum())
        log_odds = 0.3 * rng.standard_normal((3,) * (n_parents + 1))
        for axis in range(n_parents):
            raised = 2 * np.eye(3)[rng.permutation(3)]
            log_odds += raised.reshape(
                [3 if k in (axis, n_parents) else 1 for k in range(n_parents + 1)]
            )
        tables.append(softmax(log_odds, axis=-1))
    model = ca.models.DiscreteSCM(graph, tables)
    return model, as_dataset(model.sample(n_samples, rng), model.n_levels)


@pytest.mark.parametrize("score", ["bic", "bdeu"])
def test_ges_recovers_strong_networks(score):
    """Of 20 networks of 6 nodes and 6 edges, each drawn once with 20 000 rows.

    The BIC misses an edge into a node of several parents, whose table it finds too large.
    """
    hits = 0
    for seed in range(20):
        model, data = strong_problem(seed)
        estimate = GES(score=score, penalty_discount=1.0).discover(data, np.random.default_rng(0))
        hits += np.array_equal(to_cpdag(model.graph), estimate.graph)
    assert {"bic": 19, "bdeu": 20}[score] == hits


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=str)
def test_colliders_and_chains_are_told_apart(algorithm):
    """Each configuration as often as it is probable, so that chance has no part in it."""
    rng = np.random.default_rng(0)
    collider = from_edges([(0, 2), (1, 2)], 3)
    noisy_or = [[[0.95, 0.05], [0.2, 0.8]], [[0.2, 0.8], [0.05, 0.95]]]
    model = ca.models.DiscreteSCM(collider, [[0.5, 0.5], [0.4, 0.6], noisy_or])
    graph = algorithm.discover(in_proportion(model, 2000), rng).graph
    np.testing.assert_array_equal(collider, graph)
    copy = [[0.9, 0.1], [0.2, 0.8]]
    chain = ca.models.DiscreteSCM(ca.graphs.chain(3), [[0.5, 0.5], copy, copy])
    graph = algorithm.discover(in_proportion(chain, 2000), rng).graph
    if algorithm.output == "dag":
        graph = to_cpdag(graph)
    np.testing.assert_array_equal(to_cpdag(chain.graph), graph)


def in_proportion(model, n_samples):
    joint = model.joint()
    counts = np.round(joint * n_samples).astype(int)
    np.testing.assert_allclose(joint * n_samples, counts, atol=1e-9)
    return as_dataset(np.repeat(np.argwhere(joint >= 0), counts.flat, axis=0), model.n_levels)


@pytest.mark.parametrize("algorithm", [PC(), GES(), GES(score="bdeu")], ids=str)
def test_relabelling_columns_relabels_the_result(algorithm):
    for seed in range(5):
        _, data = strong_problem(seed, n_nodes=7, n_samples=500)
        label = np.random.default_rng(seed).permutation(7)
        straight = algorithm.discover(data, np.random.default_rng(0)).graph
        turned = algorithm.discover(data.permute_columns(label), np.random.default_rng(0)).graph
        np.testing.assert_array_equal(straight[np.ix_(label, label)], turned)


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=str)
def test_another_coding_of_levels_changes_nothing(algorithm):
    _, data = strong_problem(1, n_samples=500)
    recoded = (data.observational_values + [0, 1, 2, 0, 1, 2]) % 3
    first = algorithm.discover(data, np.random.default_rng(0)).graph
    second = algorithm.discover(as_dataset(recoded, [3] * 6), np.random.default_rng(0)).graph
    np.testing.assert_array_equal(first, second)


def test_a_level_that_never_occurs_costs_degrees_of_freedom_and_parameters():
    rng = np.random.default_rng(0)
    codes = as_codes(rng.integers(2, size=(200, 2)))
    two, three = (LevelStatistics(codes, np.array([2, k])) for k in (2, 3))
    assert (1, 2) == tuple(GTest(s).degrees(0, [1], ())[0] for s in (two, three))
    assert GTest(two).statistic(0, [1], ()) == pytest.approx(GTest(three).statistic(0, [1], ()))
    gap = LevelScore(two)(1, frozenset()) - LevelScore(three)(1, frozenset())
    assert np.log(200) / 2 == pytest.approx(gap)


def test_the_level_of_the_test_is_nearly_exact_under_independence():
    """2000 tests of independent columns at 5 %: the share is within four standard errors."""
    rng = np.random.default_rng(1)
    values = rng.integers(3, size=(2000, 1000, 3))
    rejected = 0
    for codes in values:
        test = GTest(LevelStatistics(as_codes(codes), np.array([3, 3, 3])))
        rejected += test.minus_log_p(0, [1], (2,))[0] > -np.log(0.05)
    assert rejected / 2000 == pytest.approx(0.05, abs=4 * np.sqrt(0.05 * 0.95 / 2000))


def test_logarithms_of_tails_are_exact_where_they_underflow():
    g, degrees = np.array([0.0, 3.0, 900.0, 1500.0, 1e5]), np.ones(5)
    # With one degree of freedom the tail is that of a squared normal variable.
    expected = -(np.log(2) + log_ndtr(-np.sqrt(g)))
    np.testing.assert_allclose(expected, chi2_minus_log_p(g, degrees), rtol=1e-12, atol=1e-15)
    for k in (2, 7, 40, 3000):
        g = np.array([0.1, 1.0, 1.2, 1.5]) * k  # scipy underflows beyond
        np.testing.assert_allclose(
            -chi2.logsf(g, k), chi2_minus_log_p(g, np.full(4, float(k))), atol=1e-14
        )
    jump = chi2_minus_log_p(np.linspace(1100, 1200, 400), np.full(400, 3.0))
    assert (np.diff(jump) > 0).all()
    assert np.ptp(np.diff(jump)) < 1e-3
    assert [0.0] == chi2_minus_log_p(np.array([0.0]), np.array([0.0])).tolist()


def test_minus_log_p_is_that_of_scipy():
    _, data = strong_problem(0, n_samples=300)
    test, values = GTest(level_statistics(data)), data.observational_values
    for given in [(), (2,), (2, 3), (2, 3, 4, 5)]:
        expected = slow_minus_log_p(values, [3] * 6, 0, 1, given)
        assert expected == pytest.approx(test.minus_log_p(0, [1], given)[0])


def test_more_configurations_than_rows_are_numbered_as_they_occur():
    rng = np.random.default_rng(0)
    codes = as_codes(rng.integers(4, size=(50, 40)))
    labels, count = configurations(codes, np.arange(40), np.full(40, 4))
    assert count <= 4 * 50 + 64
    same = (codes[:, :, None] == codes[:, None, :]).all(axis=0)
    np.testing.assert_array_equal(same, labels[:, None] == labels[None, :])
    assert 50 == count_levels(labels, count, codes[0], 4).sum()


def test_mixed_data_are_refused():
    regime = Regime("all", [[0.0, 1.5], [1.0, 0.5], [0.0, 0.1], [1.0, 0.2], [1.0, 0.4]])
    mixed = Dataset(("a", "b"), (regime,), "all", (Discrete((0, 1)), Continuous()))
    for algorithm in ALGORITHMS:
        with pytest.raises(NotApplicable, match="'a' is discrete and column 'b' is continuous"):
            algorithm.discover(mixed, np.random.default_rng(0))


def test_bdeu_is_refused_for_numbers_and_wrong_settings_for_all():
    data = Dataset.from_values(np.random.default_rng(0).normal(size=(20, 2)))
    for algorithm in (GES(score="bdeu"), MMHC(score="bdeu")):
        with pytest.raises(NotApplicable, match="BDeu is a score of discrete data"):
            algorithm.discover(data, np.random.default_rng(0))
    for kind in (GES, MMHC):
        with pytest.raises(ValueError, match="score: there is no 'bde'; did you mean 'bdeu'"):
            kind(score="bde")
        with pytest.raises(ValueError, match="equivalent_sample_size: expected a positive"):
            kind(equivalent_sample_size=0)


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=str)
def test_odd_data_have_an_answer(algorithm):
    rng = np.random.default_rng(0)
    one_column = as_dataset(rng.integers(2, size=(9, 1)), [2])
    assert not algorithm.discover(one_column, rng).graph.any()
    wide = as_dataset(rng.integers(3, size=(20, 12)), [3] * 12)
    assert (12, 12) == algorithm.discover(wide, rng).graph.shape
    observed = Regime("o", np.column_stack([rng.integers(2, size=30), np.zeros(30)]))
    changed = Regime("i", rng.integers(2, size=(30, 2)), (1,))
    kinds = (Discrete((0, 1)), Discrete((0, 1)))
    constant = Dataset(("a", "b"), (observed, changed), "o", kinds)
    assert not algorithm.discover(constant, rng).graph.any()


def test_the_score_of_the_result_is_that_of_the_graph():
    _, data = strong_problem(2, n_samples=400)
    estimate = GES(score="bdeu").discover(data, np.random.default_rng(0))
    score = LevelScore(level_statistics(data), "bdeu")
    assert score.of_graph(estimate.graph) == pytest.approx(estimate.info["score"])
    climbed = MMHC(score="bdeu").discover(data, np.random.default_rng(0))
    empty = np.zeros((6, 6), dtype=bool)
    gain = score.of_graph(climbed.graph) - score.of_graph(empty)
    assert gain == pytest.approx(climbed.info["score"])
