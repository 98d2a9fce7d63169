"""Noise families, centred and scaled to unit variance; a model multiplies them by its own sd."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from causalassay.common.spelling import RefusedValue, check_choice

Draw = Callable[[Generator, tuple[int, ...]], NDArray[np.floating[Any]]]
_GUMBEL_SCALE = math.sqrt(6) / math.pi
_STUDENT = "student-t"

_DRAWS: dict[str, Draw] = {
    "gaussian": lambda rng, size: rng.standard_normal(size),
    "exponential": lambda rng, size: rng.standard_exponential(size) - 1.0,
    "gumbel": lambda rng, size: rng.gumbel(-np.euler_gamma * _GUMBEL_SCALE, _GUMBEL_SCALE, size),
    "uniform": lambda rng, size: rng.uniform(-math.sqrt(3), math.sqrt(3), size),
    "laplace": lambda rng, size: rng.laplace(0.0, math.sqrt(0.5), size),
    "lognormal": lambda rng, size: (
        (np.exp(rng.standard_normal(size)) - math.sqrt(math.e)) / math.sqrt(math.e**2 - math.e)
    ),
}

MIXED = "mixed"

FAMILIES = (*_DRAWS, _STUDENT, MIXED)
"""The names of the families; the last two are no draw of one law: see `Noise` and `MixedNoise`."""

_MIRRORED = "mirrored "

MIXTURE = {
    "gaussian": 0.6,
    "uniform": 0.1,
    "exponential": 0.05,
    "mirrored exponential": 0.05,
    "lognormal": 0.1,
    "mirrored lognormal": 0.1,
}
"""What a node's law is with "mixed" noise, and with which probability.

With one law for all nodes, sums of more terms are nearer to Gaussian, so kurtosis and skewness
fall along the causal order and sorting by them finds it. Here a Gaussian cause is below its
non-Gaussian effects, and a non-Gaussian cause above its effects. The shares balance the two. They
were tuned on 200 graphs (Erdős–Rényi, 20 nodes, 2 edges per node, 1000 rows). On 200 others the
share of paths along which the |excess kurtosis| and the |skewness| grow is 0.49 and 0.51 in iSCM,
0.51 and 0.53 in UUMC, with standard errors of 0.01; with Laplace noise 0.11 and 0.35 in iSCM.
Without the mirrored laws the signed skewness would still fall.
"""

DEFAULT_DF = 5.0


@dataclass(frozen=True)
class Noise:
    """A noise distribution with mean 0 and variance 1.

    The convention is the same for every family: a model's ``noise_variance``
    is the variance of its noise, so families differ in shape and never in
    scale, and no family shifts a mean.

    Parameters
    ----------
    family : str
        "gaussian"; "exponential" (skew 2); "gumbel" (skew 1.14); "uniform" on
        ±√3; "laplace"; "lognormal", (exp Z - √e) / √(e² - e) with Z standard
        normal (Eigenmann 2020); "student-t"; "mixed", a law for each node that
        a source draws at random, see `MixedNoise`.
    df : float, optional
        Degrees of freedom, above 2; of "student-t" only, which takes 5 by default.

    Examples
    --------
    >>> import numpy as np
    >>> values = Noise("exponential").draw(np.random.default_rng(0), (100_000, 1))
    >>> bool(abs(values.mean()) < 0.01), bool(abs(values.var() - 1) < 0.03)
    (True, True)
    """

    family: str
    df: float | None = None

    def __post_init__(self) -> None:
        check_choice("noise", self.family, FAMILIES)
        if self.family == _STUDENT:
            object.__setattr__(self, "df", DEFAULT_DF if self.df is None else self.df)
            if self.df is not None and not self.df > 2:
                raise RefusedValue(
                    "noise", f"Student's t has a variance for df > 2, got df={self.df}"
                )
        elif self.df is not None:
            raise RefusedValue("noise", f"df belongs to student-t, not to {self.family}")

    def draw(self, rng: Generator, size: tuple[int, ...]) -> NDArray[np.floating[Any]]:
        """Return independent draws."""
        if self.family == MIXED:
            raise ValueError("noise: mixed noise has a law for each node; `for_nodes` draws them")
        if self.df is not None:
            return rng.standard_t(self.df, size) * math.sqrt((self.df - 2) / self.df)
        return _DRAWS[self.family](rng, size)

    def for_nodes(self, n_nodes: int, rng: Generator) -> Noise | MixedNoise:
        """Return the noise of a model: itself, or with "mixed" a law drawn for each node.

        Examples
        --------
        >>> import numpy as np
        >>> Noise("mixed").for_nodes(3, np.random.default_rng(3))
        MixedNoise(laws=('gaussian', 'gaussian', 'lognormal'))
        """
        if self.family != MIXED:
            return self
        drawn = rng.choice(len(MIXTURE), n_nodes, p=list(MIXTURE.values()))
        names = tuple(MIXTURE)
        return MixedNoise(tuple(names[law] for law in drawn.tolist()))


@dataclass(frozen=True)
class MixedNoise:
    """Noise whose law differs from node to node, each with mean 0 and variance 1.

    Parameters
    ----------
    laws : tuple of str
        For each node a family without parameters; "mirrored " before it
        changes the sign of its draws, as in "mirrored exponential".

    Examples
    --------
    >>> import numpy as np
    >>> noise = MixedNoise(("uniform", "mirrored exponential"))
    >>> noise.draw(np.random.default_rng(0), (1000, 2)).max(axis=0).round(2)
    array([1.73, 1.  ])
    """

    laws: tuple[str, ...]
    family: ClassVar[str] = MIXED

    def __post_init__(self) -> None:
        for law in self.laws:
            check_choice("laws", law.removeprefix(_MIRRORED), tuple(_DRAWS))

    def draw(self, rng: Generator, size: tuple[int, int]) -> NDArray[np.floating[Any]]:
        """Return independent draws, one column after the other."""
        values = np.empty(size)
        for node, law in enumerate(self.laws):
            drawn = _DRAWS[law.removeprefix(_MIRRORED)](rng, (len(values),))
            values[:, node] = -drawn if law.startswith(_MIRRORED) else drawn
        return values


def as_noise(noise: Noise | str) -> Noise:
    """Return the noise law that a name, or a law itself, stands for."""
    return noise if isinstance(noise, Noise) else Noise(noise)


def noise_of_nodes(noise: Noise | MixedNoise | str, n_nodes: int) -> Noise | MixedNoise:
    """Return the noise of a model with so many nodes, checked.

    Examples
    --------
    >>> noise_of_nodes("mixed", 2)
    Traceback (most recent call last):
    causalassay.RefusedValue: noise: "mixed" says how laws are drawn, and a model has one for \
each node; draw it from a source, such as `SCM(noise="mixed")`, or pass `MixedNoise` with 2 laws
    """
    if isinstance(noise, MixedNoise):
        if len(noise.laws) != n_nodes:
            raise RefusedValue("noise", f"expected {n_nodes} laws, got {len(noise.laws)}")
        return noise
    one = as_noise(noise)
    if one.family == MIXED:
        raise RefusedValue(
            "noise",
            '"mixed" says how laws are drawn, and a model has one for each node; draw it from a '
            f'source, such as `SCM(noise="mixed")`, or pass `MixedNoise` with {n_nodes} laws',
        )
    return one
