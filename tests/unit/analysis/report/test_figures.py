"""The figures of a report: valid charts with marks in every panel, and words that fit them."""

import json
import math
import re
import xml.etree.ElementTree as ET
from functools import cache

import numpy as np
import pandas as pd
import pytest
import vl_convert

from causalassay.analysis import analyse
from causalassay.analysis.report.charts import (
    GROUPS,
    KNOWN,
    LABEL,
    SIGNS,
    name_lines,
    overview,
    style_of,
)
from causalassay.analysis.report.figures import KINDS, NOT_DECIDED, gallery
from causalassay.present.charts import NARROW, fitted, wrapped
from report_tables import BASELINES, study_like
from summary_twins import with_frame

HOSTILE = (
    "<script>alert(1)</script>",
    "\"><img src=x onerror='alert(1)'>",
    "ναι-日本語 ¬é",
    "$1 ${x} %s \\ {{y}}",
    "datum.label",
    "a name that is much longer than a line of a label, with alpha=0.05 and more",
)


SIX_SCHEMES = [
    "raw",
    "raw rescaled in order",
    "raw rescaled at random",
    "standardized",
    "iSCM",
    "UUMC",
]


def drawn(table):
    return gallery(analyse(table))


@pytest.fixture(scope="module")
def small():
    return study_like(
        ["pc", "ges"], samples=(100, 500), densities=(1, 2), replicates=6, probable=("pc",)
    )


@pytest.fixture(scope="module")
def charts(small):
    return drawn(small)


@cache
def svg_of(figure, width=NARROW):
    text = vl_convert.vegalite_to_svg(fitted(figure.chart.to_dict(), width), allowed_base_urls=[])
    return ET.fromstring(text)


def parts(element, *words):
    """The descendants whose class has all of some words."""
    return [e for e in element.iter() if set(words) <= set((e.get("class") or "").split())]


def texts(element):
    """What the drawing says, the lines of a label put together."""
    return ["".join(e.itertext()) for e in element.iter() if e.tag.endswith("text")]


def test_every_kind_of_figure_is_drawn(charts):
    assert list(KINDS) == list(dict.fromkeys(figure.kind for figure in charts.figures))
    assert () == charts.left_out
    assert () == charts.remarks


def test_probabilities_of_all_runs_of_a_size_on_a_scheme_are_drawn_together(charts):
    figures = [figure for figure in charts.figures if figure.kind == "reliability"]
    assert {"raw", "standardized", "iSCM", "UUMC"} == {figure.choice for figure in figures}
    n_runs = 2 * 6  # families and replicates; nodes, samples and density make the size
    for figure in figures:
        data = figure.data
        assert [8 * n_runs, 2 * n_runs, 5 * n_runs] == data["pairs"].tolist()
        assert [0.03, 0.25, 0.95] == data["probability"].tolist()
        assert [0.125, 0, 0.8] == data["share"].tolist()
        # Of 15 pairs: 8 are off by .095, 2 by .25 and 5 by .15.
        assert "Calibration error: pc 0.13." in figure.note


def test_without_probabilities_nothing_is_said_of_them():
    found = drawn(study_like(["pc"], replicates=2))
    assert "reliability" not in {figure.kind for figure in (*found.figures, *found.left_out)}


def test_ids_are_unique_and_plain(charts):
    ids = [figure.id for figure in charts.figures]
    assert len(ids) == len(set(ids))
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name) for name in ids)


def test_metrics_with_alike_names_have_ids_of_their_own():
    table = study_like(["pc"], better={"f1 (mean)": "high", "f1-mean": "high"}, replicates=1)
    ids = [figure.id for figure in drawn(table).figures if figure.kind == "schemes"]
    assert ["schemes-f1-mean", "schemes-f1-mean-2"] == ids


def test_every_chart_draws_a_sign_for_each_record(charts):
    for figure in charts.figures:
        if figure.kind == "sortability":
            continue
        signs = parts(svg_of(figure), "mark-symbol", "role-mark")
        assert len(figure.data) == sum(len(group) for group in signs), figure.id


CURVES = {"against_d": "graph.n_nodes", "against_density": "graph.edges_per_node"}
CURVES |= {"against_n": "samples"}
PANELS = {"sortability": 8, "boxes": 4, "against_d": 4, "against_density": 4, "against_n": 4}


def test_no_panel_is_empty(charts):
    for figure in charts.figures:
        cells = parts(svg_of(figure), "role-scope", "cell")
        if figure.kind not in PANELS:
            assert [] == cells
            continue
        (cells,) = cells
        assert PANELS[figure.kind] == len(cells), figure.id
        for panel in cells:
            assert sum(len(group) for group in parts(panel, "mark-symbol", "role-mark")) > 0


@pytest.mark.parametrize("kind", CURVES)
def test_curves_have_a_panel_for_each_scheme_and_a_line_for_each_algorithm(charts, kind):
    figure = next(figure for figure in charts.figures if figure.kind == kind)
    algorithms = set(figure.data["algorithm"])
    assert {"pc", "ges", *BASELINES} == algorithms
    svg = svg_of(figure)
    # The legend names algorithms, so these are the headings of the panels.
    assert {"raw", "standardized", "iSCM", "UUMC"} <= set(texts(svg))
    (cells,) = parts(svg, "role-scope", "cell")
    for panel in cells:
        lines = [path for group in parts(panel, "mark-line", "role-mark") for path in group]
        assert len(algorithms) == len(lines)


@pytest.mark.parametrize("kind", CURVES)
def test_every_metric_has_curves_for_everything_else_that_makes_a_size(charts, small, kind):
    """No curve is over two numbers of samples at once, and none is left out."""
    against = CURVES[kind]
    others = [label for label in CURVES.values() if label != against]
    figures = [figure for figure in charts.figures if figure.kind == kind]
    rests = small.frame[others].drop_duplicates()
    assert len(small.metrics) * len(rests) == len(figures) == len({f.title for f in figures})
    n_scheme = 2 * 6  # families and replicates
    for figure in figures:
        data = figure.data
        assert set(small.frame[against]) == set(data["at"])
        assert not data.duplicated(["scheme", "algorithm", "at"]).any()
        assert {n_scheme} == set(data["n"] + data["n_missing"])


def test_the_data_of_a_chart_are_those_of_its_figure(charts):
    for figure in charts.figures:
        ((columns,),) = figure.chart.to_dict()["datasets"].values()
        assert list(figure.data.columns) == list(columns)
        for name, values in columns.items():
            expected = [
                None if isinstance(value, float) and math.isnan(value) else value
                for value in figure.data[name].tolist()
            ]
            assert expected == values, (figure.id, name)


def test_charts_fit_a_narrow_screen_and_a_wide_one(charts):
    for figure in charts.figures:
        for width in (NARROW, 900):
            assert float(svg_of(figure, width).get("width")) <= width, figure.id


def test_charts_of_one_view_fill_what_contains_them(charts):
    for figure in charts.figures:
        spec = figure.chart.to_dict()
        assert ("container" == spec.get("width")) == ("panels" not in spec.get("usermeta", {}))


def test_series_differ_by_more_than_their_colour(charts):
    for figure in charts.figures:
        spec = json.dumps(figure.chart.to_dict())
        # A panel is one series; a sign of the last kind has its name beside it.
        assert figure.kind in ("sortability", "time_score") or '"shape"' in spec, figure.id
    assert {0, 1, 2, 3, 4} == set(style_of([*KNOWN, "snr"]).values())


def test_baselines_are_labelled_and_hollow(charts):
    figure = next(figure for figure in charts.figures if figure.id == "schemes-f1")
    svg = svg_of(figure)
    assert "empty (baseline)" in texts(svg)
    assert "pc" in texts(svg)
    (signs,) = parts(svg, "mark-symbol", "role-mark")
    fills = [sign.get("fill") for sign in signs]
    assert [name in ("pc", "ges") for name in figure.data["algorithm"]] == [
        fill != "white" for fill in fills
    ]
    against = next(figure for figure in charts.figures if figure.kind == "against_d")
    assert "empty (baseline)" in texts(svg_of(against))


def test_each_figure_says_how_to_read_it_and_what_it_shows(charts):
    for figure in charts.figures:
        assert figure.title
        assert figure.note.endswith(".")
        assert re.search(r"\d", figure.alt), figure.id
        assert figure.alt == figure.chart.to_dict()["description"]


def test_the_text_of_a_figure_has_the_numbers_of_its_data(charts):
    figure = next(figure for figure in charts.figures if figure.id == "schemes-f1")
    raw = figure.data[
        (figure.data["scheme"] == "raw") & figure.data["algorithm"].isin(["pc", "ges"])
    ]
    best = raw.loc[raw["mean"].idxmax()]
    sentence = (
        f"On raw {best['algorithm']} leads with {best['mean']:.2f} "
        f"[{best['low']:.2f}, {best['high']:.2f}]; the best sorting baseline reaches "
        f"{best['sorting']:.2f}."
    )
    assert sentence in figure.alt


@pytest.fixture(scope="module")
def hostile():
    return drawn(
        study_like(HOSTILE, families=HOSTILE[:2], schemes=("raw", HOSTILE[0]), replicates=5)
    )


def test_hostile_names_stay_data(hostile):
    for figure in hostile.figures:
        if "algorithm" in figure.data:
            assert set(HOSTILE) <= set(figure.data["algorithm"]), figure.id
        spec = figure.chart.to_dict()
        expressions = re.findall(
            r'"(?:labelExpr|test|expr)": "((?:[^"\\]|\\.)*)"', json.dumps(spec)
        )
        assert not any("alert" in expression for expression in expressions)


def test_hostile_names_are_drawn_whole_as_text(hostile):
    for figure in hostile.figures:
        svg = svg_of(figure)
        assert not [e for e in svg.iter() if e.tag.split("}")[-1] in ("script", "img")]
        if figure.kind in ("schemes", "against_d"):
            written = [text.replace(" ", "") for text in texts(svg)]
            for name in HOSTILE:
                assert name.replace(" ", "") in written, (figure.id, name)


@pytest.mark.parametrize(
    ("schemes", "slanted"),
    [(["raw", "standardized", "iSCM", "UUMC"], False), (SIX_SCHEMES, True)],
)
def test_names_of_schemes_do_not_meet_on_the_first_picture(schemes, slanted):
    rows = [
        {"scheme": scheme, "mean": 0.5, "group": NOT_DECIDED, "algorithm": "pc", "mine": False}
        for scheme in schemes
    ]
    data = pd.DataFrame(rows).assign(artefact=False, low=0.4, high=0.6, finding="")
    x = overview(data, [NOT_DECIDED], "F1").to_dict()["layer"][1]["encoding"]["x"]
    assert slanted == (x["axis"]["labelAngle"] != 0)


def test_labels_are_broken_as_the_sizes_assume():
    for name in (*HOSTILE, "pc", "x" * 50, "var-sortnregress"):
        assert name.replace(" ", "") == "".join(wrapped(name)).replace(" ", "")
        assert all(len(line) <= 22 for line in wrapped(name))
    assert ["pc", "(baseline)"] == " ".join(name_lines("pc", ["pc"])).split()
    assert "baselines" in LABEL


def test_a_study_without_rows_leaves_out_every_kind(small):
    empty = with_frame(small, small.frame.iloc[:0])
    left_out = drawn(empty).left_out
    assert list(KINDS) == [part.kind for part in left_out]
    assert {"The study has no rows yet."} == {part.reason for part in left_out}


def test_what_a_study_does_not_vary_is_left_out_with_the_reason():
    table = study_like(["pc"], schemes=("raw",), nodes=(5,), replicates=1, better={"f1": "high"})
    reasons = {part.kind: part.reason for part in drawn(table).left_out}
    assert {
        "against_d": "All problems have 5 nodes.",
        "against_density": "All problems have 2 edges per node.",
        "against_n": "All problems have 500 samples.",
        "rankings": "Ranks are compared where there are two metrics at least.",
    } == reasons


def test_columns_that_a_table_lacks_leave_out_their_figures(small):
    lacking = ["seconds", "graph.n_nodes", "graph.edges_per_node", "graph.kind", "samples", "use"]
    frame = small.frame.drop(columns=lacking)
    bare = with_frame(small, frame, diagnostics=())
    charts = drawn(bare)
    reasons = {part.kind: part.reason for part in charts.left_out}
    assert {
        "sortability": "Neither var- nor R²-sortability was measured.",
        "against_d": "The problems do not state their number of nodes.",
        "against_density": "The problems do not state their number of edges per node.",
        "against_n": "The problems do not state their number of samples.",
        "runtime": "No run has a time.",
        "time_score": "No run has a time and a score.",
    } == reasons
    boxes = [figure for figure in charts.figures if figure.kind == "boxes"]
    assert {"all problems"} == set(boxes[0].data["panel"])


def test_run_times_without_sizes_are_drawn_as_one_series(small):
    frame = small.frame.drop(columns=["graph.n_nodes"])
    bare = with_frame(small, frame)
    (figure,) = [figure for figure in drawn(bare).figures if figure.kind == "runtime"]
    assert {"all"} == set(figure.data["nodes"])
    assert 6 == sum(len(group) for group in parts(svg_of(figure), "mark-symbol", "role-mark"))
    assert "longest var-sortnregress" in figure.alt


def test_a_metric_without_a_score_is_left_out_and_others_are_drawn(small):
    frame = small.frame.copy()
    frame["shd"] = np.nan
    charts = drawn(with_frame(small, frame))
    assert ("schemes", "shd", "No run has a SHD.") in [
        (part.kind, part.choice, part.reason) for part in charts.left_out
    ]
    assert "schemes-shd" not in {figure.id for figure in charts.figures}
    assert "schemes-f1" in {figure.id for figure in charts.figures}


def test_runs_without_a_score_are_counted_below_the_figures(small):
    frame = small.frame.copy()
    ges = frame["algorithm"] == "ges"
    lost = ges & (frame["scheme"] == "uumc")
    frame.loc[lost, ["status", "reason"]] = ["failed", "raised ValueError: no"]
    frame.loc[lost, list(small.metrics)] = np.nan
    figures = drawn(with_frame(small, frame)).figures
    shown = (frame["samples"] == 500) & (frame["graph.edges_per_node"] == 2)
    # Box plots and curves against the nodes are of all nodes, with these samples and this density.
    for kind, among in (
        ("schemes", shown & (frame["graph.n_nodes"] == 20)),
        ("boxes", shown),
        ("against_d", shown),
    ):
        note = next(f.note for f in figures if f.kind == kind and f.choice.startswith("F1"))
        counts = f"ges ({(lost & among).sum()} of {(ges & among).sum()})"
        assert f"Runs without a score are in no mean: {counts}." in note, kind


def test_stopped_runs_are_counted_below_the_run_times(small):
    frame = small.frame.copy()
    lost = (frame["algorithm"] == "ges") & (frame["replicate"] == 0)
    frame.loc[lost, ["status", "reason"]] = ["timeout", "stopped after 20 s"]
    frame.loc[lost, ["seconds", *small.metrics]] = np.nan
    figures_ = drawn(with_frame(small, frame)).figures
    note = next(figure.note for figure in figures_ if figure.kind == "runtime")
    shown = lost & (frame["samples"] == 500) & (frame["graph.edges_per_node"] == 2)
    assert f"Runs stopped at their time limit are not in the medians: ges ({shown.sum()})." in note


def test_an_algorithm_that_was_always_stopped_is_named_below_the_run_times(small):
    frame = small.frame.copy()
    lost = (frame["algorithm"] == "ges") & (frame["graph.n_nodes"] == 20)
    frame.loc[lost, ["status", "reason"]] = ["timeout", "stopped after 20 s"]
    frame.loc[lost, ["seconds", *small.metrics]] = np.nan
    figures_ = drawn(with_frame(small, frame)).figures
    (figure,) = [figure for figure in figures_ if figure.kind == "runtime"]
    of_ges = figure.data[figure.data["algorithm"] == "ges"]
    assert [10] == of_ges["nodes"].tolist()
    assert figure.data["mean"].notna().all()
    shown = lost & (frame["samples"] == 500) & (frame["graph.edges_per_node"] == 2)
    assert f"are not in the medians: ges ({shown.sum()})." in figure.note


def test_box_plots_of_unlike_sizes_have_axes_of_their_own():
    table = study_like(["pc"], nodes=(5, 100), replicates=3)
    boxes = {figure.choice: figure for figure in drawn(table).figures if figure.kind == "boxes"}
    assert "independent" == boxes["SHD"].chart.to_dict()["resolve"]["scale"]["x"]
    assert "Each panel has an axis of its own." in boxes["SHD"].note
    assert "scale" not in boxes["F1"].chart.to_dict()["resolve"]
    assert "axis of its own" not in boxes["F1"].note


def test_every_group_of_the_first_picture_has_a_sign_of_its_own():
    assert len(set(SIGNS)) >= len(GROUPS)
    assert NOT_DECIDED in GROUPS
