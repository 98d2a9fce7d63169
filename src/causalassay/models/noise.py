"""Noise families, centred and scaled to unit variance; a model multiplies them by its own sd."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

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

FAMILIES = (*_DRAWS, _STUDENT)
"""The names of the families; the last has a parameter, so `Noise.draw` draws it."""

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
        normal (Eigenmann 2020); "student-t".
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
        if self.df is not None:
            return rng.standard_t(self.df, size) * math.sqrt((self.df - 2) / self.df)
        return _DRAWS[self.family](rng, size)


def as_noise(noise: Noise | str) -> Noise:
    """Return the noise law that a name, or a law itself, stands for."""
    return noise if isinstance(noise, Noise) else Noise(noise)
