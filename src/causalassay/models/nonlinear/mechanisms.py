"""Families of nonlinear functions from which a model draws one for each node with parents.

Draws of Gaussian processes have the kernel output_scale² · exp(-|x - x'|² / (2 length_scale²)),
whose spectrum is Gaussian. Such a draw is a sum of cosines whose frequencies come from that
spectrum (Rahimi and Recht 2007), so it is a fixed function that can be evaluated anywhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import ndtri

from causalassay.common.arrays import Adjacency, Values, Vector
from causalassay.common.kernels import kernel
from causalassay.graphs.orders import check_dag
from causalassay.models.parameters import Range, Signs, check_parameters, draw_weights


class Function(Protocol):
    """A fixed function of a node's parents: interventions meet the same one as observation."""

    def __call__(self, parents: Values, /) -> Vector:
        """Return the signal of each row; `parents` has shape (n, k), by increasing node number."""
        ...


Functions = tuple[Function | None, ...]
"""One for each node; None for a node without parents."""


@runtime_checkable
class Mechanism(Protocol):
    """A family of functions: a frozen dataclass whose fields are its parameters."""

    def draw(self, graph: Adjacency, rng: Generator) -> Functions:
        """Draw the functions of a graph, node by node."""
        ...


def draw_each(graph: Adjacency, draw: Callable[[int], Function]) -> Functions:
    """Return what `draw` makes of the number of parents of each node that has any."""
    return tuple(draw(k) if k else None for k in check_dag(graph).sum(axis=0).tolist())


def draw_signed(
    magnitude: Range, size: tuple[int, ...], rng: Generator
) -> NDArray[np.floating[Any]]:
    """Draw uniform magnitudes with random signs."""
    return rng.uniform(*magnitude, size) * rng.choice((-1.0, 1.0), size)


# A neural network of one hidden layer with random weights.


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
        The number of sigmoids in the hidden layer.

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
        check_parameters(self)

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
        check_parameters(self)

    def draw(self, graph: Adjacency, rng: Generator) -> Functions:
        """Draw a weight for each edge."""
        graph = check_dag(graph)
        weights = np.zeros(graph.shape)
        weights[graph] = draw_weights(int(graph.sum()), self.weights, self.signs, rng)
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
        check_parameters(self)

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


# Functions drawn from Gaussian processes with the squared exponential kernel.


@dataclass(frozen=True)
class GaussianProcess:
    """One draw of a Gaussian process over all parents together ("gp").

    Parameters
    ----------
    length_scale, output_scale : float or (float, float)
        The scales of the kernel; from a range each node draws its own. Zheng's have 1.
    n_features : int
        Cosines in a draw.

    Notes
    -----
    Given its frequencies a draw is Gaussian with the right variance at every
    point. Between points the kernel's error has standard deviation
    1/√(2·n_features) at most, so the variance of n values varies between draws
    by an extra 1/n_features; with 500 that is 0.002, what 1000 independent
    values have anyway. Frequencies fill the spectrum evenly in each coordinate
    (a Latin hypercube), which for few parents makes the error much smaller.

    References
    ----------
    Zheng et al. 2020, "Learning sparse nonparametric DAGs", after the authors'
    code; used by Reisach et al. 2021, table 6.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import chain
    >>> GaussianProcess().draw(chain(3), np.random.default_rng(0))
    (None, CosineSum(1 parents, 500 features), CosineSum(1 parents, 500 features))
    """

    length_scale: float | Range = 1.0
    output_scale: float | Range = 1.0
    n_features: int = 500
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        check_parameters(self)

    def draw(self, graph: Adjacency, rng: Generator) -> Functions:
        """Draw the function of each node that has parents."""
        return draw_each(graph, lambda n_parents: _even_draw(self, n_parents, rng))


@dataclass(frozen=True)
class AdditiveGaussianProcess:
    """A sum of draws of Gaussian processes, one for each parent ("gp-additive").

    Parameters
    ----------
    length_scale, output_scale : float or (float, float)
        The scales of the kernel; from a range each edge draws its own. Zheng's have 1.
    n_features : int
        Cosines in the draw of each edge. In one dimension they fill the spectrum
        so evenly that with 100 the kernel errs by 0.004 (root of the mean square
        over pairs of rows) for a parent of unit variance, by 0.010 for variance 16.

    References
    ----------
    Zheng et al. 2020, after the authors' code; Reisach et al. 2021, tables 2 and 6.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import chain
    >>> function = AdditiveGaussianProcess().draw(chain(2), np.random.default_rng(0))[1]
    >>> function(np.array([[0.0], [0.01], [1.0]])).round(2)
    array([-0.15, -0.16, -1.06])
    """

    length_scale: float | Range = 1.0
    output_scale: float | Range = 1.0
    n_features: int = 100
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        check_parameters(self)

    def draw(self, graph: Adjacency, rng: Generator) -> Functions:
        """Draw the functions of each node that has parents, one a parent."""
        return draw_each(
            graph,
            lambda n_parents: SumOverParents(
                tuple(_even_draw(self, 1, rng) for _ in range(n_parents))
            ),
        )


@dataclass(frozen=True)
class FourierFeatures:
    """A smooth draw from 100 random Fourier features, scales as in Ormaniec 2024 ("rff").

    Frequencies, phases and heights are independent, as the authors have them; at
    these length scales the functions are nearly linear to cubic over the data.

    Parameters
    ----------
    length_scale, output_scale : float or (float, float)
        The scales of the kernel; from a range each node draws its own.
    n_features : int
        Cosines in a draw.

    References
    ----------
    Ormaniec et al. 2024, appendix E.1 and E.2, after Lorch et al. 2022.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import chain
    >>> FourierFeatures().draw(chain(2), np.random.default_rng(0))
    (None, CosineSum(1 parents, 100 features))
    """

    length_scale: float | Range = (7.0, 10.0)
    output_scale: float | Range = (10.0, 20.0)
    n_features: int = 100
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        check_parameters(self)

    def draw(self, graph: Adjacency, rng: Generator) -> Functions:
        """Draw the function of each node that has parents."""

        def draw(n_parents: int) -> CosineSum:
            length, height = _scales(self, rng)
            frequency = rng.standard_normal((self.n_features, n_parents)) / length
            phase = rng.uniform(0, 2 * math.pi, self.n_features)
            amplitude = rng.standard_normal(self.n_features)
            return CosineSum(frequency, phase, amplitude * height * math.sqrt(2 / self.n_features))

        return draw_each(graph, draw)


_Process = GaussianProcess | AdditiveGaussianProcess | FourierFeatures


def _even_draw(process: _Process, n_parents: int, rng: Generator) -> CosineSum:
    """Draw a function with evenly spread frequencies, Gaussian at every point.

    A cos ωx + B sin ωx with A, B standard normal is a cosine of uniform phase
    whose height has Rayleigh's law.
    """
    length, height = _scales(process, rng)
    n = process.n_features
    frequency = ndtri(_latin_hypercube(n, n_parents, rng)) / length
    phase = rng.uniform(0, 2 * math.pi, n)
    return CosineSum(frequency, phase, rng.rayleigh(1.0, n) * (height / math.sqrt(n)))


def _latin_hypercube(n: int, n_axes: int, rng: Generator) -> Values:
    """Return n uniform points of the cube, one in each of n slices along every axis."""
    slices = np.stack([rng.permutation(n) for _ in range(n_axes)], axis=1)
    # Above 0, where the normal quantile would be infinite; it never reaches 1.
    return np.maximum(slices + rng.random((n, n_axes)), 2.0**-53) / n


def _scales(process: _Process, rng: Generator) -> tuple[float, float]:
    length, height = (
        float(rng.uniform(*scale)) if isinstance(scale, tuple) else scale
        for scale in (process.length_scale, process.output_scale)
    )
    return length, height


Family = (
    type[GaussianProcess]
    | type[AdditiveGaussianProcess]
    | type[FourierFeatures]
    | type[MLP]
    | type[MultiIndex]
    | type[Sigmoid]
)

FAMILIES: MappingProxyType[str, Family] = MappingProxyType(
    {
        "gp": GaussianProcess,
        "gp-additive": AdditiveGaussianProcess,
        "mlp": MLP,
        "multi-index": MultiIndex,
        "rff": FourierFeatures,
        "sigmoid": Sigmoid,
    }
)
"""By the name of the mechanism."""
