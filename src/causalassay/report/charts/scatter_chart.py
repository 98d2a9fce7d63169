"""A chart of time against score: a sign with its name for each algorithm."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import pandas as pd

from causalassay.report.charts import theme
from causalassay.report.charts.chart_parts import finished, inline, tooltip

HEIGHT = 340


def draw_scatter(data: pd.DataFrame, baselines: Sequence[str], title: str) -> alt.LayerChart:
    """Return the chart; it fills the width of what contains it."""
    base = alt.Chart()
    label = "format(datum.value, '~s') + 's'"
    axis = alt.Axis(labelExpr=label, tickCount=5, labelOverlap=True)
    scale = alt.Scale(type="log", padding=60)
    x = alt.X("seconds:Q", title="median time of discovery", axis=axis, scale=scale)
    y = alt.Y("mean:Q", title=title, scale=alt.Scale(zero=True), axis=alt.Axis(tickCount=5))
    colour = alt.condition(theme.IS_BASELINE, alt.value(theme.QUIET), alt.value(theme.COLOURS[2]))
    spread = base.mark_rule(strokeWidth=1, opacity=0.5).encode(
        x=x, y=alt.Y("low:Q"), y2="high:Q", color=colour
    )
    point = base.mark_point(size=45, strokeWidth=1.5, opacity=1).encode(
        x=x,
        y=y,
        color=colour,
        fill=alt.condition(theme.IS_BASELINE, alt.value(theme.PAPER), alt.value(theme.COLOURS[2])),
        tooltip=tooltip("algorithm", "seconds", "mean", "low", "high"),
    )
    name = base.mark_text(align="left", dx=7, dy=-4, fontSize=10, color=theme.INK).encode(
        x=x, y=y, text="algorithm:N"
    )
    chart = alt.layer(spread, point, name, data=inline(data))
    return finished(chart.properties(width="container", height=HEIGHT), data, baselines)
