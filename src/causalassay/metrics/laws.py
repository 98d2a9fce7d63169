"""Laws of one variable, as far as they are known: exactly, or by a sample."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from causalassay.common.arrays import Vector


@dataclass(frozen=True)
class Normal:
    """A normal distribution; with variance 0 it is a point mass.

    Examples
    --------
    >>> Normal(mean=0.0, variance=2.0)
    Normal(mean=0.0, variance=2.0)
    """

    mean: float
    variance: float

    def __post_init__(self) -> None:
        if not math.isfinite(self.mean):
            raise ValueError(f"Normal: expected a finite mean, got {self.mean}")
        if not 0 <= self.variance < math.inf:
            raise ValueError(f"Normal: expected a finite variance >= 0, got {self.variance}")


@dataclass(frozen=True, eq=False)
class Categorical:
    """A distribution on the levels 0, 1, …; the k-th number is the probability of level k.

    Parameters
    ----------
    probabilities : array_like, shape (k,)
        Not negative, with a sum of 1 up to 1e-9. The law holds a read-only copy.

    Examples
    --------
    >>> Categorical([0.25, 0.75])
    Categorical(probabilities=array([0.25, 0.75]))
    """

    probabilities: Vector

    def __post_init__(self) -> None:
        own = _own(self.probabilities, "Categorical: probabilities")
        if (own < 0).any() or abs(own.sum() - 1) > 1e-9:
            raise ValueError(
                "Categorical: expected probabilities >= 0 with a sum of 1, got a least one of "
                f"{own.min():.6g} and a sum of {own.sum():.12g}; divide counts by their sum"
            )
        object.__setattr__(self, "probabilities", own)


@dataclass(frozen=True, eq=False)
class Samples:
    """A distribution known by independent draws.

    Parameters
    ----------
    values : array_like, shape (n,)
        At least 4, in an order that says nothing. The law holds a read-only copy.

    Examples
    --------
    >>> Samples([0.1, -0.4, 0.3, 1.2])
    Samples(values=array([ 0.1, -0.4,  0.3,  1.2]))
    """

    values: Vector

    def __post_init__(self) -> None:
        own = _own(self.values, "Samples: values")
        if len(own) < 4:
            raise ValueError(f"Samples: at least 4 values are needed, got {len(own)}")
        object.__setattr__(self, "values", own)


Law = Normal | Categorical | Samples
LawLike = Law | tuple[float, float]
"""A plain pair is the mean and the variance of a normal law."""


def as_law(law: LawLike) -> Law:
    """Return the law that a pair of mean and variance, or a law itself, stands for.

    Examples
    --------
    >>> as_law((0.0, 2.0))
    Normal(mean=0.0, variance=2.0)
    """
    if isinstance(law, Normal | Categorical | Samples):
        return law
    if isinstance(law, tuple) and len(law) == 2:
        return Normal(*law)
    raise TypeError(
        "expected Normal, Categorical, Samples or a pair (mean, variance), got "
        f"{type(law).__name__}; "
        "for probabilities write `Categorical(p)`, for draws `Samples(x)`"
    )


def _own(numbers: ArrayLike, name: str) -> Vector:
    """Return a read-only float copy of shape (n,), or raise."""
    own = np.array(numbers, dtype=float)
    if own.ndim != 1 or not len(own):
        raise ValueError(f"{name}: expected shape (n,) with n >= 1, got {own.shape}")
    if not np.isfinite(own).all():
        raise ValueError(f"{name}: every number must be finite")
    own.setflags(write=False)
    return own
