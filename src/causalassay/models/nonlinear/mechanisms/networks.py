"""A neural network of one hidden layer with random weights."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from causalassay.common.arrays import Adjacency, Values, Vector
from causalassay.common.kernels import kernel
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


# Sums of cosines: what every finite draw of a Gaussian process is here.

_BLOCK = 256
"""Rows at a time: what the inner loops touch stays in the cache."""

_ROUNDING = 1.5 * 2.0**52
"""Adding and subtracting it rounds to an integer, in a form that compilers vectorise."""


@kernel
def _sum_of_cosines(
    columns: Values, turns: Values, phase: Vector, amplitude: Vector, total: Vector
) -> None:
    """Put Σ_m amplitude_m · cos 2π(turns_m · column + phase_m) of each column into `total`."""
    n_parents, n = columns.shape
    angle, block = np.empty(_BLOCK), np.empty(_BLOCK)
    for first in range(0, n, _BLOCK):
        size = min(_BLOCK, n - first)
        block[:] = 0.0
        for m in range(len(amplitude)):
            angle[:] = phase[m]
            for parent in range(n_parents):
                turn, column = turns[m, parent], columns[parent, first : first + size]
                for row in range(size):
                    angle[row] += turn * column[row]
            height = amplitude[m]
            # All of the block, also past its last row: a loop of fixed length is vectorised.
            for row in range(_BLOCK):
                # cos 2πu = 1 - 2 sin² πu, the series of the sine being exact to 4e-14 on ±π/2.
                x = angle[row]
                x = math.pi * (x - ((x + _ROUNDING) - _ROUNDING))
                square = x * x
                sine = 1 / 355687428096000
                sine = sine * square - 1 / 1307674368000
                sine = sine * square + 1 / 6227020800
                sine = sine * square - 1 / 39916800
                sine = sine * square + 1 / 362880
                sine = sine * square - 1 / 5040
                sine = sine * square + 1 / 120
                sine = sine * square - 1 / 6
                sine = x + x * square * sine
                block[row] += height - 2 * height * sine * sine
        for row in range(size):
            total[first + row] = block[row]


@dataclass(frozen=True, eq=False, repr=False)
class CosineSum:
    """x ↦ Σ_m amplitude_m · cos(frequency_m · x + phase_m).

    Parameters
    ----------
    frequency : (n_features, n_parents) array
    phase, amplitude : (n_features,) arrays

    Examples
    --------
    >>> import numpy as np
    >>> CosineSum(np.ones((1, 1)), np.zeros(1), np.ones(1))(np.array([[0.0], [np.pi]]))
    array([ 1., -1.])
    """

    frequency: Values
    phase: Vector
    amplitude: Vector

    def __repr__(self) -> str:
        n_features, n_parents = self.frequency.shape
        return f"CosineSum({n_parents} parents, {n_features} features)"

    def __call__(self, parents: Values, /) -> Vector:
        """Return the value at each row."""
        total = np.empty(len(parents))
        full_turn = 2 * math.pi
        turns, phase = self.frequency / full_turn, self.phase / full_turn
        _sum_of_cosines(np.ascontiguousarray(parents.T), turns, phase, self.amplitude, total)
        return total


@dataclass(frozen=True)
class SumOverParents:
    """x ↦ Σ_j part_j(x_j): a function of one parent each."""

    parts: tuple[CosineSum, ...]

    def __call__(self, parents: Values, /) -> Vector:
        """Return the value at each row."""
        total = np.zeros(len(parents))
        for parent, part in enumerate(self.parts):
            total += part(parents[:, parent : parent + 1])
        return total
