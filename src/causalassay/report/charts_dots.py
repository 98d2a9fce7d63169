"""Charts of one view: a row for each algorithm, a dot with its interval for each series."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import pandas as pd

from causalassay.report import theme

LANE = 8
"""Pixels of height for each series of a row."""
NEVER = "datum.mean === null"
AnyChart = alt.LayerChart | alt.FacetChart


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
    title : str
        Of the horizontal axis.
    grows : bool
        The series are sizes: coloured from light to dark, joined by a line.
    log : bool
        The axis is logarithmic.
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
    title: str
    grows: bool = False
    log: bool = False
    domain: tuple[float, float] | None = None
    mark: str = ""
    legend: str = ""


def dots(content: Dots) -> alt.LayerChart:
    """Return the chart; it fills the width of what contains it."""
    base = alt.Chart(inline(content.data)).encode(
        y=_rows(content),
        yOffset=alt.YOffset(f"{content.series}:N", sort=list(content.names)),
    )
    x = _value(content)
    colour, shape = _colour(content), _shape(content)
    layers: list[Any] = []
    if content.grows and len(content.names) > 1:
        trail = {"color": theme.QUIET, "strokeWidth": 1}
        order = alt.Order(f"{content.series}:Q")
        layers.append(base.mark_line(**trail).encode(x=x, detail="algorithm:N", order=order))
    if content.mark:
        tick = {"color": theme.INK, "thickness": 2, "size": LANE, "opacity": 0.75}
        layers.append(base.mark_tick(**tick).encode(x=alt.X(f"{content.mark}:Q")))
    spread = base.mark_rule(strokeWidth=1.5).encode(x=alt.X("low:Q"), x2="high:Q", color=colour)
    point = base.mark_point(size=40, strokeWidth=1.5).encode(
        x=x,
        shape=shape,
        color=colour,
        fill=alt.condition(theme.IS_BASELINE, alt.value(theme.PAPER), colour),
        tooltip=_tooltip(content.data),
    )
    lines = max((len(theme.shown(name, content.baselines)) for name in content.rows), default=1)
    height = max(LANE * len(content.names) + 6, theme.LINE * lines + 4)
    return finished(
        alt.layer(*layers, spread, point).properties(
            width="container", height=height * max(len(content.rows), 1)
        ),
        content.baselines,
    )


def inline(data: pd.DataFrame) -> alt.InlineData:
    """Return a table as the data of a chart; what is not a finite number is null."""
    return alt.InlineData(values=records(data))


def records(data: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table as plain values for JSON.

    Examples
    --------
    >>> records(pd.DataFrame({"a": [1.5, float("nan")], "b": ["x", None]}))
    [{'a': 1.5, 'b': 'x'}, {'a': None, 'b': None}]
    """
    kept = data.astype(object).where(data.notna() & ~data.isin([float("inf"), -float("inf")]), None)
    return [{str(name): value for name, value in row.items()} for row in kept.to_dict("records")]


def finished(chart: Any, baselines: Sequence[str], **properties: Any) -> Any:
    """Return a chart with the report's look, and the names of the baselines as a parameter."""
    named = alt.param(name="baselines", value=list(baselines))
    return chart.add_params(named).properties(**properties).configure(**theme.config())


def names_axis(**changes: Any) -> alt.Axis:
    """Return the axis that shows algorithms: whole names, baselines marked."""
    settings = {
        "title": None,
        "labelExpr": theme.LABEL,
        "labelLineHeight": theme.LINE,
        "ticks": False,
        "domain": False,
        "grid": True,
        "tickBand": "extent",
        "labelPadding": 6,
    }
    return alt.Axis(**(settings | changes))


def coloured(field: str, names: Sequence[Any], **legend: Any) -> dict[str, Any]:
    """Return the settings of a channel that tells series apart by their colour."""
    scale = alt.Scale(domain=list(names), range=theme.picked(theme.COLOURS, names))
    return _channel(field, names, scale, legend)


def shaped(field: str, names: Sequence[Any], **legend: Any) -> dict[str, Any]:
    """Return the settings of a channel that tells series apart by their shape."""
    scale = alt.Scale(domain=list(names), range=theme.picked(theme.SHAPES, names))
    return _channel(field, names, scale, legend)


def _channel(
    field: str, names: Sequence[Any], scale: alt.Scale, legend: dict[str, Any]
) -> dict[str, Any]:
    told = alt.Legend(title=legend.get("title") or None, columns=min(len(names), 3))
    return {"shorthand": f"{field}:N", "scale": scale, "legend": told, "sort": list(names)}


def _rows(content: Dots) -> alt.Y:
    return alt.Y("algorithm:N", sort=list(content.rows), axis=names_axis())


def _value(content: Dots) -> alt.X:
    settings: dict[str, Any] = {"zero": True, "nice": True}
    if content.log:
        settings = {"type": "log"}
    if content.domain is not None:
        settings |= {"domain": list(content.domain), "nice": False}
    axis = alt.Axis(tickCount=5, labelFlush=False, labelOverlap=True)
    return alt.X("mean:Q", title=content.title, scale=alt.Scale(**settings), axis=axis)


def _colour(content: Dots) -> alt.Color:
    if content.grows:
        scale = alt.Scale(domain=list(content.names), range=theme.growing(len(content.names)))
        return alt.Color(**_channel(content.series, content.names, scale, {"title": content.legend}))
    return alt.Color(**coloured(content.series, content.names, title=content.legend))


def _shape(content: Dots) -> alt.Shape:
    return alt.Shape(**shaped(content.series, content.names, title=content.legend))


def _tooltip(data: pd.DataFrame) -> list[alt.Tooltip]:
    numbers = data.dtypes == float
    return [
        alt.Tooltip(f"{name}:Q", format=".3~g") if numbers[name] else alt.Tooltip(f"{name}:N")
        for name in data.columns
        if name != "role"
    ]
