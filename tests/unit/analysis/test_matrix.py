"""The matrix of a study: sorted by schemes without a found artefact, cells as the summary's."""

import json
import math

import numpy as np
import pytest

from causalassay.analysis import analyse
from causalassay.analysis.comparison import best_marks
from causalassay.analysis.document import scheme_section
from causalassay.analysis.matrix import finding_phrase
from causalassay.analysis.runs import scheme_name
from causalassay.judging.findings import NOT_JUDGED, TOO_FEW_INSTANCES, FindingKind
from causalassay.present import Prose
from causalassay.present.formatting import in_words
from judged_tables import (
    AT_RANDOM,
    FREE,
    GAIN,
    IN_ORDER,
    NOTHING,
    OF_SCORES,
    RAW,
    SORTABLE,
    arms,
    draw_judged,
)
from summary_twins import BASELINES, with_frame


@pytest.fixture(scope="module")
def analyses():
    return [analyse(draw_judged(seed)) for seed in range(25)]


def names_of(matrix, role="listed"):
    return [row.algorithm for row in matrix.rows if row.role == role]


def test_rows_are_sorted_by_schemes_without_an_artefact_and_by_no_other():
    table = arms(
        {
            "raw": RAW | {"sorter": 0.95, "plain": 0.5, "third": 0.4},
            "iscm": FREE | {"sorter": 0.3, "plain": 0.6, "third": 0.9},
            "uumc": FREE | {"sorter": 0.3, "plain": 0.7, "third": 0.2},
        }
    )
    matrix = analyse(table).matrix
    assert [False, True, True] == [column.free for column in matrix.columns]
    # Means over iSCM and UUMC: 0.65, 0.55 and 0.3.
    assert ["plain", "third", "sorter"] == names_of(matrix)
    assert "Sorted by iSCM and UUMC, where no artefact was found." == matrix.order


@pytest.mark.parametrize("low", [False, True])
def test_the_order_is_that_of_the_mean_over_free_schemes(analyses, low):
    for analysis in analyses:
        matrix = analysis.matrix
        if low:
            table = with_frame(analysis.table, analysis.table.frame, metrics=("shd",))
            matrix = analyse(table).matrix
            assert ("shd", "low") == (matrix.metric, matrix.better)
        free = [index for index, column in enumerate(matrix.columns) if column.free]
        keys = [np.mean([row.cells[index].mean for index in free]) for row in matrix.rows if free]
        known = [key for key in keys if not math.isnan(key)]
        assert known == sorted(known, reverse=matrix.better == "high")
        # Those without a score on some free scheme come last.
        assert not any(math.isnan(key) for key in keys[: len(known)])
        for row, key in zip(matrix.rows, keys, strict=False):
            assert pytest.approx(key, nan_ok=True) == row.key


@pytest.mark.parametrize(
    "measured",
    [RAW, *({"variance": partly, "r2": NOTHING} for partly in (SORTABLE, GAIN))],
    ids=["gameable", "sortable-only", "gain-only"],
)
def test_without_such_a_scheme_rows_are_unsorted_and_that_is_said(measured):
    schemes = {"raw": measured | {"a": 0.1, "b": 0.9}, "raw + shuffle-labels": FREE}
    analysis = analyse(arms(schemes | {"raw + shuffle-labels": FREE | {"a": 0.1, "b": 0.9}}))
    assert not any(column.free for column in analysis.matrix.columns)
    assert list(analysis.runs.algorithms) == [row.algorithm for row in analysis.matrix.rows]
    assert analysis.matrix.order.startswith("Not sorted")
    assert all(math.isnan(row.key) for row in analysis.matrix.rows)


def test_cells_are_the_scores_of_the_summary_and_the_marks_of_the_best(analyses):
    for analysis in analyses:
        matrix = analysis.matrix
        scores = analysis.summary.scores
        scores = scores[scores["metric"] == matrix.metric].set_index(["algorithm", "scheme"])
        marks = best_marks(analysis.runs)
        assert set(scores.index) == {
            (row.algorithm, column.scheme) for row in matrix.rows for column in matrix.columns
        }
        for row in matrix.rows:
            for column, cell in zip(matrix.columns, row.cells, strict=True):
                expected = scores.loc[row.algorithm, column.scheme]
                for name, value in (("mean", cell.mean), ("mean_low", cell.low)):
                    assert pytest.approx(expected[name], nan_ok=True) == value
                assert pytest.approx(expected["mean_high"], nan_ok=True) == cell.high
                assert (expected["n"], expected["n_ok"]) == (cell.n, cell.n_ok)
                assert cell.best == (row.algorithm in marks[matrix.metric, column.scheme])


def test_roles_and_findings_are_those_of_the_study(analyses):
    for analysis in analyses:
        for row in analysis.matrix.rows:
            assert (row.role == "baseline") == (row.algorithm in BASELINES)
            assert row.statements
            assert {row.algorithm} == {each.algorithm for each in row.statements}
            main, *others = analysis.findings.algorithms[row.algorithm]
            assert (main.kind, *(each.kind for each in others)) == row.kinds
            judged = analysis.findings.judged.get(row.algorithm)
            phrase = finding_phrase(row.kinds)
            if all(math.isnan(cell.mean) for cell in row.cells):
                assert ("no score", "no-score") == (row.finding, row.kind)
            elif judged is None:
                assert (NOT_JUDGED, NOT_JUDGED) == (row.finding, main.variant)
            elif judged.variant == TOO_FEW_INSTANCES:
                assert f"{phrase} (too few instances)" == row.finding
            elif judged.leading and row.kind == FindingKind.LEAD_LOST:
                assert f"lead lost on {named(judged.lost)}" == row.finding
            elif judged.leading and row.kind == FindingKind.UNDECIDED:
                assert f"undecided (leads on {named(judged.leading)})" == row.finding
            else:
                assert phrase == row.finding


def named(schemes):
    return in_words([scheme_name(scheme) for scheme in schemes])


def test_an_algorithm_without_scores_has_no_number_no_mark_and_the_last_place():
    table = arms({"iscm": FREE | {"lost": 0.9, "partly": 0.9, "pc": 0.5}, "raw": RAW | {"pc": 0.5}})
    frame = table.frame
    lost = (frame["algorithm"] == "lost") | (
        (frame["algorithm"] == "partly") & (frame["replicate"] > 0)
    )
    frame.loc[lost, ["status", "reason"]] = ["failed", "raised ValueError: no"]
    frame.loc[lost, ["f1", *OF_SCORES, "order_score"]] = math.nan
    matrix = analyse(with_frame(table, frame)).matrix
    rows = {row.algorithm: row for row in matrix.rows}
    cell = rows["lost"].cells[1]
    assert ("iscm", "lost") == (matrix.columns[1].scheme, matrix.rows[-1].algorithm)
    assert all(math.isnan(value) for value in (cell.mean, cell.low, cell.high))
    assert (12, 0, False) == (cell.n, cell.n_ok, cell.best)
    assert "no score" == rows["lost"].finding
    one = rows["partly"].cells[1]
    assert (0.9, 1) == (round(one.mean, 1), one.n_ok)
    assert math.isnan(one.low)
    plain = matrix.to_dict()
    assert plain == json.loads(json.dumps(plain, allow_nan=False))
    stored = next(row for row in plain["rows"] if row["algorithm"] == "lost")
    assert stored["cells"]["iscm"]["mean"] is None


def test_a_study_without_rows_or_without_metrics_has_an_empty_matrix():
    table = arms({"raw": RAW | {"pc": 0.5}})
    for bare in (
        with_frame(table, table.frame.iloc[:0]),
        with_frame(table, table.frame, metrics=(), better={}),
    ):
        assert () == analyse(bare).matrix.rows
        assert "There is nothing to say yet." == analyse(bare).headline


def test_what_was_found_of_a_scheme_is_one_phrase():
    table = arms(
        {
            "raw": RAW | {"pc": 0.5},
            "iscm": FREE | {"pc": 0.5},
            "uumc": {"variance": SORTABLE, "r2": NOTHING, "pc": 0.5},
            "gp raw": {"variance": GAIN, "r2": NOTHING, "pc": 0.5},
        }
    )
    columns = analyse(table).matrix.columns
    partly = "sortable by variance, no gain found", "gain by variance, no sortability found"
    assert ["gameable by variance", "no artefact found", *partly] == [
        column.finding for column in columns
    ]
    assert ["gameable", "no-evidence", "sortable-only", "gain-only"] == [
        column.kind for column in columns
    ]
    assert [True, False, True, True] == [column.gamed for column in columns]


def test_rescaled_schemes_are_marked():
    schemes = {name: RAW | {"pc": 0.5} for name in ("raw", IN_ORDER, AT_RANDOM, "standardized")}
    columns = analyse(arms(schemes)).matrix.columns
    assert [False, True, True, False] == [column.rescaled for column in columns]


def test_a_study_says_what_was_looked_at_and_what_was_not():
    analysis = analyse(arms({"raw": RAW | {"a": 0.1, "b": 0.9}}))
    said = analysis.matrix.looked_at
    assert said.startswith("Looked at: variance and R². Not looked at: any other statistic")
    assert said == analysis.to_dict()["matrix"]["looked_at"]
    assert Prose(said) in scheme_section(analysis).blocks


def test_the_baseline_that_counts_correlated_columns_is_called_the_reference():
    analysis = analyse(arms({"raw": RAW | {"relatives-sortnregress": 0.5, "b": 0.9}}))
    phrases = {row.algorithm: row.finding for row in analysis.matrix.rows}
    assert phrases["relatives-sortnregress"].startswith("reference: ")
    assert not phrases["b"].startswith("reference")


def test_a_lead_like_that_of_the_reference_is_not_called_robust_without_a_word():
    """A skimming reader must not take the count of correlated columns for a discovery."""
    levels = {"relatives-sortnregress": 0.6, "small": 0.5, "large": 0.9}
    analysis = analyse(arms({"raw": RAW | levels, "iscm": FREE | levels}))
    rows = {row.algorithm: row for row in analysis.matrix.rows}
    assert "reference: leads, too" == rows["relatives-sortnregress"].finding
    assert "robust, below reference" == rows["small"].finding
    assert "robust" == rows["large"].finding
    assert {"robust"} == {rows[name].kind for name in levels}
    sentence = rows["relatives-sortnregress"].statements[0].sentence
    assert "by counting correlated columns" in sentence
    assert "robust" not in sentence
