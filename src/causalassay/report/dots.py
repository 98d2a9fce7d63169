"""Charts of one view: a row for each algorithm, a dot with its interval for each series."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import pandas as pd

from causalassay.report import theme
from causalassay.report.sizing import NARROW

LANE = 8
"""Pixels of height for each series of a row."""


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
    shown = [theme.shown(name, content.baselines) for name in content.rows]
    room = NARROW - theme.width_of(shown) - 10
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
        y=rows_of(content.rows, shown), yOffset=lanes(content.series, content.names)
    )
    height = row_height(LANE * len(content.names), shown) * len(content.rows)
    sized = chart.properties(width="container", height=height)
    return finished(sized, content.data, content.baselines)


def row_height(series: int, shown: Sequence[Sequence[str]]) -> int:
    """Return the pixels of a row: of its series, or of the label with the most lines."""
    return max(series + 6, theme.LINE * max(map(len, shown), default=1) + 4)


def inline(data: pd.DataFrame) -> alt.InlineData:
    """Return a table as the data of a chart: one record of columns, which it takes apart.

    That is half the size of a record for each row.
    """
    return alt.InlineData(values=[{str(name): _plain(data[name]) for name in data}])


def finished(
    chart: Any, data: pd.DataFrame, baselines: Sequence[str] = (), **properties: Any
) -> Any:
    """Return a chart of `inline` data with the baselines' names as a parameter, and its look."""
    apart = alt.FlattenTransform(flatten=[str(name) for name in data])
    return (
        chart.add_params(alt.param(name="baselines", value=list(baselines)))
        .properties(transform=[apart], **properties)
        .configure(**theme.config())
    )


def _plain(column: pd.Series[Any]) -> list[Any]:
    """Return a column as plain values; what is not a finite number is None."""
    return [
        None if isinstance(value, float) and not math.isfinite(value) else value
        for value in column.tolist()
    ]


def tooltip(*fields: str) -> list[alt.Tooltip]:
    """Return what is shown of a mark that is pointed at."""
    return [alt.Tooltip(field=field) for field in fields]


def _names_axis(most_lines: int) -> alt.Axis:
    """Return the axis that shows algorithms: whole names, baselines marked."""
    settings: dict[str, Any] = {
        "title": None,
        "labelExpr": theme.LABEL,
        "labelLineHeight": theme.LINE,
        # The first line stands at the middle of the row; half of the others' height lifts it.
        "labelOffset": {
            "condition": [
                {"test": f"length({theme.LABEL}) == {n}", "value": (1 - n) * theme.LINE / 2}
                for n in range(2, most_lines + 1)
            ],
            "value": 0,
        },
        "ticks": False,
        "domain": False,
        "grid": True,
        "tickBand": "extent",
        "labelPadding": 6,
    }
    return alt.Axis(**settings)


def rows_of(names: Sequence[str], shown: Sequence[Sequence[str]]) -> alt.Y:
    """Return the vertical channel: a row for each algorithm, from the top; its lines of label."""
    scale = alt.Scale(paddingInner=0, paddingOuter=0)
    axis = _names_axis(max(map(len, shown), default=1))
    return alt.Y("algorithm:N", sort=list(names), axis=axis, scale=scale)


def lanes(field: str, names: Sequence[Any]) -> alt.YOffset:
    """Return the channel that puts the series of a row below each other."""
    scale = alt.Scale(paddingInner=0, paddingOuter=0.4)
    return alt.YOffset(f"{field}:N", sort=list(names), scale=scale)


@dataclass(frozen=True)
class Series:
    """What is told apart by colour and shape.

    Parameters
    ----------
    field : str
        Column.
    names : sequence
        Its values in their order.
    room : int
        Pixels that the legend may take on a narrow screen.
    title : str
        Of the legend; none if empty.
    grows : bool
        The values are sizes: from light to dark.
    """

    field: str
    names: Sequence[Any]
    room: int
    title: str = ""
    grows: bool = False

    def colour(self) -> alt.Color:
        """Return the channel of colour."""
        grown = theme.growing(len(self.names)) if self.grows else None
        return alt.Color(**self._channel(grown or theme.picked(theme.COLOURS, self.names)))

    def shape(self) -> alt.Shape:
        """Return the channel of shape."""
        return alt.Shape(**self._channel(theme.picked(theme.SHAPES, self.names)))

    def dash(self) -> alt.StrokeDash:
        """Return the channel of dashed lines."""
        return alt.StrokeDash(**self._channel(theme.picked(theme.DASHES, self.names)))

    def _channel(self, values: Sequence[Any]) -> dict[str, Any]:
        taken = round(theme.LETTER * len(self.title))
        columns = theme.legend_columns(self.names, self.room - taken)
        return {
            "shorthand": f"{self.field}:N",
            "scale": alt.Scale(domain=list(self.names), range=list(values)),
            "legend": alt.Legend(title=self.title or None, columns=columns),
        }


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
    return alt.X("mean:Q", title=content.title, scale=scale, axis=alt.Axis(**axis))


def _powers_of_ten(data: pd.DataFrame) -> list[float]:
    """Return the powers of ten from below the smallest to above the largest number."""
    low, high = math.log10(data["low"].min()), math.log10(data["high"].max())
    return [10.0**k for k in range(math.floor(low), max(math.ceil(high), math.floor(low) + 1) + 1)]
