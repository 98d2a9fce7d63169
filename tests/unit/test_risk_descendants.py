import numpy as np
import pytest
from scipy import stats

from causalassay import risk
from causalassay.data import Continuous, Dataset, Discrete, Regime
from causalassay.graphs import chain, from_edges
from causalassay.risk.cross_validation import draw_descendants
from causalassay.risk.descendants import (
    DescendantTests,
    estimate_descendants,
    find_experiments,
    split,
    without,
)
from causalassay.risk.tests import compare_columns


def experiments(shifts, n_nodes=3, n_observational=40, n=20, seed=0):
    """Gaussian columns; each regime (condition, targets, shift of each column)."""
    rng = np.random.default_rng(seed)
    regimes = [Regime("rest", rng.normal(size=(n_observational, n_nodes)))]
    for condition, targets, shift in shifts:
        regimes.append(Regime(condition, rng.normal(size=(n, n_nodes)) + shift, targets))
    return Dataset(tuple("abcdefgh"[:n_nodes]), tuple(regimes), "rest")


def estimated(data, *arguments, **options):
    tests = risk.DescendantTests(*arguments, **options)
    return dict(estimate_descendants(data, np.random.default_rng(1), tests).of)


TWO_SAMPLE = {
    "t": stats.ttest_ind,
    "welch": lambda a, b: stats.ttest_ind(a, b, equal_var=False),
    "mann-whitney": stats.mannwhitneyu,
    "kolmogorov-smirnov": stats.ks_2samp,
}


@pytest.mark.parametrize("name", TWO_SAMPLE)
def test_statistics_and_p_values_are_those_of_scipy(name):
    rng = np.random.default_rng(0)
    before, after = rng.normal(size=(30, 4)) + 1e4, rng.normal(size=(12, 4)) * 2 + 1e4
    after[:, 1] += 3
    tests = compare_columns(before, after, name)
    for j in range(4):
        expected = TWO_SAMPLE[name](after[:, j], before[:, j])
        assert pytest.approx(expected.statistic, rel=1e-9) == tests.statistic[j]
        assert pytest.approx(expected.pvalue, rel=1e-7) == tests.p_value[j]


def test_pooled_t_by_hand():
    """Means 2 and 6, both variances 1: t = 4 / sqrt(1 · (1/3 + 1/3))."""
    tests = compare_columns(np.array([[1.0], [2.0], [3.0]]), np.array([[5.0], [6.0], [7.0]]), "t")
    assert pytest.approx(4 / np.sqrt(2 / 3)) == tests.statistic[0]


def test_a_constant_column_shows_a_change_only_if_it_changes():
    before = np.full((30, 2), 0.1)
    after = np.full((17, 2), 0.1)
    after[:, 1] = 0.2
    for name in ("t", "welch"):
        tests = compare_columns(before, after, name)
        assert np.isnan(tests.statistic[0])
        assert 1e6 < tests.statistic[1]
        assert tests.p_value[1] < 1e-6


@pytest.mark.parametrize("name", TWO_SAMPLE)
def test_each_test_finds_the_shifted_columns(name):
    data = experiments([("on a", (0,), [9, 2, 0]), ("on b", (1,), [0, 9, 0])])
    assert {0: {1}, 1: frozenset()} == estimated(data, name)


def test_kolmogorov_smirnov_sees_a_change_of_scale_that_t_does_not():
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(200, 2)) * [1, 10]
    regimes = (Regime("rest", rng.normal(size=(200, 2))), Regime("on a", wide, (0,)))
    data = Dataset(("a", "b"), regimes, "rest")
    assert {0: set()} == estimated(data, "t")
    assert {0: {1}} == estimated(data, "kolmogorov-smirnov")


def test_bonferroni_counts_the_tests_of_every_regime():
    data = experiments(
        [("down", (0,), [-3, 0, 0]), ("up", (0,), [3, 0, 0]), ("on b", (1,), [0, 3, 0])]
    )
    descendants = estimate_descendants(data, np.random.default_rng(0))
    assert 3 * 2 == descendants.n_tests
    assert 0.05 / 6 == descendants.threshold
    assert {0: ("down", "up"), 1: ("on b",)} == descendants.conditions


def test_bonferroni_decides_at_its_threshold():
    data = experiments([("on a", (0,), [9, 0.8, 0.7])], n=15)
    p = compare_columns(data.observational_values, data.regime("on a").values, "t").p_value
    between = (p[1] + p[2]) / 2
    assert p[1] < p[2]
    assert {0: {1}} == estimated(data, cutoff=risk.Bonferroni(2 * between))


def test_regimes_that_share_a_target_add_up():
    """Pooled, the two shifts of b would cancel."""
    data = experiments([("inhibited", (0,), [-9, -3, 3]), ("activated", (0,), [9, 3, 0])])
    assert {0: {1, 2}} == estimated(data)


def test_regimes_without_a_single_target_are_left_out_with_the_reason():
    data = experiments(
        [
            ("on a", (0,), [9, 0, 0]),
            ("heat", None, [0, 9, 0]),
            ("both", (0, 1), [9, 9, 9]),
            ("sham", (), [0, 0, 9]),
        ]
    )
    descendants = estimate_descendants(data, np.random.default_rng(0))
    assert {
        "heat": "its target is unknown",
        "both": "it acts on several columns at once: 'a', 'b'",
        "sham": "it has no target, and is not the observational one",
    } == descendants.left_out
    assert {0: frozenset()} == descendants.of
    assert 2 == descendants.n_tests


def test_the_closure_adds_descendants_of_descendants():
    """The experiment on a shows b, that on b shows c; the path to c is too weak to see."""
    data = experiments([("on a", (0,), [9, 3, 0]), ("on b", (1,), [0, 9, 3])])
    assert {0: {1}, 1: {2}} == estimated(data)
    assert {0: {1, 2}, 1: {2}} == estimated(data, closed=True)


def test_a_fixed_cutoff_is_a_bound_on_t():
    data = experiments([("on a", (0,), [9, 1.2, 0.8])])
    t = compare_columns(data.observational_values, data.regime("on a").values, "t").statistic
    assert {0: {j for j in (1, 2) if abs(t[j]) > 4}} == estimated(data, cutoff=risk.Fixed(4.0))
    assert {0: {1}} == estimated(data, cutoff=risk.Fixed((t[1] + t[2]) / 2))
    assert {0: frozenset()} == estimated(data, cutoff=risk.Fixed(t[1] + t[2]))


@pytest.mark.parametrize("cutoff", [risk.Fixed(4.0), risk.SimulatedMax()])
@pytest.mark.parametrize("test", ["mann-whitney", "kolmogorov-smirnov"])
def test_cutoffs_on_t_are_refused_for_tests_without_t(cutoff, test):
    with pytest.raises(ValueError, match="is a bound on .t., which .* does not have; take Bonf"):
        risk.DescendantTests(test, cutoff)


def test_a_single_test_has_the_cutoff_of_students_t():
    """Two columns, one regime: the simulated 5 % point is t's; 4 standard errors are 0.12."""
    data = experiments([("on a", (0,), [9, 0])], n_nodes=2, n_observational=6, n=5)
    tests = risk.DescendantTests(cutoff=risk.SimulatedMax(n_simulations=20_000))
    result = estimate_descendants(data, np.random.default_rng(0), tests)
    assert pytest.approx(stats.t(9).ppf(0.975), abs=0.12) == result.threshold


@pytest.mark.parametrize("test", ["t", "welch"])
def test_false_alarms_in_empty_graphs_come_at_the_simulated_rate(test):
    """1000 data sets at level 0.2, which is exact: 4 standard errors are 0.051.

    With few observational rows the tests that share them depend strongly.
    """
    rng = np.random.default_rng(0)
    tests = risk.DescendantTests(test, risk.SimulatedMax(0.2, n_simulations=199))
    bonferroni = risk.DescendantTests(test, risk.Bonferroni(0.2))
    alarms = np.zeros(2)
    for seed in range(1000):
        still = [(f"on {k}", (k,), [0, 0, 0, 0, 0]) for k in range(5)]
        data = experiments(still, 5, n_observational=4, n=20, seed=seed)
        alarms[0] += any(estimate_descendants(data, rng, tests).of.values())
        alarms[1] += any(estimate_descendants(data, rng, bonferroni).of.values())
    assert pytest.approx(0.2, abs=0.051) == alarms[0] / 1000
    assert alarms[1] / 1000 <= 0.2 + 0.051


def test_levels_and_names_are_checked():
    with pytest.raises(ValueError, match="level: expected a number between 0 and 1, got 5"):
        risk.Bonferroni(5)
    with pytest.raises(ValueError, match="level 0.01 needs at least 99, got 50"):
        risk.SimulatedMax(0.01, n_simulations=50)
    with pytest.raises(ValueError, match="t: expected a positive number, got -1"):
        risk.Fixed(-1)
    with pytest.raises(ValueError, match="there is no 'welsh'; did you mean 'welch'"):
        risk.DescendantTests("welsh")
    with pytest.raises(TypeError, match="cutoff: expected Bonferroni, SimulatedMax or Fixed"):
        risk.DescendantTests(cutoff=0.05)
    with pytest.raises(ValueError, match="test: expected one of"):
        compare_columns(np.ones((2, 1)), np.ones((2, 1)), "z")


def test_what_the_tests_need_is_said():
    data = experiments([("on a", (0,), [9, 0, 0])])
    blind = Dataset(data.columns, data.regimes, None)
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="no condition is known to be observational; name one"):
        estimate_descendants(blind, rng)
    with pytest.raises(ValueError, match="no regime has exactly one target; there are 'rest'"):
        estimate_descendants(experiments([]), rng)
    with pytest.raises(ValueError, match="a single column, 'a', has none"):
        estimate_descendants(experiments([("on a", (0,), [9])], n_nodes=1), rng)


def test_codes_of_many_levels_are_not_compared_as_numbers():
    rng = np.random.default_rng(0)
    values = np.column_stack([rng.normal(size=30), rng.integers(3, size=30)])
    regimes = (Regime("rest", values[:20]), Regime("on a", values[20:], (0,)))
    data = Dataset(("a", "tissue"), regimes, "rest", (Continuous(), Discrete(("x", "y", "z"))))
    with pytest.raises(ValueError, match="more than two levels are only labels: 'tissue'"):
        estimate_descendants(data, rng)


def test_two_levels_are_compared_by_their_shares():
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.normal(size=60), rng.permutation([0, 1] * 30)])
    lit = np.column_stack([rng.normal(size=40), [1.0] * 38 + [0.0] * 2])
    regimes = (Regime("rest", rows), Regime("on a", lit, (0,)))
    data = Dataset(("a", "lit"), regimes, "rest", (Continuous(), Discrete(("off", "on"))))
    assert {0: {1}} == estimated(data)


def test_true_descendants_are_those_of_the_intervened_nodes():
    data = experiments([("on b", (1,), [0, 9, 9])])
    descendants = risk.true_descendants(chain(3), data)
    assert {1: {2}} == descendants.of
    assert 0 == descendants.n_tests
    assert np.isnan(descendants.threshold)
    with pytest.raises(ValueError, match="truth: expected 3 nodes, one for each column, got 4"):
        risk.true_descendants(chain(4), data)


def test_implied_descendants_of_a_cpdag_are_the_possible_ones():
    """a→c←b, c→d and e—f."""
    graph = from_edges([(0, 2), (1, 2), (2, 3), (4, 5), (5, 4)], nodes=range(6))
    expected = [{2, 3}, {2, 3}, {3}, set(), {5}, {4}]
    assert expected == list(risk.implied_descendants(graph))


def test_implied_descendants_of_a_cycle_are_the_whole_cycle_and_what_follows():
    graph = from_edges([(0, 1), (1, 2), (2, 0), (2, 3)], nodes=range(4))
    assert [{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, set()] == list(risk.implied_descendants(graph))


def test_descendants_written_by_hand_are_checked():
    descendants = risk.Descendants(("a", "b", "c"), {2: {0, 2}, 0: set()})
    assert (0, 2) == descendants.nodes
    assert {"a": [], "c": ["a"]} == descendants.named()
    with pytest.raises(ValueError, match="of: expected node numbers 0 to 2, got 3"):
        risk.Descendants(("a", "b", "c"), {0: {3}})


def test_withholding_a_node_takes_every_regime_known_to_act_on_it():
    data = experiments(
        [("on a", (0,), 1), ("more a", (0,), 2), ("a and b", (0, 1), 3), ("heat", None, 4)]
        + [("on b", (1,), 5)]
    )
    assert ("rest", "heat", "on b") == without(data, (0,)).conditions
    assert ("rest", "heat") == without(data, (0, 1)).conditions
    assert [0, 1] == list(find_experiments(data).on)


def test_a_column_that_only_its_experiment_varies_is_reported_with_the_fold():
    still = np.column_stack([np.arange(4.0), np.zeros(4)])
    moved = np.column_stack([np.arange(4.0) ** 2, [1.0, 2.0, 1.0, 2.0]])
    data = Dataset(("a", "b"), (Regime("rest", still), Regime("on b", moved, (1,))), "rest")
    with pytest.raises(ValueError, match="the data without the experiments on 'b': .*constant"):
        without(data, (1,))


def test_folds_share_the_nodes_evenly():
    folds = split(range(12), 5, np.random.default_rng(0))
    assert [3, 3, 2, 2, 2] == [len(fold) for fold in folds]
    assert list(range(12)) == sorted(node for fold in folds for node in fold)
    assert ((4,), (7,)) == split([4, 7], 5, np.random.default_rng(0))


def shifted_data(shifts, n_rows=2000, seed=3):
    """Column k of the only experiment, on the first column, is shifted by shifts[k]."""
    generator = np.random.default_rng(seed)
    samples = generator.normal(size=(2, n_rows, len(shifts)))
    before, after = (samples - samples.mean(axis=1, keepdims=True)) / samples.std(
        axis=1, ddof=1, keepdims=True
    )  # so that each shift is the standardised mean difference
    regimes = (Regime("rest", before), Regime("on a", after + np.array(shifts), (0,)))
    return Dataset(tuple("abcdefgh"[: len(shifts)]), regimes, "rest")


@pytest.mark.parametrize("test", ["t", "welch", "mann-whitney"])
def test_effects_are_standardised_mean_differences(test):
    data = shifted_data([0, 0.0, -0.3, 0.7])
    values = [regime.values for regime in data.regimes]
    found = compare_columns(*values, test)
    scaled = compare_columns(*(5 * each - 2 for each in values), test)
    np.testing.assert_allclose([0, 0, -0.3, 0.7], found.effect, atol=0.05)
    np.testing.assert_allclose(found.effect, scaled.effect, atol=1e-9)


def test_the_effect_of_kolmogorov_smirnov_is_its_statistic():
    data = shifted_data([0, 0.5])
    found = compare_columns(*(regime.values for regime in data.regimes), "kolmogorov-smirnov")
    np.testing.assert_array_equal(found.statistic, found.effect)


def test_a_significant_effect_that_is_small_counts_only_without_a_least_effect():
    data = shifted_data([0, 0.15, 0.35, 0.7])
    found = {
        least: estimate_descendants(
            data, np.random.default_rng(0), DescendantTests(least_effect=least)
        ).named()["a"]
        for least in (0.0, 0.2, 0.5, 1.0)
    }
    assert {0.0: ["b", "c", "d"], 0.2: ["c", "d"], 0.5: ["d"], 1.0: []} == found
    with pytest.raises(ValueError, match="least_effect: expected 0 or more, got -1"):
        DescendantTests(least_effect=-1)


def test_an_effect_a_little_below_the_least_one_is_in_doubt():
    data = shifted_data([0, 0.05, 0.48, 0.7])
    draws = draw_descendants(
        data, (0,), DescendantTests(least_effect=0.5), 20, np.random.default_rng(0)
    )
    assert [False, False, True, True] == draws.possible[0].tolist()
