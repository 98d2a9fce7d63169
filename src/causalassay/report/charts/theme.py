"""How the report's charts look: colours, shapes, sizes of text, and labels that are never cut.

Colours are those of Okabe and Ito (2008, "Color Universal Design"), which people
with the common kinds of colour blindness tell apart; every series has a shape and a
dash of its own too, so that a grey print says the same.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from causalassay.analysis.names import metric_name

INK, QUIET, PAPER = "#222222", "#767676", "white"
COLOURS = ("#D55E00", "#E69F00", "#0072B2", "#009E73", "#CC79A7", "#56B4E9", INK)
"""Okabe–Ito without its yellow, which does not show on white."""
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-left")
DASHES = ((1, 0), (6, 2), (2, 2), (6, 2, 2, 2), (10, 3), (1, 3), (4, 4))
GROWING = ("#A9A5E3", "#8F8AD3", "#7570B3", "#56519B", "#3A3578", "#1F1B4D")
"""Light to dark, for sizes: their order is seen in grey as well."""
KNOWN = ("raw", "standardized", "iSCM", "UUMC")
"""Schemes whose style is the same in every report."""

TEXT = 12
LETTER = 6.2
"""Mean width of a letter of that size in Helvetica, in pixels; other fonts are wider."""
LINE = 14
LONGEST_LINE = 22
SYMBOL = 27
"""Pixels of a legend's symbol and the space around it."""
_BREAKS = f"(.{{1,{LONGEST_LINE}}}$|.{{1,{LONGEST_LINE - 1}}}[-_ ,;:/=)]|.{{1,{LONGEST_LINE}}})"


def style_of(names: Sequence[str]) -> dict[str, int]:
    """Return each series' index in the palette; known schemes have their own, others follow.

    Examples
    --------
    >>> style_of(["iSCM", "raw", "SNR"])
    {'iSCM': 2, 'raw': 0, 'SNR': 4}
    >>> style_of(["shd", "sid"])
    {'shd': 0, 'sid': 1}
    """
    taken = [name for name in names if name in KNOWN]
    free = len(KNOWN) if taken else 0
    others = {name: free + i for i, name in enumerate(n for n in names if n not in KNOWN)}
    return {name: KNOWN.index(name) if name in KNOWN else others[name] for name in names}


def picked(palette: Sequence[Any], names: Sequence[str]) -> list[Any]:
    """Return the colour, shape or dash of each series."""
    return [palette[index % len(palette)] for index in style_of(names).values()]


def growing(count: int) -> list[str]:
    """Return so many colours from light to dark."""
    if count == 1:
        return [GROWING[3]]
    indices = [round(i * (len(GROWING) - 1) / (count - 1)) for i in range(count)]
    return [GROWING[index] for index in indices]


def wrapped(text: str) -> list[str]:
    """Return the lines of a label, as `LABEL` breaks it.

    Examples
    --------
    >>> wrapped("direct-lingam"), wrapped("var-sortnregress (baseline)")
    (['direct-lingam'], ['var-sortnregress', '(baseline)'])
    """
    return [line.rstrip() for line in re.findall(_BREAKS, text)] or [text]


def breaking(text: str) -> str:
    """Return the Vega expression that breaks a text into lines."""
    pattern = _BREAKS.replace("\\", "\\\\")
    return f"split(slice(replace({text}, regexp('{pattern}', 'g'), '$1\\n'), 0, -1), '\\n')"


MARKED = "(indexof(baselines, datum.value) < 0 ? '' : ' (baseline)')"
"""Reads the chart's parameter ``baselines``: names stay data, never part of an expression.

Vega-Lite replaces ``datum.label`` once in the label of a panel, hence ``datum.value`` here.
"""
LABEL = breaking(f"(datum.label) + {MARKED}")
IS_BASELINE = "indexof(baselines, datum.algorithm) >= 0"


def name_lines(name: str, baselines: Sequence[str]) -> list[str]:
    """Return the lines under which a chart shows an algorithm."""
    return wrapped(name + (" (baseline)" if name in baselines else ""))


def width_of(labels: Sequence[Sequence[str]]) -> int:
    """Return the pixels that the longest of some labels needs."""
    return math.ceil(LETTER * max((len(line) for lines in labels for line in lines), default=0))


def legend_columns(names: Sequence[Any], room: int) -> int:
    """Return how many series stand beside each other in a legend so many pixels wide.

    Its lines are as even as can be.

    Examples
    --------
    >>> schemes = ["raw", "standardized", "iscm", "uumc"]
    >>> legend_columns(schemes, 340), legend_columns(schemes, 220), legend_columns(["a" * 40], 250)
    (4, 2, 1)
    """
    lengths = [len(str(name)) for name in names]
    for lines in range(1, len(lengths) + 1):
        columns = math.ceil(len(lengths) / lines)
        widest = [max(lengths[first::columns]) for first in range(columns)]
        if sum(SYMBOL + LETTER * length for length in widest) < room:
            return columns
    return 1


def direction(metric: str, better: str) -> str:
    """Return an axis title: the metric, and which direction is good.

    Examples
    --------
    >>> direction("f1", "high")
    'F1 (higher is better)'
    """
    return f"{metric_name(metric)} ({better}er is better)"


def config() -> dict[str, Any]:
    """Return the settings of every chart."""
    return {
        "background": PAPER,
        "font": "Helvetica, Arial, Liberation Sans, sans-serif",
        "view": {"stroke": "#cccccc"},
        "axis": {
            "labelFontSize": TEXT,
            "titleFontSize": TEXT,
            "titleFontWeight": "normal",
            "labelColor": INK,
            "titleColor": INK,
            "gridColor": "#e6e6e6",
            "domainColor": QUIET,
            "tickColor": QUIET,
            "labelLimit": 0,
            "titleLimit": 0,
        },
        "legend": {
            "orient": "top",
            "titleOrient": "left",
            "titlePadding": 8,
            "columnPadding": 8,
            "labelFontSize": TEXT,
            "titleFontSize": TEXT,
            "titleFontWeight": "normal",
            "labelColor": INK,
            "titleColor": INK,
            "labelLimit": 0,
            "symbolSize": 70,
            "symbolStrokeWidth": 1.5,
            "symbolOpacity": 1,
        },
        "header": {
            "labelFontSize": TEXT,
            "titleFontSize": TEXT,
            "labelColor": INK,
            "titleColor": INK,
            "labelLimit": 0,
        },
    }
