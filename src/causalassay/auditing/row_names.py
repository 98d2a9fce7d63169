"""What the rows of baselines are called."""

from __future__ import annotations

from typing import Literal

Direction = Literal["rising", "falling"]

RANDOM_ORDERS = "random orders"


def sorted_by(direction: Direction, word: str) -> str:
    """Return the name of the regression along a statistic.

    Examples
    --------
    >>> sorted_by("rising", "variance")
    'sorted by rising variance'
    """
    return f"sorted by {direction} {word}"
