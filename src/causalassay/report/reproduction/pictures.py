"""Redrawn figures as SVG."""

from __future__ import annotations

from collections.abc import Callable

import altair as alt
import vl_convert

from causalassay.report.charts import theme
from causalassay.reproducing.pictures import Draw, Picture

WIDTH, HEIGHT = 260, 220


def picture_svg(picture: Picture) -> str:
    """Return a picture; panels stand beside each other, two in a line."""
    chart = _CHARTS[picture.draw](picture).properties(width=WIDTH, height=HEIGHT)
    data = picture.data
    if data["panel"].nunique() > 1:
        panels = list(dict.fromkeys(data["panel"]))
        header = alt.Header(title=None, labelFontSize=theme.TEXT)
        facet = alt.Facet("panel:N", sort=panels, header=header)
        chart = chart.facet(facet, columns=2).resolve_scale(x="independent", y="independent")
    spec = chart.configure(**theme.config()).to_dict()
    spec["datasets"] = {"rows": data.to_dict("records")}
    spec["data"] = {"name": "rows"}
    return vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])


def _colour(picture: Picture) -> alt.Color:
    names = list(dict.fromkeys(picture.data["series"]))
    scale = alt.Scale(domain=names, range=theme.picked(theme.COLOURS, names))
    legend = alt.Legend(title=None, orient="bottom") if len(names) > 1 else None
    return alt.Color("series:N", scale=scale, legend=legend)


def _lines(picture: Picture) -> alt.Chart:
    base = alt.Chart(alt.NamedData(name="rows"))
    return base.mark_line(point=len(picture.data) < 60).encode(
        x=alt.X("x:Q", title=picture.x),
        y=alt.Y("y:Q", title=picture.y),
        color=_colour(picture),
    )


def _boxes(picture: Picture) -> alt.Chart:
    base = alt.Chart(alt.NamedData(name="rows"))
    names = list(dict.fromkeys(picture.data["series"]))
    places = list(dict.fromkeys(picture.data["x"]))
    return base.mark_boxplot(extent="min-max", size=9).encode(
        x=alt.X("x:N", title=picture.x or None, sort=places),
        xOffset=alt.XOffset("series:N", sort=names),
        y=alt.Y("y:Q", title=picture.y),
        color=_colour(picture),
    )


def _heat_map(picture: Picture) -> alt.Chart:
    base = alt.Chart(alt.NamedData(name="rows"))
    axis = alt.Axis(labels=False, ticks=False)
    return base.mark_rect().encode(
        x=alt.X("x:O", title=picture.x, axis=axis),
        y=alt.Y("y:O", title=picture.y, axis=axis),
        color=alt.Color("value:Q", title=None, scale=alt.Scale(scheme="greys", domain=[0, 1])),
    )


_CHARTS: dict[Draw, Callable[[Picture], alt.Chart]] = {
    "lines": _lines,
    "boxes": _boxes,
    "heat map": _heat_map,
}
