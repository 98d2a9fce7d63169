"""Time that its owner has seen pass: what it slept through does not count."""

from __future__ import annotations

import time

LONGEST_STEP = 0.5
"""Seconds between two looks of which more do not count."""


class Stopwatch:
    """Counts seconds from look to look.

    Whoever watches over others may be stopped itself (Ctrl-Z, a debugger, a machine that
    sleeps), often together with them. A long time between two looks says nothing about
    what is watched.

    Examples
    --------
    >>> watch = Stopwatch()
    >>> 0 <= watch.look() < 0.5
    True
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self._looked = time.monotonic()

    def look(self) -> float:
        """Return the seconds so far."""
        now = time.monotonic()
        self.seconds += min(now - self._looked, LONGEST_STEP)
        self._looked = now
        return self.seconds
