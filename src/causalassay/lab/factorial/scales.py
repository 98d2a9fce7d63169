"""Columns of an experiment on scales that models can be fitted to: levels, or normal scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri

from causalassay.common.arrays import Vector
from causalassay.graphs.orders import Indices

OTHER = "(other)"
"""The level of all rarer texts together."""


@dataclass(frozen=True, eq=False)
class NumberScale:
    """A column of numbers cut into levels of about equally many rows, with a normal score each.

    Parameters
    ----------
    edges : Vector
        Rising. Level k holds the values above edge k - 1 and up to edge k.
    values : Vector
        Those that occur, rising.
    scores : Vector
        The normal quantile of each value's mean rank share.

    Examples
    --------
    >>> scale = NumberScale.of([0, 0, 0, 1, 5, 9], 3)
    >>> scale.edges, scale.codes([0, 2, 9]).tolist(), scale.names
    (array([0., 1.]), [0, 2, 2], ('≤ 0', '≤ 1', '> 1'))
    """

    edges: Vector
    values: Vector
    scores: Vector

    @classmethod
    def of(cls, column: ArrayLike, n_levels: int) -> NumberScale:
        """Return the scale of a column of two values or more, in at most `n_levels`.

        Few values have a level each; more are cut at quantiles.
        """
        values, counts = np.unique(np.asarray(column, dtype=float), return_counts=True)
        below = np.cumsum(counts)
        scores = ndtri((below - counts / 2) / below[-1])
        if len(values) <= n_levels:
            return cls(values[:-1], values, scores)
        # The least value with a share of at least k/n at or below it: no mean of two values.
        wanted = np.arange(1, n_levels) / n_levels * below[-1]
        edges = np.unique(values[np.searchsorted(below, wanted - 1e-9)])
        edges = edges[edges < values[-1]]
        if not len(edges):
            edges = values[-2:-1]
        return cls(edges, values, scores)

    @property
    def n_levels(self) -> int:
        """The number of levels."""
        return len(self.edges) + 1

    @property
    def names(self) -> tuple[str, ...]:
        """The levels in words."""
        return (*(f"≤ {edge:.6g}" for edge in self.edges), f"> {self.edges[-1]:.6g}")

    def codes(self, column: ArrayLike) -> Indices:
        """Return the level of each value."""
        return np.searchsorted(self.edges, np.asarray(column, dtype=float)).astype(np.int64)

    def normal_scores(self, column: ArrayLike) -> Vector:
        """Return the score of each value, which must be one that occurs."""
        return self.scores[np.searchsorted(self.values, np.asarray(column, dtype=float))]

    def normal_law(self, mean: float, variance: float) -> Vector:
        """Return the share of each level under a normal law of the scores."""
        last = np.searchsorted(self.values, self.edges)
        cuts = (self.scores[last] + self.scores[last + 1]) / 2
        spread = np.sqrt(max(variance, np.finfo(float).tiny))
        return np.diff(ndtr((cuts - mean) / spread), prepend=0.0, append=1.0)


@dataclass(frozen=True)
class TextScale:
    """A column of texts: the most frequent ones have a level each, the rest one together.

    Examples
    --------
    >>> scale = TextScale.of(["a", "b", "b", "c", "c", "c"], 2)
    >>> scale.names, scale.codes(["a", "c"]).tolist()
    (('c', '(other)'), [1, 0])
    """

    names: tuple[str, ...]

    @classmethod
    def of(cls, column: Sequence[str], n_levels: int) -> TextScale:
        """Return the scale of a column in at most `n_levels`."""
        texts, counts = np.unique(np.asarray(column, dtype=str), return_counts=True)
        if len(texts) <= n_levels:
            return cls(tuple(texts.tolist()))
        frequent = texts[np.argsort(-counts, kind="stable")[: n_levels - 1]]
        return cls((*sorted(frequent.tolist()), OTHER))

    @property
    def n_levels(self) -> int:
        """The number of levels."""
        return len(self.names)

    def codes(self, column: Sequence[str]) -> Indices:
        """Return the level of each text; those without one have the last."""
        place = {name: k for k, name in enumerate(self.names)}
        return np.array([place.get(str(one), self.n_levels - 1) for one in column], dtype=np.int64)

    def normal_scores(self, column: Sequence[str]) -> Vector:
        """Return the number of the level: texts have no ranks."""
        return self.codes(column).astype(float)


Scale = NumberScale | TextScale

MOST_TEXTS = 8
"""Levels of a column of texts, which no quantiles can cut."""


def scale_of(column: pd.Series[Any], n_levels: int) -> Scale:
    """Return the scale of a column: numbers in at most `n_levels`, texts in `MOST_TEXTS`.

    Examples
    --------
    >>> scale_of(pd.Series([1, 2, 3, 4]), 2).names
    ('≤ 2', '> 2')
    """
    if n_levels < 2:  # noqa: PLR2004
        raise ValueError(f"expected 2 levels or more, got {n_levels}")
    if pd.api.types.is_numeric_dtype(column):
        return NumberScale.of(column.to_numpy(float), n_levels)
    return TextScale.of(column.astype(str).tolist(), max(n_levels, MOST_TEXTS))


def half_l1(p: NDArray[Any], q: NDArray[Any]) -> float:
    """Return the total variation between two laws on the same levels.

    Examples
    --------
    >>> half_l1(np.array([0.5, 0.5]), np.array([0.25, 0.75]))
    0.25
    """
    return float(np.abs(p - q).sum() / 2)
