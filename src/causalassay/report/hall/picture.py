"""The hall in one picture: generators on their sortabilities by variance and by R²."""

from __future__ import annotations

import math
from collections.abc import Sequence

from causalassay.auditing.pictures.plot import (
    FALLING,
    RISING,
    Axis,
    bottom_axis,
    left_axis,
    line,
    svg,
    text,
)
from causalassay.hall import Row
from causalassay.notebook import escaped
from causalassay.report.charts.theme import COLOURS, INK, QUIET
from causalassay.report.hall.label_places import Box, label_boxes
from causalassay.report.hall.texts import VARIANCE, verdict

R2 = "R2"
LEFT, TOP, WIDE, HIGH = 56, 96, 900, 760
RIGHT, BOTTOM = LEFT + WIDE, TOP + HIGH
SIZE = 5.0

COLOUR_OF = {"gameable": RISING, "gameable backwards": FALLING, "leaning": COLOURS[1]}
"""By verdict; the others are grey."""
GROUPS = {"package": "other packages", "ours": "ours", "data set": "data sets"}


def shown(rows: Sequence[Row]) -> list[Row]:
    """Return the rows that have a place in the picture: those of independent, continuous rows."""
    return [
        row
        for row in rows
        if row.world == "continuous"
        and all(
            (cell := row.cell(name)) is not None and not math.isnan(cell.sortability)
            for name in (VARIANCE, R2)
        )
    ]


def hall_svg(rows: Sequence[Row]) -> str:
    """Return the picture; generators of discrete columns and of series are not in it."""
    drawn = shown(rows)
    x, y = Axis(0.0, 1.0, LEFT, RIGHT), Axis(0.0, 1.0, BOTTOM, TOP)
    points = [(x(_value(row, VARIANCE)), y(_value(row, R2))) for row in drawn]
    names = [row.name for row in drawn]
    boxes = label_boxes(points, names, Box(LEFT, TOP, RIGHT, BOTTOM))
    title = "Mean sortability by variance and by R²"
    parts = [
        f'<rect width="{RIGHT + 14}" height="{BOTTOM + 44}" fill="white"/>',
        text(LEFT, 20, title, bold=True, colour=INK),
        *_legend(),
        *left_axis(y, LEFT, RIGHT),
        *bottom_axis(x, BOTTOM, TOP),
        line([(x(0.5), TOP), (x(0.5), BOTTOM)], opacity="0.6", dashes="4 3"),
        line([(LEFT, y(0.5)), (RIGHT, y(0.5))], opacity="0.6", dashes="4 3"),
        text((LEFT + RIGHT) / 2, BOTTOM + 36, "var-sortability", anchor="middle", colour=INK),
        text(16, (TOP + BOTTOM) / 2, "R²-sortability", anchor="middle", colour=INK, turned=True),
    ]
    parts += [_leader(*one) for one in zip(points, boxes, strict=True)]
    parts += [_label(*one) for one in zip(names, points, boxes, strict=True)]
    parts += [_mark(row, *point) for row, point in zip(drawn, points, strict=True)]
    return svg(BOTTOM + 44, parts, f"{title}: {len(drawn)} generators and data sets", RIGHT + 14)


def _value(row: Row, statistic: str) -> float:
    cell = row.cell(statistic)
    return math.nan if cell is None else cell.sortability


def _label(name: str, point: tuple[float, float], box: Box | None) -> str:
    """Return a name with a white rim, which lines of others do not run through."""
    if box is None:
        return ""
    anchor, x = "middle", (box.left + box.right) / 2
    if box.left > point[0]:
        anchor, x = "start", box.left
    elif box.right < point[0]:
        anchor, x = "end", box.right
    rim = 'stroke="white" stroke-width="3" paint-order="stroke"'
    return (
        f'<text x="{x:.1f}" y="{box.bottom - 3:.1f}" text-anchor="{anchor}" fill="{INK}" {rim} '
        f'font-size="11">{escaped(name)}</text>'
    )


def _leader(point: tuple[float, float], box: Box | None) -> str:
    """Return a thin line from a point to its name, where the name is not beside it."""
    if box is None:
        return ""
    end = box.near(point)
    far = math.dist(point, end) > 2 * SIZE
    return line([point, end], opacity="0.45", width=0.7) if far else ""


def _mark(row: Row, x: float, y: float) -> str:
    """Return the mark of a row: its shape says whose it is, its colour what was found."""
    colour = COLOUR_OF.get(row.verdict, QUIET)
    said = (
        f"{row.name}: {verdict(row)}; var-sortability {_value(row, VARIANCE):.2f}, "
        f"R²-sortability {_value(row, R2):.2f}"
    )
    return f"<g><title>{escaped(said)}</title>{_shape(row.group, x, y, colour)}</g>"


def _shape(group: str, x: float, y: float, colour: str) -> str:
    look = f'fill="{colour}" stroke="white" stroke-width="1"'
    match group:
        case "ours":
            side = 1.8 * SIZE
            return (
                f'<rect x="{x - side / 2:.1f}" y="{y - side / 2:.1f}" width="{side:.1f}" '
                f'height="{side:.1f}" {look}/>'
            )
        case "data set":
            far = 1.4 * SIZE
            corners = ((x, y - far), (x + far, y), (x, y + far), (x - far, y))
            path = " ".join(f"{one:.1f},{other:.1f}" for one, other in corners)
            return f'<polygon points="{path}" {look}/>'
        case _:
            return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{SIZE}" {look}/>'


def _legend() -> list[str]:
    """Return two lines: what shapes mean, and what colours mean."""
    parts, at = [], float(LEFT)
    for group, said in GROUPS.items():
        parts += [_shape(group, at + 6, 44, QUIET), text(at + 18, 48, said, colour=INK)]
        at += 40 + 7.0 * len(said)
    at = float(LEFT)
    for said, colour in (*COLOUR_OF.items(), ("no evidence, or no test", QUIET)):
        parts += [_shape("package", at + 6, 66, colour), text(at + 18, 70, said, colour=INK)]
        at += 40 + 7.0 * len(said)
    said = "dashed: 0.5, where the statistic says nothing of the order"
    return [*parts, text(RIGHT, 70, said, anchor="end", colour=QUIET)]
