"""Risks with their intervals, each beside random graphs of its density."""

from __future__ import annotations

from causalassay.auditing.pictures.plot import (
    FALLING,
    Axis,
    bottom_axis,
    box,
    dot,
    line,
    svg,
    text,
)
from causalassay.choosing import Choice, RankedRow

WIDTH, LEFT, TOP, ROW = 480, 158, 62, 20
LONGEST_NAME = 23


def risk_picture(choice: Choice) -> str:
    """Return a row for each algorithm and baseline, the least risk on top."""
    rows = choice.rows
    bottom = TOP + ROW * len(rows)
    x = Axis(0.0, 1.0, LEFT, WIDTH - 14)
    parts = [
        text(0, 14, "Weighted causal risk: left is better", bold=True),
        text(0, 32, "Line: 95 % interval. Grey: 95 % of random graphs of the same density."),
        text(0, 48, "Blue: shown to beat them. Hollow: baseline."),
        *bottom_axis(x, bottom, TOP),
    ]
    for place, row in enumerate(rows):
        parts += _row(row, x, TOP + ROW * (place + 0.5))
    return svg(bottom + 22, parts, "Weighted causal risk of each algorithm", WIDTH)


def _row(row: RankedRow, x: Axis, y: float) -> list[str]:
    random, (low, high) = row.random, row.interval
    colour = FALLING if random.beaten else "currentColor"
    about = f"{row.name}: {row.weighted:.2f} [{low:.2f}, {high:.2f}]"
    name = row.name if len(row.name) <= LONGEST_NAME else f"{row.name[: LONGEST_NAME - 1]}…"
    return [
        text(LEFT - 8, y + 4, name, anchor="end", bold=row.role == "algorithm"),
        box(x(random.low), y - 8, max(x(random.high) - x(random.low), 2.0), 16, "0.16"),
        line([(x(low), y), (x(high), y)], colour=colour, opacity="0.7", width=2),
        dot(x(row.weighted), y, about, colour=colour, hollow=row.role == "baseline"),
    ]
