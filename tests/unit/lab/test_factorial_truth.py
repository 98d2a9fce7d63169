"""The laws of an experiment and its consistent graph, by hand and on a known system."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from causalassay.lab.factorial import Settings, Truth
from causalassay.lab.factorial.truth import MOST_EXACT, holm, signed_rank_p_value
from factorial_experiments import by_hand, simulated


def test_laws_by_hand():
    truth = Truth(by_hand(), Settings(levels=2))
    # Under drug = 1 pain is above 1 in one of a's two runs and in both of b's.
    np.testing.assert_allclose([1 / 4, 3 / 4], truth.laws("drug")["pain"])
    np.testing.assert_allclose([3 / 4, 1 / 4], truth.laws("drug", 0)["pain"])
    np.testing.assert_allclose([[1 / 2]], truth.effects)


def test_other_treatments_vary_as_biasing_assigns_them():
    experiment = simulated(40)
    settings = Settings(beta=1.5, bins=3, levels=2)
    truth = Truth(experiment, settings)
    edge = truth.scales["O2"].edges[0]
    expected = 0.0
    for row in experiment.frame.itertuples():
        if row.T1 == 1 and edge < row.O2:
            sign = 1 if (row.size + 1) * 3 % 2 == 0 else -1  # of T3, the third treatment
            third = 1 / (1 + np.exp(-sign * 1.5))
            second = 1 / (1 + np.exp(-1.5))
            weight = (third if row.T3 else 1 - third) * (second if row.T2 else 1 - second)
            expected += weight / 40
    assert truth.laws("T1")["O2"][1] == pytest.approx(expected)
    for name in experiment.treatments:
        for law in truth.laws(name).values():
            assert law.sum() == pytest.approx(1.0)


def test_without_bias_the_law_is_the_share_among_treated_rows():
    experiment = simulated(40)
    truth = Truth(experiment, Settings(beta=0.0))
    treated = truth.codes[experiment.frame["T3"] == 1]
    expected = np.bincount(treated[:, truth.columns.index("O2")], minlength=3) / len(treated)
    np.testing.assert_allclose(expected, truth.laws("T3")["O2"])


def test_a_subject_counts_once_however_many_trials_it_has():
    experiment = by_hand()
    frame = experiment.frame.drop(index=[3])  # a has one run left under drug = 1, with pain 2
    fewer = type(experiment)(frame, "who", "run", ("drug",), ("pain",), ("size",), "size")
    np.testing.assert_allclose([0, 1], Truth(fewer, Settings(levels=2)).laws("drug")["pain"])


def test_the_consistent_graph_of_a_known_system():
    truth = Truth(simulated(400), Settings())
    assert ("size", "T1", "T2", "T3", "O1", "O2", "O3") == truth.columns
    expected = np.zeros((7, 7), dtype=bool)
    expected[0, 1:6] = True  # size acts on the treatments, O1 and O2
    expected[1, [4, 5]] = True
    expected[3, 5] = True
    np.testing.assert_array_equal(expected, truth.graph)
    assert not truth.graph_of_the_paper[0, 4:].any()


def test_levels_beyond_two_are_tested_together():
    truth = Truth(simulated(60, levels=(0, 1, 2)), Settings())
    np.testing.assert_array_equal(
        [[True, True, False], [False] * 3, [False, True, False]], truth.p_values <= 0.05
    )


@pytest.mark.parametrize(
    "differences",
    [
        [1.0, 2.0, 3.0, 4.0, 5.0],  # 2 / 2**5; the normal approximation says 0.043
        [1.0, 1.0, 2.0, 3.0, 0.0, 4.0, 5.0, -1.0],  # ties and a zero
        [-2.0, 2.0, 2.0, 7.0],
    ],
)
def test_signed_ranks_of_few_subjects_are_counted_over_all_signs(differences):
    values = np.array([one for one in differences if one])
    ranks = stats.rankdata(np.abs(values))
    middle = ranks.sum() / 2
    shift = abs(ranks[values > 0].sum() - middle)
    sums = [ranks @ np.array(signs) for signs in product((0, 1), repeat=len(values))]
    expected = np.mean([abs(one - middle) >= shift - 1e-9 for one in sums])
    assert signed_rank_p_value(np.array(differences)) == pytest.approx(expected)


def test_signed_ranks_without_ties_are_those_of_scipy():
    values = np.random.default_rng(0).normal(0.3, 1, MOST_EXACT + 1)
    few = values[:12]
    assert signed_rank_p_value(few) == pytest.approx(stats.wilcoxon(few, method="exact").pvalue)
    assert signed_rank_p_value(values) == stats.wilcoxon(values, method="approx").pvalue
    assert 1.0 == signed_rank_p_value(np.zeros(3))


def test_effects_of_few_subjects_are_tested_exactly():
    # T1 moves O1 and O2, and T3 moves O2, in all of 8 subjects: 9 tests, each at most 2 / 2**8.
    p_values = Truth(simulated(8), Settings()).p_values
    np.testing.assert_allclose(9 * 2 / 2**8, [p_values[0, 0], p_values[0, 1], p_values[2, 1]])


def test_all_covariates_or_the_biasing_one_alone():
    experiment = simulated(20)
    frame = experiment.frame.assign(age=experiment.subject_numbers % 4)
    more = type(experiment)(
        frame, "who", None, experiment.treatments, experiment.outcomes, ("age", "size"), "size"
    )
    assert "age" not in Truth(more, Settings()).columns
    assert "age" == Truth(more, Settings(covariates="all")).columns[-1]


def test_data_are_levels_or_normal_scores():
    experiment = simulated(30)
    rows = np.arange(240)
    tables = Truth(experiment, Settings()).dataset(rows)
    assert "discrete" == tables.world
    linear = Truth(experiment, Settings(fit="linear-gaussian")).dataset(np.arange(240))
    assert "continuous" == linear.world
    assert {0.0, 1.0} == set(linear.observational_values[:, 1])
    assert abs(linear.observational_values[:, 4].mean()) < 0.01


def test_holm_keeps_order_and_undefined_is_1():
    np.testing.assert_allclose(
        [[0.04, 1.0], [0.04, 0.5]], holm(np.array([[0.01, np.nan], [0.01, 0.25]]))
    )


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"bins": 1}, "bins: expected 2 or more, got 1"),
        ({"levels": 0}, "levels: expected 2 or more, got 0"),
        ({"smoothing": -1}, "smoothing: expected a number of at least 0"),
        ({"fit": "table"}, "fit: there is no 'table'; did you mean 'tables'"),
        ({"covariates": "none"}, "covariates: there is no 'none'"),
    ],
)
def test_bad_settings_are_one_clear_line(changes, words):
    with pytest.raises(ValueError, match=words):
        Settings(**changes)
