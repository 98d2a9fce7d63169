"""Multi-index models: few directions in the space of the parents, each bent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from causalassay.arrays import Adjacency, Values, Vector
from causalassay.models.linear.sources import SCM, Range
from causalassay.models.nonlinear.mechanisms.function import Functions, draw_each, draw_signed


@dataclass(frozen=True, eq=False)
class Bends:
    """x ↦ tanh(w_0 · x) + cos(w_1 · x) + sin(w_2 · x), the w being the columns."""

    directions: Values

    def __call__(self, parents: Values, /) -> Vector:
        """Return the value at each row."""
        first, second, third = (parents @ self.directions).T
        return np.tanh(first) + np.cos(second) + np.sin(third)


@dataclass(frozen=True)
class MultiIndex:
    """A hyperbolic tangent, a cosine and a sine, each of a weighted sum of the parents.

    Its name is "multi-index".

    Parameters
    ----------
    weights : (float, float)
        Range of the magnitudes, uniform, with random signs.

    References
    ----------
    Zheng et al. 2020, after the authors' code; used by Reisach et al. 2021, table 6.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import chain
    >>> MultiIndex().draw(chain(2), np.random.default_rng(0))[1](np.zeros((1, 1)))
    array([1.])
    """

    weights: Range = (0.5, 2.0)
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        SCM(weights=self.weights)  # which says what is wrong with them

    def draw(self, graph: Adjacency, rng: Generator) -> Functions:
        """Draw three directions for each node that has parents."""
        return draw_each(
            graph, lambda n_parents: Bends(draw_signed(self.weights, (3, n_parents), rng).T)
        )
