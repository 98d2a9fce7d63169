"""The hall in one picture: generators by their sortability, with names beside their points."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from causalassay.judging.findings import FindingKind
from causalassay.lab.hall.row import Row
from causalassay.present.charts import COLOURS, FALLING, PAPER, QUIET, RISING, chart_of, titled_spec

VARIANCE, R2 = "variance", "R2"
WIDE, HIGH = 900, 760

LETTER, LINE = 6.3, 13.0
"""Pixels of a letter of 11 pixels, and of a line."""
POINT = 6.0
"""Half the side of the room of a point."""
BESIDE = 9.0
"""Pixels left and right of a label where only its own point is."""
NEAR = 10.0
"""A label farther than this from its point has a line to it."""
CROWD = 60
FARTHEST, STEP, DIRECTIONS = 260, 6, 24

COLOUR_OF = {
    FindingKind.GAMEABLE.label: RISING,
    FindingKind.GAMEABLE_BACKWARDS.label: FALLING,
    FindingKind.SORTABLE_ONLY.label: COLOURS[1],
    FindingKind.GAIN_ONLY.label: COLOURS[2],
    "no evidence, or no test": QUIET,
}
SHAPE_OF = {"other packages": "circle", "ours": "square", "data sets": "diamond"}
GROUP_OF = {"package": "other packages", "data set": "data sets"}

Point = tuple[float, float]
Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


def drawn_rows(rows: Sequence[Row]) -> list[Row]:
    """Return the rows that have a place in the picture: those of independent, continuous rows."""
    return [
        row
        for row in rows
        if row.world == "continuous"
        and not any(math.isnan(_sortability(row, name)) for name in (VARIANCE, R2))
    ]


def _sortability(row: Row, statistic: str) -> float:
    cell = row.cell(statistic)
    return math.nan if cell is None else cell.sortability


def by_variance_and_r2(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the picture; generators of discrete columns and of series are not in it."""
    import altair as alt  # noqa: PLC0415  # takes a while, and most halls are only printed

    drawn = drawn_rows(rows)
    values = [(_sortability(row, VARIANCE), _sortability(row, R2)) for row in drawn]
    points = [(WIDE * x, HIGH * (1 - y)) for x, y in values]
    boxes = label_boxes(points, [row.name for row in drawn], (0, 0, WIDE, HIGH))
    marks = [
        {
            **{"x": x, "y": y, "group": GROUP_OF.get(row.group, "ours"), "kind": _kind(row)},
            "about": f"{row.name}: {row.label}; var-sortability {x:.2f}, R²-sortability {y:.2f}",
        }
        for row, (x, y) in zip(drawn, values, strict=True)
    ]
    placed = [
        _label(row.name, point, box)
        for row, point, box in zip(drawn, points, boxes, strict=True)
        if box is not None
    ]
    colours, shapes = (
        alt.Scale(domain=list(palette), range=list(palette.values()))
        for palette in (COLOUR_OF, SHAPE_OF)
    )
    shares = alt.Scale(domain=[0, 1])
    axis = alt.Axis(tickCount=10, format=".1f")
    x = alt.X("x:Q", scale=shares, title="var-sortability", axis=axis)
    y = alt.Y("y:Q", scale=shares, title="R²-sortability", axis=axis)
    base = chart_of(*placed)
    dashes: dict[str, Any] = {"strokeDash": [4, 3], "opacity": 0.6, "color": "currentColor"}
    layers = [
        chart_of({"x": 0.5}).mark_rule(**dashes).encode(x=x),
        chart_of({"y": 0.5}).mark_rule(**dashes).encode(y=y),
        base.transform_filter("datum.far")
        .mark_rule(opacity=0.45, strokeWidth=0.7, color="currentColor")
        .encode(x=x, y=y, x2="to_x:Q", y2="to_y:Q"),
        *(
            base.transform_filter(alt.datum.align == side)
            .mark_text(align=side, baseline="middle", fontSize=11, color="currentColor")
            .encode(x=alt.X("text_x:Q", scale=shares), y="text_y:Q", text="name:N")
            for side in ("left", "center", "right")
        ),
        chart_of(*marks)
        .mark_point(filled=True, size=80, opacity=1, stroke=PAPER, strokeWidth=1)
        .encode(
            x=x,
            y=y,
            fill=alt.Fill("kind:N", scale=colours, title=None),
            shape=alt.Shape("group:N", scale=shapes, title=None),
            description="about:N",
        ),
    ]
    # A reader's font may be wider than ours.
    chart = alt.layer(*layers).configure_legend(columnPadding=24)
    below = "dashed: 0.5, where the statistic says nothing of the order"
    title = "Mean sortability by variance and by R²"
    return titled_spec(chart, title, below, width=WIDE, height=HIGH)


def _kind(row: Row) -> str:
    label = "" if row.verdict is None else row.verdict.label
    return label if label in COLOUR_OF else list(COLOUR_OF)[-1]


def _label(name: str, point: Point, box: Box) -> dict[str, object]:
    """Return where a name stands, as shares of the picture, and where the line to it ends."""
    end = _nearest(box, point)
    align, text_x = "center", (box[0] + box[2]) / 2
    if box[0] > point[0]:
        align, text_x = "left", box[0]
    elif box[2] < point[0]:
        align, text_x = "right", box[2]
    places = (point, end, (text_x, (box[1] + box[3]) / 2))
    # Rounded: the last bits differ between machines.
    shares = [(round(x / WIDE, 4), round(1 - y / HIGH, 4)) for x, y in places]
    (x, y), (to_x, to_y), (text_x, text_y) = shares
    is_far = math.dist(point, end) > NEAR
    numbers = {"x": x, "y": y, "to_x": to_x, "to_y": to_y, "text_x": text_x, "text_y": text_y}
    return {"name": name, "align": align, "far": is_far, **numbers}


def label_boxes(points: Sequence[Point], names: Sequence[str], frame: Box) -> list[Box | None]:
    """Return the box of each name, so that no two overlap; None where there is no room.

    Points in a crowd come first, for they have the least room beside them. A line from a point to
    its name crosses another name only if there is no other place.

    Examples
    --------
    >>> first, second = label_boxes([(50, 50), (50, 51)], ["one", "two"], (0, 0, 200, 200))
    >>> _meet(first, second)
    False
    """
    crowds = [sum(math.dist(point, other) < CROWD for other in points) for point in points]
    rooms = [_grown((x, y, x, y), POINT, POINT) for x, y in points]
    boxes: dict[int, Box] = {}
    lines: list[list[Point]] = []
    for k in sorted(range(len(points)), key=lambda k: (-crowds[k], points[k])):
        point, taken = points[k], [*rooms, *boxes.values()]
        others = [room for room in rooms if not _holds(room, point)]
        free = [
            box
            for box in _around(point, LETTER * len(names[k]))
            if frame[0] <= box[0] and frame[1] <= box[1] and box[2] <= frame[2]
            if box[3] <= frame[3] and not any(_meet(box, other) for other in taken)
        ]
        clear = (
            box
            for box in free
            if not any(_holds(box, step) for line in lines for step in line)
            if not any(_meet(_grown(box, BESIDE, 2), room) for room in others)
            if not any(
                _holds(other, step)
                for step in _line(point, box)
                for other in [*others, *boxes.values()]
            )
        )
        box = next(clear, free[0] if free else None)
        if box is not None:
            boxes[k] = box
            lines.append(_line(point, box))
    return [boxes.get(k) for k in range(len(points))]


def _around(point: Point, wide: float) -> Iterator[Box]:
    """Yield boxes around a point, the nearest first; at each distance right and left first."""
    angles = [2 * math.pi * turn / DIRECTIONS for turn in range(DIRECTIONS)]
    angles.sort(key=lambda angle: round(abs(math.sin(angle)), 6))
    for distance in range(8, FARTHEST, STEP):
        for angle in angles:
            x, y = point[0] + distance * math.cos(angle), point[1] + distance * math.sin(angle)
            # Rounded: the last bits of a cosine differ between machines.
            left, y = round(x - wide * (1 - math.cos(angle)) / 2, 1), round(y, 1)
            yield left, y - LINE / 2, left + wide, y + LINE / 2


def _nearest(box: Box, point: Point) -> Point:
    return min(max(point[0], box[0]), box[2]), min(max(point[1], box[1]), box[3])


def _line(point: Point, box: Box) -> list[Point]:
    """Return points on the line from a point to its label, a few pixels apart."""
    end = _nearest(box, point)
    n = max(2, int(math.dist(point, end) / 3))
    return [
        (point[0] + (end[0] - point[0]) * k / n, point[1] + (end[1] - point[1]) * k / n)
        for k in range(n + 1)
    ]


def _grown(box: Box, across: float, down: float) -> Box:
    return box[0] - across, box[1] - down, box[2] + across, box[3] + down


def _meet(first: Box, other: Box) -> bool:
    return (
        first[0] < other[2] and other[0] < first[2] and first[1] < other[3] and other[1] < first[3]
    )


def _holds(box: Box, point: Point) -> bool:
    return box[0] < point[0] < box[2] and box[1] < point[1] < box[3]
