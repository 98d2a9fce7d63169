"""How frequencies look: the thickness of a line, and dashes where its direction is unsure."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

AGREED = 0.9
"""Share of the bootstraps that join a pair, below which an edge is dashed."""

THIN = 1.3
"""Of a line that stands for no share."""
THINNEST, THICKEST = 0.6, 3.4
"""Of lines that stand for the shares 0 and 1."""
FAINTEST = 0.25
"""Opacity of a line that stands for the share 0."""


@dataclass(frozen=True)
class Stroke:
    """How one edge is drawn.

    Parameters
    ----------
    joined : float
        How often its pair is joined in any way; nan if it is not known.
    as_drawn : float
        How often it is joined as in the graph; nan if it is not known.

    Examples
    --------
    >>> unsure = Stroke(joined=1.0, as_drawn=0.5)
    >>> unsure.wide, unsure.dashed, unsure.words
    (3.4, True, ', joined 100%, as drawn 50%')
    """

    joined: float = math.nan
    as_drawn: float = math.nan

    @property
    def wide(self) -> float:
        """Thickness of the line."""
        known = not math.isnan(self.joined)
        return THINNEST + (THICKEST - THINNEST) * self.joined if known else THIN

    @property
    def dashed(self) -> bool:
        """Whether the bootstraps that join the pair often do it otherwise."""
        return self.as_drawn < AGREED * self.joined  # False for nan

    @property
    def attributes(self) -> str:
        """Opacity, the fainter the less often the pair is joined."""
        if math.isnan(self.joined):
            return ""
        return f' opacity="{FAINTEST + (1 - FAINTEST) * self.joined:.2f}"'

    @property
    def words(self) -> str:
        """What the title of the edge adds."""
        named = (("joined", self.joined), ("as drawn", self.as_drawn))
        return "".join(f", {name} {one:.0%}" for name, one in named if not math.isnan(one))


@dataclass(frozen=True, eq=False)
class Strokes:
    """How all edges are drawn.

    Parameters
    ----------
    joined, as_drawn : ndarray, shape (d, d), optional
        As in `Stroke`.
    """

    joined: NDArray[np.float64] | None = None
    as_drawn: NDArray[np.float64] | None = None

    @property
    def known(self) -> bool:
        """Whether a share is known of any edge."""
        return self.joined is not None and not bool(np.isnan(self.joined).all())

    def of(self, i: int, j: int) -> Stroke:
        """Return how the edge from i to j is drawn."""
        each = (self.joined, self.as_drawn)
        return Stroke(*(math.nan if shares is None else float(shares[i, j]) for shares in each))


LEGEND = (
    (Stroke(0.1), "10%"),
    (Stroke(0.5), "50%"),
    (Stroke(1.0), "100% of bootstraps join it"),
)
"""Of thickness."""

DASHED = (
    Stroke(1.0, 0.0),
    f"dashed: of those, fewer than {AGREED:.0%} as drawn",
)
"""Of dashes."""
