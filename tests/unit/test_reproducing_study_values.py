"""Numbers from the rows of a study; a failed row is counted, never dropped in silence."""

import numpy as np
import pandas as pd
import pytest

from causalassay.reproducing import Estimate, Extremes, NotRun, Several
from causalassay.reproducing.study_values import study_value


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
