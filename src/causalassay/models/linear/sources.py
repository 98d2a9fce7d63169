"""Where random linear models come from, each with the defaults of its paper.

A source is a frozen dataclass; its fields are its parameters and ``draw(graph,
rng)`` makes a model. Sources that standardise do so with the statistics of the
law; with ``sample_size=n`` they use those of n draws instead, frozen in the
model, and ``calibrate`` also returns these draws.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from scipy.linalg import solve_triangular

from causalassay.common.arrays import Adjacency, Values, as_graph
from causalassay.graphs.orders import check_dag, topological_order
from causalassay.models.linear.scaling import (
    Rule,
    iscm_implied,
    rescale,
    rescale_by_sample,
    signal_to_noise,
    standardize,
    standardized_implied,
    transfer_noise,
    variances,
)
from causalassay.models.linear.scm import LinearSCM
from causalassay.models.noise import Noise, as_noise
from causalassay.models.parameters import (
    Range,
    Signs,
    check_parameters,
    draw_variance,
    draw_weights,
)

Calibrated = tuple[LinearSCM, Values | None]
"""A model and the sample whose statistics it froze; None with those of the law."""


@dataclass(frozen=True)
class _Weighted:
    """The fields of a source that draws weights and noise; some have `noise_sd` as well."""

    weights: Range = (0.5, 2.0)
    signs: Signs = "random"
    noise: Noise | str = "gaussian"
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        check_parameters(self)

    def _raw(self, graph: Adjacency, rng: Generator) -> LinearSCM:
        """Draw weights, one for each edge, and noise scales: the model before it is rescaled."""
        graph = check_dag(graph)
        weights = np.zeros(graph.shape)
        # Per edge, so that the stream does not depend on the size of the matrix.
        weights[graph] = draw_weights(int(graph.sum()), self.weights, self.signs, rng)
        variance = draw_variance(len(graph), getattr(self, "noise_sd", 1.0), rng)
        # Last, so that all noises meet the same weights.
        noise = as_noise(self.noise).for_nodes(len(graph), rng)
        return LinearSCM(weights, variance, 0.0, noise)


class _Rescaled(ABC):
    """A source that rescales a raw model node by node, with exact or with sample moments."""

    sample_size: int | None
    ddof: int

    @abstractmethod
    def _raw(self, graph: Adjacency, rng: Generator) -> LinearSCM: ...

    def _rule(self) -> Rule:
        return standardize

    def draw(self, graph: Adjacency, rng: Generator) -> LinearSCM:
        """Draw the model of the rescaled variables."""
        return self.calibrate(graph, rng)[0]

    def calibrate(self, graph: Adjacency, rng: Generator) -> Calibrated:
        """Draw a model and return it with the sample that fixed its statistics, if any."""
        raw = self._raw(graph, rng)
        if self.sample_size is None:
            return rescale(raw, self._rule()), None
        return rescale_by_sample(raw, self._rule(), self.sample_size, self.ddof, rng)


@dataclass(frozen=True)
class SCM(_Weighted):
    """The raw linear SCM of most benchmarks (Reisach 2021, table 1).

    Parameters
    ----------
    weights : (float, float)
        Range of the magnitudes, uniform.
    signs : {"random", "positive", "shared"}
        Each weight has its own random sign, all are positive, or all share one random sign.
    noise : str or Noise
        The family of the noise, such as "gaussian"; "mixed": each node draws its own.
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

    noise_sd: float | Range = 1.0

    def draw(self, graph: Adjacency, rng: Generator) -> LinearSCM:
        """Draw weights and noise scales on `graph`."""
        return self._raw(graph, rng)


@dataclass(frozen=True)
class Standardized(_Weighted, _Rescaled):
    """A raw SCM whose variables are standardised once it is complete (Reisach 2021).

    Parameters
    ----------
    weights, signs, noise, noise_sd
        As for `SCM`.
    sample_size : int, optional
        Standardise with the mean and standard deviation of this many draws.
    ddof : int
        Degrees of freedom subtracted in that standard deviation; 0 as in Reisach's suite.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import chain
    >>> model = Standardized().draw(chain(3), np.random.default_rng(0))
    >>> np.diag(model.covariance()).round(12)
    array([1., 1., 1.])
    """

    noise_sd: float | Range = 1.0
    sample_size: int | None = None
    ddof: int = 0

    def calibrate(self, graph: Adjacency, rng: Generator) -> Calibrated:
        """Draw a model and return it with the sample that fixed its statistics, if any."""
        raw = self._raw(graph, rng)
        if self.sample_size is None:
            sd = np.sqrt(variances(raw))
            return standardized_implied(raw, np.zeros(raw.n_nodes), sd), None
        values = raw.sample(self.sample_size, rng)
        mean, sd = values.mean(axis=0), values.std(axis=0, ddof=self.ddof)
        return standardized_implied(raw, mean, sd), (values - mean) / sd


@dataclass(frozen=True)
class ISCM(_Weighted, _Rescaled):
    """An internally-standardised SCM: each variable is standardised before its children use it.

    Parameters
    ----------
    weights, signs, noise, noise_sd
        As for `SCM`, before standardisation.
    sample_size : int, optional
        Standardise with the means and standard deviations of this many draws.
    ddof : int
        Degrees of freedom subtracted in those standard deviations; 1 as in the authors' code.

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

    noise_sd: float | Range = 1.0
    sample_size: int | None = None
    ddof: int = 1


@dataclass(frozen=True)
class UUMC(_Rescaled):
    """Unitless, unrestricted, Markov-consistent: weights uniform in the unit ball, variance 1.

    A node's k weights and its noise sd start as a uniform point of the k-ball
    and what is left of its radius; both are then divided by the standard
    deviation that the correlations among the parents give. The latent scale is
    that before this division.

    Parameters
    ----------
    noise : str or Noise
        The family of the noise, such as "gaussian"; "mixed": each node draws its own.
    sample_size : int, optional
        Divide by the standard deviation of this many draws instead.
    ddof : int
        Degrees of freedom subtracted in that standard deviation.

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
        check_parameters(self)

    def _raw(self, graph: Adjacency, rng: Generator) -> LinearSCM:
        """Draw weights in the unit ball, and the noise that is left of its radius."""
        graph = check_dag(graph)
        n_parents = graph.sum(axis=0)
        radius = rng.random(len(graph)) ** (1 / np.maximum(n_parents, 1))
        radius[n_parents == 0] = 0.0
        direction = np.where(graph, rng.standard_normal(graph.shape), 0.0)
        length = np.sqrt((direction**2).sum(axis=0))
        length[n_parents == 0] = 1.0
        noise = as_noise(self.noise).for_nodes(len(graph), rng)
        return LinearSCM(direction * radius / length, 1 - radius**2, 0.0, noise)


@dataclass(frozen=True)
class Harmonized(_Weighted):
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
    noise_sd: float | Range = 1.0
    scale_noise: bool = False

    def draw(self, graph: Adjacency, rng: Generator) -> LinearSCM:
        """Draw a raw model and harmonise it."""
        raw = self._raw(graph, rng)
        square = (raw.weights**2).sum(axis=0) + 1
        variance = raw.noise_variance / square if self.scale_noise else raw.noise_variance
        return replace(raw, weights=raw.weights / np.sqrt(square), noise_variance=variance)


@dataclass(frozen=True)
class HalfExplained(_Weighted, _Rescaled):
    """Squires' scheme: the parents explain exactly half of each variable's unit variance.

    The parent signal, without the noise, is divided by √2 times its standard
    deviation; the noise has variance 1/2 (roots: 1).

    Parameters
    ----------
    weights, signs, noise
        As for `SCM`, before the division.
    sample_size : int, optional
        Divide by the standard deviations of this many draws.
    ddof : int
        Degrees of freedom subtracted in those standard deviations.

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
    sample_size: int | None = None
    ddof: int = 0

    def _rule(self) -> Rule:
        return signal_to_noise(1.0)


@dataclass(frozen=True)
class SNR(_Weighted, _Rescaled):
    """Eigenmann's scheme: unit variances at a given signal-to-noise ratio.

    Parameters
    ----------
    weights, signs, noise
        As for `SCM`, before scaling. One sign per graph, as in the authors' code.
    snr : float
        Signal variance / noise variance of each node that has parents.
    sample_size : int, optional
        Scale with the standard deviations of this many draws, as the authors do.
    ddof : int
        Degrees of freedom subtracted in those standard deviations.

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
    snr: float = 5.0
    sample_size: int | None = None
    ddof: int = 1

    def _rule(self) -> Rule:
        return signal_to_noise(self.snr)


# DaO, the onion method for random correlation matrices, adapted to DAGs.


@dataclass(frozen=True)
class DaO:
    """The onion method on a DAG: the explained share is drawn, then how parents divide it.

    The node at position i of a causal order of p nodes, sources first, draws the
    share q of its unit variance that its k parents explain from
    Beta(k/2, (p - i + 1)/2). The weights are a uniform direction of length √q
    for parents made uncorrelated, taken back to the parents as they are; the
    noise has variance 1 - q. On a complete DAG this is the onion method, so the
    correlation matrix is uniform over all there are and each correlation has
    the law Beta(p/2, p/2) stretched to (-1, 1).

    Parameters
    ----------
    noise : str or Noise
        The family of the noise, such as "gaussian"; "mixed": each node draws its own.

    Notes
    -----
    The position enters the law: later nodes are explained better, so sparse graphs
    are R²-sortable. Where the graph leaves the order open it is that of
    `graphs.topological_order`: sources first, by label, then nodes as their
    last parent comes. The authors take the smallest label that can come next.

    References
    ----------
    Andrews and Kummerfeld (2024), Better simulations for validating causal
    discovery with the DAG-adaptation of the onion method, arXiv 2405.13100.
    Lewandowski, Kurowicka, Joe (2009), Generating random correlation matrices
    based on vines and extended onion method, section 3.2.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import chain
    >>> model = DaO().draw(chain(3), np.random.default_rng(0))
    >>> np.diag(model.covariance()).round(12)
    array([1., 1., 1.])
    """

    noise: Noise | str = "gaussian"
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        check_parameters(self)

    def draw(self, graph: Adjacency, rng: Generator) -> LinearSCM:
        """Draw a model whose variables have unit variance."""
        graph = as_graph(graph)
        n_nodes, order = len(graph), topological_order(graph)
        n_parents = graph.sum(axis=0)
        positions = np.flatnonzero(n_parents[order])  # a root's share is 0, and nothing is drawn
        explained = np.zeros(n_nodes)
        explained[order[positions]] = rng.beta(
            n_parents[order[positions]] / 2, (n_nodes - positions + 1) / 2
        )
        weights, correlation = np.zeros(graph.shape), np.eye(n_nodes)
        for node in order[positions]:
            parents = np.flatnonzero(graph[:, node])
            direction = rng.standard_normal(len(parents))
            uncorrelated = direction * np.sqrt(explained[node] / (direction @ direction))
            factor = np.linalg.cholesky(correlation[np.ix_(parents, parents)])
            weights[parents, node] = solve_triangular(factor, uncorrelated, trans="T", lower=True)
            with_earlier = weights[parents, node] @ correlation[parents]
            correlation[node] = correlation[:, node] = with_earlier
            correlation[node, node] = 1.0
        noise = as_noise(self.noise).for_nodes(n_nodes, rng)
        return LinearSCM(weights, 1 - explained, 0.0, noise)


# One scheme's noise variances meet another scheme's scales: raw and internally standardised models
# differ in their variances and in their noise variances, and the sources here exchange the
# latter, with the graphs and weights that `SCM` and `ISCM` draw from the same stream. They name no
# cause of a difference in scores: with the noise variances CEV and R² change too.


@dataclass(frozen=True)
class RawWithISCMNoise(_Weighted):
    """The variances of a raw SCM, with the noise variances that the iSCM implies.

    The signal of each node's parents is scaled so that its variance stays; so the data are as
    sortable by variance as raw data. Smaller noise raises R² and CEV as well.

    Parameters
    ----------
    weights, signs, noise
        As for `SCM`; the noise of the raw model has standard deviation 1.

    Notes
    -----
    Departs from the paper: the variances are those of the law, not of 1000 rows.

    References
    ----------
    Ormaniec et al. 2024, appendix E.5.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import chain
    >>> source = RawWithISCMNoise(weights=(2, 2), signs="positive")
    >>> model = source.draw(chain(2), np.random.default_rng(0))
    >>> model.covariance().diagonal(), model.noise_variance
    (array([1., 5.]), array([1. , 0.2]))
    """

    def draw(self, graph: Adjacency, rng: Generator) -> LinearSCM:
        """Draw a raw model and give it the noise variances of its iSCM."""
        raw = self._raw(graph, rng)
        return transfer_noise(raw, iscm_implied(raw.weights, raw.noise_variance))


@dataclass(frozen=True)
class RawWithStandardizedNoise(_Weighted):
    """The variances of a raw SCM, with the noise variances that the standardised SCM implies.

    The counterpart of `RawWithISCMNoise`: as sortable by variance as raw data, with noise that
    shrinks along the causal order.

    Parameters
    ----------
    weights, signs, noise
        As for `SCM`; the noise of the raw model has standard deviation 1.

    Notes
    -----
    Departs from the paper: the variances are those of the law, not of 1000 rows.

    References
    ----------
    Ormaniec et al. 2024, appendix E.5.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import chain
    >>> source = RawWithStandardizedNoise(weights=(2, 2), signs="positive")
    >>> model = source.draw(chain(3), np.random.default_rng(0))
    >>> model.covariance().diagonal(), model.noise_variance.round(4)
    (array([ 1.,  5., 21.]), array([1.    , 0.2   , 0.0476]))
    """

    def draw(self, graph: Adjacency, rng: Generator) -> LinearSCM:
        """Draw a raw model and give it the noise variances of its standardised SCM."""
        raw = self._raw(graph, rng)
        return transfer_noise(raw, replace(raw, noise_variance=raw.noise_variance / variances(raw)))


@dataclass(frozen=True)
class ISCMWithRawNoise(_Weighted):
    """The weights that the iSCM implies, with the noise variances of the raw SCM.

    Here the weights stay, not the variances: noise of variance 1 leaves no room for causes in
    variables of variance 1. So variances grow along the causal order again, and R² and CEV fall.

    Parameters
    ----------
    weights, signs, noise
        As for `SCM`; the noise of the raw model has standard deviation 1.

    References
    ----------
    The reverse of Ormaniec et al. 2024, appendix E.5, which the paper does not have.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import chain
    >>> source = ISCMWithRawNoise(weights=(2, 2), signs="positive")
    >>> model = source.draw(chain(2), np.random.default_rng(0))
    >>> model.weights[0, 1].round(4), model.noise_variance
    (np.float64(0.8944), array([1., 1.]))
    """

    def draw(self, graph: Adjacency, rng: Generator) -> LinearSCM:
        """Draw a raw model and give its noise variances to its iSCM."""
        raw = self._raw(graph, rng)
        return replace(raw, weights=iscm_implied(raw.weights, raw.noise_variance).weights)
