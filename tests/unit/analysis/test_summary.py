"""Counts, scores, paired differences and ranks: hand-made tables and plain loops."""

import json
import math
from io import StringIO

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

from causalassay.analysis.comparison import (
    mean_ranks,
    mean_with_interval,
    paired_differences,
)
from causalassay.analysis.report.terminal import print_summary
from causalassay.analysis.runs import arrange
from causalassay.analysis.summary import (
    count_reasons,
    count_statuses,
    score_groups,
    summarize,
)
from causalassay.analysis.tables import attribution_table, reason_table, score_table
from causalassay.common.seeding import stream
from summary_twins import (
    by_cell,
    draw_table,
    ended,
    interval_twin,
    make_table,
    rank_twin,
    score_of,
    unit_of,
    with_frame,
)


def the_row(frame, **values):
    """The one row of a table that has these values."""
    chosen = frame[np.logical_and.reduce([frame[name] == value for name, value in values.items()])]
    assert 1 == len(chosen)
    return chosen.iloc[0]


def rows_of(algorithm, scores, **fields):
    return [
        {"algorithm": algorithm, "replicate": replicate, "f1": score, **fields}
        for replicate, score in enumerate(scores)
    ]


def test_statuses_are_counted_by_algorithm():
    rows = rows_of("pc", [0.5, 0.5, 0.5])
    rows[1] |= {"status": "failed", "reason": "raised ValueError: no"}
    rows[2] |= {"status": "timeout", "reason": "timeout: more than 5 s"}
    rows += rows_of("ges", [0.1], status="skipped", reason="discrete columns")
    counts = count_statuses(arrange(make_table(rows)))
    assert [["ges", "listed", 1, 0, 1, 0, 0, 2], ["pc", "listed", 3, 1, 0, 1, 1, 0]] == (
        counts.values.tolist()
    )


def test_reasons_beyond_the_most_frequent_are_counted_together():
    rows = []
    for kind, times in enumerate((1, 4, 1, 2)):
        reason = f"raised ValueError: {kind}"
        rows += [{"algorithm": "pc", "status": "failed", "reason": reason}] * times
    rows.append({"algorithm": "pc", "status": "ok"})
    counts = count_reasons(make_table(rows).frame, most=2)
    expected = [
        ["pc", "failed", "raised ValueError: 1", 4],
        ["pc", "failed", "raised ValueError: 3", 2],
        ["pc", "failed", "2 other reasons", 2],
    ]
    assert expected == counts.values.tolist()


def test_means_are_over_ok_rows_beside_the_number_that_is_not():
    rows = rows_of("pc", [0.2, 0.4, 0.9, math.nan, 0.6])
    rows[2] |= {"status": "failed"}
    row = the_row(score_groups(arrange(make_table(rows))), algorithm="pc")
    assert (5, 4, 1, 1, 3) == tuple(row[["n", "n_ok", "n_not_ok", "n_undefined", "n_units"]])
    assert pytest.approx(0.4) == row["mean"]
    assert pytest.approx(0.4) == row["median"]


def test_an_algorithm_that_never_ends_has_a_row_without_numbers():
    rows = rows_of("pc", [0.2, 0.4]) + rows_of("hangs", [math.nan] * 2, status="timeout")
    row = the_row(score_groups(arrange(make_table(rows))), algorithm="hangs")
    assert (2, 0, 2) == tuple(row[["n", "n_ok", "n_not_ok"]])
    assert np.isnan(row[["mean", "mean_low", "mean_high", "median"]].astype(float)).all()


def test_one_unit_has_no_interval():
    rows = rows_of("pc", [0.2, 0.4])
    rows[1] |= {"replicate": 0, "problem": "q"}
    row = the_row(score_groups(arrange(make_table(rows))), algorithm="pc")
    assert (2, 1) == tuple(row[["n", "n_units"]])
    assert math.isnan(row["mean_low"])


def test_problems_of_one_graph_and_replicate_are_drawn_together():
    # Ten instances of two equal rows each: as uncertain as ten rows, not as twenty.
    values = np.arange(10.0)
    alone = mean_with_interval(values, np.arange(10))
    twice = mean_with_interval(np.repeat(values, 2), np.repeat(np.arange(10), 2))
    assert (alone.low, alone.high) == pytest.approx((twice.low, twice.high))


def test_groups_may_be_made_of_any_columns_of_the_problem():
    rows = [
        {"algorithm": "pc", "problem": f"p{nodes}{noise}", "nodes": nodes, "noise": noise, "f1": 1}
        for nodes in (20, 5)
        for noise in ("b", None)
    ]
    scores = score_groups(arrange(make_table(rows), ("nodes", "noise")), ("nodes", "noise"))
    groups = [(nodes, None if pd.isna(noise) else noise) for nodes, noise in scores.values[:, 2:4]]
    assert [(5, "b"), (5, None), (20, "b"), (20, None)] == groups
    together = score_groups(arrange(make_table(rows), ()), ())
    assert [4] == together["n"].tolist()


def test_noise_laws_of_one_scheme_are_schemes_of_their_own():
    stated = {
        "a": ("iscm", "gaussian"),
        "b": ("iscm", "laplace"),
        "c": ("raw + rescale-in-order", "mixed"),
        "d": ("raw + rescale-in-order", "gaussian"),
        "e": ("uumc", "laplace"),  # its only law
        "f": ("data", None),
    }
    rows = [
        {"algorithm": "pc", "problem": problem, "scheme": scheme, "model.noise": noise, "f1": 1}
        for problem, (scheme, noise) in stated.items()
    ]
    cells = arrange(make_table(rows)).cells
    assert {
        "a": "iscm",
        "b": "laplace iscm",
        "c": "mixed raw + rescale-in-order",
        "d": "raw + rescale-in-order",
        "e": "uumc",
        "f": "data",
    } == dict(zip(cells["problem"], cells["scheme"], strict=True))


def test_scores_agree_with_loops_over_rows():
    for seed in range(3):
        table = draw_table(seed)
        scores = score_groups(arrange(table))
        assert 6 * 2 * 2 == len(scores)
        for row in scores.to_dict("records"):
            rows = list(by_cell(table, row["algorithm"], row["scheme"]).values())
            values = [score_of(r, row["metric"]) for r in rows]
            kept = [value for value in values if value == value]
            units = [unit_of(r) for r in rows]
            assert len(kept) == row["n_ok"] - row["n_undefined"]
            assert len(rows) - sum(map(ended, rows)) == row["n_not_ok"]
            most = 1.0 if row["metric"] == "f1" else math.inf
            limits = np.clip(interval_twin(values, units), 0.0, most)  # no mean is beyond these
            expected = (np.mean(kept), *limits, np.median(kept))
            actual = (row["mean"], row["mean_low"], row["mean_high"], row["median"])
            assert expected == pytest.approx(actual, nan_ok=True)


@pytest.mark.parametrize("n_units", [5, 10, 40])
def test_intervals_cover_the_truth_in_about_95_percent_of_studies(n_units):
    # Correlated rows in instances, 2000 studies. By the binomial law, fewer than 1860 hits (93 %)
    # or more than 1940 (97 %) have a chance below 0.01 % at a true coverage of 95 %.
    rng, hits = stream(2, "coverage", n_units), 0
    units = np.repeat(np.arange(n_units), 3)
    for _ in range(2000):
        values = rng.normal(size=n_units)[units] + rng.normal(size=len(units))
        estimated = mean_with_interval(values, units)
        hits += estimated.low <= 0 <= estimated.high
    assert 1860 <= hits <= 1940


def test_an_infinite_score_makes_the_mean_infinite_and_leaves_no_interval():
    estimated = mean_with_interval(np.array([1.0, np.inf, 2.0]), np.arange(3))
    assert math.inf == estimated.value
    assert math.isnan(estimated.low)


def test_differences_count_wins_and_every_cell_that_is_not_compared():
    rows = rows_of("a", [0.9, 0.5, 0.1, 0.7, math.nan, 0.2])
    rows[3] |= {"status": "failed"}
    other = rows_of("b", [0.5, 0.5, 0.4, 0.7, 0.6, 0.3])
    other[5] |= {"status": "timeout"}
    table = make_table(rows + other + rows_of("c", [0.0] * 7))
    row = the_row(paired_differences(arrange(table)), algorithm="a", opponent="b")
    assert (1, 1, 1) == tuple(row[["wins", "ties", "losses"]])
    columns = ["n_pairs", "n_undefined", "only_algorithm", "only_opponent", "neither"]
    assert (3, 1, 1, 1, 0) == tuple(row[columns])
    assert pytest.approx(0.1 / 3) == row["mean"]
    assert 0.0 == row["median"]
    absent = the_row(paired_differences(arrange(table)), algorithm="a", opponent="c")
    assert (7, 2) == (sum(absent[columns]), absent["only_opponent"])


def test_differences_agree_with_loops_over_rows():
    for seed in range(3):
        table = draw_table(seed)
        for row in paired_differences(arrange(table)).to_dict("records"):
            first = by_cell(table, row["algorithm"], row["scheme"])
            second = by_cell(table, row["opponent"], row["scheme"])
            metric = row["metric"]
            apart = [score_of(first[c], metric) - score_of(second[c], metric) for c in first]
            kept = [value for value in apart if value == value]
            units = [unit_of(first[c]) for c in first]
            won = [value > 0 if metric == "f1" else value < 0 for value in kept]
            assert (len(kept), sum(won)) == (row["n_pairs"], row["wins"])
            alone = sum(ended(first[c]) and not ended(second[c]) for c in first)
            assert alone == row["only_algorithm"]
            expected = (np.mean(kept), *interval_twin(apart, units), np.median(kept))
            actual = (row["mean"], row["mean_low"], row["mean_high"], row["median"])
            assert expected == pytest.approx(actual, abs=1e-12, nan_ok=True)


def test_every_algorithm_meets_the_best_baseline():
    rows = rows_of("a", [0.5, 0.6]) + rows_of("b", [0.1, 0.2])
    rows += rows_of("empty", [0.0, 0.0], role="baseline")
    rows += rows_of("var-sortnregress", [0.9, 0.8], role="baseline")
    pairs = paired_differences(arrange(make_table(rows)), most_opponents=1)
    best = pairs[pairs["best_baseline"]]
    assert {"a", "b", "empty"} == set(best["algorithm"])
    assert {"var-sortnregress"} == set(best["opponent"])


def test_pairs_grow_with_the_number_of_algorithms_not_its_square():
    rows = [row for number in range(30) for row in rows_of(f"a{number:02}", [number / 30])]
    pairs = paired_differences(arrange(make_table(rows)), most_opponents=3)
    assert 3 * 27 + 3 == len(pairs)
    assert {"a27", "a28", "a29"} <= set(pairs["opponent"])


def test_ranks_share_ties_and_put_failures_last():
    scores = {"a": 0.5, "b": 0.9, "c": 0.5, "d": 0.99, "e": 0.0}
    rows = [{"algorithm": name, "f1": score} for name, score in scores.items()]
    rows[3] |= {"status": "failed"}
    rows[4] |= {"f1": math.nan}
    ranks = mean_ranks(arrange(make_table(rows)))
    assert [2.5, 1.0, 2.5, 4.5, 4.5] == ranks["rank"].tolist()
    assert [0, 0, 0, 1, 1] == ranks["n_last"].tolist()


def test_ranks_agree_with_loops_over_rows():
    table = draw_table(5)
    runs = arrange(table)
    ranks = mean_ranks(runs)
    for (scheme, metric), part in ranks.groupby(["scheme", "metric"]):
        cells = [by_cell(table, name, scheme) for name in part["algorithm"]]
        units = [unit_of(row) for row in cells[0].values()]
        by_cell_and_algorithm = np.array(
            [
                rank_twin([score_of(rows[cell], metric) for rows in cells], table.better[metric])
                for cell in cells[0]
            ]
        )
        for index, row in enumerate(part.to_dict("records")):
            values = by_cell_and_algorithm[:, index].tolist()
            expected = (np.mean(values), *interval_twin(values, units))
            assert expected == pytest.approx((row["rank"], row["rank_low"], row["rank_high"]))


def test_cells_without_all_algorithms_are_not_ranked_but_counted():
    table = make_table(rows_of("a", [0.1, 0.2, 0.3]) + rows_of("b", [0.2]))
    row = the_row(mean_ranks(arrange(table)), algorithm="a")
    assert (1, 2, 2.0) == tuple(row[["n_ranked", "n_incomplete", "rank"]])


def test_a_summary_is_json():
    table = draw_table(0)
    plain = json.loads(json.dumps(summarize(table).to_dict(), allow_nan=False))
    assert {"f1": "high", "shd": "low"} == plain["better"]
    assert ["schemes", "margins"] == list(plain["attribution"])
    assert summarize(table).scores["mean"].tolist() == [row["mean"] for row in plain["scores"]]


def test_text_columns_may_be_categories():
    table = draw_table(0)
    texts = ["algorithm", "role", "status", "reason", "scheme", "graph_key", "problem"]
    frame = table.frame.astype(dict.fromkeys(texts, "category"))
    frame["status"] = frame["status"].cat.set_categories(["ok", "skipped", "failed", "timeout"])
    assert summarize(table).to_dict() == summarize(with_frame(table, frame)).to_dict()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"status": "lost"}, "status: expected one of"),
        ({"replicate": 1}, "expected one row for each algorithm, problem and replicate, got 2"),
        ({"problem": "q", "scheme": "iscm", "replicate": 1, "algorithm": "b"}, None),
        ({"scheme": "iscm", "replicate": 1, "algorithm": "b"}, "scheme: expected one value"),
    ],
)
def test_a_table_that_cannot_be_is_refused(change, message):
    rows = rows_of("a", [0.1, 0.2, 0.3])
    rows[0] |= change
    if message is None:
        arrange(make_table(rows))
    else:
        with pytest.raises(ValueError, match=message):
            arrange(make_table(rows))


def test_a_column_that_is_not_there_is_named():
    with pytest.raises(ValueError, match=r"no column \['graph.n_nodes'\]"):
        summarize(draw_table(0), by=("graph.n_nodes",))


def printed(summary, metric=""):
    console = Console(width=100, file=StringIO(), no_color=True)
    print_summary(summary, console, metric)
    return console.file.getvalue()


def test_the_tables_fit_a_hundred_columns_and_mark_baselines():
    text = printed(summarize(draw_table(0, n_replicates=8)))
    assert max(map(len, text.splitlines())) <= 100
    for part in (
        "var-sortnregress (baseline)",
        "not ok",
        "F1, high is better",
        "SHD, low is better",
    ):
        assert part in text
    assert "…" not in text


def test_one_scheme_alone_is_not_marked_as_being_of_other_graphs():
    alone = attribution_table(summarize(make_table(rows_of("a", [0.1, 0.2]))), "f1")
    assert "" == alone.rows[0][1].mark
    assert "the same graphs" not in alone.title
    assert not alone.notes
    other = [
        {**row, "scheme": "iscm", "problem": "q", "graph_key": "h"}
        for row in rows_of("a", [0.3, 0.4])
    ]
    both = summarize(make_table(rows_of("a", [0.1, 0.2], graph_key="g") + other))
    table = attribution_table(both, "f1")
    assert ["~", "~"] == [table.rows[0][column].mark for column in (1, 3)]
    assert pytest.approx(0.15) == table.records()[0]["raw"]
    text = " ".join(printed(both).split())
    assert "0.15 ~" in text
    assert "~ not on the same graphs as the others" in text


def test_every_reason_is_printed_or_counted():
    rows = [
        {"algorithm": f"a{number}", "status": "failed", "reason": f"raised ValueError: {number}"}
        for number in range(10)
    ]
    summary = summarize(make_table(rows))
    assert 10 == len(reason_table(summary).rows)
    *named, rest = reason_table(summary, 8).rows
    assert ("a0", "failed", 1, "raised ValueError: 0") == named[0]
    assert (8, 2) == (len(named), rest[2])
    assert "2 other reasons, which --json lists" in printed(summary)


def test_one_metric_may_be_chosen_and_an_unknown_one_is_refused():
    summary = summarize(draw_table(0))
    assert "F1, high" not in printed(summary, "shd")
    with pytest.raises(ValueError, match="did you mean 'shd'"):
        printed(summary, "sdh")


def test_a_study_without_rows_says_so():
    table = draw_table(0)
    assert "No rows yet." in printed(summarize(with_frame(table, table.frame.iloc[:0])))


def test_a_table_of_scores_has_the_numbers_of_the_summary_the_best_first():
    summary = summarize(draw_table(0, n_replicates=8))
    for metric, better in summary.better.items():
        records = score_table(summary, metric).records()
        scores = summary.scores[summary.scores["metric"] == metric]
        for record in records:
            rows = scores[scores["algorithm"] == record["algorithm"]]
            assert rows["n_not_ok"].sum() == record["not_ok"]
            for row in rows.to_dict("records"):
                expected = [row["mean"], row["mean_low"], row["mean_high"]]
                assert pytest.approx(expected, nan_ok=True) == record[row["scheme"]]
        first = [record[next(iter(scores["scheme"]))][0] for record in records]
        known = [mean for mean in first if not math.isnan(mean)]
        assert sorted(known, reverse=better == "high") == known


def test_a_summary_shows_itself_in_few_lines_and_as_its_tables():
    summary = summarize(draw_table(0))
    assert len(repr(summary).splitlines()) <= 10
    assert ["counts", *(f"scores-{name}" for name in summary.metrics[:2])] == [
        table.id for table in summary.document().tables()
    ]
    assert summary.to_frame() is summary.scores
    html = summary._repr_html_()
    for name in summary.counts["algorithm"]:
        assert name in html
