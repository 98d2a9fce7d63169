"""What all plots are made of: a frame, an axis with round numbers, points, lines and texts.

Only attributes of SVG are used, no styles: a page's policy forbids those. Texts have the colour of
the page, and the two hues are seen on white and on dark, also by colour-blind readers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from causalassay.notebook import escaped

WIDTH = 400
"""Of every plot: it is read on a phone as it is, and three stand beside each other on a screen."""

RISING, FALLING = "#d55e00", "#1a85c9"


@dataclass(frozen=True)
class Axis:
    """Maps numbers to pixels.

    Parameters
    ----------
    low, high : float
        The numbers at its ends.
    start, stop : float
        The pixels at its ends.
    log : bool
    """

    low: float
    high: float
    start: float
    stop: float
    log: bool = False

    def __call__(self, value: float) -> float:
        """Return the pixel of a number."""
        low, high, own = (
            (math.log(one) for one in (self.low, self.high, value))
            if self.log
            else (self.low, self.high, value)
        )
        share = (own - low) / (high - low) if high > low else 0.5
        return self.start + share * (self.stop - self.start)

    @property
    def ticks(self) -> list[float]:
        """Some round numbers on it."""
        return _log_ticks(self.low, self.high) if self.log else _ticks(self.low, self.high)


def axis_for(values: Sequence[float], start: float, stop: float, *, log: bool) -> Axis:
    """Return an axis with room around some values; around 1 value a little of both sides."""
    low, high = min(values), max(values)
    if log:
        spare = max((high / low) ** 0.06, 1.02)
        return Axis(low / spare, high * spare, start, stop, log=True)
    spare = 0.06 * (high - low) or 0.05 * (abs(high) or 1.0)
    return Axis(low - spare, high + spare, start, stop)


def _ticks(low: float, high: float, most: int = 5) -> list[float]:
    raw = (high - low) / most
    size = 10.0 ** math.floor(math.log10(raw))
    step = next(size * times for times in (1, 2, 5, 10) if size * times >= raw)
    first = math.ceil(low / step - 1e-9)
    return [k * step for k in range(first, math.floor(high / step + 1e-9) + 1)]


def _log_ticks(low: float, high: float) -> list[float]:
    """Return powers of ten, with their doubles and halves where these are few."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    every = max(1, len(powers) // 5)
    for times in ((1,), (1, 2, 5)):
        found = [factor * 10.0**k for k in powers[::every] for factor in times]
        inside = [one for one in found if low <= one <= high]
        if len(inside) > 2:
            return inside
    return inside if len(inside) > 1 else _ticks(low, high)


def short(value: float) -> str:
    """Return a number as an axis shows it.

    Examples
    --------
    >>> short(0.30000000000000004), short(1000.0), short(1e-9)
    ('0.3', '1000', '1e-09')
    """
    return f"{value:.4g}"


def text(  # noqa: PLR0913  where it is and how it looks
    x: float,
    y: float,
    content: str,
    *,
    anchor: str = "start",
    colour: str = "currentColor",
    bold: bool = False,
    turned: bool = False,
) -> str:
    """Return a text; a turned one runs upwards and ends there."""
    weight = ' font-weight="bold"' if bold else ""
    turn = f' transform="rotate(-90 {x:.1f} {y:.1f})"' if turned else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}"{weight}{turn}>'
        f"{escaped(content)}</text>"
    )


def line(
    points: Sequence[tuple[float, float]],
    *,
    colour: str = "currentColor",
    opacity: str = "1",
    width: float = 1.0,
    dashes: str = "",
) -> str:
    """Return a line through points."""
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return (
        f'<path d="{path}" fill="none" stroke="{colour}" stroke-opacity="{opacity}" '
        f'stroke-width="{width}"{dashed}/>'
    )


def dot(
    x: float, y: float, title: str, *, colour: str = "currentColor", hollow: bool = False
) -> str:
    """Return a point with a text that is shown when it is pointed at."""
    inside = f'fill="none" stroke="{colour}" stroke-width="1.8"' if hollow else f'fill="{colour}"'
    return (
        f"<g><title>{escaped(title)}</title>"
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.8" {inside}/></g>'
    )


def box(x: float, y: float, wide: float, high: float, opacity: str) -> str:
    """Return a filled rectangle in the colour of the text."""
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(wide, 0):.1f}" height="{max(high, 0):.1f}" '
        f'fill="currentColor" fill-opacity="{opacity}"/>'
    )


def left_axis(axis: Axis, x: float, right: float) -> list[str]:
    """Return the numbers at the left and faint lines across."""
    parts = []
    for tick in axis.ticks:
        y = axis(tick)
        parts.append(line([(x, y), (right, y)], opacity="0.15"))
        parts.append(text(x - 5, y + 4, short(tick), anchor="end"))
    return parts


def bottom_axis(axis: Axis, y: float, top: float) -> list[str]:
    """Return the numbers at the bottom and faint lines upwards."""
    parts = []
    for tick in axis.ticks:
        x = axis(tick)
        parts.append(line([(x, y), (x, top)], opacity="0.15"))
        parts.append(text(x, y + 15, short(tick), anchor="middle"))
    return parts


def svg(height: float, parts: Sequence[str], title: str, width: float = WIDTH) -> str:
    """Return the whole picture."""
    high, wide = math.ceil(height), math.ceil(width)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{wide}" height="{high}" '
        f'viewBox="0 0 {wide} {high}" font-family="sans-serif" font-size="12">'
        f"<title>{escaped(title)}</title>{''.join(parts)}</svg>"
    )
