"""Figures of the artefacts: the problems' sortabilities, and what they explain."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pandas as pd

from causalassay.analysis.chart_data import dot_tables, panel_tables
from causalassay.analysis.chart_data.scope import ChartScope
from causalassay.analysis.runs import SCHEME
from causalassay.report.charts import alt_texts
from causalassay.report.charts.dot_chart import Dots, draw_dots
from causalassay.report.charts.figure import Figure, LeftOut, joined
from causalassay.report.charts.panel_charts import SORTABILITIES, sortability_chart

REGRESSOR_NAMES = SORTABILITIES | {"both": "both"}


def sortability_figures(scope: ChartScope) -> Iterator[Figure | LeftOut]:
    """Yield the distribution of the problems' sortabilities by scheme."""
    data = panel_tables.sortability_bins(scope)
    if data.empty:
        reason = "Neither var- nor R²-sortability was measured."
        yield LeftOut("sortability", "", reason)
        return
    data = data.assign(diagnostic=data["diagnostic"].map(SORTABILITIES))
    note = (
        "Histograms over the problems and replicates of each scheme, each scaled to its fullest "
        "bar; the triangle is the mean. At 1, variance or R² grows along the causal order without "
        "exception, and sorting by it is enough; the dashed line at 1/2 is chance."
    )
    schemes = [scheme for scheme in scope.schemes if scheme in set(data[SCHEME])]
    chart = sortability_chart(data, schemes)
    title = "Sortability of the problems"
    alt = alt_texts.describe_sortability(data)
    yield Figure("sortability", "", title, note, alt, chart, data)


def explained_figures(scope: ChartScope) -> Iterator[Figure | LeftOut]:
    """Yield the share of the score's variance that sortability explains, for each metric."""
    if not scope.metrics:
        yield LeftOut("explained", "", "The study has no metric.")
    for metric in scope.metrics:
        data = dot_tables.explained(scope, metric)
        known = data[data["mean"].notna()]
        if known.empty:
            reasons = ", ".join(dict.fromkeys(data["note"]))
            yield LeftOut("explained", metric, f"{metric} cannot be explained: {reasons}.")
            continue
        data = data.assign(regressors=data["regressors"].map(REGRESSOR_NAMES))
        most = known.groupby("algorithm")["mean"].max()
        content = Dots(
            data[data["algorithm"].isin(most.index)],
            sorted(most.index, key=lambda name: -most[name]),
            scope.baselines,
            "regressors",
            list(REGRESSOR_NAMES.values()),
            [f"share of the variance of {metric}", "that sortability explains"],
            domain=(0, 1),
        )
        note = joined(
            [
                f"R² of a regression of {metric} on the sortabilities of the problems, over all "
                "schemes, with 95 % limits. Near 1, how sortable the data are decides the score. "
                "A description of this study: sizes and densities of graphs move scores too.",
                _undefined(data),
            ]
        )
        alt = alt_texts.describe_explained(data, metric)
        title = f"How much of {metric} sortability explains"
        yield Figure("explained", metric, title, note, alt, draw_dots(content), content.data)


def _undefined(data: pd.DataFrame) -> str:
    """Say of which algorithms nothing is known, and why."""
    lacking = [
        f"{name} ({', '.join(dict.fromkeys(part['note']))})"
        for name, part in data.groupby("algorithm", sort=False)
        if all(math.isnan(value) for value in part["mean"])
    ]
    return f"Left out: {alt_texts.named(lacking)}." if lacking else ""
