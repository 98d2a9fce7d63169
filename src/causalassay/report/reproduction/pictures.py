"""Redrawn figures as SVG."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import altair as alt
import pandas as pd
import vl_convert

from causalassay.report.charts import theme
from causalassay.reproducing.pictures import Draw, Picture

WIDTH, HEIGHT = 300, 220
MOST_TICKS = 12
NARROW = 220
"""Width of a panel where three stand in a line."""
MOST_BY_TWO = 4
"""Panels of which two stand in a line; of more, three do."""

CONTRAST = (2, 3, 1, 4, 5, 0, 6)
"""Colours in an order in which the first few differ most; black, of medians, comes last."""
LONG_LABEL = 4
"""Letters of a name on the axis from which on names are slanted."""

BESIDE, BELOW = 70, 70
"""Pixels between panels: for an axis of numbers with its title."""
SLANT = 0.7
"""Height of a slanted name as a share of its length."""

Chart = alt.Chart | alt.LayerChart | alt.FacetChart


def picture_svg(picture: Picture) -> str:
    """Return a picture; its panels stand beside each other, with one legend under them all."""
    shown = picture.data.dropna(subset="y")
    groups = list(shown.groupby("panel", sort=False))
    columns = 3 if len(groups) == 3 or len(groups) > MOST_BY_TWO else 2
    width = WIDTH if columns == 2 else NARROW
    colour = _colour(list(dict.fromkeys(shown["series"])), columns * width)
    panels = []
    for name, rows in groups:
        chart = _CHARTS[picture.draw](replace(picture, data=rows), colour, width)
        panels.append(
            chart.properties(width=width, height=HEIGHT * width // WIDTH, title=str(name))
        )
    together = alt.concat(*panels, columns=columns)
    if picture.draw != "heat map":  # names of rows may be long there
        space = alt.RowColnumber(row=_room_below(picture), column=BESIDE)
        together = alt.concat(*panels, columns=columns, bounds="flush", spacing=space)
    together = together.resolve_scale(color="shared")
    spec = together.configure(**theme.config()).to_dict()
    return vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])


def _room_below(picture: Picture) -> int:
    """Return the pixels that the axis under a panel and the title of the next one need."""
    if picture.draw != "boxes":
        return BELOW
    longest = max(len(str(place)) for place in picture.data["x"])
    return BELOW + (round(longest * theme.LETTER * SLANT) if longest > LONG_LABEL else 0)


def _base(rows: pd.DataFrame) -> alt.Chart:
    values = [dict(zip(rows.columns, row, strict=True)) for row in rows.to_numpy(object).tolist()]
    return alt.Chart(alt.InlineData(values=values))


def _colour(names: list[str], room: int) -> alt.Color:
    """Return the colours of all series of a picture, the same in each panel."""
    scale = alt.Scale(domain=names, range=colours_of(names))
    columns = theme.legend_columns(names, room)
    legend = alt.Legend(
        title=None,
        orient="bottom",
        columns=columns,
        symbolType="square",
        symbolStrokeWidth=5,
        symbolSize=60,
    )
    return alt.Color("series:N", scale=scale, legend=legend if len(names) > 1 else None)


def colours_of(names: Sequence[str]) -> list[str]:
    """Return a colour for each series: that of all reports where it has one, else a free one.

    Examples
    --------
    >>> colours_of(["raw", "standardised"]) == [theme.COLOURS[0], theme.COLOURS[2]]
    True
    """
    own = {name: theme.KNOWN.index(name) for name in names if name in theme.KNOWN}
    free = [index for index in CONTRAST if index not in own.values()]
    others = (name for name in names if name not in own)
    indices = own | {name: free[place % len(free)] for place, name in enumerate(others)}
    return [theme.COLOURS[indices[name]] for name in names]


def _numbers(name: str, title: str) -> alt.Y:
    """Return an axis of y whose labels stay beside the panel, so that titles are level."""
    return alt.Y(name, title=title, axis=alt.Axis(labelFlush=True))


def _lines(picture: Picture, colour: alt.Color, _: int) -> Chart:
    rows = picture.data
    whole = pd.api.types.is_integer_dtype(rows["x"])
    places = sorted({int(one) for one in rows["x"]}) if whole else []
    axis = alt.Axis(format="d", **_ticks(places)) if whole else alt.Axis()
    return (
        _base(rows)
        .mark_line(point=whole)
        .encode(
            x=alt.X("x:Q", title=picture.x, axis=axis),
            y=_numbers("y:Q", picture.y),
            color=colour,
        )
    )


def _ticks(places: list[int]) -> dict[str, Any]:
    """Return where an axis of whole numbers has ticks: at each of a few, else nowhere between."""
    return {"values": places} if len(places) <= MOST_TICKS else {"tickMinStep": 1}


def _boxes(picture: Picture, colour: alt.Color, width: int) -> Chart:
    """Return range, quartiles and median; Vega-Lite's own box plots ignore the offset."""
    names = list(dict.fromkeys(picture.data["series"]))
    places = list(dict.fromkeys(picture.data["x"]))
    slanted = max(len(str(place)) for place in places) > LONG_LABEL
    axis = alt.Axis(labelAngle=-45 if slanted else 0)
    base = _base(box_rows(picture.data)).encode(
        x=alt.X("x:N", title=picture.x or None, sort=places, axis=axis),
        xOffset=alt.XOffset("series:N", sort=names),
    )
    y = _numbers("least:Q", picture.y)
    size = max(3, min(20, width // (2 * len(names) * len(places))))
    span = base.mark_rule().encode(y=y, y2="most:Q", color=colour)
    box = base.mark_bar(size=size).encode(y="lower:Q", y2="upper:Q", color=colour)
    middle = base.mark_tick(color=theme.INK, size=size, thickness=2).encode(y="median:Q")
    return alt.layer(span, box, middle)


def box_rows(data: pd.DataFrame) -> pd.DataFrame:
    """Return the least, the quartiles and the most of each box.

    Examples
    --------
    >>> data = pd.DataFrame({"x": "pc", "y": [1.0, 2.0, 9.0], "series": "raw"})
    >>> box_rows(data)[["least", "median", "most"]].to_numpy().tolist()
    [[1.0, 2.0, 9.0]]
    """
    groups = data.groupby(["x", "series"], sort=False, observed=True)["y"]
    shares = {"least": 0.0, "lower": 0.25, "median": 0.5, "upper": 0.75, "most": 1.0}
    return pd.DataFrame({key: groups.quantile(q) for key, q in shares.items()}).reset_index()


def _heat_map(picture: Picture, _: alt.Color, __: int) -> Chart:
    """Return shades from white, 0, to black, 1; numbers on the axis of y grow upwards.

    Cells without a value have their place all the same.
    """
    rising = pd.api.types.is_numeric_dtype(picture.data["y"])
    axis = alt.Axis(ticks=False, labelAngle=0 if rising else alt.Undefined)
    shades = alt.Scale(range=[theme.PAPER, theme.INK], domain=[0, 1])
    legend = alt.Legend(title=picture.value or None, titleLimit=0, orient="bottom")
    across, down = (list(dict.fromkeys(picture.data[key])) for key in "xy")
    if rising:
        down.sort(reverse=True)
    return (
        _base(picture.data.dropna(subset="value"))
        .mark_rect(stroke="#cccccc", strokeWidth=0.5)
        .encode(
            x=alt.X("x:O", title=picture.x, axis=axis, scale=alt.Scale(domain=across)),
            y=alt.Y("y:O", title=picture.y, axis=axis, scale=alt.Scale(domain=down)),
            color=alt.Color("value:Q", scale=shades, legend=legend),
        )
    )


_CHARTS: dict[Draw, Callable[[Picture, alt.Color, int], Chart]] = {
    "lines": _lines,
    "boxes": _boxes,
    "heat map": _heat_map,
}
