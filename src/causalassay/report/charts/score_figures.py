"""Figures of scores: on each scheme, by graph family and size, against nodes and samples."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from causalassay.analysis.chart_data import dot_tables, panel_tables
from causalassay.analysis.chart_data.scope import ChartScope
from causalassay.analysis.names import metric_name
from causalassay.analysis.runs import DENSITY, NODES, SAMPLES, SCHEME
from causalassay.report.charts import alt_texts
from causalassay.report.charts.dot_chart import Dots, draw_dots
from causalassay.report.charts.figure import Figure, LeftOut, joined
from causalassay.report.charts.panel_charts import box_chart, line_chart, own_axes
from causalassay.report.charts.theme import direction

AXES = {NODES: "nodes", SAMPLES: "samples", DENSITY: "edges per node"}
TICK = (
    "The black tick in each lane is the better of the baselines that sort by variance or R², on "
    "the same scheme: who does not pass it shows nothing beyond sorting."
)
NO_METRIC = "The study has no metric."


def scheme_figures(scope: ChartScope) -> Iterator[Figure | LeftOut]:
    """Yield the score of each algorithm on each scheme, a figure for each metric."""
    if not scope.metrics:
        yield LeftOut("schemes", "", NO_METRIC)
    for metric in scope.metrics:
        data = dot_tables.scheme_scores(scope, metric)
        if not data["mean"].notna().any():
            yield LeftOut("schemes", metric, _unscored(metric))
            continue
        ticked = bool(data["sorting"].notna().any())
        content = Dots(
            data,
            ordered(scope, data),
            scope.baselines,
            SCHEME,
            scope.scheme_names,
            [
                direction(metric, scope.better[metric]),
                *["black tick: best sorting baseline"] * ticked,
            ],
            mark="sorting" if ticked else "",
        )
        note = joined(
            [
                f"Mean {metric_name(metric)} of each algorithm with its 95 % interval; hollow "
                f"signs are baselines. {scope.analysis.matrix.order}",
                TICK if ticked else "",
                _pairing(data),
                alt_texts.unscored(scope, metric),
            ]
        )
        alt = alt_texts.describe_schemes(data, scope, metric)
        one = len(scope.schemes) == 1
        where = scope.scheme_names[0] if one else "each scheme"
        title = f"{metric_name(metric)} on {where}"
        yield Figure("schemes", metric_name(metric), title, note, alt, draw_dots(content), data)


def box_figures(scope: ChartScope) -> Iterator[Figure | LeftOut]:
    """Yield box plots by graph family and size, a figure for each of the first metrics."""
    if not scope.metrics:
        yield LeftOut("boxes", "", NO_METRIC)
    for metric in scope.detailed:
        data, n_panels = panel_tables.box_stats(scope, metric)
        if not len(data):
            yield LeftOut("boxes", metric, _unscored(metric))
            continue
        rows = ordered(scope, data)
        n_drawn = data["panel"].nunique()
        note = joined(
            [
                "Boxes reach from the lower to the upper quartile, with a sign at the median; "
                "whiskers reach to the outermost score within 1.5 times the box. "
                f"Scores beyond that are not drawn: {data['outside'].sum()} of "
                f"{data['n'].sum()}.",
                "Each panel has an axis of its own." if own_axes(data) else "",
                f"Shown are {n_drawn} of {n_panels} graph families and sizes."
                if n_drawn < n_panels
                else "",
                alt_texts.unscored(scope, metric),
            ]
        )
        alt = alt_texts.describe_boxes(data, scope, metric)
        axis = direction(metric, scope.better[metric])
        chart = box_chart(data, rows, scope.baselines, axis)
        title = f"{metric_name(metric)} by graph family and size"
        yield Figure("boxes", metric_name(metric), title, note, alt, chart, data)


def against_figures(scope: ChartScope, kind: str, label: str) -> Iterator[Figure | LeftOut]:
    """Yield mean scores against a number of the problems, for each of the first metrics."""
    what = AXES[label]
    if not scope.varies(label):
        yield LeftOut(kind, "", _constant(scope, label))
        return
    for metric in scope.detailed:
        data = panel_tables.means_against(scope, metric, label)
        if data.empty or data["at"].nunique() < 2:
            yield LeftOut(
                kind, metric, f"Runs with a {metric_name(metric)} are of one number of {what} only."
            )
            continue
        axis = f"{direction(metric, scope.better[metric])} against {what}"
        chart = line_chart(data, ordered(scope, data), scope.baselines, axis)
        note = joined(
            [
                f"Mean {metric_name(metric)} with its 95 % interval, over all problems with so "
                f"many {what}; a panel for each algorithm, all on the same axes.",
                alt_texts.unscored(scope, metric),
            ]
        )
        alt = alt_texts.describe_against(data, metric, what)
        title = f"{metric_name(metric)} against {what}"
        yield Figure(kind, metric_name(metric), title, note, alt, chart, data)


def ordered(scope: ChartScope, data: pd.DataFrame) -> list[str]:
    """Return the algorithms of some data in the order of the matrix, baselines last."""
    known = set(data["algorithm"])
    return [name for name in scope.order if name in known]


def _pairing(data: pd.DataFrame) -> str:
    if data[SCHEME].nunique() == 1:
        return ""
    apart = data[~data["paired"].astype(bool) & data["mean"].notna()]
    if apart.empty:
        return "All schemes are of the same graphs."
    names = [
        f"{name} ({', '.join(part[SCHEME])})"
        for name, part in apart.groupby("algorithm", sort=False)
    ]
    return f"Not on the same graphs as the other schemes: {alt_texts.named(names)}."


def _unscored(metric: str) -> str:
    return f"No run has a {metric_name(metric)}."


def _constant(scope: ChartScope, label: str) -> str:
    what = AXES[label]
    if not scope.is_number(label):
        return f"The problems do not state their number of {what}."
    value = scope.runs.cells[label].dropna().iloc[0]
    return f"All problems have {value:g} {what}."
