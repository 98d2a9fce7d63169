"""Linear models in which one scheme's noise variances meet another scheme's scales.

Raw and internally standardised models differ in their variances and in their noise variances. The
two sources here exchange the latter, with the graphs and weights that `SCM` and `ISCM` draw from
the same stream. They name no cause of a difference in scores: with the noise variances the shares
of variance that causes and neighbours explain (CEV and R²) change too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from numpy.random import Generator

from causalassay.common.arrays import Adjacency
from causalassay.models.linear.scaling import iscm_implied, transfer_noise
from causalassay.models.linear.scm import LinearSCM
from causalassay.models.linear.sources import SCM, Range, Signs
from causalassay.models.noise import Noise


@dataclass(frozen=True)
class RawWithISCMNoise:
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

    weights: Range = (0.5, 2.0)
    signs: Signs = "random"
    noise: Noise | str = "gaussian"
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        SCM(self.weights, self.signs, self.noise)  # checks them

    def draw(self, graph: Adjacency, rng: Generator) -> LinearSCM:
        """Draw a raw model and give it the noise variances of its iSCM."""
        raw = SCM(self.weights, self.signs, self.noise).draw(graph, rng)
        return transfer_noise(raw, iscm_implied(raw.weights, raw.noise_variance))


@dataclass(frozen=True)
class ISCMWithRawNoise:
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

    weights: Range = (0.5, 2.0)
    signs: Signs = "random"
    noise: Noise | str = "gaussian"
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        SCM(self.weights, self.signs, self.noise)  # checks them

    def draw(self, graph: Adjacency, rng: Generator) -> LinearSCM:
        """Draw a raw model and give its noise variances to its iSCM."""
        raw = SCM(self.weights, self.signs, self.noise).draw(graph, rng)
        return replace(raw, weights=iscm_implied(raw.weights, raw.noise_variance).weights)
