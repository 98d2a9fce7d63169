"""Real data among simulators, on the plane of sortability by variance and by R²."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from causalassay.lab.hall.charts import HIGH, R2, VARIANCE, WIDE, _label, label_boxes
from causalassay.lab.hall.row import Cell, Row
from causalassay.present.charts import COLOURS, PAPER, QUIET, RISING, chart_of, titled_spec

COLOUR_OF = {"real data": RISING, "other packages": COLOURS[1], "ours": QUIET}
SHAPE_OF = {"real data": "diamond", "other packages": "circle", "ours": "square"}
GROUP_OF = {"package": "other packages", "data set": "real data"}


def plane(real: Sequence[Row], simulators: Sequence[Row]) -> dict[str, Any]:
    """Return the picture: data sets with their names and intervals, simulators without."""
    import altair as alt  # noqa: PLC0415  # takes a while, and most halls are only printed

    values = [(_cell(row, VARIANCE), _cell(row, R2)) for row in real]
    points = [(WIDE * x.sortability, HIGH * (1 - y.sortability)) for x, y in values]
    boxes = label_boxes(points, [row.name for row in real], (0, 0, WIDE, HIGH))
    names = [
        _label(row.name, point, box)
        for row, point, box in zip(real, points, boxes, strict=True)
        if box is not None
    ]
    marks = [
        {
            "x": _cell(row, VARIANCE).sortability,
            "y": _cell(row, R2).sortability,
            "group": GROUP_OF.get(row.group, "ours"),
            "about": row.name,
        }
        for row in [*simulators, *real]
    ]
    shares = alt.Scale(domain=[0, 1])
    axis = alt.Axis(tickCount=10, format=".1f")
    x = alt.X("x:Q", scale=shares, title="var-sortability", axis=axis)
    y = alt.Y("y:Q", scale=shares, title="R²-sortability", axis=axis)
    colours, shapes = (
        alt.Scale(domain=list(palette), range=list(palette.values()))
        for palette in (COLOUR_OF, SHAPE_OF)
    )
    dashes: dict[str, Any] = {"strokeDash": [4, 3], "opacity": 0.6, "color": "currentColor"}
    layers = [
        chart_of({"x": 0.5}).mark_rule(**dashes).encode(x=x),
        chart_of({"y": 0.5}).mark_rule(**dashes).encode(y=y),
        *_intervals(values, x, y),
        chart_of(*marks)
        .mark_point(filled=True, size=90, opacity=1, stroke=PAPER, strokeWidth=1)
        .encode(
            x=x,
            y=y,
            fill=alt.Fill("group:N", scale=colours, title=None),
            shape=alt.Shape("group:N", scale=shapes, title=None),
            description="about:N",
        ),
    ]
    if names:
        base = chart_of(*names)
        layers += [
            base.transform_filter("datum.far")
            .mark_rule(opacity=0.45, strokeWidth=0.7, color="currentColor")
            .encode(x=x, y=y, x2="to_x:Q", y2="to_y:Q"),
            *(
                base.transform_filter(alt.datum.align == side)
                .mark_text(align=side, baseline="middle", fontSize=11, color="currentColor")
                .encode(x=alt.X("text_x:Q", scale=shares), y="text_y:Q", text="name:N")
                for side in ("left", "center", "right")
            ),
        ]
    chart = alt.layer(*layers).configure_legend(columnPadding=24)
    title = "Where real data lie among simulators"
    below = "lines: 95 % of a bootstrap over rows; dashed: 0.5, where a statistic says nothing"
    return titled_spec(chart, title, below, width=WIDE, height=HIGH)


def _intervals(values: Sequence[tuple[Cell, Cell]], x: Any, y: Any) -> list[Any]:
    lines = [
        {"x": first.low, "y": other.sortability, "x2": first.high, "y2": other.sortability}
        for first, other in values
        if not math.isnan(first.low)
    ] + [
        {"x": first.sortability, "y": other.low, "x2": first.sortability, "y2": other.high}
        for first, other in values
        if not math.isnan(other.low)
    ]
    if not lines:
        return []
    rules = chart_of(*lines).mark_rule(strokeWidth=1.5, color=RISING)
    return [rules.encode(x=x, y=y, x2="x2:Q", y2="y2:Q")]


def _cell(row: Row, statistic: str) -> Cell:
    cell = row.cell(statistic)
    if cell is None:
        raise ValueError(f"{row.name} has no sortability by {statistic}")
    return cell
