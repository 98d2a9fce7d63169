"""One look for all charts, and their drawing as SVG without a browser.

Colours are those of Okabe and Ito (2008, "Color Universal Design"), which people with the common
kinds of colour blindness tell apart.
"""

from __future__ import annotations

import re
from typing import Any

from causalassay.present.markup import escaped, printable

INK, QUIET, PAPER = "#222222", "#767676", "white"
COLOURS = ("#D55E00", "#E69F00", "#0072B2", "#009E73", "#CC79A7", "#56B4E9", INK)
"""Okabe–Ito without its yellow, which does not show on white."""
RISING, FALLING = "#d55e00", "#1a85c9"
"""Two directions, seen on white and on dark."""

FONT = "Helvetica, Arial, Liberation Sans, sans-serif"
TEXT = 12
SMALL_WIDTH = 340
"""Pixels of a chart without its labels, three of which stand beside each other on a screen."""

_POINT = re.compile(r'(<path aria-label="([^"]*)" role="graphics-symbol"[^>]*)/>')
"""A mark that has a description, which whoever points at it shall see."""


def config(ink: str = INK, paper: str | None = PAPER, grid: str = "#e6e6e6") -> dict[str, Any]:
    """Return the settings of every chart.

    Parameters
    ----------
    ink : str
        The colour of texts.
    paper : str, optional
        The colour behind; None shows what is there.
    grid : str
    """
    texts = {
        "labelFontSize": TEXT,
        "titleFontSize": TEXT,
        "titleFontWeight": "normal",
        "labelColor": ink,
        "titleColor": ink,
        "labelLimit": 0,
    }
    return {
        "background": paper,
        "font": FONT,
        "view": {"stroke": "#cccccc" if paper else grid},
        "title": {
            "anchor": "start",
            "color": ink,
            "subtitleColor": ink,
            "fontSize": TEXT + 1,
            "subtitleFontSize": TEXT,
        },
        "axis": {
            **texts,
            "gridColor": grid,
            "domainColor": QUIET,
            "tickColor": QUIET,
            "titleLimit": 0,
        },
        "legend": {
            **texts,
            "orient": "top",
            "titleOrient": "left",
            "titlePadding": 8,
            "columnPadding": 8,
            "symbolSize": 70,
            "symbolStrokeWidth": 1.5,
            "symbolOpacity": 1,
        },
        "header": {**texts},
    }


def static_svg(spec: dict[str, Any], alt: str, *, on_paper: bool = False) -> str:
    """Return the drawing of a chart, whose texts take the colour of what is around it.

    Only attributes of SVG are used, no styles: a page's policy forbids those. Nothing is fetched.

    Parameters
    ----------
    spec : dict
        A Vega-Lite specification; settings of its own win over those of `config`.
    alt : str
    on_paper : bool
        Whether it is for a file of its own: dark texts on white.
    """
    import vl_convert  # noqa: PLC0415  # takes a while, and most results are never drawn

    themed = config() if on_paper else config("currentColor", None, "#88888840")
    stated = spec.get("config", {})
    merged = {name: _merged(themed.get(name), stated.get(name)) for name in {*themed, *stated}}
    drawn = vl_convert.vegalite_to_svg(
        printable_spec(spec | {"config": merged}), allowed_base_urls=[]
    )
    start, _, rest = _POINT.sub(r"\1><title>\2</title></path>", drawn).partition(">")
    # A browser's font may be wider than the one that was measured with.
    return f'{start} overflow="visible" role="img"><title>{escaped(alt)}</title>{rest}'


def printable_spec(value: Any) -> Any:
    """Return a specification whose texts can be printed.

    At a control character, vl-convert ends the whole process.
    """
    match value:
        case str():
            return printable(value)
        case dict():
            return {name: printable_spec(part) for name, part in value.items()}
        case list() | tuple():
            return [printable_spec(part) for part in value]
        case _:
            return value


def _merged(ours: Any, theirs: Any) -> Any:
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return ours | theirs
    return ours if theirs is None else theirs
