"""The numbers of the figures: those of the summary or of the rows of one size, and never many."""

import json

import numpy as np
import pytest

from causalassay.analysis import analyse, summarize
from causalassay.analysis.report import chart_data
from causalassay.analysis.report.chart_data import (
    MOST_ALGORITHMS,
    MOST_METRICS,
    MOST_SCHEMES,
    choose,
)
from causalassay.analysis.report.figures import gallery
from causalassay.analysis.runs import scheme_name
from causalassay.metrics.registry import metric_name
from report_tables import BASELINES, study_like
from summary_twins import with_frame


@pytest.fixture(scope="module")
def table():
    table = study_like(["pc", "ges"], samples=(100, 500), replicates=5)
    frame = table.frame
    stopped = (frame["algorithm"] == "ges") & (frame["replicate"] == 0)
    frame.loc[stopped, ["status", "reason"]] = ["timeout", "stopped after 20 s"]
    frame.loc[stopped, ["seconds", *table.metrics]] = np.nan
    return table


@pytest.fixture(scope="module")
def scope(table):
    return choose(analyse(table))


@pytest.fixture(scope="module")
def shown(table):
    """The rows of the size that a page shows: all sizes have as many, so the largest."""
    frame = table.frame
    return frame[(frame["graph.n_nodes"] == 20) & (frame["samples"] == 500)]


def digits(values):
    return [float(f"{value:.5g}") for value in values]


def test_scores_on_schemes_are_those_of_the_summary(scope):
    records = chart_data.scheme_scores(scope, "f1")
    summary = scope.summary.attribution.schemes
    expected = summary[summary["metric"] == "f1"]
    assert len(expected) > 0
    assert expected["scheme"].map(scheme_name).tolist() == records["scheme"].tolist()
    for column in ("algorithm", "n_units", "n_missing", "paired"):
        assert expected[column].tolist() == records[column].tolist()
    for column in ("mean", "low", "high"):
        assert digits(expected[column]) == records[column].tolist()


@pytest.mark.parametrize("metric", ["f1", "shd"])
def test_scores_on_schemes_are_means_of_one_size(scope, shown, metric):
    """Of pc, which ran on every graph: no graph is left out of any scheme."""
    records = chart_data.scheme_scores(scope, metric).set_index(["algorithm", "scheme"])
    rows = shown[shown["algorithm"] == "pc"]
    for scheme, scores in rows.groupby(rows["scheme"].map(scheme_name))[metric]:
        by_graph = scores.groupby(rows["graph_key"]).mean()
        assert digits([by_graph.mean()]) == [records.loc[("pc", scheme), "mean"]]


@pytest.mark.parametrize(("metric", "best"), [("f1", max), ("shd", min)])
def test_sorting_is_the_better_of_the_two_sorting_baselines(scope, metric, best):
    records = chart_data.scheme_scores(scope, metric)
    for scheme, part in records.groupby("scheme"):
        means = part.set_index("algorithm")["mean"]
        assert {best(means["var-sortnregress"], means["r2-sortnregress"])} == set(
            part["sorting"]
        ), scheme


def test_ranks_are_those_of_the_summary(scope):
    records = chart_data.rank_means(scope, "iscm", ["shd", "sid"])
    summary = scope.summary.ranks
    chosen = (summary["scheme"] == "iscm") & summary["metric"].isin(["shd", "sid"])
    expected = summary[chosen]
    assert expected["algorithm"].tolist() == records["algorithm"].tolist()
    assert expected["metric"].map(metric_name).tolist() == records["metric"].tolist()
    assert digits(expected["rank"]) == records["mean"].tolist()
    assert digits(expected["rank_high"]) == records["high"].tolist()


def test_bins_hold_every_problem_and_replicate_of_the_size_once(shown, scope):
    records = chart_data.sortability_bins(scope)
    cells = shown.drop_duplicates(["problem", "replicate"])
    for (diagnostic, scheme), part in records.groupby(["diagnostic", "scheme"]):
        values = cells.loc[cells["scheme"].map(scheme_name) == scheme, diagnostic]
        assert len(values) == part["count"].sum() == part["n"].iloc[0]
        assert float(f"{values.mean():.5g}") == part["mean"].iloc[0]
        assert 1.0 == part["height"].max()
        first = part.iloc[0]
        inside = (values >= first["from"]) & (values < first["to"])
        assert inside.sum() == first["count"]


def test_a_sortability_of_one_lies_in_the_last_bin():
    table = study_like(["pc"], schemes=("raw",), replicates=2)
    table.frame["var_sortability"] = 1.0
    records = chart_data.sortability_bins(choose(analyse(table)))
    assert [0.95] == records.loc[records["diagnostic"] == "var_sortability", "from"].tolist()


def test_boxes_are_quartiles_and_whiskers_of_the_rows(table, scope):
    """A panel for each family and number of nodes, of the samples that the page shows."""
    records, n_panels = chart_data.box_stats(scope, "shd")
    assert 4 == n_panels == records["panel"].nunique()
    frame = table.frame[table.frame["samples"] == 500]
    for row in records.sample(8, random_state=1).itertuples():
        family, nodes = row.panel.removesuffix(" nodes").split(", ")
        scores = frame.loc[
            (frame["algorithm"] == row.algorithm)
            & (frame["scheme"].map(scheme_name) == row.scheme)
            & (frame["graph.kind"] == family)
            & (frame["graph.n_nodes"] == int(nodes)),
            "shd",
        ].dropna()
        q1, median, q3 = np.percentile(scores, [25, 50, 75])
        reach = 1.5 * (q3 - q1)
        inside = scores[scores.between(q1 - reach, q3 + reach)]
        expected = [inside.min(), q1, median, q3, inside.max()]
        assert digits(expected) == [row.low, row.q1, row.median, row.q3, row.high]
        assert [len(scores), len(scores) - len(inside)] == [row.n, row.outside]


@pytest.mark.parametrize(
    ("label", "other", "values"),
    [("samples", "graph.n_nodes", (20, 10)), ("graph.n_nodes", "samples", (500, 100))],
)
def test_means_against_a_number_are_of_one_value_of_the_other(table, scope, label, other, values):
    """As a summary of the rows with that value has them; the value that the page shows is first."""
    slices = scope.slices(label)
    assert [((other, value),) for value in values] == [rest.values for rest in slices]
    for value, among in zip(values, slices.values(), strict=True):
        records = chart_data.means_against(scope, "f1", label, among)
        rows = table.frame[table.frame[other] == value]
        scores = summarize(with_frame(table, rows), ["scheme", label]).scores
        scores = scores[scores["metric"] == "f1"]
        scores = scores.assign(scheme=scores["scheme"].map(scheme_name))
        expected = scores.set_index(["algorithm", "scheme", label])
        assert len(expected) == len(records)
        for row in records.itertuples():
            wanted = expected.loc[(row.algorithm, row.scheme, row.at)]
            numbers = digits(wanted[["mean", "mean_low", "mean_high"]])
            assert numbers == [row.mean, row.low, row.high]
            assert [wanted["n_ok"], wanted["n"] - wanted["n_ok"]] == [row.n, row.n_missing]


def test_run_times_are_medians_of_the_runs_that_ended(table, scope):
    records = chart_data.run_times(scope).set_index(["algorithm", "nodes"])
    frame = table.frame[table.frame["samples"] == 500]
    for nodes in (10, 20):
        rows = frame[(frame["algorithm"] == "ges") & (frame["graph.n_nodes"] == nodes)]
        seconds, row = rows["seconds"], records.loc[("ges", nodes)]
        expected = [seconds.median(), seconds.min(), seconds.max()]
        assert digits(expected) == [row["mean"], row["low"], row["high"]]
        # Two families and four schemes, of which ges was stopped in one replicate of five.
        assert [8, 32] == [row["timeouts"], row["n"]]
        assert 0 == records.loc[("pc", nodes)]["timeouts"]


def test_labels_that_are_no_numbers_are_not_drawn_against():
    table = study_like(["pc"], replicates=2)
    table.frame["samples"] = "100 + 20 × 50"
    scope = choose(analyse(table))
    assert not scope.varies("samples")
    assert scope.varies("graph.n_nodes")


def test_many_algorithms_schemes_and_metrics_are_bounded_and_told():
    better = {f"metric {i}": "low" for i in range(8)}
    schemes = ("raw", "iscm", *(f"other {i}" for i in range(6)))
    names = [f"a{i}" for i in range(30)]
    table = study_like(
        names, schemes=schemes, families=("chain",), nodes=(5,), replicates=2, better=better
    )
    scope = choose(analyse(table))
    assert MOST_ALGORITHMS == len(scope.algorithms)
    assert set(BASELINES) <= set(scope.algorithms)
    # The skill that `study_like` gives grows with the index.
    assert "a29" in scope.algorithms
    assert "a0" not in scope.algorithms
    assert (MOST_SCHEMES, MOST_METRICS) == (len(scope.schemes), len(scope.metrics))
    assert 3 == len(scope.left_out)


def test_too_many_sizes_are_thinned_from_the_smallest_to_the_largest():
    nodes = tuple(range(5, 305, 5))
    table = study_like([f"a{i}" for i in range(6)], families=("chain",), nodes=nodes, replicates=1)
    scope = choose(analyse(table))
    ((rest, among),) = scope.slices("graph.n_nodes").items()
    assert () == rest.values
    records = chart_data.means_against(scope, "f1", "graph.n_nodes", among)
    assert len(records) <= chart_data.MOST_RECORDS
    assert (5, 300) == (records["at"].min(), records["at"].max())
    boxes, n_panels = chart_data.box_stats(scope, "f1")
    assert len(boxes) <= chart_data.MOST_RECORDS
    assert 60 == n_panels


@pytest.fixture(scope="module")
def large():
    """10^5 rows of 20 algorithms on 16 problems."""
    table = study_like([f"algorithm {i}" for i in range(16)], replicates=313)
    assert 100_160 == len(table.frame)
    return analyse(table)


def test_the_data_of_all_figures_of_a_large_study_are_small(large):
    drawn = gallery(large)
    specs = [figure.chart.to_dict() for figure in drawn.figures]
    data = [json.dumps(spec["datasets"], separators=(",", ":")) for spec in specs]
    assert sum(map(len, data)) < 250_000
    assert sum(len(json.dumps(spec, separators=(",", ":"))) for spec in specs) < 350_000
    assert sum(len(figure.data) for figure in drawn.figures) < 5_000


def test_undefined_numbers_stay_nan_and_are_never_zero(table):
    frame = table.frame.copy()
    frame.loc[frame["algorithm"] == "ges", "f1"] = np.nan
    lacking = with_frame(table, frame)
    records = chart_data.scheme_scores(choose(analyse(lacking)), "f1")
    assert records.loc[records["algorithm"] == "ges", "mean"].isna().all()
