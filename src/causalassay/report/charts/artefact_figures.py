"""Figures of the artefacts: the problems' sortabilities."""

from __future__ import annotations

from collections.abc import Iterator

from causalassay.analysis.chart_data import panel_tables
from causalassay.analysis.chart_data.scope import ChartScope
from causalassay.analysis.runs import SCHEME
from causalassay.report.charts import alt_texts
from causalassay.report.charts.figure import Figure, LeftOut
from causalassay.report.charts.panel_charts import SORTABILITIES, sortability_chart


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
    schemes = [scheme for scheme in scope.scheme_names if scheme in set(data[SCHEME])]
    chart = sortability_chart(data, schemes)
    title = "Sortability of the problems"
    alt = alt_texts.describe_sortability(data)
    yield Figure("sortability", "", title, note, alt, chart, data)
