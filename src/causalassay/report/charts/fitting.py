"""The size of a chart: narrow as it is made, fitted to the width of a page or of a column.

A chart of one view says ``"width": "container"``. A chart of panels cannot, so it
carries in ``usermeta`` what fitting it needs, and is made for a narrow screen; the
page's script does with it what `fitted` does here.
"""

from __future__ import annotations

import copy
from typing import Any

NARROW = 350
"""Pixels that a screen of 420, or a column in print, leaves to a chart at least."""
WIDEST_PANEL = 320


def panels(across: int, margin: int, narrowest: int, gap: int) -> dict[str, int]:
    """Return what fitting a chart of panels needs to know.

    Parameters
    ----------
    across : int
        Panels that stand beside each other at most.
    margin : int
        Pixels beside the panels: labels, and the axis.
    narrowest : int
        Pixels of a panel's width that it needs.
    gap : int
        Pixels from one panel to the next.
    """
    return {"across": across, "margin": margin, "narrowest": narrowest, "gap": gap}


def arrangement(known: dict[str, int], width: int, *, wraps: bool) -> tuple[int, int]:
    """Return how many panels stand beside each other, and how wide each is.

    Examples
    --------
    >>> arrangement(panels(4, 100, 90, 10), 400, wraps=True)
    (3, 90)
    >>> arrangement(panels(4, 100, 90, 10), 1000, wraps=True)
    (4, 215)
    >>> arrangement(panels(2, 100, 90, 10), 400, wraps=False)
    (2, 140)
    """
    free = width - known["margin"]
    fitting = free // (known["narrowest"] + known["gap"])
    columns = max(1, min(known["across"], fitting)) if wraps else known["across"]
    panel = free // columns - known["gap"]
    return columns, max(known["narrowest"], min(panel, WIDEST_PANEL))


def fitted(spec: dict[str, Any], width: int) -> dict[str, Any]:
    """Return a chart's specification for a width in pixels, labels and all."""
    fitted_spec = copy.deepcopy(spec)
    known = fitted_spec.get("usermeta", {}).get("panels")
    if known is None:
        return fitted_spec | {"width": width, "autosize": {"type": "fit-x", "contains": "padding"}}
    columns, panel = arrangement(known, width, wraps="columns" in fitted_spec)
    fitted_spec["spec"]["width"] = panel
    if "columns" in fitted_spec:
        fitted_spec["columns"] = columns
    return fitted_spec
