"""Algorithm 1 of Garant and Jensen 2016: its law, and an obvious twin."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency

from causalassay.lab.factorial import FactorialExperiment, at_extremes, bias, read_jdk, signs
from causalassay.lab.factorial.biasing import NumberScale, TextScale, level_probabilities
from factorial_experiments import by_hand, simulated


def twin_probability(code, number, beta):
    """Return P(T_j = 1) as the paper's listing has it; code and number count from 1."""
    sign = 1 if code * number % 2 == 0 else -1
    return 1 / (1 + math.exp(-sign * beta))


@pytest.mark.parametrize("beta", [0.0, 1.0, 3.0])
def test_probabilities_are_those_of_the_listing(beta):
    codes = np.array([1, 2, 3, 4])
    for number in (1, 2, 3):
        expected = [twin_probability(code, number, beta) for code in codes]
        sign = signs(codes, 3)[:, number - 1]
        np.testing.assert_allclose(expected, level_probabilities(sign, beta, 2)[:, 1])


@pytest.mark.parametrize("beta", [0.0, 1.0])
def test_shares_of_treatments_follow_the_listing(beta):
    experiment = simulated(6000)
    rows = bias(experiment, np.random.default_rng(1), beta, bins=3)
    for code, size in enumerate((0, 1, 2), start=1):
        subset = rows[rows["size"] == size]
        for number, name in enumerate(("T1", "T2", "T3"), start=1):
            p = twin_probability(code, number, beta)
            error = math.sqrt(p * (1 - p) / len(subset))
            assert abs(subset[name].mean() - p) < 4 * error


def test_without_strength_the_covariate_tells_nothing_of_treatments():
    rows = bias(simulated(6000), np.random.default_rng(2), beta=0.0)
    for name in ("T1", "T2", "T3"):
        table = pd.crosstab(rows["size"], rows[name])
        assert chi2_contingency(table).pvalue > 1e-3


def test_great_strength_decides_by_the_sign_alone():
    rows = bias(simulated(2000), np.random.default_rng(3), beta=20.0, bins=3)
    odd = rows["size"].isin([0, 2])  # codes 1 and 3
    assert (rows["T1"] == np.where(odd, 0, 1)).all()
    assert (rows["T2"] == 1).all()
    assert (rows["T3"] == np.where(odd, 0, 1)).all()


def test_each_subject_gives_one_of_its_own_rows_and_any_trial():
    experiment = by_hand()
    seen = set()
    for seed in range(40):
        rows = bias(experiment, np.random.default_rng(seed))
        assert ["a", "b"] == sorted(rows["who"])
        seen |= set(rows.itertuples(index=False, name=None))
    own = set(experiment.frame.itertuples(index=False, name=None))
    assert own == seen


def test_a_treatment_can_be_given_to_all():
    rows = bias(simulated(50), np.random.default_rng(0), beta=1.0, treated="T3")
    assert (rows["T3"] == 1).all()
    assert 0 < rows["T2"].mean() < 1


def test_the_same_seed_gives_the_same_rows():
    experiment = simulated(50)
    one, other = (bias(experiment, np.random.default_rng(5)) for _ in range(2))
    pd.testing.assert_frame_equal(one, other)


def test_more_than_two_levels_rise_evenly_or_are_cut_to_the_extremes():
    three = level_probabilities([1.0], 2.0, 3)[0]
    assert three[2] / three[0] == pytest.approx(math.exp(2.0))
    assert three[1] / three[0] == pytest.approx(math.exp(1.0))
    experiment = simulated(30, levels=(0, 1, 2))
    cut = at_extremes(experiment)
    assert {"T1": (0.0, 2.0), "T2": (0.0, 2.0), "T3": (0.0, 2.0)} == cut.levels
    assert 8 * 30 == len(cut.frame)
    assert at_extremes(cut) is cut
    assert 27 * 30 == len(experiment.frame)
    assert set(bias(experiment, np.random.default_rng(0))["T1"]) == {0, 1, 2}


@pytest.mark.parametrize("beta", [-1.0, math.nan, math.inf])
def test_a_strength_is_a_number_of_at_least_0(beta):
    with pytest.raises(ValueError, match="beta: expected a number of at least 0"):
        bias(by_hand(), np.random.default_rng(0), beta)


def test_bins_are_at_least_two():
    with pytest.raises(ValueError, match="bins: expected 2 levels or more, got 1"):
        bias(by_hand(), np.random.default_rng(0), bins=1)


def test_quantile_bins_keep_ties_together_and_never_collapse():
    ties = NumberScale.of([0] * 90 + [1] * 5 + [2] * 3 + [3] * 2, 3)
    assert ("≤ 0", "> 0") == ties.names
    at_the_top = NumberScale.of([0] + [7] * 99, 4)
    assert ("≤ 0", "> 0") == at_the_top.names
    assert [0, 1] == at_the_top.codes([0, 7]).tolist()
    few = NumberScale.of([0] * 90 + [1] * 5 + [2] * 5, 3)
    assert [0, 1, 2] == few.codes([0, 1, 2]).tolist()
    even = NumberScale.of(range(9), 3)
    assert [0, 0, 0, 1, 1, 1, 2, 2, 2] == even.codes(range(9)).tolist()


def test_normal_scores_give_the_quantile_levels_their_shares():
    scale = NumberScale.of(range(900), 3)
    scores = scale.normal_scores(range(900))
    np.testing.assert_allclose(
        [1 / 3] * 3, scale.normal_law(scores.mean(), scores.var()), atol=0.01
    )


def test_a_text_covariate_is_coded_by_its_frequent_texts():
    frame = by_hand().frame.assign(size=["nginx"] * 4 + ["apache"] * 4)
    experiment = FactorialExperiment(frame, "who", "run", ("drug",), ("pain",), ("size",), "size")
    rows = bias(experiment, np.random.default_rng(0), beta=50.0)
    # In alphabetical order apache is 1 (odd: untreated) and nginx is 2.
    assert {"a": 1, "b": 0} == dict(zip(rows["who"], rows["drug"], strict=True))
    assert ("b", "(other)") == TextScale.of(["a", "b", "b", "c"], 2).names


def test_jdk_is_read(jdk_folder):
    experiment = read_jdk(jdk_folder)
    assert (473, 16, 37840) == (
        experiment.n_subjects,
        experiment.n_combinations,
        len(experiment.frame),
    )
    assert "test_javadocs" == experiment.biasing
    assert 473 == len(bias(experiment, np.random.default_rng(0)))


def test_a_wrong_jdk_file_is_one_clear_line(tmp_path):
    with pytest.raises(FileNotFoundError, match="no such file"):
        read_jdk(tmp_path)
    (tmp_path / "jdk-results.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match="there is no column 'repo_name'"):
        read_jdk(tmp_path)
