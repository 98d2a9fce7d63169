"""Figures for a paper: every chart of the report as PDF, SVG and PNG, at the size of print."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import vl_convert

from causalassay.report.charts.chart_size import fitted
from causalassay.report.charts.figure import Figure

COLUMN, PAGE = 3.3, 6.9
"""Inches of width: of a chart of one view, and of one whose panels wrap."""
PER_INCH = 108
"""Pixels of a chart that make an inch: its text of 12 pixels is then of 8 points."""
POINTS = 72
DPI = 300


def write_figures(
    figures: Sequence[Figure], folder: Path, formats: Sequence[str] = ("pdf", "svg", "png")
) -> list[Path]:
    """Write figures to a folder and return the files.

    Nothing is fetched: data and fonts are at hand.

    Parameters
    ----------
    figures : sequence of Figure
        Such as those of a `Gallery`.
    folder : Path
        Made if it is not there; files of the same names are replaced.
    formats : sequence of str
        Of "pdf", "svg" and "png"; a PNG has 300 dots per inch.
    """
    unknown = [name for name in formats if name not in FORMATS]
    if unknown:
        raise ValueError(f"a format is one of {list(FORMATS)}, got {unknown}")
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for figure in figures:
        spec = printed(figure)
        for name in formats:
            path = folder / f"{figure.id}.{name}"
            path.write_bytes(FORMATS[name](spec))
            written.append(path)
    return written


def printed(figure: Figure) -> dict[str, Any]:
    """Return the specification of a figure for a column, or for the whole width of a page."""
    spec = figure.chart.to_dict()
    return fitted(spec, round((PAGE if "columns" in spec else COLUMN) * PER_INCH))


def _pdf(spec: dict[str, Any]) -> bytes:
    # A unit of the drawing becomes a point.
    return vl_convert.svg_to_pdf(_drawn(spec, POINTS, ""))


def _png(spec: dict[str, Any]) -> bytes:
    # The resolution alone would scale by DPI / POINTS.
    scale = POINTS / PER_INCH
    return vl_convert.vegalite_to_png(spec, scale=scale, ppi=DPI, allowed_base_urls=[])


def _svg(spec: dict[str, Any]) -> bytes:
    return _drawn(spec, 1, "in").encode()


def _drawn(spec: dict[str, Any], per_inch: float, unit: str) -> str:
    """Return the drawing as SVG, its size in a unit of which so many make an inch."""
    text = vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])

    def sized(match: re.Match[str]) -> str:
        return f'{match[1]}="{float(match[2]) / PER_INCH * per_inch:.3f}{unit}"'

    start, rest = text.split(">", 1)
    return f"{re.sub(SIZE, sized, start)}>{rest}"


SIZE = r'\b(width|height)="([\d.]+)"'
FORMATS: dict[str, Callable[[dict[str, Any]], bytes]] = {"pdf": _pdf, "svg": _svg, "png": _png}
