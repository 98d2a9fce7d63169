"""Redrawn figures as SVG."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import altair as alt
import pandas as pd
import vl_convert

from causalassay.report.charts import theme
from causalassay.reproducing.pictures import Draw, Picture

WIDTH, HEIGHT = 300, 220
MOST_TICKS = 12
Chart = alt.Chart | alt.LayerChart | alt.FacetChart


def picture_svg(picture: Picture) -> str:
    """Return a picture; its panels stand beside each other, two in a line."""
    panels = []
    for name, rows in picture.data.dropna(subset="y").groupby("panel", sort=False):
        chart = _CHARTS[picture.draw](replace(picture, data=rows))
        panels.append(chart.properties(width=WIDTH, height=HEIGHT, title=str(name)))
    spec = alt.concat(*panels, columns=2).configure(**theme.config()).to_dict()
    return vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])


def _base(rows: pd.DataFrame) -> alt.Chart:
    values = [dict(zip(rows.columns, row, strict=True)) for row in rows.to_numpy(object).tolist()]
    return alt.Chart(alt.InlineData(values=values))


def _colour(picture: Picture) -> alt.Color:
    names = list(dict.fromkeys(picture.data["series"]))
    scale = alt.Scale(domain=names, range=theme.picked(theme.COLOURS, names))
    legend = alt.Legend(title=None, orient="bottom") if len(names) > 1 else None
    return alt.Color("series:N", scale=scale, legend=legend)


def _lines(picture: Picture) -> Chart:
    rows = picture.data
    whole = pd.api.types.is_integer_dtype(rows["x"])
    places = sorted({int(one) for one in rows["x"]}) if whole else []
    axis = alt.Axis(format="d", **_ticks(places)) if whole else alt.Axis()
    return (
        _base(rows)
        .mark_line(point=whole)
        .encode(
            x=alt.X("x:Q", title=picture.x, axis=axis),
            y=alt.Y("y:Q", title=picture.y),
            color=_colour(picture),
        )
    )


def _ticks(places: list[int]) -> dict[str, Any]:
    """Return where an axis of whole numbers has ticks: at each of a few, else nowhere between."""
    return {"values": places} if len(places) <= MOST_TICKS else {"tickMinStep": 1}


def _boxes(picture: Picture) -> Chart:
    """Return range, quartiles and median; Vega-Lite's own box plots ignore the offset."""
    names = list(dict.fromkeys(picture.data["series"]))
    places = list(dict.fromkeys(picture.data["x"]))
    base = _base(box_rows(picture.data)).encode(
        x=alt.X("x:N", title=picture.x or None, sort=places),
        xOffset=alt.XOffset("series:N", sort=names),
    )
    y = alt.Y("least:Q", title=picture.y)
    colour = _colour(picture)
    span = base.mark_rule().encode(y=y, y2="most:Q", color=colour)
    box = base.mark_bar(size=6).encode(y="lower:Q", y2="upper:Q", color=colour)
    middle = base.mark_tick(color=theme.INK, size=6, thickness=2).encode(y="median:Q")
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


def _heat_map(picture: Picture) -> Chart:
    named = not pd.api.types.is_numeric_dtype(picture.data["x"])  # numbers only count DAGs
    axis = alt.Axis(labels=named, ticks=False)
    scale = alt.Scale(scheme="greys", domain=[0, 1])
    # Cells without a value are white, and have their place all the same.
    across, down = (alt.Scale(domain=list(dict.fromkeys(picture.data[key]))) for key in "xy")
    return (
        _base(picture.data.dropna(subset="value"))
        .mark_rect()
        .encode(
            x=alt.X("x:O", title=picture.x, axis=axis, scale=across),
            y=alt.Y("y:O", title=picture.y, axis=axis, scale=down),
            color=alt.Color("value:Q", title=None, scale=scale),
        )
    )


_CHARTS: dict[Draw, Callable[[Picture], Chart]] = {
    "lines": _lines,
    "boxes": _boxes,
    "heat map": _heat_map,
}
