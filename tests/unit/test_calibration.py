"""The calibration on few draws: algorithms of known nature, and rates with their limits."""

import json

import numpy as np
import pytest
from calibration import audits, page, rates, rows_on_disk, studies, study_bank

from causalassay.metrics import direction_score, f1
from causalassay.study.worker.problem_making import make

N_UNITS = 10


@pytest.fixture(scope="module")
def findings():
    """What one study of ten instances finds of each algorithm."""
    rows = {
        (scheme, unit): study_bank.unit_of((scheme, unit))
        for scheme in study_bank.SCHEMES
        for unit in range(N_UNITS)
    }
    found = studies.run(rows, {N_UNITS: 1})
    return {row["algorithm"]: row["findings"] for row in found}


def test_what_sorts_by_variance_is_found_out(findings):
    assert "variance-order" in findings["sorts by variance"]
    assert "robust" not in findings["sorts by variance"]


@pytest.mark.parametrize("name", rates.WRONG_CAUSES)
def test_no_cause_is_named_that_is_not_there(findings, name):
    # Each algorithm is wrongly charged in at most 5 % of studies; the measured rates are 0.
    assert not set(rates.WRONG_CAUSES[name]) & set(findings[name])


@pytest.mark.parametrize("name", ["random graph", "joins everything"])
def test_what_ignores_the_data_has_no_lead(findings, name):
    assert ["no-lead"] == findings[name]


def test_the_true_order_is_robust_unless_its_threshold_depends_on_units(findings):
    assert "robust" not in findings["true order, OLS"]
    assert "variance-order" not in findings["true order, OLS"]
    assert ["robust"] == findings["true order, lasso"]


@pytest.mark.parametrize("name", rates.KNOWS_NO_DIRECTION)
def test_what_knows_no_direction_is_not_robust(findings, name):
    # At most 5 % of studies may say so; the test fixes its instances.
    assert "robust" not in findings[name]


def test_the_true_skeleton_keeps_a_skeleton_lead(findings):
    assert ["skeleton-lead"] == findings["true skeleton, random directions"]


def test_the_stand_in_for_a_lead_turns_a_tenth_of_the_true_edges():
    problem = make(study_bank.SEED, study_bank.SCHEMES["iscm"], "main", 0).problem
    plain = study_bank._random_order(problem, np.random.default_rng(0)).graph
    turned = study_bank.ALGORITHMS["uniform lead"](problem, np.random.default_rng(0)).graph
    truth = problem.graph
    count = round(truth.sum() / 10)
    assert (plain | plain.T == turned | turned.T).all()
    assert 2 * count == (plain != turned).sum()
    rise = direction_score(truth, turned) - direction_score(truth, plain)
    assert pytest.approx(2 * count / truth.sum()) == rise
    assert pytest.approx(2 * count / (truth.sum() + plain.sum())) == f1(truth, turned) - f1(
        truth, plain
    )


def test_statistics_that_are_assigned_at_random_are_not_those_of_the_columns():
    row = audits.audit_one(("10 nodes, statistics permuted", 0))
    again = audits.audit_one(("10 nodes, statistics permuted", 0))
    plain = audits.audit_one(("10 nodes", 0))
    assert row == again
    assert row["evidence"]["variance"][0] < plain["evidence"]["variance"][0]
    json.dumps(row)


def test_rates_come_with_the_limits_of_clopper_and_pearson():
    # Of 0 among 400 the upper limit is 1 - 0.025^(1/400).
    none = rates.Rate("audit", "raw", "graph refuted", 0, 400, rates.Goal("at most", 1))
    assert none.met
    assert (0.0, pytest.approx(1 - 0.025 ** (1 / 400))) == none.limits
    assert not rates.Rate("audit", "raw", "gameable", 395, 400, rates.Goal("at least", 99)).met


def test_what_is_on_disk_is_not_computed_again(tmp_path):
    file = tmp_path / "rows.jsonl"
    file.write_text('{"cell": "a", "draw": 0, "found": 1}\n{"cell": "a", "dr', encoding="utf-8")
    assert {("a", 0): {"cell": "a", "draw": 0, "found": 1}} == rows_on_disk.read(file)
    known = rows_on_disk.compute(file, [("a", 0)], _never)
    assert 1 == known["a", 0]["found"]


def _never(job):
    raise AssertionError(f"{job} is on disk")


@pytest.mark.parametrize("stored", ["gameable-backwards", "gameable backwards"])
def test_findings_that_earlier_runs_stored_in_words_are_counted_as_those_with_ids(stored):
    row = {"findings": [[stored, "variance"], ["graph refuted", ""]], "evidence": {}}
    (name, *_) = audits.cells()
    table = rates.audit_rates({(cell, 0): row for cell in audits.cells()}, [])
    counts = {rate.what: rate.count for rate in table if rate.cell == name}
    assert (1, 1) == (counts["gameable backwards"], counts["graph refuted"])
    assert 0 == counts["sortable, no gain found"] == counts["gain, no sortability found"]
    assert 1 == counts[rates.EITHER_WAY]
    assert set(page.AUDIT_COLUMNS) == set(counts)


def test_cells_that_were_not_audited_have_no_rates():
    rows = {("raw", draw): {"findings": [], "evidence": {}} for draw in range(3)}
    assert {"raw"} == {rate.cell for rate in rates.audit_rates(rows, [])}


def test_pools_are_judged_by_the_rule_over_instances():
    clear = {"variance": [0.95, 0.001, 1.0, 0.001, 1.0, 0.5, -0.5]}
    rows = {("raw", draw): {"findings": [], "evidence": clear} for draw in range(20)}
    table = [rate for rate in rates.pool_rates(rows, []) if rate.cell.startswith("raw,")]
    assert [("gameable, either way", 2, 2), ("one of the two tests", 0, 2)] == [
        (rate.what, rate.count, rate.total) for rate in table
    ]


def test_what_is_cited_of_pools_has_the_rate_of_one_test_alone():
    goal = rates.ALMOST_NEVER
    table = [
        rates.Rate("pool", "chains", rates.EITHER_WAY, 0, 60, goal),
        rates.Rate("pool", "chains", rates.ONE_TEST, 2, 60, goal),
    ]
    cited = page._cited(table)["two tests over instances"]
    assert "were called gameable in 0.0 % [0.0 %, 6.0 %] (chains); only one test" in cited
    assert cited.endswith("passed in 3.3 % [0.4 %, 11.5 %] (chains)")
