"""The charts of a report: dots with intervals, panels, time against score, and the overview.

Every series has a shape and a dash of its own beside its colour, so that a grey print tells them
apart. Each function returns a chart whose one data set is the table that it was given.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from causalassay.judging.findings import FindingKind
from causalassay.present import charts as look
from causalassay.present.charts import COLOURS, INK, LINE, NARROW, PAPER, QUIET, PanelSizes
from causalassay.present.colours import light

KNOWN = ("raw", "standardized", "iSCM", "UUMC")
"""Schemes whose style is the same in every report."""
MARKED = "(indexof(baselines, datum.value) < 0 ? '' : ' (baseline)')"
"""Reads the chart's parameter ``baselines``: names stay data, never part of an expression.

Vega-Lite replaces ``datum.label`` once in the label of a panel, hence ``datum.value`` here.
"""
LABEL = look.breaking(f"(datum.label) + {MARKED}")
IS_BASELINE = "indexof(baselines, datum.algorithm) >= 0"

LANE, BOX_LANE = 8, 7
"""Pixels of height for each series of a row."""
LONGEST_TITLE = 34
"""Letters in a line of the axis' title, which a narrow screen has room for."""
MARGIN = 48
"""Pixels of an axis of numbers."""
SCATTER_HEIGHT, OVERVIEW_HEIGHT, CURVE_HEIGHT = 340, 380, 220
FEW_LINES = 8
"""Algorithms in a panel up to which their intervals are drawn strongly."""
OVERVIEW_WIDTH = 300
"""Pixels of the first screen's picture where it stands beside the table."""
LINE_SHARE, LETTER_SHARE = 0.06, 0.03
"""The shares of a narrow chart's height and width that a line and a letter take."""

(UNDECIDED,) = light("undecided")
FINDING_COLOURS = {
    FindingKind.ROBUST: COLOURS[2],
    FindingKind.SKELETON_LEAD: COLOURS[3],
    FindingKind.VARIANCE_ORDER: COLOURS[0],
    FindingKind.UNITS: COLOURS[1],
    FindingKind.LEAD_LOST: COLOURS[4],
    FindingKind.NO_LEAD: UNDECIDED,
}
"""Groups of main findings; those of the others count as not decided."""
GROUPS = {
    **{kind.group_label: colour for kind, colour in FINDING_COLOURS.items()},
    "not decided": COLOURS[5],
    "sorting baseline": INK,
    "other baseline": QUIET,
}
"""What the colours of the overview distinguish: the finding on an algorithm, and baselines."""
SIGNS = (*look.SHAPES, "triangle-right", "wedge")
DASHED = ("sorting baseline", "other baseline")


def style_of(names: Sequence[str]) -> dict[str, int]:
    """Return each series' index in the palette; known schemes have their own, others follow.

    Examples
    --------
    >>> style_of(["iSCM", "raw", "SNR"])
    {'iSCM': 2, 'raw': 0, 'SNR': 4}
    >>> style_of(["shd", "sid"])
    {'shd': 0, 'sid': 1}
    """
    others = [name for name in names if name not in KNOWN]
    free = len(KNOWN) if len(others) < len(names) else 0
    return {n: KNOWN.index(n) if n in KNOWN else free + others.index(n) for n in names}


def name_lines(name: str, baselines: Sequence[str]) -> list[str]:
    """Return the lines under which a chart shows an algorithm."""
    return look.wrapped(name + (" (baseline)" if name in baselines else ""))


def _layered(data: pd.DataFrame, *layers: Any) -> Any:
    """Return layers of a table, which is inlined as one record of columns.

    The chart takes that record apart; it is half the size of a record for each row.
    """
    columns = {
        str(name): [
            None if isinstance(value, float) and not math.isfinite(value) else value
            for value in data[name].tolist()
        ]
        for name in data
    }
    return alt.layer(*layers, data=alt.InlineData(values=[columns]))


def _finished(
    chart: Any, data: pd.DataFrame, baselines: Sequence[str] = (), **properties: Any
) -> Any:
    """Return a chart of `_layered` data with the baselines' names as a parameter, and its look."""
    apart = alt.FlattenTransform(flatten=[str(name) for name in data])
    return (
        chart.add_params(alt.param(name="baselines", value=list(baselines)))
        .properties(transform=[apart], **properties)
        .configure(**look.config())
    )


def _tooltip(*fields: str) -> list[alt.Tooltip]:
    return [alt.Tooltip(field=field) for field in fields]


def _series(
    field: str, names: Sequence[Any], room: int, title: str = "", *, grow: bool = False
) -> tuple[alt.Color, alt.Shape, alt.StrokeDash]:
    """Return the colours, shapes and dashes of series, with a legend of so many pixels.

    Series that grow are sizes: coloured from light to dark.
    """
    columns = look.legend_columns(names, room - round(look.LETTER * len(title)))
    legend = alt.Legend(title=title or None, columns=columns)

    def channel(kind: Any, palette: Sequence[Any]) -> Any:
        picked = [palette[index % len(palette)] for index in style_of(names).values()]
        if grow and kind is alt.Color:
            picked = look.growing(len(names))
        scale = alt.Scale(domain=list(names), range=picked)
        return kind(shorthand=f"{field}:N", scale=scale, legend=legend)

    kinds = ((alt.Color, COLOURS), (alt.Shape, look.SHAPES), (alt.StrokeDash, look.DASHES))
    colour, shape, dash = (channel(kind, palette) for kind, palette in kinds)
    return colour, shape, dash


def _rows(
    names: Sequence[str], labels: Sequence[Sequence[str]], field: str, series: Sequence[Any]
) -> dict[str, Any]:
    """Return the channels of a row for each algorithm, the series of a row below each other."""
    axis: dict[str, Any] = {
        "title": None,
        "labelExpr": LABEL,
        "labelLineHeight": LINE,
        # The first line stands at the middle of the row; half of the others' height lifts it.
        "labelOffset": {
            "condition": [
                {"test": f"length({LABEL}) == {n}", "value": (1 - n) * LINE / 2}
                for n in range(2, max(map(len, labels), default=1) + 1)
            ],
            "value": 0,
        },
        "ticks": False,
        "domain": False,
        "grid": True,
        "tickBand": "extent",
        "labelPadding": 6,
    }
    close = alt.Scale(paddingInner=0, paddingOuter=0)
    lanes = alt.Scale(paddingInner=0, paddingOuter=0.4)
    return {
        "y": alt.Y("algorithm:N", sort=list(names), axis=alt.Axis(**axis), scale=close),
        "yOffset": alt.YOffset(f"{field}:N", sort=list(series), scale=lanes),
    }


def _height(n_rows: int, series: int, labels: Sequence[Sequence[str]]) -> int:
    """Return the pixels of all rows: each of its series, or of the label with the most lines."""
    return n_rows * max(series + 6, LINE * max(map(len, labels), default=1) + 4)


def dots(  # noqa: PLR0913  all that such a chart has
    data: pd.DataFrame,
    rows: Sequence[str],
    baselines: Sequence[str],
    series: str,
    names: Sequence[Any],
    title: Sequence[str],
    *,
    times: bool = False,
    domain: tuple[float, float] | None = None,
    mark: str = "",
    legend: str = "",
) -> alt.LayerChart:
    """Return means with intervals, a row for each algorithm and a lane for each series.

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
    names : sequence
        Its values in their order.
    title : sequence of str
        Lines of the horizontal axis' title.
    times : bool
        The axis is logarithmic and of time, and the series are sizes: coloured from light to dark,
        joined by a line.
    domain : tuple of float, optional
        The ends of the axis.
    mark : str
        Column of a second number, drawn as a tick in the lane; none if empty.
    legend : str
        Title of the legend.
    """
    labels = [name_lines(name, baselines) for name in rows]
    room = NARROW - look.width_of(labels) - 10
    colour, shape, _ = _series(series, names, room, legend, grow=times)
    scale = alt.Scale(zero=True)
    axis: dict[str, Any] = {"tickCount": 5, "format": "~r", "labelOverlap": True}
    if domain is not None:
        scale = alt.Scale(domain=list(domain), zero=False, nice=False)
    if times:
        powers = _powers_of_ten(data)
        scale = alt.Scale(type="log", domain=[powers[0], powers[-1]], nice=False)
        axis = {"values": powers, "labelOverlap": True, "labelExpr": SECONDS}
    lines = [line for text in title for line in textwrap.wrap(text, LONGEST_TITLE)]
    x = alt.X("mean:Q", title=lines, scale=scale, axis=alt.Axis(**axis))
    base = alt.Chart()
    layers: list[Any] = []
    if times and len(names) > 1:
        trail, order = base.mark_line(color=QUIET, strokeWidth=1), alt.Order(f"{series}:Q")
        layers.append(trail.encode(x=x, detail="algorithm:N", order=order))
    if mark:
        tick = base.mark_tick(color=INK, thickness=2, size=LANE, opacity=0.75)
        layers.append(tick.encode(x=alt.X(f"{mark}:Q")))
    spread = base.mark_rule(strokeWidth=1.5).encode(x=alt.X("low:Q"), x2="high:Q", color=colour)
    point = base.mark_point(size=40, strokeWidth=1.5, opacity=1).encode(
        x=x,
        shape=shape,
        color=colour,
        fill=alt.condition(IS_BASELINE, alt.value(PAPER), colour),
        tooltip=_tooltip("algorithm", series, "mean", "low", "high"),
    )
    chart = _layered(data, *layers, spread, point).encode(**_rows(rows, labels, series, names))
    height = _height(len(rows), LANE * len(names), labels)
    return _finished(chart.properties(width="container", height=height), data, baselines)


SECONDS = "replace(format(datum.value, '~s'), regexp('([a-zµ]?)$'), ' $1') + 's'"
"""A time with its unit after a space: 20 ms."""


def _powers_of_ten(data: pd.DataFrame) -> list[float]:
    """Return the powers of ten from below the smallest to above the largest number."""
    low, high = math.log10(data["low"].min()), math.log10(data["high"].max())
    return [10.0**k for k in range(math.floor(low), max(math.ceil(high), math.floor(low) + 1) + 1)]


def round_times(low: float, high: float) -> list[float]:
    """Return the powers of ten between two times, and 2 and 5 times these if they are near.

    Examples
    --------
    >>> round_times(0.0015, 0.06), round_times(0.5, 2000.0)
    ([0.002, 0.005, 0.01, 0.02, 0.05], [1.0, 10.0, 100.0, 1000.0])
    """
    multiples = (1, 2, 5) if high < 1000 * low else (1,)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    every = (float(f"{multiple}e{power}") for power in powers for multiple in multiples)
    return [time for time in every if low <= time <= high]


def histograms(data: pd.DataFrame, schemes: Sequence[str]) -> alt.FacetChart:
    """Return histograms of the problems' sortabilities, a row for each scheme; 1/2 is marked."""
    columns = list(dict.fromkeys(data["diagnostic"]))
    axis = alt.Axis(values=[0, 0.5, 1], format="~g", labelFlush=True)
    colour, *_ = _series("scheme", schemes, NARROW)
    base = alt.Chart()
    bars = base.mark_rect(stroke=PAPER, strokeWidth=0.5).encode(
        x=alt.X("from:Q", title=None, axis=axis, scale=alt.Scale(domain=[0, 1])),
        x2="to:Q",
        y=alt.Y("height:Q", axis=None, scale=alt.Scale(domain=[0, 1.25])),
        y2=alt.datum(0),
        color=colour.legend(None),
        tooltip=_tooltip("scheme", "from", "to", "count", "n"),
    )
    half = base.mark_rule(color=INK, strokeDash=[3, 3]).encode(x=alt.datum(0.5))
    triangle = base.mark_point(size=50, shape="triangle-down", filled=True, color=INK, opacity=1)
    mean = triangle.encode(x=alt.X("mean:Q"), y=alt.datum(1.15))
    header = alt.Header(labelAngle=0, labelAlign="left", labelPadding=4)
    panels = _layered(data, bars, half, mean).properties(width=100, height=48)
    return _finished(
        panels.facet(
            row=alt.Row("scheme:N", sort=list(schemes), title=None, header=header),
            column=alt.Column("diagnostic:N", sort=columns, title=None),
        ),
        data,
        spacing={"row": 10, "column": 24},
        usermeta=PanelSizes(len(columns), 20, 90, 24, list(schemes), columns).to_meta(),
    )


def boxes(
    data: pd.DataFrame, rows: Sequence[str], baselines: Sequence[str], title: str
) -> alt.FacetChart:
    """Return box plots of computed quartiles, a panel for each graph family and size."""
    schemes, panels = (list(dict.fromkeys(data[name])) for name in ("scheme", "panel"))
    labels = [name_lines(name, baselines) for name in rows]
    colour, shape, _ = _series("scheme", schemes, NARROW - look.width_of(labels) - 10)
    base = alt.Chart()
    axis = alt.Axis(title=None, tickCount=3, format="~r", labelOverlap=True)
    x = alt.X("low:Q", axis=axis, scale=alt.Scale(zero=True))
    whisker = base.mark_rule(strokeWidth=1).encode(x=x, x2="high:Q")
    box = base.mark_bar(size=BOX_LANE - 2, opacity=0.45).encode(x=alt.X("q1:Q"), x2="q3:Q")
    median = base.mark_point(size=22, filled=True, opacity=1).encode(
        x=alt.X("median:Q"),
        shape=shape,
        tooltip=_tooltip("algorithm", "scheme", "panel", "q1", "median", "q3", "n"),
    )
    chart = _layered(data, whisker, box, median).encode(
        **_rows(rows, labels, "scheme", schemes), color=colour
    )
    height = _height(len(rows), BOX_LANE * len(schemes), labels)
    header = alt.Header(labelExpr=look.breaking("(datum.label)"), labelLineHeight=LINE)
    headings = _lines(map(look.wrapped, panels))
    drawn = _wrapped(
        chart.properties(width=100, height=height),
        alt.Facet("panel:N", sort=panels, title=title, header=header),
        data,
        baselines,
        PanelSizes(len(panels), 28, 100, 20, _lines(labels), headings),
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


def curves(
    data: pd.DataFrame,
    rows: Sequence[str],
    baselines: Sequence[str],
    mine: Sequence[str],
    titles: tuple[str, str],
) -> alt.FacetChart:
    """Return means with intervals against a size: a panel for each scheme, algorithms as lines.

    Parameters
    ----------
    data : DataFrame
        With ``scheme``, ``algorithm``, ``at``, ``mean``, ``low`` and ``high``.
    rows : sequence of str
        The algorithms in the order of the legend.
    baselines, mine : sequence of str
        Those of them that are baselines: grey; and the user's own: thick.
    titles : (str, str)
        Of the axis of sizes, and of the scores.
    """
    schemes = list(dict.fromkeys(data["scheme"]))
    colour, shape, dash = _algorithm_styles(rows, baselines)
    picked = alt.selection_point(name="picked", fields=["algorithm"], bind="legend")
    base = alt.Chart()
    axis = alt.Axis(title=None, tickCount=4, format="~r")
    y = alt.Y("mean:Q", axis=axis, scale=alt.Scale(zero=True))

    def seen(opacity: float) -> Any:
        return alt.condition(picked, alt.value(opacity), alt.value(0.08))

    own = alt.FieldOneOfPredicate(field="algorithm", oneOf=list(mine))
    line = base.mark_line().encode(
        y=y,
        strokeDash=dash,
        strokeWidth=alt.condition(own, alt.value(3.2), alt.value(1.5)),
        opacity=seen(1.0),
    )
    spread = base.mark_rule(strokeWidth=1).encode(
        y=alt.Y("low:Q"), y2="high:Q", opacity=seen(0.8 if len(rows) <= FEW_LINES else 0.4)
    )
    point = base.mark_point(size=34, filled=True).encode(
        y=y,
        shape=shape,
        opacity=seen(1.0),
        tooltip=_tooltip("algorithm", "scheme", "at", "mean", "low", "high", "n"),
    )
    chart = _layered(data, line, spread, point).encode(
        x=_sizes(data["at"], titles[0]), color=colour
    )
    chart = chart.add_params(picked)
    header = alt.Header(labelExpr=look.breaking("(datum.label)"), labelLineHeight=LINE)
    sizes = PanelSizes(
        min(len(schemes), 3), MARGIN, 150, 22, (), _lines(map(look.wrapped, schemes))
    )
    labels = [f"{name} (baseline)" if name in baselines else name for name in rows]
    return _wrapped(
        chart.properties(width=150, height=CURVE_HEIGHT),
        alt.Facet("scheme:N", sort=schemes, title=titles[1], header=header),
        data,
        baselines,
        sizes,
        labels,
    )


def _algorithm_styles(
    names: Sequence[str], baselines: Sequence[str]
) -> tuple[alt.Color, alt.Shape, alt.StrokeDash]:
    """Return colours, shapes and dashes of which no two algorithms have the same three.

    Six colours and seven shapes are used in turn, so up to 42 algorithms differ in one of them;
    baselines are grey and differ in shape and dash.
    """
    listed = [name for name in names if name not in baselines]
    drawn = [name for name in COLOURS if name != INK]
    colours = {name: drawn[index % len(drawn)] for index, name in enumerate(listed)}
    places = {name: index for group in (listed, baselines) for index, name in enumerate(group)}
    legend = alt.Legend(
        title=None,
        columns=look.legend_columns(names, NARROW),
        labelExpr=f"datum.label + {MARKED}",
    )

    def channel(kind: Any, values: Sequence[Any]) -> Any:
        return kind("algorithm:N", scale=alt.Scale(domain=list(names), range=values), legend=legend)

    return (
        channel(alt.Color, [colours.get(name, QUIET) for name in names]),
        channel(alt.Shape, [look.SHAPES[places[name] % len(look.SHAPES)] for name in names]),
        channel(alt.StrokeDash, [look.DASHES[places[name] % len(look.DASHES)] for name in names]),
    )


def _lines(texts: Iterable[Sequence[str]]) -> list[str]:
    return [line for lines in texts for line in lines]


def _sizes(column: pd.Series[Any], title: str) -> alt.X:
    """Return the channel of a size: logarithmic where it spans more than a factor of four."""
    at = sorted(set(column))
    low, high = at[0], at[-1]
    log = low > 0 and high > 4 * low
    room = 0.08 * (high - low)
    domain = [low / 1.15, high * 1.15] if log else [low - room, high + room]
    scale = alt.Scale(type="log" if log else "linear", domain=domain, nice=False)
    axis = alt.Axis(values=at, format="~s", labelOverlap="greedy", grid=False)
    return alt.X("at:Q", title=title, scale=scale, axis=axis)


def _wrapped(
    chart: alt.LayerChart,
    facet: alt.Facet,
    data: pd.DataFrame,
    baselines: Sequence[str],
    sizes: PanelSizes,
    series: Sequence[str] = (),
) -> alt.FacetChart:
    """Return panels in as many rows as they need; their legend of series is fitted, too."""
    columns, _ = look.arrangement(sizes, NARROW, wraps=True)
    # Shared axes would stand below panels that a last row does not have.
    apart = chart.facet(facet=facet, columns=columns).resolve_axis(x="independent")
    fitting = sizes.to_meta() | ({"series": list(series)} if series else {})
    return _finished(apart, data, baselines, spacing=sizes.gap, usermeta=fitting)


def scatter(data: pd.DataFrame, baselines: Sequence[str], title: str) -> alt.LayerChart:
    """Return scores against times, with names beside the signs."""
    base = alt.Chart()
    ticks = round_times(float(data["seconds"].min()), float(data["seconds"].max()))
    placed = {"values": ticks} if len(ticks) > 1 else {"tickCount": 5}
    axis = alt.Axis(labelExpr=SECONDS, labelOverlap=True, **placed)
    scale = alt.Scale(type="log", padding=60, nice=False)
    x = alt.X("seconds:Q", title="median time of discovery", axis=axis, scale=scale)
    y = alt.Y("mean:Q", title=title, scale=alt.Scale(zero=True), axis=alt.Axis(tickCount=5))
    blue = alt.value(COLOURS[2])
    colour = alt.condition(IS_BASELINE, alt.value(QUIET), blue)
    spread = base.mark_rule(strokeWidth=1, opacity=0.5).encode(
        x=x, y=alt.Y("low:Q"), y2="high:Q", color=colour
    )
    point = base.mark_point(size=45, strokeWidth=1.5, opacity=1).encode(
        x=x,
        y=y,
        color=colour,
        fill=alt.condition(IS_BASELINE, alt.value(PAPER), blue),
        tooltip=_tooltip("algorithm", "seconds", "mean", "low", "high"),
    )
    name = base.mark_text(align="left", dx=7, dy=-4, fontSize=10, color=INK).encode(
        x=x, y=y, text="name:N"
    )
    chart = _layered(data, spread, point, name)
    return _finished(chart.properties(width="container", height=SCATTER_HEIGHT), data, baselines)


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
    for index in range(len(data)):
        if all(
            abs(up[index] - up[other]) > LINE_SHARE * height
            or abs(across[index] - across[other])
            > LETTER_SHARE * width * letters[index if across[index] < across[other] else other]
            for other in written
        ):
            written.append(index)
    names = [name if i in written else "" for i, name in enumerate(data["algorithm"])]
    return data.assign(name=names)


def reliability(data: pd.DataFrame, algorithms: Sequence[str]) -> alt.LayerChart:
    """Return the share of true edges against the probability of them, beside the diagonal."""
    base = alt.Chart()
    ends = alt.Scale(domain=[0, 1])
    axis = alt.Axis(tickCount=5, format=".1f")
    x = alt.X("probability:Q", title="probability of an edge", scale=ends, axis=axis)
    y = alt.Y("share:Q", title="share of true edges", scale=ends, axis=axis)
    colour, shape, dash = _series("algorithm", algorithms, NARROW)
    diagonal = (
        base.transform_aggregate(n="count()")
        .mark_rule(color=QUIET, strokeDash=[4, 3])
        .encode(x=alt.XDatum(0, scale=ends), x2=alt.X2Datum(1), y=alt.YDatum(0), y2=alt.Y2Datum(1))
    )
    line = base.mark_line(opacity=0.85).encode(x=x, y=y, color=colour, strokeDash=dash)
    point = base.mark_point(filled=True, size=50, opacity=1).encode(
        x=x,
        y=y,
        color=colour,
        shape=shape,
        tooltip=_tooltip("algorithm", "probability", "share", "pairs"),
    )
    chart = _layered(data, diagonal, line, point)
    return _finished(chart.properties(width="container", height=SCATTER_HEIGHT), data)


def overview(data: pd.DataFrame, groups: Sequence[str], title: str) -> alt.LayerChart:
    """Return a line across the schemes for each algorithm, coloured by what was found."""
    schemes = list(dict.fromkeys(data["scheme"]))
    # A word to a line, if the longest has room between its neighbours; else slanted names.
    longest = max(len(word) for scheme in schemes for word in scheme.split())
    if longest * look.LETTER <= OVERVIEW_WIDTH / len(schemes):
        names: dict[str, Any] = {"labelExpr": "split(datum.label, ' ')", "labelAngle": 0}
        names |= {"labelAlign": "center", "labelBaseline": "top"}
    else:
        names = {"labelAngle": -40, "labelAlign": "right", "labelLimit": 150, "labelPadding": 8}
    axis = alt.Axis(title=None, labelFontSize=11, labelOverlap=False, ticks=False, **names)
    x = alt.X("scheme:N", sort=schemes, axis=axis, scale=alt.Scale(type="band"), bandPosition=0.5)
    y = alt.Y("mean:Q", title=title, scale=alt.Scale(zero=True), axis=alt.Axis(tickCount=5))

    def by_group(kind: Any, values: dict[str, Any]) -> Any:
        scale = alt.Scale(domain=list(groups), range=[values[name] for name in groups])
        # The outline of a sign would take the dashes of its line.
        legend = alt.Legend(title=None, columns=2, symbolStrokeWidth=0)
        return kind("group:N", scale=scale, legend=legend)

    colour = by_group(alt.Color, GROUPS)
    dashes = {name: [5, 3] if name in DASHED else [1, 0] for name in GROUPS}
    width = alt.Scale(domain=[False, True], range=[1.8, 4])
    base = alt.Chart()
    shade = (
        base.transform_filter("datum.artefact")
        .transform_aggregate(groupby=["scheme"])
        .mark_rect(color=COLOURS[1], opacity=0.12)
        .encode(x=alt.X("scheme:N", sort=schemes))
    )
    line = base.mark_line(opacity=0.85).encode(
        x=x,
        y=y,
        color=colour,
        strokeDash=by_group(alt.StrokeDash, dashes),
        strokeWidth=alt.StrokeWidth("mine:O", scale=width, legend=None),
        detail="algorithm:N",
    )
    point = base.mark_point(filled=True, size=34, opacity=0.9).encode(
        x=x,
        y=y,
        color=colour,
        shape=by_group(alt.Shape, dict(zip(GROUPS, SIGNS, strict=True))),
        tooltip=_tooltip("algorithm", "scheme", "mean", "low", "high", "finding"),
    )
    chart = _layered(data, shade, line, point)
    low = {"low": {"below": 1056, "height": 220}}
    return _finished(
        chart.properties(width="container", height=OVERVIEW_HEIGHT), data, usermeta=low
    )
