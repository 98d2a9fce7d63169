"""A chart of time against score: a sign with its name for each algorithm."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import numpy as np
import pandas as pd

from causalassay.report.charts import theme
from causalassay.report.charts.chart_parts import finished, inline, tooltip

HEIGHT = 340
LINE, LETTER = 0.06, 0.03
"""Shares of a narrow chart's height and width that a line and a letter take."""


def draw_scatter(data: pd.DataFrame, baselines: Sequence[str], title: str) -> alt.LayerChart:
    """Return the chart; it fills the width of what contains it."""
    base = alt.Chart()
    label = "format(datum.value, '~s') + 's'"
    axis = alt.Axis(labelExpr=label, tickCount=5, labelOverlap=True)
    scale = alt.Scale(type="log", padding=60, nice=False)
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
        x=x, y=y, text="name:N"
    )
    chart = alt.layer(spread, point, name, data=inline(data))
    return finished(chart.properties(width="container", height=HEIGHT), data, baselines)


def with_names(data: pd.DataFrame) -> pd.DataFrame:
    """Return the data with the name that is written beside each sign; none where two would meet.

    Examples
    --------
    >>> places = {"seconds": [1.0, 1.1, 9.0], "mean": [0.5, 0.5, 0.1], "high": [0.6, 0.6, 0.2]}
    >>> with_names(pd.DataFrame({"algorithm": ["a", "b", "c"], **places}))["name"].tolist()
    ['a', '', 'c']
    """
    across = np.log10(data["seconds"].to_numpy(dtype=float))
    up = data["mean"].to_numpy(dtype=float)
    width = max(float(np.ptp(across)), 1e-9)
    height = max(float(np.nanmax([*data["high"], *up])) - min(float(up.min()), 0.0), 1e-9)
    letters = [len(name) + 2 for name in data["algorithm"]]
    written: list[int] = []
    for place in range(len(data)):
        if all(
            abs(up[place] - up[other]) > LINE * height
            or abs(across[place] - across[other])
            > LETTER * width * letters[place if across[place] < across[other] else other]
            for other in written
        ):
            written.append(place)
    names = [name if i in written else "" for i, name in enumerate(data["algorithm"])]
    return data.assign(name=names)
