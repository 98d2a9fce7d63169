"""A neural network of one hidden layer with random weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from causalassay.arrays import Adjacency, Values, Vector
from causalassay.models.linear.sources import SCM, Range, Signs
from causalassay.models.nonlinear.mechanisms.function import (
    Functions,
    check_count,
    draw_each,
    draw_signed,
)


@dataclass(frozen=True, eq=False)
class HiddenLayer:
    """x ↦ output · sigmoid(x · inward)."""

    inward: Values
    output: Vector

    def __call__(self, parents: Values, /) -> Vector:
        """Return the value at each row."""
        # The sigmoid by tanh, which neither overflows nor is slow.
        return (0.5 + 0.5 * np.tanh(parents @ (0.5 * self.inward))) @ self.output


@dataclass(frozen=True)
class MLP:
    """A random network of one hidden layer of sigmoids over all parents ("mlp").

    There are no biases, as in the authors' code: at the origin every hidden unit
    is one half.

    Parameters
    ----------
    weights : (float, float)
        Range of the magnitudes of all weights, uniform, with random signs.
    n_hidden : int

    References
    ----------
    Zheng et al. 2020, after the authors' code; used by Reisach et al. 2021, table 6.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import chain
    >>> function = MLP().draw(chain(2), np.random.default_rng(0))[1]
    >>> bool(np.isclose(function(np.zeros((1, 1)))[0], function.output.sum() / 2))
    True
    """

    weights: Range = (0.5, 2.0)
    n_hidden: int = 100
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        SCM(weights=self.weights)  # which says what is wrong with them
        check_count("n_hidden", self.n_hidden)

    def draw(self, graph: Adjacency, rng: Generator) -> Functions:
        """Draw the network of each node that has parents."""
        return draw_each(
            graph,
            lambda n_parents: HiddenLayer(
                draw_signed(self.weights, (n_parents, self.n_hidden), rng),
                draw_signed(self.weights, (self.n_hidden,), rng),
            ),
        )


# Weighted sums of sigmoids of the parents.


@dataclass(frozen=True, eq=False)
class Sigmoids:
    """x ↦ Σ_j weight_j · (10 / (1 + exp(-0.65 x_j)) - 5)."""

    weights: Vector

    def __call__(self, parents: Values, /) -> Vector:
        """Return the value at each row."""
        # 10 / (1 + exp(-0.65 x)) - 5 = 5 tanh(0.325 x), which does not overflow.
        return np.tanh(0.325 * parents) @ (5 * self.weights)


@dataclass(frozen=True)
class Sigmoid:
    """Each parent through a sigmoid from -5 to 5, times a weight ("sigmoid").

    The weights are those that the linear models draw from the same stream.

    Parameters
    ----------
    weights : (float, float)
        Range of the magnitudes, uniform.
    signs : {"random", "positive", "shared"}
        One sign per graph by default, as in the authors' code; the paper's text
        has a sign for each edge.

    References
    ----------
    Eigenmann, Mukherjee and Maathuis 2020, section 4.1.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import chain
    >>> function = Sigmoid((1, 1), "positive").draw(chain(2), np.random.default_rng(0))[1]
    >>> function(np.array([[0.0], [1.0], [100.0]])).round(3)
    array([0.  , 1.57, 5.  ])
    """

    weights: Range = (1.0, 3.0)
    signs: Signs = "shared"
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        SCM(weights=self.weights, signs=self.signs)  # which says what is wrong with them

    def draw(self, graph: Adjacency, rng: Generator) -> Functions:
        """Draw a weight for each edge."""
        weights = SCM(weights=self.weights, signs=self.signs).draw(graph, rng).weights
        return tuple(
            Sigmoids(incoming[parents]) if parents.any() else None
            for incoming, parents in zip(weights.T, graph.T, strict=True)
        )


# Multi-index models: few directions in the space of the parents, each bent.


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
