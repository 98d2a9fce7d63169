"""How the report's charts look: series that a grey print tells apart, whole labels, and sizes.

Every series has a shape and a dash of its own beside its colour. Labels are broken into lines and
never cut.

A chart of one view says ``"width": "container"``. A chart of panels cannot, so it
carries in ``usermeta`` what fitting it needs, and is made for a narrow screen. The page's
script fits it as `fitted` does here, but measures the texts in the reader's font, whose
widths are only estimated here.
"""

from __future__ import annotations

import copy
import math
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from causalassay.analysis.names import metric_name
from causalassay.present.charts import COLOURS, INK, PAPER, QUIET, TEXT, config

__all__ = ["COLOURS", "INK", "PAPER", "QUIET", "TEXT", "config"]

SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-left")
DASHES = ((1, 0), (6, 2), (2, 2), (6, 2, 2, 2), (10, 3), (1, 3), (4, 4))
GROWING = ("#A9A5E3", "#8F8AD3", "#7570B3", "#56519B", "#3A3578", "#1F1B4D")
"""Light to dark, for sizes: their order is seen in grey as well."""
KNOWN = ("raw", "standardized", "iSCM", "UUMC")
"""Schemes whose style is the same in every report."""

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


NARROW = 350
"""Pixels that a screen of 420, or a column in print, leaves to a chart at least."""
WIDEST_PANEL = 320
BETWEEN_HEADINGS = 6
"""Pixels between the headings of two panels at least."""


@dataclass(frozen=True)
class PanelSizes:
    """What fitting a chart of panels needs to know.

    Parameters
    ----------
    across : int
        Panels that stand beside each other at most.
    margin : int
        Pixels beside the panels, apart from the labels: the axis, and space.
    narrowest : int
        Pixels of width that a panel needs.
    gap : int
        Pixels from one panel to the next.
    labels, headings : sequence of str
        The lines of text to the left of the panels, and above them.
    """

    across: int
    margin: int
    narrowest: int
    gap: int
    labels: Sequence[str]
    headings: Sequence[str]

    def to_meta(self) -> dict[str, Any]:
        """Return what a chart carries in ``usermeta``."""
        return {"panels": asdict(self)}


def arrangement(sizes: PanelSizes, width: int, *, wraps: bool) -> tuple[int, int]:
    """Return how many panels stand beside each other, and how wide each is.

    Examples
    --------
    >>> sizes = PanelSizes(4, 100, 90, 10, (), ())
    >>> arrangement(sizes, 400, wraps=True), arrangement(sizes, 1000, wraps=True)
    ((3, 90), (4, 215))
    >>> arrangement(PanelSizes(3, 69, 90, 10, ["label"], ["quite a long heading"]), 400, wraps=True)
    (2, 140)
    """
    free = width - sizes.margin - width_of([sizes.labels])
    heading = width_of([sizes.headings]) + BETWEEN_HEADINGS - sizes.gap
    narrowest = max(sizes.narrowest, heading)
    fitting = free // (narrowest + sizes.gap)
    columns = max(1, min(sizes.across, fitting)) if wraps else sizes.across
    panel = free // columns - sizes.gap
    return columns, max(sizes.narrowest, min(panel, WIDEST_PANEL))


def fitted(spec: dict[str, Any], width: int) -> dict[str, Any]:
    """Return a chart's specification for a width in pixels, labels and all."""
    fitted_spec = copy.deepcopy(spec)
    known = fitted_spec.get("usermeta", {}).get("panels")
    if known is None:
        return fitted_spec | {"width": width, "autosize": {"type": "fit-x", "contains": "padding"}}
    wraps = "columns" in fitted_spec
    columns, panel = arrangement(PanelSizes(**known), width, wraps=wraps)
    fitted_spec["spec"]["width"] = panel
    if wraps:
        fitted_spec["columns"] = columns
    return fitted_spec
