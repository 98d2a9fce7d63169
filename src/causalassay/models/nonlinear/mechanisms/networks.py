"""A neural network of one hidden layer with random weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from causalassay.arrays import Adjacency, Values, Vector
from causalassay.models.linear.sources import SCM, Range
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
