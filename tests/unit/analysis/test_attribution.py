"""Scores on the same graphs, and margins over baselines."""

import math

import numpy as np
import pytest

from causalassay.analysis.runs import arrange
from causalassay.analysis.summary import attribute
from summary_twins import (
    by_cell,
    draw_table,
    interval_twin,
    make_table,
    score_of,
    unit_of,
)


def the_row(frame, **values):
    """The one row of a table that has these values."""
    chosen = frame[np.logical_and.reduce([frame[name] == value for name, value in values.items()])]
    assert 1 == len(chosen)
    return chosen.iloc[0]


def rows_of(algorithm, scheme, scores, **fields):
    return [
        {
            "algorithm": algorithm,
            "scheme": scheme,
            "problem": scheme,
            "replicate": index,
            "f1": score,
            **fields,
        }
        for index, score in enumerate(scores)
    ]


def test_schemes_are_compared_on_units_that_ended_in_all_of_them():
    rows = rows_of("pc", "raw", [0.9, 0.8, 0.1, 0.7])
    rows += rows_of("pc", "iscm", [0.5, 0.4, math.nan, 0.3])
    rows[7] |= {"status": "failed"}
    schemes = attribute(arrange(make_table(rows))).schemes
    raw, iscm = the_row(schemes, scheme="raw"), the_row(schemes, scheme="iscm")
    columns = ["paired", "n_units", "n_dropped", "mean"]
    assert [True, 2, 2, pytest.approx(0.85)] == raw[columns].tolist()
    assert [True, 2, 2, pytest.approx(0.45)] == iscm[columns].tolist()


def test_schemes_without_common_graphs_have_plain_means_that_say_so():
    rows = rows_of("pc", "raw", [0.9, 0.8], graph_key="g")
    rows += rows_of("pc", "iscm", [0.5, 0.4], graph_key="h")
    schemes = attribute(arrange(make_table(rows))).schemes
    assert [False, False] == schemes["paired"].tolist()
    assert [0.85, 0.45] == pytest.approx(schemes["mean"].tolist())
    assert [0, 0] == schemes["n_dropped"].tolist()


def test_a_file_and_a_scheme_without_scores_do_not_undo_the_pairing():
    rows = rows_of("pc", "raw", [0.9, 0.8]) + rows_of("pc", "iscm", [0.5, 0.4])
    rows += rows_of("pc", "uumc", [math.nan] * 2, status="timeout")
    rows += rows_of("pc", "data", [0.2], graph_key="file")
    schemes = attribute(arrange(make_table(rows))).schemes
    assert ["raw", "iscm", "uumc", "data"] == schemes["scheme"].tolist()
    assert [True, True, False, False] == schemes["paired"].tolist()
    uumc = the_row(schemes, scheme="uumc")
    assert [0, 2, 0, 2] == uumc[["n", "n_missing", "n_units", "n_dropped"]].tolist()
    assert math.isnan(uumc["mean"])


def baselines(scheme, **scores):
    names = {"var": "var-sortnregress", "r2": "r2-sortnregress", "random": "random-sortnregress"}
    return [
        row
        for name, values in scores.items()
        for row in rows_of(names.get(name, name), scheme, values, role="baseline")
    ]


def test_the_margin_is_over_the_better_sorting_baseline_of_the_scheme():
    rows = rows_of("pc", "raw", [0.5, 0.7]) + rows_of("pc", "iscm", [0.5, 0.7])
    rows += baselines("raw", var=[0.9, 0.8], r2=[0.1, 0.2], random=[0.3, 0.3], empty=[0.0, 0.0])
    rows += baselines("iscm", var=[0.2, 0.2], r2=[0.4, 0.4], random=[0.3, 0.3], empty=[0.0, 0.0])
    margins = attribute(arrange(make_table(rows))).margins
    raw = the_row(margins, algorithm="pc", scheme="raw", reference="sorting")
    iscm = the_row(margins, algorithm="pc", scheme="iscm", reference="sorting")
    assert ("var-sortnregress", pytest.approx(-0.25)) == (raw["opponent"], raw["mean"])
    assert ("r2-sortnregress", pytest.approx(0.2)) == (iscm["opponent"], iscm["mean"])
    own = the_row(margins, algorithm="var-sortnregress", scheme="raw", reference="sorting")
    assert (0.0, 0.0, 0.0) == tuple(own[["mean", "low", "high"]])
    means = [
        the_row(margins, algorithm="pc", scheme="raw", reference=reference)["mean"]
        for reference in ("random order", "empty")
    ]
    assert [0.3, 0.6] == pytest.approx(means)


def test_a_margin_is_positive_where_a_low_score_is_better():
    rows = rows_of("pc", "raw", [3.0, 4.0]) + baselines("raw", var=[9.0, 9.0], r2=[7.0, 7.0])
    margins = attribute(arrange(make_table(rows, better={"f1": "low"}))).margins
    row = the_row(margins, algorithm="pc", reference="sorting")
    assert ("r2-sortnregress", 3.5) == (row["opponent"], row["mean"])


def test_a_baseline_is_known_by_its_name_in_the_registry():
    rows = rows_of("pc", "raw", [0.5, 0.7], use="pc")
    rows += rows_of("by variance", "raw", [0.1, 0.1], use="var-sortnregress")
    margins = attribute(arrange(make_table(rows))).margins
    row = the_row(margins, algorithm="pc", reference="sorting")
    assert ("by variance", pytest.approx(0.5)) == (row["opponent"], row["mean"])
    rows += rows_of("plain", "raw", [0.0, 0.0], use="var-sortnregress", role="baseline")
    margins = attribute(arrange(make_table(rows))).margins
    assert "plain" == the_row(margins, algorithm="pc", reference="sorting")["opponent"]


def test_margins_agree_with_loops_over_rows():
    table = draw_table(3)
    attribution = attribute(arrange(table))
    for row in attribution.margins.to_dict("records"):
        metric, scheme = row["metric"], row["scheme"]
        mine = by_cell(table, row["algorithm"], scheme)
        other = by_cell(table, row["opponent"], scheme)
        scored = [
            {unit_of(r) for r in rows.values() if score_of(r, metric) == score_of(r, metric)}
            for rows in (by_cell(table, row["algorithm"], s) for s in ("raw", "iscm"))
        ]
        common = scored[0] & scored[1]
        sign = 1 if metric == "f1" else -1
        chosen = [cell for cell in mine if unit_of(mine[cell]) in common]
        gains = [sign * (score_of(mine[c], metric) - score_of(other[c], metric)) for c in chosen]
        kept = [gain for gain in gains if gain == gain]
        assert (len(kept), len(gains) - len(kept)) == (row["n_pairs"], row["n_missing"])
        limits = interval_twin(gains, [unit_of(mine[c]) for c in chosen])
        expected = (np.mean(kept), *limits)
        actual = (row["mean"], row["low"], row["high"])
        assert expected == pytest.approx(actual, abs=1e-12, nan_ok=True)
