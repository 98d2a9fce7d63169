"""How the report writes numbers: three digits or so, wherever it writes them."""

from __future__ import annotations

import math


def decimal(value: float, undefined: str = "–") -> str:
    """Return a number with three digits or so; nan as `undefined`.

    Examples
    --------
    >>> decimal(0.123), decimal(12.34), decimal(1234.5), decimal(-0.001), decimal(float("nan"))
    ('0.12', '12.3', '1234', '0.00', '–')
    """
    if math.isnan(value):
        return undefined
    decimals = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    return f"{round(value, decimals) + 0.0:.{decimals}f}"  # + 0.0: no -0.00


def signed(value: float) -> str:
    """Return a difference, with its sign.

    Examples
    --------
    >>> signed(0.123), signed(-2.0), signed(float("nan"))
    ('+0.12', '-2.00', '–')
    """
    return decimal(value) if math.isnan(value) else f"{'+' if value >= 0 else ''}{decimal(value)}"
