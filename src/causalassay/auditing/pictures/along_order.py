"""A statistic of the columns along the true order, and the edges along which it rises."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from causalassay.auditing.pictures.plot import (
    FALLING,
    RISING,
    WIDTH,
    Axis,
    axis_for,
    dot,
    left_axis,
    line,
    svg,
    text,
)
from causalassay.drawing.labels import shortened, width

if TYPE_CHECKING:
    from causalassay.auditing.result import ColumnPlace

LEFT, RIGHT, TOP, PLOT = 46, WIDTH - 6, 44, 170
MOST_NAMES = 26
"""The most columns whose names fit below the plot."""
MOST_EDGES = 150
"""More lines than these hide the points."""
TIE = 1e-9

Edges = Sequence[tuple[str, str]]


def along_order(
    columns: Sequence[ColumnPlace], edges: Edges, statistic: str, word: str
) -> str | None:
    """Return the picture of one statistic; None if it was not measured or is not finite.

    Parameters
    ----------
    columns : sequence of ColumnPlace
        Causes before effects.
    edges : sequence of (str, str)
    statistic : str
        Its name in the columns.
    word : str
        What the picture calls it.
    """
    values = {one.name: one.statistics.get(statistic) for one in columns}
    if any(value is None or not math.isfinite(value) for value in values.values()):
        return None
    known = {name: float(value) for name, value in values.items() if value is not None}
    log = statistic == "variance" and min(known.values()) > 0
    y = axis_for(list(known.values()), TOP + PLOT, TOP, log=log)
    step = (RIGHT - LEFT) / len(columns)
    x = {one.name: LEFT + step * (place + 0.5) for place, one in enumerate(columns)}
    n_rising, lines = _edge_lines(edges, known, x, y)
    title = f"{word[0].upper()}{word[1:]} along the causal order{' (log scale)' if log else ''}"
    parts = [
        text(0, 14, title, bold=True),
        text(0, 32, f"rises along {n_rising} of {len(edges)} edges", colour=RISING),
        text(206, 32, f"falls or ties along {len(edges) - n_rising}", colour=FALLING),
        *left_axis(y, LEFT, RIGHT),
        *_depth_lines(columns, step),
        *(lines if len(edges) <= MOST_EDGES else []),
        *(
            dot(x[one.name], y(known[one.name]), f"{one.name}: {word} {known[one.name]:.4g}")
            for one in columns
        ),
    ]
    below, names = _names(columns, x)
    about = f"{title}: it rises along {n_rising} of {len(edges)} edges"
    return svg(TOP + PLOT + below, [*parts, *names], about)


def _edge_lines(
    edges: Edges, values: dict[str, float], x: dict[str, float], y: Axis
) -> tuple[int, list[str]]:
    """Return along how many edges the statistic rises, and a line for each edge."""
    n_rising, lines = 0, []
    for cause, effect in edges:
        one, other = values[cause], values[effect]
        rises = other - one > TIE * max(abs(one), abs(other))
        n_rising += rises
        points = [(x[cause], y(one)), (x[effect], y(other))]
        look = (RISING, "0.45", "") if rises else (FALLING, "0.9", "4 2")
        lines.append(line(points, colour=look[0], opacity=look[1], width=1.3, dashes=look[2]))
    return n_rising, lines


def _depth_lines(columns: Sequence[ColumnPlace], step: float) -> list[str]:
    """Return lines between columns of different depth: what is between two has no order."""
    pairs = zip(columns, columns[1:], strict=False)
    changes = [k + 1 for k, (one, other) in enumerate(pairs) if one.depth != other.depth]
    ends = (TOP, TOP + PLOT)
    return [
        line([(LEFT + step * k, end) for end in ends], opacity="0.3", dashes="2 3") for k in changes
    ]


def _names(columns: Sequence[ColumnPlace], x: dict[str, float]) -> tuple[float, list[str]]:
    """Return the names below the plot and how much room they take."""
    base = TOP + PLOT + 6
    ends = "causes first; no order between dashed lines"
    if len(columns) > MOST_NAMES:
        return 28, [text(0, base + 14, f"{len(columns)} columns, {ends}")]
    labels = {one.name: shortened(one.name) for one in columns}
    room = max(map(width, labels.values()))
    parts = [
        text(x[name] + 4, base, label, anchor="end", turned=True) for name, label in labels.items()
    ]
    return room + 30, [*parts, text(0, base + room + 16, ends)]
