"""Charts of several panels: sortability by scheme, box plots by graph, scores against a size."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import altair as alt
import pandas as pd

from causalassay.analysis.chart_data.panel_tables import R2, VARIANCE
from causalassay.report.charts import theme
from causalassay.report.charts.chart_parts import (
    Series,
    finished,
    inline,
    lanes,
    row_height,
    rows_of,
    tooltip,
)
from causalassay.report.charts.chart_size import NARROW, PanelSizes, arrangement

SORTABILITIES = {VARIANCE: "var-sortability", R2: "R²-sortability"}
BOX_LANE = 7
MARGIN = 48
"""Pixels of an axis of numbers."""


def sortability_chart(data: pd.DataFrame, schemes: Sequence[str]) -> alt.FacetChart:
    """Return histograms of the problems' sortabilities, a row for each scheme; 1/2 is marked."""
    columns = list(dict.fromkeys(data["diagnostic"]))
    axis = alt.Axis(values=[0, 0.5, 1], format="~g", labelFlush=True)
    bars = (
        alt.Chart()
        .mark_rect(stroke=theme.PAPER, strokeWidth=0.5)
        .encode(
            x=alt.X("from:Q", title=None, axis=axis, scale=alt.Scale(domain=[0, 1])),
            x2="to:Q",
            y=alt.Y("height:Q", axis=None, scale=alt.Scale(domain=[0, 1.25])),
            y2=alt.datum(0),
            color=Series("scheme", schemes, NARROW).colour().legend(None),
            tooltip=tooltip("scheme", "from", "to", "count", "n"),
        )
    )
    half = alt.Chart().mark_rule(color=theme.INK, strokeDash=[3, 3]).encode(x=alt.datum(0.5))
    mean = (
        alt.Chart()
        .mark_point(size=50, shape="triangle-down", filled=True, color=theme.INK, opacity=1)
        .encode(x=alt.X("mean:Q"), y=alt.datum(1.15))
    )
    header = alt.Header(labelAngle=0, labelAlign="left", labelPadding=4)
    return finished(
        alt.layer(bars, half, mean)
        .properties(width=100, height=48)
        .facet(
            row=alt.Row("scheme:N", sort=list(schemes), title=None, header=header),
            column=alt.Column("diagnostic:N", sort=columns, title=None),
            data=inline(data),
        ),
        data,
        spacing={"row": 10, "column": 24},
        usermeta=PanelSizes(len(columns), 20, 90, 24, list(schemes), columns).to_meta(),
    )


def box_chart(
    data: pd.DataFrame, rows: Sequence[str], baselines: Sequence[str], title: str
) -> alt.FacetChart:
    """Return box plots of computed quartiles, a panel for each graph family and size."""
    schemes = list(dict.fromkeys(data["scheme"]))
    panel = list(dict.fromkeys(data["panel"]))
    labels = [theme.name_lines(name, baselines) for name in rows]
    series = Series("scheme", schemes, NARROW - theme.width_of(labels) - 10)
    base = alt.Chart()
    axis = alt.Axis(title=None, tickCount=3, format="~r", labelOverlap=True)
    x = alt.X("low:Q", axis=axis, scale=alt.Scale(zero=True))
    whisker = base.mark_rule(strokeWidth=1).encode(x=x, x2="high:Q")
    box = base.mark_bar(size=BOX_LANE - 2, opacity=0.45).encode(x=alt.X("q1:Q"), x2="q3:Q")
    median = base.mark_point(size=22, filled=True, opacity=1).encode(
        x=alt.X("median:Q"),
        shape=series.shape(),
        tooltip=tooltip("algorithm", "scheme", "panel", "q1", "median", "q3", "n"),
    )
    chart = alt.layer(whisker, box, median).encode(
        y=rows_of(rows, labels), yOffset=lanes("scheme", schemes), color=series.colour()
    )
    height = row_height(BOX_LANE * len(schemes), labels) * len(rows)
    header = alt.Header(labelExpr=_LINES, labelLineHeight=theme.LINE)
    drawn = _wrapped(
        chart.properties(width=100, height=height),
        alt.Facet("panel:N", sort=panel, title=title, header=header),
        data,
        baselines,
        PanelSizes(len(panel), 28, 100, 20, _lines(labels), _lines(map(theme.wrapped, panel))),
    )
    return drawn.resolve_scale(x="independent") if own_axes(data) else drawn


def own_axes(data: pd.DataFrame) -> bool:
    """Return whether panels of box plots need axes of their own: some would be too small to read.

    Examples
    --------
    >>> own_axes(pd.DataFrame({"panel": ["5 nodes", "50 nodes"], "high": [9.0, 900.0]}))
    True
    """
    reach = data.groupby("panel")["high"].max()
    return bool(reach.max() > 2 * reach.min())


def line_chart(
    data: pd.DataFrame, rows: Sequence[str], baselines: Sequence[str], title: str
) -> alt.FacetChart:
    """Return means with intervals against a size, a panel for each algorithm."""
    schemes = list(dict.fromkeys(data["scheme"]))
    series, base = Series("scheme", schemes, NARROW - MARGIN), alt.Chart()
    axis = alt.Axis(title=None, tickCount=4, format="~r")
    y = alt.Y("mean:Q", axis=axis, scale=alt.Scale(zero=True))
    line = base.mark_line(strokeWidth=1.5).encode(y=y, strokeDash=series.dash())
    spread = base.mark_rule(strokeWidth=1).encode(y=alt.Y("low:Q"), y2="high:Q")
    point = base.mark_point(size=30, filled=True, opacity=1).encode(
        y=y,
        shape=series.shape(),
        tooltip=tooltip("algorithm", "scheme", "at", "mean", "low", "high", "n"),
    )
    chart = alt.layer(line, spread, point).encode(
        x=_sizes(sorted(set(data["at"]))), color=series.colour()
    )
    header = alt.Header(labelExpr=theme.LABEL, labelLineHeight=theme.LINE)
    headings = [theme.name_lines(name, baselines) for name in rows]
    return _wrapped(
        chart.properties(width=110, height=80),
        alt.Facet("algorithm:N", sort=list(rows), title=title, header=header),
        data,
        baselines,
        PanelSizes(min(len(rows), 6), MARGIN, 110, 22, (), _lines(headings)),
    )


_LINES = theme.breaking("(datum.label)")


def _lines(texts: Iterable[Sequence[str]]) -> list[str]:
    return [line for lines in texts for line in lines]


def _sizes(at: Sequence[float]) -> alt.X:
    """Return the channel of a size: logarithmic where it spans more than a factor of four."""
    low, high = min(at), max(at)
    log = low > 0 and high > 4 * low
    room = 0.08 * (high - low)
    domain = [low / 1.15, high * 1.15] if log else [low - room, high + room]
    scale = alt.Scale(type="log" if log else "linear", domain=domain, nice=False)
    axis = alt.Axis(values=list(at), format="~s", labelOverlap="greedy", grid=False)
    return alt.X("at:Q", title=None, scale=scale, axis=axis)


def _wrapped(
    chart: alt.LayerChart,
    facet: alt.Facet,
    data: pd.DataFrame,
    baselines: Sequence[str],
    sizes: PanelSizes,
) -> alt.FacetChart:
    columns, _ = arrangement(sizes, NARROW, wraps=True)
    # Shared axes would stand below panels that a last row does not have.
    panels = chart.facet(facet=facet, columns=columns, data=inline(data))
    apart = panels.resolve_axis(x="independent")
    return finished(apart, data, baselines, spacing=sizes.gap, usermeta=sizes.to_meta())
