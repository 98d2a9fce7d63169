"""Where random linear models come from, each with the defaults of its paper.

A source is a frozen dataclass; its fields are its parameters and ``draw(graph,
rng)`` makes a model. Sources that standardise do so with the statistics of the
law; with ``sample_size=n`` they use those of n draws instead, frozen in the
model, and ``calibrate`` also returns these draws.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
from numpy.random import Generator

from causalassay.common.arrays import Adjacency, Values, Vector, Weights
from causalassay.graphs.orders import check_dag
from causalassay.models.linear.scaling import (
    Rule,
    rescale,
    rescale_by_sample,
    signal_to_noise,
    standardize,
    standardized_implied,
    variances,
)
from causalassay.models.linear.scm import LinearSCM
from causalassay.models.noise import Noise, as_noise

Range = tuple[float, float]
Signs = Literal["random", "positive", "shared"]
"""Of the weights: each its own, all positive, or one random sign per graph."""

Calibrated = tuple[LinearSCM, Values | None]
"""A model and the sample whose statistics it froze; None with those of the law."""


@dataclass(frozen=True)
class SCM:
    """The raw linear SCM of most benchmarks (Reisach 2021, table 1).

    Parameters
    ----------
    weights : (float, float)
        Range of the magnitudes, uniform.
    signs : {"random", "positive", "shared"}
    noise : str or Noise
    noise_sd : float or (float, float)
        Equal for all nodes, or a range from which each node draws its own.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import chain
    >>> SCM(weights=(2, 2), signs="positive").draw(chain(2), np.random.default_rng(0)).covariance()
    array([[1., 2.],
           [2., 5.]])
    """

    weights: Range = (0.5, 2.0)
    signs: Signs = "random"
    noise: Noise | str = "gaussian"
    noise_sd: float | Range = 1.0
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        _check_draws(self.weights, self.signs, self.noise, self.noise_sd)

    def draw(self, graph: Adjacency, rng: Generator) -> LinearSCM:
        """Draw weights and noise scales on `graph`."""
        weights = _draw_weights(graph, self.weights, self.signs, rng)
        return LinearSCM(
            weights, _draw_variance(len(graph), self.noise_sd, rng), 0.0, as_noise(self.noise)
        )


@dataclass(frozen=True)
class Standardized:
    """A raw SCM whose variables are standardised once it is complete (Reisach 2021).

    Parameters
    ----------
    weights, signs, noise, noise_sd
        As for `SCM`.
    sample_size : int, optional
        Standardise with the mean and standard deviation of so many draws.
    ddof : int
        Of that standard deviation; 0 as in Reisach's suite.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import chain
    >>> model = Standardized().draw(chain(3), np.random.default_rng(0))
    >>> np.diag(model.covariance()).round(12)
    array([1., 1., 1.])
    """

    weights: Range = (0.5, 2.0)
    signs: Signs = "random"
    noise: Noise | str = "gaussian"
    noise_sd: float | Range = 1.0
    sample_size: int | None = None
    ddof: int = 0
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        _check_draws(self.weights, self.signs, self.noise, self.noise_sd)
        _check_statistics(self.sample_size, self.ddof)

    def draw(self, graph: Adjacency, rng: Generator) -> LinearSCM:
        """Draw the implied SCM of the standardised variables."""
        return self.calibrate(graph, rng)[0]

    def calibrate(self, graph: Adjacency, rng: Generator) -> Calibrated:
        """Draw a model and return it with the sample that fixed its statistics, if any."""
        raw = SCM(self.weights, self.signs, self.noise, self.noise_sd).draw(graph, rng)
        if self.sample_size is None:
            sd = np.sqrt(variances(raw))
            return standardized_implied(raw, np.zeros(raw.n_nodes), sd), None
        values = raw.sample(self.sample_size, rng)
        mean, sd = values.mean(axis=0), values.std(axis=0, ddof=self.ddof)
        return standardized_implied(raw, mean, sd), (values - mean) / sd


@dataclass(frozen=True)
class ISCM:
    """An internally-standardised SCM: each variable is standardised before its children use it.

    Parameters
    ----------
    weights, signs, noise, noise_sd
        As for `SCM`, before standardisation.
    sample_size : int, optional
        Standardise with the means and standard deviations of so many draws.
    ddof : int
        Of those standard deviations; 1 as in the authors' code.

    References
    ----------
    Ormaniec et al. 2024, algorithms 1 and 2.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import chain
    >>> source = ISCM(weights=(1, 1), signs="positive")
    >>> model = source.draw(chain(3), np.random.default_rng(0))
    >>> model.covariance().round(3)
    array([[1.   , 0.707, 0.5  ],
           [0.707, 1.   , 0.707],
           [0.5  , 0.707, 1.   ]])

    With the statistics of a sample, that sample is standardised exactly:

    >>> frozen, values = ISCM(sample_size=50).calibrate(chain(3), np.random.default_rng(0))
    >>> values.std(axis=0, ddof=1)
    array([1., 1., 1.])
    """

    weights: Range = (0.5, 2.0)
    signs: Signs = "random"
    noise: Noise | str = "gaussian"
    noise_sd: float | Range = 1.0
    sample_size: int | None = None
    ddof: int = 1
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        _check_draws(self.weights, self.signs, self.noise, self.noise_sd)
        _check_statistics(self.sample_size, self.ddof)

    def draw(self, graph: Adjacency, rng: Generator) -> LinearSCM:
        """Draw the implied SCM."""
        return self.calibrate(graph, rng)[0]

    def calibrate(self, graph: Adjacency, rng: Generator) -> Calibrated:
        """Draw a model and return it with the sample that fixed its statistics, if any."""
        raw = SCM(self.weights, self.signs, self.noise, self.noise_sd).draw(graph, rng)
        return _rescaled(raw, standardize, self.sample_size, self.ddof, rng)


@dataclass(frozen=True)
class UUMC:
    """Unitless, unrestricted, Markov-consistent: weights uniform in the unit ball, variance 1.

    A node's k weights and its noise sd start as a uniform point of the k-ball
    and what is left of its radius; both are then divided by the standard
    deviation that the correlations among the parents give. The latent scale is
    that before this division.

    Parameters
    ----------
    noise : str or Noise
    sample_size : int, optional
        Divide by the standard deviation of so many draws instead.
    ddof : int
        Of that standard deviation.

    References
    ----------
    Herman et al. 2025.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import chain
    >>> model = UUMC().draw(chain(3), np.random.default_rng(0))
    >>> np.diag(model.covariance()).round(12)
    array([1., 1., 1.])
    """

    noise: Noise | str = "gaussian"
    sample_size: int | None = None
    ddof: int = 0
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        as_noise(self.noise)
        _check_statistics(self.sample_size, self.ddof)

    def draw(self, graph: Adjacency, rng: Generator) -> LinearSCM:
        """Draw a model whose variables have unit variance."""
        return self.calibrate(graph, rng)[0]

    def calibrate(self, graph: Adjacency, rng: Generator) -> Calibrated:
        """Draw a model and return it with the sample that fixed its statistics, if any."""
        n_parents = check_dag(graph).sum(axis=0)
        radius = rng.random(len(graph)) ** (1 / np.maximum(n_parents, 1))
        radius[n_parents == 0] = 0.0
        direction = np.where(graph, rng.standard_normal(graph.shape), 0.0)
        length = np.sqrt((direction**2).sum(axis=0))
        length[n_parents == 0] = 1.0
        ball = LinearSCM(direction * radius / length, 1 - radius**2, 0.0, as_noise(self.noise))
        return _rescaled(ball, standardize, self.sample_size, self.ddof, rng)


@dataclass(frozen=True)
class Harmonized:
    """Mooij's scale harmonisation: incoming weights divided by √(Σ w² + 1).

    Parameters
    ----------
    weights, signs, noise, noise_sd
        As for `SCM`, before the division.
    scale_noise : bool
        False: the weights alone (Reisach 2021 section 5.1, the iSCM authors' code).
        True: the noise sd too (Mooij et al. 2020; "IPA" of Herman et al. 2025).

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import chain
    >>> source = Harmonized(weights=(1, 1), signs="positive")
    >>> model = source.draw(chain(2), np.random.default_rng(0))
    >>> model.weights[0, 1].round(4), model.noise_variance
    (np.float64(0.7071), array([1., 1.]))
    """

    weights: Range = (0.5, 1.5)
    signs: Signs = "random"
    noise: Noise | str = "gaussian"
    noise_sd: float | Range = 1.0
    scale_noise: bool = False
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        _check_draws(self.weights, self.signs, self.noise, self.noise_sd)

    def draw(self, graph: Adjacency, rng: Generator) -> LinearSCM:
        """Draw a raw model and harmonise it."""
        raw = SCM(self.weights, self.signs, self.noise, self.noise_sd).draw(graph, rng)
        square = (raw.weights**2).sum(axis=0) + 1
        variance = raw.noise_variance / square if self.scale_noise else raw.noise_variance
        return replace(raw, weights=raw.weights / np.sqrt(square), noise_variance=variance)


@dataclass(frozen=True)
class HalfExplained:
    """Squires' scheme: the parents explain exactly half of each variable's unit variance.

    The parent signal, without the noise, is divided by √2 times its standard
    deviation; the noise has variance 1/2 (roots: 1).

    Parameters
    ----------
    weights, signs, noise
        As for `SCM`, before the division.
    sample_size : int, optional
        Divide by the standard deviations of so many draws.
    ddof : int
        Of those standard deviations.

    References
    ----------
    Squires et al. 2022, section 5.1.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import chain
    >>> HalfExplained().draw(chain(3), np.random.default_rng(0)).cause_explained_variance()
    array([0. , 0.5, 0.5])
    """

    weights: Range = (0.25, 1.0)
    signs: Signs = "random"
    noise: Noise | str = "gaussian"
    sample_size: int | None = None
    ddof: int = 0
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        _check_draws(self.weights, self.signs, self.noise, 1.0)
        _check_statistics(self.sample_size, self.ddof)

    def draw(self, graph: Adjacency, rng: Generator) -> LinearSCM:
        """Draw a model in which causes explain half of the variance."""
        return self.calibrate(graph, rng)[0]

    def calibrate(self, graph: Adjacency, rng: Generator) -> Calibrated:
        """Draw a model and return it with the sample that fixed its statistics, if any."""
        raw = SCM(self.weights, self.signs, self.noise).draw(graph, rng)
        return _rescaled(raw, signal_to_noise(1.0), self.sample_size, self.ddof, rng)


@dataclass(frozen=True)
class SNR:
    """Eigenmann's scheme: unit variances at a given signal-to-noise ratio.

    Parameters
    ----------
    weights, signs, noise
        As for `SCM`, before scaling. One sign per graph, as in the authors' code.
    snr : float
        Signal variance / noise variance of each node that has parents.
    sample_size : int, optional
        Scale with the standard deviations of so many draws, as the authors do.
    ddof : int
        Of those standard deviations.

    References
    ----------
    Eigenmann, Mukherjee and Maathuis 2020, section 4.1.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import chain
    >>> SNR(snr=3).draw(chain(3), np.random.default_rng(0)).cause_explained_variance()
    array([0.  , 0.75, 0.75])
    """

    weights: Range = (1.0, 3.0)
    signs: Signs = "shared"
    noise: Noise | str = "gaussian"
    snr: float = 5.0
    sample_size: int | None = None
    ddof: int = 1
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        _check_draws(self.weights, self.signs, self.noise, 1.0)
        _check_statistics(self.sample_size, self.ddof)
        if not 0 < self.snr < math.inf:
            raise ValueError(f"snr: expected a positive number, got {self.snr}")

    def draw(self, graph: Adjacency, rng: Generator) -> LinearSCM:
        """Draw a model with the signal-to-noise ratio asked for."""
        return self.calibrate(graph, rng)[0]

    def calibrate(self, graph: Adjacency, rng: Generator) -> Calibrated:
        """Draw a model and return it with the sample that fixed its statistics, if any."""
        raw = SCM(self.weights, self.signs, self.noise).draw(graph, rng)
        return _rescaled(raw, signal_to_noise(self.snr), self.sample_size, self.ddof, rng)


def _rescaled(
    raw: LinearSCM, rule: Rule, sample_size: int | None, ddof: int, rng: Generator
) -> Calibrated:
    if sample_size is None:
        return rescale(raw, rule), None
    return rescale_by_sample(raw, rule, sample_size, ddof, rng)


def _draw_weights(graph: Adjacency, magnitude: Range, signs: Signs, rng: Generator) -> Weights:
    """Draw a weight for each edge only: the stream does not depend on the size of the matrix."""
    edges = np.nonzero(check_dag(graph))
    drawn = rng.uniform(*magnitude, len(edges[0]))
    match signs:
        case "random":
            drawn *= rng.choice((-1.0, 1.0), len(drawn))
        case "shared":
            drawn *= rng.choice((-1.0, 1.0))
    weights = np.zeros(graph.shape)
    weights[edges] = drawn
    return weights


def _draw_variance(n_nodes: int, noise_sd: float | Range, rng: Generator) -> Vector:
    sd = rng.uniform(*noise_sd, n_nodes) if isinstance(noise_sd, tuple) else noise_sd
    return np.broadcast_to(np.square(sd), (n_nodes,))


def _check_draws(weights: Range, signs: Signs, noise: Noise | str, noise_sd: float | Range) -> None:
    _check_range("weights", weights)
    if signs not in ("random", "positive", "shared"):
        raise ValueError(f'signs: expected "random", "positive" or "shared", got {signs!r}')
    as_noise(noise)
    if isinstance(noise_sd, tuple):
        _check_range("noise_sd", noise_sd)
    elif not 0 < noise_sd < math.inf:
        raise ValueError(f"noise_sd: expected a positive number, got {noise_sd}")


def _check_range(name: str, limits: Range) -> None:
    if len(limits) != 2 or not 0 < limits[0] <= limits[1] < math.inf:
        raise ValueError(f"{name}: expected (low, high) with 0 < low <= high, got {limits}")


def _check_statistics(sample_size: int | None, ddof: int) -> None:
    if sample_size is not None and sample_size < 2:
        raise ValueError(
            f"sample_size: expected at least 2, or None for the exact moments; got {sample_size}"
        )
    if ddof not in (0, 1):
        raise ValueError(f"ddof: expected 0 or 1, got {ddof}")
