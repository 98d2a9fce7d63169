"""What baselines reach, beside the scores of random orders."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from causalassay.auditing.pictures.plot import (
    FALLING,
    RISING,
    WIDTH,
    Axis,
    bottom_axis,
    box,
    dot,
    line,
    svg,
    text,
)
from causalassay.auditing.row_names import RANDOM_ORDERS

if TYPE_CHECKING:
    from causalassay.auditing.result import BaselineScore

LEFT, RIGHT, TOP, BARS = 6, WIDTH - 12, 44, 70
ROW = 34


def beside_random(rows: Sequence[BaselineScore], counts: Sequence[int]) -> str | None:
    """Return F1 of each baseline below the distribution over random orders; None without one.

    Parameters
    ----------
    rows : sequence of BaselineScore
    counts : sequence of int
        Random orders in equal bins of F1 from 0 to 1.
    """
    random = next((row for row in rows if row.algorithm == RANDOM_ORDERS), None)
    if random is None or random.f1_range is None or not sum(counts):
        return None
    shown = [row for row in rows if row.algorithm != RANDOM_ORDERS and not math.isnan(row.f1)]
    x = Axis(0.0, 1.0, LEFT, RIGHT)
    bottom = TOP + BARS + 10 + ROW * len(shown)
    low, high = random.f1_range
    title = "F1 of the baselines and of random orders"
    parts = [
        text(0, 14, title, bold=True),
        text(0, 32, f"bars: {sum(counts)} random orders; band: their central 95 %"),
        box(x(low), TOP, x(high) - x(low), bottom - TOP, "0.10"),
        line([(x(random.f1), TOP), (x(random.f1), bottom)], opacity="0.5", dashes="3 3"),
        *_bars(counts, x),
        *bottom_axis(x, bottom, TOP),
    ]
    for place, row in enumerate(shown):
        parts += _row(row, x, TOP + BARS + 10 + ROW * place)
    about = f"{title}: random orders score {random.f1:.2f} on average"
    return svg(bottom + 22, parts, about)


def _bars(counts: Sequence[int], x: Axis) -> list[str]:
    most, base = max(counts), TOP + BARS
    wide = (RIGHT - LEFT) / len(counts)
    return [
        box(x(k / len(counts)), base - BARS * count / most, wide - 1, BARS * count / most, "0.45")
        for k, count in enumerate(counts)
        if count
    ]


def _row(row: BaselineScore, x: Axis, top: float) -> list[str]:
    """Return the name and the score of a baseline above its point."""
    score = f"{row.f1:.2f}"
    if row.p_order is not None:
        score += f", p-value {row.p_order:.3f}"
    y = top + 24
    colour = FALLING if "falling" in row.algorithm else RISING
    named = row.p_order is None
    parts = [
        text(LEFT, top + 14, row.algorithm.replace("sorted by", "by")),
        text(RIGHT, top + 14, score, anchor="end"),
        line([(LEFT, y), (RIGHT, y)], opacity="0.15"),
    ]
    if row.f1_range:
        ends = [(x(end), y) for end in row.f1_range]
        parts.append(line(ends, opacity="0.6", width=2))
    look = "currentColor" if named else colour
    parts.append(dot(x(row.f1), y, f"{row.algorithm}: F1 {score}", colour=look, hollow=named))
    return parts
