"""The size of a chart: narrow as it is made, fitted to the width of a page or of a column.

A chart of one view says ``"width": "container"``. A chart of panels cannot, so it
carries in ``usermeta`` what fitting it needs, and is made for a narrow screen. The page's
script fits it as `fitted` does here, but measures the texts in the reader's font, whose
widths are only estimated here.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from causalassay.report.charts.theme import width_of

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
