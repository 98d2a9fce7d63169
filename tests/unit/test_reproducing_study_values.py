"""Numbers from the rows of a study; a failed row is counted, never dropped in silence."""

import numpy as np
import pandas as pd
import pytest

from causalassay.lab.papers import Estimate, Extremes, NotRun, Several
from causalassay.lab.papers.study_values import study_files, study_value


def rows(problem, algorithm, scores, status=None):
    return pd.DataFrame(
        {
            "problem": problem,
            "algorithm": algorithm,
            "replicate": range(len(scores)),
            "status": status or ["ok"] * len(scores),
            "shd": scores,
            "v": np.linspace(0, 1, len(scores)),
        }
    )


FRAME = pd.concat(
    [
        rows("raw", "pc", [1.0, 2.0, 3.0, 9.0], ["ok", "ok", "ok", "failed"]),
        rows("raw", "ges", [3.0, 3.0, 4.0, 5.0]),
        rows("std", "pc", [5.0, 5.0, 6.0, 7.0]),
        rows("std", "ges", [3.0, 3.0, 4.0, 5.0]),
    ]
)


def at(problem, algorithm="pc", column="shd"):
    return {"problem": problem, "algorithm": algorithm, "column": column}


def test_a_failed_row_has_no_number_and_is_counted():
    found = study_value(FRAME, rows=at("raw"))
    assert (2.0, 3, 1) == (found.value, found.draws, found.lost)


def test_differences_are_paired_by_replicate_and_count_what_either_side_lost():
    found = study_value(FRAME, left=at("std"), right=at("raw"))
    assert (pytest.approx(10 / 3), 3, 1) == (found.value, found.draws, found.lost)


def test_a_diagnostic_counts_each_data_set_once():
    found = study_value(FRAME, rows={"problem": "raw", "column": "v"})
    assert (0.5, 4) == (found.value, found.draws)


def test_pooled_problems_keep_their_pairs():
    found = study_value(FRAME, left=at(["raw", "std"]), right=at(["raw", "std"], "ges"))
    assert (7, 1) == (found.draws, found.lost)


def test_a_list_gives_several_numbers_and_one_side_may_be_shared():
    found = study_value(FRAME, left=[at("raw"), at("std")], right=at("raw", "ges"))
    assert isinstance(found, Several)
    assert 2 == len(found.estimates)


def test_equal_scores_have_no_difference_and_no_error():
    found = study_value(FRAME, left=at("raw", "ges"), right=at("std", "ges"))
    assert (0.0, 0.0) == found.interval()


def test_nothing_left_is_not_a_number():
    lost = rows("raw", "pc", [1.0, 2.0], ["failed", "timeout"])
    assert NotRun("none of 2 runs has a number") == study_value(lost, rows=at("raw"))


def test_the_other_statistics():
    many = pd.concat([rows(f"b{k}", "pc", list(np.arange(20.0) - 5 * k)) for k in range(4)])
    least = study_value(many, rows=at("b0"), statistic="minimum", block=5)
    assert Extremes((0.0, 5.0, 10.0, 15.0), 5) == least
    bins = [at(f"b{k}") for k in range(4)]
    assert -1 == pytest.approx(study_value(many, rows=bins, statistic="trend").value)
    ranks = study_value(many, left=bins, right=bins, statistic="rank correlation")
    assert 1 == pytest.approx(ranks.value)
    p = study_value(many, left=at("b1"), right=at("b0"), statistic="wilcoxon")
    assert isinstance(p, Estimate)
    assert p.value < 1e-4
    share = study_value(many, left=at("b2"), right=bins, statistic="share above")
    assert 0.5 == share.value
    assert 9.5 == study_value(many, rows=at("b0"), statistic="median").value
    assert np.std(np.arange(20), ddof=1) == study_value(many, rows=at("b0"), statistic="sd").value


@pytest.mark.parametrize(
    ("selection", "message"),
    [
        (at("rwa"), "no problem 'rwa'; did you mean 'raw'?"),
        (at("raw", "gse"), "no algorithm 'gse'; did you mean 'ges'?"),
        (at("raw", column="sid"), "no column 'sid'"),
    ],
)
def test_a_name_that_the_study_has_not_is_an_error(selection, message):
    with pytest.raises(ValueError, match="the study has") as error:
        study_value(FRAME, rows=selection)
    assert message in str(error.value)


def test_a_contrast_is_a_difference_of_differences():
    found = study_value(
        FRAME,
        statistic="contrast",
        left=[at("std"), at("std", "ges")],
        right=[at("raw"), at("raw", "ges")],
    )
    assert (pytest.approx(2 + 4 / 3), 3, 1) == (found.value, found.draws, found.lost)


def test_a_choice_is_compared_with_the_best_median_of_the_grid():
    grid = [at("std", "pc"), at("std", "ges")]
    found = study_value(FRAME, statistic="choice", left=at("std", "ges"), right=grid)
    assert ("pc", -2.0) == (found.best, found.behind.value)
    same = study_value(FRAME, statistic="choice", left=at("std", "pc"), right=grid)
    assert (0.0, 0.0) == (same.behind.value, same.behind.standard_error)


def test_a_failed_run_counts_as_the_worst_score_of_a_choice():
    found = study_value(FRAME, statistic="choice", left=at("raw"), right=[at("raw", "ges")])
    assert ("ges", 1.5 - 3.5) == (found.best, found.behind.value)


def two_panels(**scores):
    """Scores of each algorithm in a raw and a standardised panel; both vary by ±0.1 or more."""
    parts = [
        rows(problem, name, list(score + spread * np.tile([-1.0, 1.0], 10)))
        for name, (raw, standardised, spread) in scores.items()
        for problem, score in (("raw", raw), ("std", standardised))
    ]
    frame = pd.concat(parts)
    return frame, {name: [at("raw", name), at("std", name)] for name in scores}


def test_no_algorithm_is_best_in_both_panels():
    frame, of = two_panels(pc=(1.0, 9.0, 0.1), ges=(4.0, 5.0, 0.1), notears=(8.0, 4.0, 0.1))
    found = study_value(frame, statistic="behind the best", rows=of["pc"] + of["ges"])
    assert 3.0 == pytest.approx(found.value)  # ges: 3 behind in one panel, 0 in the other
    assert found.interval()[0] > 0
    alone = study_value(frame, statistic="behind the best", rows=of["ges"])
    assert (0.0, 0.0) == alone.interval()
    with pytest.raises(ValueError, match="each algorithm needs a table for each panel"):
        study_value(frame, statistic="behind the best", rows=[*of["pc"], at("raw", "ges")])


def test_the_favourable_score_of_a_class_is_in_the_panel_of_the_others():
    frame = pd.concat([rows("raw", "pc", [5.0] * 4), rows("raw", "ges", [3.0] * 4)])
    frame["shd (favourable)"] = frame["shd"] - 1
    both = [at("raw"), at("raw", "ges", "shd (favourable)")]
    assert 0.0 == study_value(frame, statistic="behind the best", rows=both).value


def test_near_is_within_the_spread_of_the_random_baseline():
    frame, of = two_panels(
        pc=(10.0, 20.0, 0.1), ges=(12.5, 2.0, 0.1), random=(10.9, 14.0, 1.0), empty=(2.0, 2.0, 0.0)
    )
    found = study_value(
        frame,
        statistic="share near",
        left=of["pc"] + of["ges"],
        right=of["random"] + of["empty"],
    )
    assert 0.5 == found.value  # pc raw near random, ges standardised near empty


def test_spreads_of_two_studies_are_compared():
    wide = rows("wide", "pc", list(np.arange(30.0)))
    narrow = rows("narrow", "pc", list(np.arange(10.0) / 10))
    found = study_value(
        pd.concat([wide, narrow]),
        statistic="spread difference",
        left=at("wide"),
        right=at("narrow"),
    )
    expected = np.std(np.arange(30.0), ddof=1) - np.std(np.arange(10.0) / 10, ddof=1)
    assert (pytest.approx(expected), 10) == (found.value, found.draws)
    assert found.interval()[0] > 0


def test_orders_are_counted_of_pairs_that_differ_between_the_sides():
    """Those of b and c are the same on both sides, so they are no pair that can change."""
    frame = pd.concat(
        [
            rows("raw", "a low", [1.0, 1.0, 1.0]),
            rows("raw", "a high", [4.0, 4.0, 4.0]),
            rows("raw", "b", [3.0, 3.0, 3.0]),
            rows("raw", "c", [5.0, 5.0, 5.0]),
        ]
    )
    left = [at("raw", "a low"), at("raw", "b"), at("raw", "c")]
    right = [at("raw", "a high"), *left[1:]]
    found = study_value(frame, left=left, right=right, statistic="orders kept")
    assert (0.5, 0.0) == (found.value, found.standard_error)
    with pytest.raises(ValueError, match="no pair of tables"):
        study_value(frame, left=left, right=left, statistic="orders kept")


def test_a_study_may_depend_on_the_size():
    table = {"study": {"fast": "a.toml", "full": ["a.toml", "b.toml"]}}
    assert ["a.toml", "b.toml"] == study_files(table)
