"""Who moved under which intervention, as a matrix of effects."""

from __future__ import annotations

from causalassay.auditing.pictures.plot import FALLING, RISING, svg, text
from causalassay.choosing import Choice, Movement
from causalassay.notebook import escaped

CELL, SMALL = 30, 22
LETTER = 6.6
"""Pixels of a letter of 12 pixels, about."""

STRONG = 1.0
"""The effect from which on a cell has its full colour."""

LONGEST_NAME = 26


def movement_picture(choice: Choice) -> str:
    """Return a row for each condition, a column for each variable, marks where it moved."""
    labels = [_cut(f"{one.condition} → {one.target}") for one in choice.movements]
    left = max((len(label) for label in labels), default=0) * LETTER + 12
    longest = max(len(_cut(name)) for name in choice.columns)
    top = 44 + longest * LETTER
    parts = [
        text(0, 14, "Who moved under which intervention", bold=True),
        text(0, 31, "Orange: up, blue: down. Frame: moved. T: the target."),
    ]
    for k, name in enumerate(choice.columns):
        parts.append(text(left + CELL * (k + 0.5) + 4, top - 6, _cut(name), turned=True))
    for row, (label, one) in enumerate(zip(labels, choice.movements, strict=True)):
        y = top + SMALL * row
        parts.append(text(left - 6, y + 15, label, anchor="end"))
        for k, name in enumerate(choice.columns):
            parts += _cell(one, name, left + CELL * k, y)
    height = top + SMALL * len(choice.movements) + 8
    width = max(left + CELL * len(choice.columns) + 8, 340)
    return svg(height, parts, "Who moved under which intervention", width)


def _cell(one: Movement, name: str, x: float, y: float) -> list[str]:
    effect = one.effects[name]
    target, moved = name == one.target, name in one.moved
    colour = RISING if (effect or 0) > 0 else FALLING
    opacity = 0.0 if target or effect is None else min(abs(effect) / STRONG, 1.0) * 0.55
    frame = 'stroke="currentColor" stroke-width="1.6"' if moved else 'stroke="none"'
    said = "undefined" if effect is None else f"{effect:+.2f}"
    shown = "T" if target else "–" if effect is None else f"{round(effect, 1) + 0.0:.1f}"
    about = f"{one.condition}, {name}: effect {said}{', moved' if moved else ''}"
    faint = 'fill-opacity="0.55"' if not (moved or target) else ""
    return [
        f"<g><title>{escaped(about)}</title>"
        f'<rect x="{x + 1:.1f}" y="{y + 1:.1f}" width="{CELL - 3}" height="{SMALL - 3}" '
        f'fill="{colour}" fill-opacity="{opacity:.2f}" {frame}/>'
        f'<text x="{x + CELL / 2:.1f}" y="{y + 15:.1f}" text-anchor="middle" font-size="10" '
        f'fill="currentColor" {faint}>{shown}</text></g>'
    ]


def _cut(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
