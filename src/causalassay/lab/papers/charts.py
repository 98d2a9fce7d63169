"""Charts of reproductions: all outcomes in one picture, and figures redrawn."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import altair as alt
import pandas as pd

from causalassay.lab.papers.pictures import Draw, Picture
from causalassay.lab.papers.published import Outcome, relative_difference
from causalassay.lab.papers.result import Line
from causalassay.present.charts import COLOURS, FRAME, INK, PAPER, chart_of
from causalassay.present.colours import light

ROLES: dict[Outcome, str] = {
    "agrees": "blue",
    "holds": "sky",
    "open": "open",
    "fails": "orange",
    "disagrees": "vermillion",
    "stand-in": "green",
    "other data": "purple",
    "not run": "faint",
    "not computed": "faintest",
}
OUTCOMES = dict(zip(ROLES, light(*ROLES.values()), strict=True))
"""From the best to those without a number, with their colours; light and dark differ in grey."""

(BAND,) = light("band")

FARTHEST = 3.0
"""Dots beyond are drawn here."""
DISTANCE = "ours − published, as a multiple of what is allowed"
ROW = 20
SPARE = {"left": 30, "right": 30, "top": 5, "bottom": 5}
"""Around the picture: a reader's font may be wider than the one it was measured with."""

Groups = Mapping[str, Sequence[Line]]

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

SCHEMES = ("raw", "standardized", "iSCM", "UUMC")
"""Series whose colours are the same in every report."""
LETTER, APART = 7.0, 18
"""Pixels of a letter in a wide font, and between two entries of a legend."""
SYMBOL = 19 + APART
"""Pixels of a legend's symbol with the space around it."""


def overview(groups: Groups) -> dict[str, Any]:
    """Return how far numbers are and what came out, a row for each item, or each paper."""
    names, far = list(groups), distances(groups)
    panels: list[Chart] = [_distance_panel(far, names)] if far else []
    panels.append(_count_panel(groups, names, labels=not far))
    spec: dict[str, Any] = alt.hconcat(*panels, spacing=12, padding=SPARE).to_dict()
    return spec


def counts_by_group(groups: Groups) -> list[dict[str, object]]:
    """Return how many lines of each group have each outcome."""
    return [
        {"group": name, "outcome": outcome, "place": rank, "count": count}
        for name, lines in groups.items()
        for rank, outcome in enumerate(OUTCOMES)
        if (count := Counter(line.outcome for line in lines)[outcome])
    ]


def distances(groups: Groups) -> list[dict[str, object]]:
    """Return how far each number is, at most `FARTHEST`."""
    rows: list[dict[str, object]] = []
    for name, lines in groups.items():
        for line in lines:
            if line.ours is None or line.outcome not in {"agrees", "disagrees"}:
                continue
            if (far := relative_difference(line.value, line.ours)) is not None:
                shown = min(max(far, -FARTHEST), FARTHEST)
                rows.append({"group": name, "far": shown, "outcome": line.outcome})
    return rows


def _distance_panel(far: Sequence[dict[str, object]], names: Sequence[str]) -> Chart:
    band = (
        chart_of({"low": -1, "high": 1})
        .mark_rect(color=BAND)
        .encode(x=alt.X("low:Q", title=DISTANCE), x2="high:Q")
    )
    scale = alt.Scale(domain=[-FARTHEST, FARTHEST])
    axis = alt.Axis(values=[-3, -2, -1, 0, 1, 2, 3], format="d")
    dots = (
        chart_of(*far)
        .mark_point(filled=True, size=34, opacity=0.55)
        .encode(
            x=alt.X("far:Q", title=DISTANCE, scale=scale, axis=axis),
            y=_group_axis(names, labels=True),
            color=_outcome_colour(),
        )
    )
    return alt.layer(band, dots).properties(
        width=WIDTH, height=ROW * len(names), title="Numbers: within ±1 they agree"
    )


def _count_panel(groups: Groups, names: Sequence[str], *, labels: bool) -> alt.Chart:
    return (
        chart_of(*counts_by_group(groups))
        .mark_bar(height=12)
        .encode(
            x=alt.X(
                "count:Q",
                title="published values",
                axis=alt.Axis(tickMinStep=1, tickCount=6, format="d"),
            ),
            y=_group_axis(names, labels=labels),
            color=_outcome_colour(),
            order=alt.Order("place:Q"),
        )
        .properties(width=WIDTH, height=ROW * len(names), title="All values by outcome")
    )


def _group_axis(names: Sequence[str], *, labels: bool) -> alt.Y:
    axis = alt.Axis(labels=labels, ticks=False, title=None, labelLimit=200)
    return alt.Y("group:N", axis=axis, scale=alt.Scale(domain=list(names)))


def _outcome_colour() -> alt.Color:
    scale = alt.Scale(domain=list(OUTCOMES), range=list(OUTCOMES.values()))
    return alt.Color("outcome:N", scale=scale, legend=alt.Legend(title=None, orient="right"))


def redrawn(picture: Picture) -> dict[str, Any]:
    """Return a figure; its panels stand beside each other, with one legend under them all."""
    shown = picture.data.dropna(subset="y")
    groups = list(shown.groupby("panel", sort=False))
    columns = 3 if len(groups) == 3 or len(groups) > MOST_BY_TWO else 2
    width = WIDTH if columns == 2 else NARROW
    colour = _colour(list(dict.fromkeys(shown["series"])), min(columns, len(groups)) * width)
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
    spec: dict[str, Any] = together.resolve_scale(color="shared").to_dict()
    return spec


def _room_below(picture: Picture) -> int:
    """Return the pixels that the axis under a panel and the title of the next one need."""
    if picture.draw != "boxes":
        return BELOW
    longest = max(len(str(label)) for label in picture.data["x"])
    return BELOW + (round(longest * LETTER * SLANT) if longest > LONG_LABEL else 0)


def _base(rows: pd.DataFrame) -> alt.Chart:
    values = [dict(zip(rows.columns, row, strict=True)) for row in rows.to_numpy(object).tolist()]
    return chart_of(*values)


def _colour(names: list[str], room: int) -> alt.Color:
    """Return the colours of all series of a picture, the same in each panel."""
    scale = alt.Scale(domain=names, range=colours_of(names))
    columns = max(1, int(room / (SYMBOL + LETTER * max(map(len, names)))))
    legend = alt.Legend(
        title=None,
        orient="bottom",
        columns=columns,
        columnPadding=APART,
        symbolType="square",
        symbolStrokeWidth=5,
        symbolSize=60,
    )
    return alt.Color("series:N", scale=scale, legend=legend if len(names) > 1 else None)


def colours_of(names: Sequence[str]) -> list[str]:
    """Return a colour for each series: that of all reports where it has one, else a free one.

    Examples
    --------
    >>> colours_of(["raw", "standardised"]) == [COLOURS[0], COLOURS[2]]
    True
    """
    fixed = {name: SCHEMES.index(name) for name in names if name in SCHEMES}
    free = [index for index in CONTRAST if index not in fixed.values()]
    others = (name for name in names if name not in fixed)
    indices = fixed | {name: free[number % len(free)] for number, name in enumerate(others)}
    return [COLOURS[indices[name]] for name in names]


def _y_axis(name: str, title: str) -> alt.Y:
    """Return an axis of y whose labels stay beside the panel, so that titles are level."""
    return alt.Y(name, title=title, axis=alt.Axis(labelFlush=True))


def _title(text: str, width: int) -> list[str] | None:
    """Return the title under a panel in lines that are no wider than it; the next one is near."""
    return textwrap.wrap(text, int(width / LETTER)) or None


def _lines(picture: Picture, colour: alt.Color, width: int) -> Chart:
    rows = picture.data
    whole = pd.api.types.is_integer_dtype(rows["x"])
    places = sorted({int(value) for value in rows["x"]}) if whole else []
    # Ticks at each of a few whole numbers, and nowhere between many.
    ticks = {"values": places} if len(places) <= MOST_TICKS else {"tickMinStep": 1}
    axis = alt.Axis(format="d", **ticks) if whole else alt.Axis()
    lines = _base(rows).mark_line(point=whole)
    x = alt.X("x:Q", title=_title(picture.x, width), axis=axis)
    return lines.encode(x=x, y=_y_axis("y:Q", picture.y), color=colour)


def _boxes(picture: Picture, colour: alt.Color, width: int) -> Chart:
    """Return range, quartiles and median; Vega-Lite's own box plots ignore the offset."""
    names = list(dict.fromkeys(picture.data["series"]))
    places = list(dict.fromkeys(picture.data["x"]))
    slanted = max(len(str(label)) for label in places) > LONG_LABEL
    axis = alt.Axis(labelAngle=-45 if slanted else 0)
    base = _base(box_rows(picture.data)).encode(
        x=alt.X("x:N", title=_title(picture.x, width), sort=places, axis=axis),
        xOffset=alt.XOffset("series:N", sort=names),
    )
    y = _y_axis("least:Q", picture.y)
    size = max(3, min(20, width // (2 * len(names) * len(places))))
    span = base.mark_rule().encode(y=y, y2="most:Q", color=colour)
    box = base.mark_bar(size=size).encode(y="lower:Q", y2="upper:Q", color=colour)
    middle = base.mark_tick(color="currentColor", size=size, thickness=2).encode(y="median:Q")
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


def _heat_map(picture: Picture, _: alt.Color, width: int) -> Chart:
    """Return shades from white, 0, to black, 1; numbers on the axis of y grow upwards.

    Cells without a value have their place all the same.
    """
    rising = pd.api.types.is_numeric_dtype(picture.data["y"])
    axis = alt.Axis(ticks=False, labelAngle=0 if rising else alt.Undefined)
    shades = alt.Scale(range=[PAPER, INK], domain=[0, 1])
    legend = alt.Legend(title=picture.value or None, titleLimit=0, orient="bottom")
    across, down = (list(dict.fromkeys(picture.data[key])) for key in "xy")
    if rising:
        down.sort(reverse=True)
    return (
        _base(picture.data.dropna(subset="value"))
        .mark_rect(stroke=FRAME, strokeWidth=0.5)
        .encode(
            x=alt.X(
                "x:O", title=_title(picture.x, width), axis=axis, scale=alt.Scale(domain=across)
            ),
            y=alt.Y("y:O", title=picture.y, axis=axis, scale=alt.Scale(domain=down)),
            color=alt.Color("value:Q", scale=shades, legend=legend),
        )
    )


_CHARTS: dict[Draw, Callable[[Picture, alt.Color, int], Chart]] = {
    "lines": _lines,
    "boxes": _boxes,
    "heat map": _heat_map,
}
