"""Functions drawn from Gaussian processes with the squared exponential kernel.

The kernel is output_scale² · exp(-|x - x'|² / (2 length_scale²)), its spectrum
Gaussian. A draw is a sum of cosines whose frequencies come from that spectrum
(Rahimi and Recht 2007), so it is a fixed function that can be evaluated anywhere.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from scipy.special import ndtri

from causalassay.common.arrays import Adjacency, Values
from causalassay.models.linear.sources import Range
from causalassay.models.nonlinear.mechanisms.function import (
    Functions,
    check_count,
    check_scale,
    draw_each,
)
from causalassay.models.nonlinear.mechanisms.networks import CosineSum, SumOverParents


@dataclass(frozen=True)
class GaussianProcess:
    """One draw of a Gaussian process over all parents together ("gp").

    Parameters
    ----------
    length_scale, output_scale : float or (float, float)
        Of the kernel; from a range each node draws its own. Zheng's have 1.
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
        _check(self)

    def draw(self, graph: Adjacency, rng: Generator) -> Functions:
        """Draw the function of each node that has parents."""
        return draw_each(graph, lambda n_parents: _even_draw(self, n_parents, rng))


@dataclass(frozen=True)
class AdditiveGaussianProcess:
    """A sum of draws of Gaussian processes, one for each parent ("gp-additive").

    Parameters
    ----------
    length_scale, output_scale : float or (float, float)
        Of the kernel; from a range each edge draws its own. Zheng's have 1.
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
        _check(self)

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
        Of the kernel; from a range each node draws its own.
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
        _check(self)

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


def _check(process: _Process) -> None:
    check_scale("length_scale", process.length_scale)
    check_scale("output_scale", process.output_scale)
    check_count("n_features", process.n_features)
