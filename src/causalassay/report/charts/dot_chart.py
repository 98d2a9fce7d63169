"""Charts of one view: a row for each algorithm, a dot with its interval for each series."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import pandas as pd

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
from causalassay.report.charts.chart_size import NARROW

LANE = 8
"""Pixels of height for each series of a row."""
LONGEST_TITLE = 34
"""Letters in a line of the axis' title, which a narrow screen has room for."""


@dataclass(frozen=True)
class Dots:
    """What a chart of dots shows.

    Parameters
    ----------
    data : DataFrame
        With ``algorithm``, ``mean``, ``low``, ``high`` and the column of the series.
    rows : sequence of str
        The algorithms from the top.
    baselines : sequence of str
        Those of them that are baselines: hollow, and labelled so.
    series : str
        Column.
    names : sequence of str
        Its values in their order.
    title : list of str
        Lines of the horizontal axis' title.
    grows : bool
        The series are sizes: coloured from light to dark, joined by a line.
    seconds : bool
        The axis is logarithmic, and of time.
    domain : tuple of float, optional
        Of the axis.
    mark : str
        Column of a second number, drawn as a tick in the lane; none if empty.
    legend : str
        Title of the legend.
    """

    data: pd.DataFrame
    rows: Sequence[str]
    baselines: Sequence[str]
    series: str
    names: Sequence[Any]
    title: list[str]
    grows: bool = False
    seconds: bool = False
    domain: tuple[float, float] | None = None
    mark: str = ""
    legend: str = ""


def draw_dots(content: Dots) -> alt.LayerChart:
    """Return the chart; it fills the width of what contains it."""
    labels = [theme.name_lines(name, content.baselines) for name in content.rows]
    room = NARROW - theme.width_of(labels) - 10
    series = Series(content.series, content.names, room, content.legend, content.grows)
    base, x, colour = alt.Chart(), _value(content), series.colour()
    layers: list[Any] = []
    if content.grows and len(content.names) > 1:
        trail = base.mark_line(color=theme.QUIET, strokeWidth=1)
        order = alt.Order(f"{content.series}:Q")
        layers.append(trail.encode(x=x, detail="algorithm:N", order=order))
    if content.mark:
        tick = base.mark_tick(color=theme.INK, thickness=2, size=LANE, opacity=0.75)
        layers.append(tick.encode(x=alt.X(f"{content.mark}:Q")))
    spread = base.mark_rule(strokeWidth=1.5).encode(x=alt.X("low:Q"), x2="high:Q", color=colour)
    point = base.mark_point(size=40, strokeWidth=1.5, opacity=1).encode(
        x=x,
        shape=series.shape(),
        color=colour,
        fill=alt.condition(theme.IS_BASELINE, alt.value(theme.PAPER), colour),
        tooltip=tooltip("algorithm", content.series, "mean", "low", "high"),
    )
    chart = alt.layer(*layers, spread, point, data=inline(content.data)).encode(
        y=rows_of(content.rows, labels), yOffset=lanes(content.series, content.names)
    )
    height = row_height(LANE * len(content.names), labels) * len(content.rows)
    sized = chart.properties(width="container", height=height)
    return finished(sized, content.data, content.baselines)


def _value(content: Dots) -> alt.X:
    scale = alt.Scale(zero=True)
    axis: dict[str, Any] = {"tickCount": 5, "format": "~r", "labelOverlap": True}
    if content.domain is not None:
        scale = alt.Scale(domain=list(content.domain), zero=False, nice=False)
    if content.seconds:
        powers = _powers_of_ten(content.data)
        scale = alt.Scale(type="log", domain=[powers[0], powers[-1]], nice=False)
        label = "format(datum.value, '~s') + 's'"
        axis = {"values": powers, "labelOverlap": True, "labelExpr": label}
    title = [line for text in content.title for line in textwrap.wrap(text, LONGEST_TITLE)]
    return alt.X("mean:Q", title=title, scale=scale, axis=alt.Axis(**axis))


def _powers_of_ten(data: pd.DataFrame) -> list[float]:
    """Return the powers of ten from below the smallest to above the largest number."""
    low, high = math.log10(data["low"].min()), math.log10(data["high"].max())
    return [10.0**k for k in range(math.floor(low), max(math.ceil(high), math.floor(low) + 1) + 1)]
