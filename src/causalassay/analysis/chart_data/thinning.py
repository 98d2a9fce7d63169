"""What keeps the tables of charts small: fewer values, fewer digits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from causalassay.arrays import Vector

DIGITS = 5


def thinned(values: Sequence[Any], most: int) -> list[Any]:
    """Return at most so many of some values: the first, the last, and evenly between them.

    Examples
    --------
    >>> thinned([10, 20, 30, 40, 50], 3), thinned([10, 20], 3), thinned([10, 20, 30], 1)
    ([10, 30, 50], [10, 20], [20])
    """
    if len(values) <= most:
        return list(values)
    if most == 1:
        return [values[len(values) // 2]]
    indices = np.linspace(0, len(values) - 1, most).round().astype(int)
    return [values[index] for index in indices]


def rounded(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the table with its numbers to five significant digits, its rows counted from 0."""
    renumbered = frame.reset_index(drop=True)
    numbers = renumbered.select_dtypes(float)
    return renumbered.assign(
        **{str(name): round_digits(numbers[name].to_numpy()) for name in numbers}
    )


def round_digits(values: Vector) -> Vector:
    """Return numbers to five significant digits.

    Examples
    --------
    >>> round_digits(np.array([0.123456789, 12345.6789, np.nan])).tolist()
    [0.12346, 12346.0, nan]
    """
    return np.array([float(f"{value:.{DIGITS}g}") for value in values])
