"""Figures of scores: on each scheme, by graph family and size, against nodes and samples."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pandas as pd

from causalassay.analysis import figure_tables as aggregates
from causalassay.analysis import panel_tables as groupings
from causalassay.analysis.figure_scope import NODES, SAMPLES, Scope
from causalassay.analysis.runs import SCHEME
from causalassay.report import captions
from causalassay.report.dots import Dots, draw_dots
from causalassay.report.figure import Figure, LeftOut, joined
from causalassay.report.panels import box_chart, line_chart, own_axes
from causalassay.report.theme import direction, scheme_words

AXES = {NODES: "nodes", SAMPLES: "samples"}
TICK = (
    "The black tick in each lane is the better of the baselines that sort by variance or R², on "
    "the same scheme: who does not pass it shows nothing beyond sorting."
)
NO_METRIC = "The study has no metric."


def scheme_figures(scope: Scope) -> Iterator[Figure | LeftOut]:
    """Yield the score of each algorithm on each scheme, a figure for each metric."""
    if not scope.metrics:
        yield LeftOut("schemes", "", NO_METRIC)
    for metric in scope.metrics:
        data = aggregates.scheme_scores(scope, metric)
        if not data["mean"].notna().any():
            yield LeftOut("schemes", metric, _unscored(metric))
            continue
        ticked = bool(data["sorting"].notna().any())
        content = Dots(
            data,
            ordered(scope, data, metric),
            scope.baselines,
            SCHEME,
            scope.schemes,
            [
                direction(metric, scope.better[metric]),
                *["black tick: best sorting baseline"] * ticked,
            ],
            mark="sorting" if ticked else "",
        )
        note = joined(
            [
                f"Mean {metric} of each algorithm with its 95 % interval, best on "
                f"{scope.schemes[0]} first; hollow signs are baselines.",
                TICK if ticked else "",
                _pairing(data),
                captions.unscored(scope, metric),
            ]
        )
        told = captions.tell_schemes(data, scope, metric)
        one = len(scope.schemes) == 1
        title = f"{metric} on {scheme_words(scope.schemes[0]) if one else 'each scheme'}"
        yield Figure("schemes", metric, title, note, told, draw_dots(content), data)


def box_figures(scope: Scope) -> Iterator[Figure | LeftOut]:
    """Yield box plots by graph family and size, a figure for each of the first metrics."""
    if not scope.metrics:
        yield LeftOut("boxes", "", NO_METRIC)
    for metric in scope.detailed:
        data, n_panels = groupings.box_stats(scope, metric)
        if not len(data):
            yield LeftOut("boxes", metric, _unscored(metric))
            continue
        rows = ordered(scope, data.rename(columns={"median": "mean"}), metric)
        shown = data["panel"].nunique()
        note = joined(
            [
                "Boxes reach from the lower to the upper quartile, with a sign at the median; "
                "whiskers reach to the outermost score within 1.5 times the box. "
                f"Scores beyond that are not drawn: {data['outside'].sum()} of "
                f"{data['n'].sum()}.",
                "Each panel has an axis of its own." if own_axes(data) else "",
                f"Shown are {shown} of {n_panels} graph families and sizes."
                if shown < n_panels
                else "",
                captions.unscored(scope, metric),
            ]
        )
        told = captions.tell_boxes(data, scope, metric)
        axis = direction(metric, scope.better[metric])
        chart = box_chart(data, rows, scope.baselines, axis)
        title = f"{metric} by graph family and size"
        yield Figure("boxes", metric, title, note, told, chart, data)


def against_figures(scope: Scope, kind: str, label: str) -> Iterator[Figure | LeftOut]:
    """Yield mean scores against a number of the problems, for each of the first metrics."""
    what = AXES[label]
    if not groupings.varies(scope, label):
        yield LeftOut(kind, "", _constant(scope, label))
        return
    for metric in scope.detailed:
        data = groupings.means_against(scope, metric, label)
        if data.empty or data["at"].nunique() < 2:
            yield LeftOut(kind, metric, f"Runs with a {metric} are of one number of {what} only.")
            continue
        axis = f"{direction(metric, scope.better[metric])} against {what}"
        chart = line_chart(data, ordered(scope, data, metric), scope.baselines, axis)
        note = joined(
            [
                f"Mean {metric} with its 95 % interval, over all problems with so many {what}; a "
                "panel for each algorithm, all on the same axes.",
                captions.unscored(scope, metric),
            ]
        )
        told = captions.tell_against(data, metric, what)
        yield Figure(kind, metric, f"{metric} against {what}", note, told, chart, data)


def ordered(scope: Scope, data: pd.DataFrame, metric: str) -> list[str]:
    """Return the algorithms of some data, the best on the first scheme first, baselines last."""
    means = data[data[SCHEME] == scope.schemes[0]].groupby("algorithm")["mean"].mean()
    sign = -1 if scope.better[metric] == "high" else 1
    known = set(data["algorithm"])

    def place(name: str) -> tuple[bool, bool, float]:
        mean = float(means.get(name, math.nan))
        return name in scope.baselines, math.isnan(mean), 0.0 if math.isnan(mean) else sign * mean

    return sorted((name for name in scope.algorithms if name in known), key=place)


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
    return f"Not on the same graphs as the other schemes: {captions.named(names)}."


def _unscored(metric: str) -> str:
    return f"No run has a {metric}."


def _constant(scope: Scope, label: str) -> str:
    what = AXES[label]
    if not aggregates.is_number(scope, label):
        return f"The problems do not state the number of {what}."
    value = scope.runs.cells[label].dropna().iloc[0]
    return f"All problems have {value:g} {what}."
