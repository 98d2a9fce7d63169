"""The charts of a report: dots with intervals, panels, time against score, and the overview."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from causalassay.analysis.chart_tables import R2, VARIANCE
from causalassay.analysis.report.charts import theme
from causalassay.analysis.report.charts.theme import NARROW, PanelSizes, arrangement


def row_height(series: int, labels: Sequence[Sequence[str]]) -> int:
    """Return the pixels of a row: of its series, or of the label with the most lines."""
    return max(series + 6, theme.LINE * max(map(len, labels), default=1) + 4)


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
    """Return what appears beside a mark that is pointed at."""
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


def rows_of(names: Sequence[str], labels: Sequence[Sequence[str]]) -> alt.Y:
    """Return the vertical channel: a row for each algorithm, from the top; its lines of label."""
    scale = alt.Scale(paddingInner=0, paddingOuter=0)
    axis = _names_axis(max(map(len, labels), default=1))
    return alt.Y("algorithm:N", sort=list(names), axis=axis, scale=scale)


def lanes(field: str, names: Sequence[Any]) -> alt.YOffset:
    """Return the channel that puts the series of a row below each other."""
    scale = alt.Scale(paddingInner=0, paddingOuter=0.4)
    return alt.YOffset(f"{field}:N", sort=list(names), scale=scale)


@dataclass(frozen=True)
class Series:
    """What colours and shapes distinguish.

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


SCATTER_HEIGHT, OVERVIEW_HEIGHT = 340, 380
LINE_SHARE, LETTER_SHARE = 0.06, 0.03
"""Of a narrow chart's height and width, what a line and a letter take."""


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
    return finished(chart.properties(width="container", height=SCATTER_HEIGHT), data, baselines)


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
            abs(up[place] - up[other]) > LINE_SHARE * height
            or abs(across[place] - across[other])
            > LETTER_SHARE * width * letters[place if across[place] < across[other] else other]
            for other in written
        ):
            written.append(place)
    names = [name if i in written else "" for i, name in enumerate(data["algorithm"])]
    return data.assign(name=names)


GROUPS = {
    "robust": theme.COLOURS[2],
    "depends on variances": theme.COLOURS[0],
    "depends on units": theme.COLOURS[1],
    "lead lost": theme.COLOURS[4],
    "no lead found": "#999999",
    "not decided": theme.COLOURS[5],
    "sorting baseline": theme.INK,
    "other baseline": theme.QUIET,
}
"""What colours distinguish: the finding on an algorithm, and baselines."""
SIGNS = (*theme.SHAPES, "triangle-right")
DASHED = ("sorting baseline", "other baseline")


def overview_chart(data: pd.DataFrame, groups: Sequence[str], title: str) -> alt.LayerChart:
    """Return a line across the schemes for each algorithm, coloured by what was found."""
    schemes = list(dict.fromkeys(data["scheme"]))
    axis = alt.Axis(
        title=None,
        labelExpr="split(datum.label, ' ')",
        labelAngle=0,
        labelAlign="center",
        labelBaseline="top",
        labelFontSize=11,
        labelOverlap=False,
        ticks=False,
    )
    x = alt.X("scheme:N", sort=schemes, axis=axis, scale=alt.Scale(type="band"), bandPosition=0.5)
    y = alt.Y("mean:Q", title=title, scale=alt.Scale(zero=True), axis=alt.Axis(tickCount=5))
    legend = alt.Legend(title=None, columns=2)
    colour = alt.Color(
        "group:N",
        scale=alt.Scale(domain=groups, range=[GROUPS[name] for name in groups]),
        legend=legend,
    )
    dashes = [[5, 3] if name in DASHED else [1, 0] for name in groups]
    dash = alt.StrokeDash("group:N", scale=alt.Scale(domain=groups, range=dashes), legend=legend)
    places = [list(GROUPS).index(name) for name in groups]
    shapes = alt.Scale(domain=groups, range=[SIGNS[place] for place in places])
    base = alt.Chart()
    shade = (
        base.transform_filter("datum.artefact")
        .transform_aggregate(groupby=["scheme"])
        .mark_rect(color=theme.COLOURS[1], opacity=0.12)
        .encode(x=alt.X("scheme:N", sort=schemes))
    )
    width = alt.StrokeWidth(
        "mine:O", scale=alt.Scale(domain=[False, True], range=[1.8, 4]), legend=None
    )
    line = base.mark_line(opacity=0.85).encode(
        x=x, y=y, color=colour, strokeDash=dash, strokeWidth=width, detail="algorithm:N"
    )
    point = base.mark_point(filled=True, size=34, opacity=0.9).encode(
        x=x,
        y=y,
        color=colour,
        shape=alt.Shape("group:N", scale=shapes, legend=legend),
        tooltip=tooltip("algorithm", "scheme", "mean", "low", "high", "finding"),
    )
    chart = alt.layer(shade, line, point, data=inline(data))
    low = {"low": {"below": 1056, "height": 220}}
    return finished(chart.properties(width="container", height=OVERVIEW_HEIGHT), data, usermeta=low)
