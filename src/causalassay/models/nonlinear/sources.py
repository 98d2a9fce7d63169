"""Where random nonlinear models come from: a scheme of scaling and a family of functions.

As for linear sources, ``draw(graph, rng)`` makes a model. Schemes that
standardise do so with the statistics of a sample, there being no closed form;
they are frozen in the model, and ``calibrate`` also returns the sample.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from causalassay.common.arrays import Adjacency, Values, as_graph
from causalassay.graphs.orders import topological_order
from causalassay.models.linear.scaling import Rule, Spread, signal_to_noise, standardize
from causalassay.models.noise import Noise, as_noise
from causalassay.models.nonlinear.mechanisms import FAMILIES, GaussianProcess, Mechanism
from causalassay.models.nonlinear.scm import AdditiveNoiseSCM
from causalassay.models.parameters import Range, check_parameters, draw_variance

CALIBRATION_SIZE = 10_000
"""Rows from which statistics are taken unless stated: standard deviations to about 1 %."""

Calibrated = tuple[AdditiveNoiseSCM, Values]
"""A model and the sample whose statistics it froze."""


@dataclass(frozen=True)
class _Functional:
    """The fields of a source that draws functions and noise; some have `noise_sd` as well."""

    mechanism: Mechanism = GaussianProcess()
    noise: Noise | str = "gaussian"
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if isinstance(self.mechanism, type) or not isinstance(self.mechanism, Mechanism):
            names = ", ".join(family.__name__ for family in FAMILIES.values())
            raise TypeError(
                f"mechanism: expected one of {names}, such as `GaussianProcess()`, "
                f"got {self.mechanism!r}; by name: `models.source(kind, mechanism=...)`"
            )
        check_parameters(self)

    def _raw(self, graph: Adjacency, rng: Generator) -> AdditiveNoiseSCM:
        """Draw functions and noise scales: the model before it is rescaled."""
        graph = as_graph(graph)
        functions = self.mechanism.draw(graph, rng)
        variance = draw_variance(len(graph), getattr(self, "noise_sd", 1.0), rng)
        noise = as_noise(self.noise).for_nodes(len(graph), rng)
        return AdditiveNoiseSCM(graph, functions, variance, 0.0, noise)


class _Rescaled(_Functional):
    """A source that rescales a raw model node by node, with the moments of a sample."""

    sample_size: int
    ddof: int

    def _rule(self) -> Rule:
        return standardize

    def draw(self, graph: Adjacency, rng: Generator) -> AdditiveNoiseSCM:
        """Draw the model of the rescaled variables, its statistics frozen."""
        return self.calibrate(graph, rng)[0]

    def calibrate(self, graph: Adjacency, rng: Generator) -> Calibrated:
        """Draw a model and return it with the sample that fixed its statistics."""
        return _rescaled(self._raw(graph, rng), self._rule(), self.sample_size, self.ddof, rng)


@dataclass(frozen=True)
class NonlinearSCM(_Functional):
    """The raw SCM with nonlinear functions of the parents and additive noise.

    Parameters
    ----------
    mechanism : Mechanism
        The family of functions: `GaussianProcess`, `AdditiveGaussianProcess`,
        `FourierFeatures`, `MLP`, `MultiIndex` or `Sigmoid`.
    noise : str or Noise
        The family of the noise, such as "gaussian"; "mixed": each node draws its own.
    noise_sd : float or (float, float)
        Equal for all nodes, or a range from which each node draws its own.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import chain
    >>> from causalassay.models.nonlinear.mechanisms import MultiIndex
    >>> NonlinearSCM(MultiIndex()).draw(chain(3), np.random.default_rng(0))
    AdditiveNoiseSCM(3 nodes, 2 edges, gaussian noise)
    """

    noise_sd: float | Range = 1.0

    def draw(self, graph: Adjacency, rng: Generator) -> AdditiveNoiseSCM:
        """Draw functions and noise scales on `graph`."""
        return self._raw(graph, rng)


@dataclass(frozen=True)
class NonlinearStandardized(_Rescaled):
    """A raw nonlinear SCM whose variables are standardised once it is complete.

    Parameters
    ----------
    mechanism, noise, noise_sd
        As for `NonlinearSCM`.
    sample_size : int
        Rows whose means and standard deviations are taken.
    ddof : int
        Degrees of freedom subtracted in those standard deviations; 0 as in Reisach's suite.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import chain
    >>> source = NonlinearStandardized(sample_size=50)
    >>> model, values = source.calibrate(chain(3), np.random.default_rng(0))
    >>> values.std(axis=0).round(12)
    array([1., 1., 1.])
    """

    noise_sd: float | Range = 1.0
    sample_size: int = CALIBRATION_SIZE
    ddof: int = 0

    def calibrate(self, graph: Adjacency, rng: Generator) -> Calibrated:
        """Draw a model and return it with the sample that fixed its statistics."""
        raw = self._raw(graph, rng)
        values = raw.sample(self.sample_size, rng)
        mean, sd = values.mean(axis=0), values.std(axis=0, ddof=self.ddof)
        return raw.standardized(mean, sd), (values - mean) / sd


@dataclass(frozen=True)
class NonlinearISCM(_Rescaled):
    """An internally-standardised SCM: each variable is standardised before its children use it.

    Parameters
    ----------
    mechanism, noise, noise_sd
        As for `NonlinearSCM`, before standardisation.
    sample_size : int
        Rows whose means and standard deviations are taken.
    ddof : int
        Degrees of freedom subtracted in those standard deviations; 1 as in the authors' code.

    References
    ----------
    Ormaniec et al. 2024, algorithm 1 and appendix E.1.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import chain
    >>> from causalassay.models.nonlinear.mechanisms import FourierFeatures
    >>> source = NonlinearISCM(FourierFeatures(), sample_size=50)
    >>> model, values = source.calibrate(chain(3), np.random.default_rng(0))
    >>> values.std(axis=0, ddof=1).round(12)
    array([1., 1., 1.])
    """

    noise_sd: float | Range = 1.0
    sample_size: int = CALIBRATION_SIZE
    ddof: int = 1


@dataclass(frozen=True)
class NonlinearSNR(_Rescaled):
    """Eigenmann's scheme: unit variances at a given signal-to-noise ratio; means are not changed.

    Parameters
    ----------
    mechanism, noise
        As for `NonlinearSCM`, before scaling.
    snr : float
        Signal variance / noise variance of each node that has parents.
    sample_size : int
        Rows whose standard deviations are taken.
    ddof : int
        Degrees of freedom subtracted in those standard deviations.

    References
    ----------
    Eigenmann, Mukherjee and Maathuis 2020, section 4.1.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import chain
    >>> from causalassay.models.nonlinear.mechanisms import Sigmoid
    >>> model = NonlinearSNR(Sigmoid(), snr=3.0).draw(chain(3), np.random.default_rng(0))
    >>> model.noise_variance
    array([1.  , 0.25, 0.25])
    """

    snr: float = 5.0
    sample_size: int = CALIBRATION_SIZE
    ddof: int = 1

    def _rule(self) -> Rule:
        return signal_to_noise(self.snr)


def _rescaled(
    raw: AdditiveNoiseSCM, rule: Rule, n_samples: int, ddof: int, rng: Generator
) -> Calibrated:
    """Apply a rule along the causal order, each node with the variances of one sample."""
    scale, variance = raw.signal_scale.copy(), raw.noise_variance.copy()
    intercept = np.zeros(raw.n_nodes)
    latent_mean, latent_sd = np.zeros(raw.n_nodes), np.ones(raw.n_nodes)
    noise = raw.noise.draw(rng, (n_samples, raw.n_nodes)).T
    columns = np.sqrt(variance)[:, None] * noise
    for node in topological_order(raw.graph).tolist():
        signal = raw.signal(node, columns)
        total = float((signal + columns[node]).var(ddof=ddof))
        factors = rule(Spread(node, float(signal.var(ddof=ddof)), total))
        scale[node] *= factors.weights
        variance[node] *= factors.noise_variance
        columns[node] *= math.sqrt(factors.noise_variance)
        columns[node] += factors.weights * signal
        if factors.latent_sd is not None:
            intercept[node] = -columns[node].mean()
            columns[node] += intercept[node]
            latent_sd[node] = factors.latent_sd
            latent_mean[node] = -intercept[node] * factors.latent_sd
    frozen = replace(
        raw,
        noise_variance=variance,
        intercept=intercept,
        signal_scale=scale,
        latent_mean=latent_mean,
        latent_sd=latent_sd,
    )
    return frozen, np.ascontiguousarray(columns.T)
