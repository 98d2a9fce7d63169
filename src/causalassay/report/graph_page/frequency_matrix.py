"""The frequencies of all edges as a picture: rows to columns, the darker the more often."""

from __future__ import annotations

import math

from causalassay.drawing.labels import shortened, width
from causalassay.notebook import escaped
from causalassay.resampling import EdgeFrequencies
from causalassay.resampling.result import percent

SIDE = 30
"""Of a cell with its number, in pixels."""
SMALL = 12
"""Of a cell without."""
MOST_NUMBERED = 24
"""Columns up to which cells have numbers."""
MOST_DRAWN = 80
"""Columns up to which there is a picture at all."""
MARGIN = 8
DARK = 0.55
"""Share from which on the number in a cell is light."""

INK, PAPER, FILL, RIM = "#1f2933", "#ffffff", "#2f6f9f", "#c2410c"


def frequency_matrix(found: EdgeFrequencies) -> str:
    """Return an SVG with a cell for each pair: how often the row may cause the column.

    A cell counts i→j and i—j. The edges of the graph have a frame.
    """
    names = [shortened(name) for name in found.columns]
    numbered = len(names) <= MOST_NUMBERED
    side = SIDE if numbered else SMALL
    left = MARGIN + max(map(width, names)) + 6
    parts = []
    for i in range(len(names)):
        for j in range(len(names)):
            if i != j:
                corner = (left + side * j, left + side * i)
                parts.append(_cell(found, i, j, corner, numbered=numbered))
    for k, name in enumerate(names):
        middle = left + side * (k + 0.5)
        parts.append(
            f'<text x="{left - 6:.1f}" y="{middle:.1f}" dy="0.35em" text-anchor="end" '
            f'fill="currentColor">{escaped(name)}</text>'
            f'<text x="{middle:.1f}" y="{left - 6:.1f}" dy="0.35em" fill="currentColor" '
            f'transform="rotate(-90 {middle:.1f} {left - 6:.1f})">{escaped(name)}</text>'
        )
    whole = math.ceil(left + side * len(names) + MARGIN)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{whole}" height="{whole}" '
        f'viewBox="0 0 {whole} {whole}" font-family="sans-serif" font-size="12">'
        f"<title>How often the row may cause the column</title>{''.join(parts)}</svg>"
    )


def _cell(
    found: EdgeFrequencies, i: int, j: int, corner: tuple[float, float], *, numbered: bool
) -> str:
    forward, _, undirected, _ = found.shares(i, j)
    known = 0.0 if math.isnan(forward) else forward + undirected
    side = SIDE if numbered else SMALL
    x, y = corner
    drawn = bool(found.estimate.graph[i, j])
    frame = f'stroke="{RIM}" stroke-width="2"' if drawn else 'stroke="#cbd2d9"'
    square = f'x="{x + 1:.1f}" y="{y + 1:.1f}" width="{side - 2}" height="{side - 2}"'
    text = ""
    if numbered and known > 0:
        colour = PAPER if known > DARK else INK
        text = (
            f'<text x="{x + side / 2:.1f}" y="{y + side / 2:.1f}" dy="0.35em" font-size="11" '
            f'text-anchor="middle" fill="{colour}">{100 * known:.0f}</text>'
        )
    return (
        f"<g><title>{escaped(_title(found, i, j))}</title>"
        f'<rect {square} fill="{PAPER}"/>'
        f'<rect {square} fill="{FILL}" fill-opacity="{known:.2f}" {frame}/>{text}</g>'
    )


def _title(found: EdgeFrequencies, i: int, j: int) -> str:
    one, other = found.columns[i], found.columns[j]
    forward, backward, undirected, absent = map(percent, found.shares(i, j))
    return (
        f"{one} → {other}: {forward}, {other} → {one}: {backward}, undirected: {undirected}, "
        f"absent: {absent}"
    )
