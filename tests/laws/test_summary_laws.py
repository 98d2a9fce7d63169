"""What every summary satisfies, whatever the table."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from causalassay.analysis.summary import summarize
from summary_twins import draw_table, with_frame

tables = st.builds(
    draw_table,
    st.integers(0, 10**6),
    n_graphs=st.integers(1, 3),
    n_replicates=st.integers(1, 6),
)


def without(records, algorithm):
    return [r for r in records if algorithm not in (r["algorithm"], r.get("opponent"))]


@settings(max_examples=15)
@given(tables, st.integers(0, 10**6))
def test_the_order_of_rows_changes_nothing(table, seed):
    order = np.random.default_rng(seed).permutation(len(table.frame))
    shuffled = with_frame(table, table.frame.iloc[order])
    assert summarize(table).to_dict() == summarize(shuffled).to_dict()


@settings(max_examples=15)
@given(tables, st.integers(0, 10**6))
def test_another_algorithm_leaves_the_numbers_of_the_others(table, seed):
    extra = table.frame[table.frame["algorithm"] == "a"].assign(algorithm="another")
    extra["f1"] = np.random.default_rng(seed).random(len(extra))
    more = with_frame(table, pd.concat([extra, table.frame], ignore_index=True))
    before, after = summarize(table).to_dict(), summarize(more).to_dict()
    for part in ("counts", "reasons", "scores", "differences"):
        assert before[part] == without(after[part], "another")
    for part in ("schemes", "margins"):
        assert before["attribution"][part] == without(after["attribution"][part], "another")


@settings(max_examples=15)
@given(tables)
def test_a_metric_with_its_sign_and_direction_turned_tells_the_same(table):
    frame = table.frame.assign(f1=-table.frame["f1"], shd=-table.frame["shd"])
    turned = summarize(with_frame(table, frame, better={"f1": "low", "shd": "high"}))
    plain = summarize(table)
    pd.testing.assert_frame_equal(plain.ranks, turned.ranks)
    pd.testing.assert_frame_equal(plain.attribution.margins, turned.attribution.margins)
    counts = ["algorithm", "opponent", "best_baseline", "wins", "ties", "losses", "n_pairs"]
    pd.testing.assert_frame_equal(plain.differences[counts], turned.differences[counts])
    for name, mirrored in (("mean", "mean"), ("mean_low", "mean_high"), ("median", "median")):
        expected = (-turned.differences[mirrored]).tolist()
        assert expected == pytest.approx(plain.differences[name].tolist(), nan_ok=True)


@settings(max_examples=15)
@given(tables)
def test_an_algorithm_that_equals_its_baseline_has_no_margin(table):
    twin = table.frame[table.frame["algorithm"] == "var-sortnregress"]
    twin = twin.assign(algorithm="twin", role="listed")
    kept = table.frame[table.frame["algorithm"] != "r2-sortnregress"]
    summary = summarize(with_frame(table, pd.concat([kept, twin], ignore_index=True)))
    margins = summary.attribution.margins
    own = margins[(margins["algorithm"] == "twin") & (margins["reference"] == "sorting")]
    assert {"var-sortnregress"} >= set(own["opponent"])
    assert {0.0} >= set(own["mean"].dropna()) | set(own["low"].dropna()) | set(own["high"].dropna())


@settings(max_examples=15)
@given(tables, st.integers(0, 10**6))
def test_a_run_that_fails_is_counted_and_never_vanishes(table, seed):
    ok = np.flatnonzero(table.frame["status"] == "ok")
    row = int(np.random.default_rng(seed).choice(ok))
    frame = table.frame.copy()
    frame.loc[row, ["status", "reason"]] = ["failed", "raised ValueError: no"]
    before, after = summarize(table), summarize(with_frame(table, frame))
    assert before.counts["n"].tolist() == after.counts["n"].tolist()
    assert before.counts["failed"].sum() + 1 == after.counts["failed"].sum()
    assert before.scores["n"].tolist() == after.scores["n"].tolist()
    assert before.scores["n_not_ok"].sum() + 2 == after.scores["n_not_ok"].sum()
    name = frame["algorithm"][row]
    worse = after.ranks["rank"] - before.ranks["rank"]
    assert (worse[after.ranks["algorithm"] == name] > -1e-12).all()


@settings(max_examples=15)
@given(tables)
def test_every_row_is_in_every_part(table):
    summary = summarize(table)
    n_rows, n_cells = len(table.frame), len(table.frame) // 6
    assert n_rows == summary.counts[["ok", "skipped", "failed", "timeout"]].to_numpy().sum()
    assert n_rows - summary.counts["ok"].sum() == summary.reasons["n"].sum()
    assert 2 * n_rows == summary.scores["n"].sum()
    columns = ["n_pairs", "n_undefined", "only_algorithm", "only_opponent", "neither"]
    assert {n_cells // 2} == set(summary.differences[columns].sum(axis=1))
    won = summary.differences[["wins", "ties", "losses"]].sum(axis=1)
    assert won.tolist() == summary.differences["n_pairs"].tolist()
    sums = summary.ranks.groupby(["scheme", "metric"])["rank"].sum()
    assert [6 * 7 / 2] * 4 == pytest.approx(sums.tolist())
