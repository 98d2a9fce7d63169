"""Whether a column holds real numbers or one of a few levels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any

from causalassay.common.spelling import shown


@dataclass(frozen=True)
class Continuous:
    """The kind of a column of real numbers.

    Examples
    --------
    >>> Continuous() == Continuous()
    True
    """


@dataclass(frozen=True)
class Discrete:
    """The kind of a column that takes one of some levels.

    The column's values are codes: 0 for the first level, 1 for the second, and
    so on. A level stays although a part of the data misses it, so codes mean
    the same in every fold.

    Parameters
    ----------
    levels : tuple of str, or tuple of float
        All text or all numbers, each once.

    Examples
    --------
    >>> Discrete(("control", "treated")).levels
    ('control', 'treated')
    >>> Discrete((0, 1)).levels
    (0.0, 1.0)
    """

    levels: tuple[str, ...] | tuple[float, ...]

    def __post_init__(self) -> None:
        if isinstance(self.levels, str):
            raise TypeError(f"levels: expected a tuple of levels, got the text {self.levels!r}")
        levels: tuple[Any, ...] = tuple(self.levels)
        if not levels:
            raise ValueError("levels: a discrete column needs at least 1 level, got none")
        if all(isinstance(level, Real) for level in levels):
            levels = tuple(float(level) for level in levels)
            if not all(math.isfinite(level) for level in levels):
                raise ValueError(f"levels: every number must be finite, got {shown(levels)}")
        elif not all(isinstance(level, str) for level in levels):
            raise TypeError(f"levels: expected all text or all numbers, got {shown(levels)}")
        if len(set(levels)) < len(levels):
            raise ValueError(f"levels: expected each level once, got {shown(levels)}")
        object.__setattr__(self, "levels", levels)


ColumnKind = Continuous | Discrete
