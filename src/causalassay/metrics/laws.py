"""Laws of one variable, known exactly or by a sample, and the total variation between two."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from causalassay.common.arrays import Vector
from causalassay.common.kernels import kernel

__all__ = [
    "Categorical",
    "Distance",
    "Normal",
    "Samples",
    "normal_total_variation",
    "total_variation",
]


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


# Total variation: the largest difference between the probabilities that two laws give a set.

# Beyond these the distance of two normal laws is 1 to the last digit, and squares stay finite.
_WIDEST = 1e20
_FARTHEST = 1e25


class Distance(float):
    """A number between 0 and 1 that also says how far it may be off.

    It computes, compares and prints as a float; `error` is 0 where the distance
    is exact and a standard error where it was estimated.

    Examples
    --------
    >>> distance = Distance(0.25, error=0.02)
    >>> distance
    Distance(0.25, error=0.02)
    >>> distance + 1, distance.error, f"{distance:.1f}"
    (1.25, 0.02, '0.2')
    """

    error: float

    def __new__(cls, value: float, error: float = 0.0) -> Distance:
        """Return `value` with its error."""
        distance = super().__new__(cls, value)
        distance.error = error
        return distance

    def __repr__(self) -> str:
        return f"Distance({float(self)!r}, error={self.error!r})"

    __str__ = float.__repr__


def total_variation(p: LawLike, q: LawLike) -> Distance:
    """Return the total variation distance of two distributions: half of ∫ |p - q|.

    Parameters
    ----------
    p, q : Normal, Categorical, Samples or (float, float)
        A pair is the mean and the variance of a normal law. Normal against
        Categorical is an error.

    Returns
    -------
    Distance
        A float from 0 to 1, symmetric in p and q. Its ``error`` is 0 where both
        laws are known, and a standard error where one is a sample.

    Notes
    -----
    Normal laws: exact, see `normal_total_variation`. Categorical laws of equally
    many levels: half the sum of absolute differences. A sample beside a
    discrete law holds level numbers.

    Samples: half of each sample finds a set on which the two laws differ most,
    the other half says by how much; then the halves swap roles, and the
    mean of the two is returned. What was fitted to one half is judged by the
    other, so equal laws give 0 on average, not the positive number of a
    histogram's plug-in; negative differences are returned as 0. The set is that
    of the greatest difference, less a price of 0.4·√(1/n + 1/m) of the halves'
    sizes for each of its ends. Any set's difference is at most the total
    variation, so the estimate errs on the low side: little for laws that cross
    a few times, much for laws that cross often between few draws. The error is
    that of one half alone, which is an upper bound for the mean's: for five
    pairs of normal laws, two errors covered the truth in 96 % of 2000 runs or
    more at 200 and 1000 draws, and in 88 % or more at 50. The halves are the
    values at even and at odd positions.

    References
    ----------
    Garant and Jensen 2016, equation 1 and the text below it.

    Examples
    --------
    >>> total_variation((0, 1), (2, 1))
    Distance(0.682689492137..., error=0.0)
    >>> float(total_variation(Categorical([0.5, 0.5]), Categorical([0.75, 0.25])))
    0.25
    >>> import numpy as np
    >>> from causalassay.metrics import Samples
    >>> draws = np.random.default_rng(0).normal(2, 1, 1000)
    >>> estimate = total_variation(Samples(draws), Normal(0, 1))
    >>> print(f"{estimate:.2f} +- {estimate.error:.2f}")
    0.67 +- 0.02
    """
    first, second = as_law(p), as_law(q)
    if isinstance(first, Normal) and isinstance(second, Normal):
        return Distance(
            normal_total_variation(first.mean, first.variance, second.mean, second.variance).item()
        )
    if isinstance(first, Categorical) and isinstance(second, Categorical):
        return Distance(_categorical_variation(first, second))
    if {type(first), type(second)} == {Normal, Categorical}:
        raise TypeError(
            "total variation is not defined between a normal distribution and one on levels; use "
            "the same kind for both"
        )
    return Distance(*sampled_variation(first, second))


def normal_total_variation(
    mean_p: ArrayLike, variance_p: ArrayLike, mean_q: ArrayLike, variance_q: ArrayLike
) -> NDArray[np.floating[Any]]:
    """Return the total variation distances of many pairs of normal distributions at once.

    Parameters
    ----------
    mean_p, variance_p, mean_q, variance_q : array_like
        Broadcast against each other. A variance of 0 is a point mass, at
        distance 0 from itself and 1 from everything else.

    Returns
    -------
    ndarray
        Exact up to an absolute error of about 1e-15.

    Notes
    -----
    In units of the narrower law, N(0, 1) against N(δ, r²) with r >= 1 and
    δ >= 0, the narrower density is the larger one between the roots of
    (r² - 1) x² + 2 δ x - (δ² + 2 r² log r), so that the distance is the
    difference of two normal probabilities of that interval. With
    s = r √(δ² + 2 (r² - 1) log r) the roots are -(s + δ)/(r² - 1) and
    (δ² + 2 r² log r)/(s + δ): in this form nothing cancels as r tends to 1,
    where the first goes to -∞, the second to δ/2 and the distance to
    2 Φ(δ/2) - 1. At the roots the densities are equal, so that an error of a
    root enters squared.

    Examples
    --------
    >>> normal_total_variation(0, 1, [0, 2, 0, 0], [1, 1, 4, 0]).round(4)
    array([0.    , 0.6827, 0.3227, 1.    ])
    """
    means = np.broadcast_arrays(np.asarray(mean_p, float), np.asarray(mean_q, float))
    variances = np.broadcast_arrays(np.asarray(variance_p, float), np.asarray(variance_q, float))
    _check_moments(means, variances)
    narrow, wide = np.minimum(*variances), np.maximum(*variances)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        gap = np.abs(means[0] - means[1])
        shift = np.minimum(gap / np.sqrt(narrow), _FARTHEST)
        # log r² and r² - 1, both exact to rounding for variances that are nearly equal.
        log_ratio = np.where(
            wide < 2 * narrow, np.log1p((wide - narrow) / narrow), np.log(wide) - np.log(narrow)
        )
        log_ratio = np.minimum(log_ratio, 2 * math.log(_WIDEST))
        excess, ratio = np.expm1(log_ratio), np.exp(log_ratio / 2)
        denominator = ratio * np.hypot(shift, np.sqrt(excess * log_ratio)) + shift
        lower = -denominator / excess
        upper = shift * (shift / denominator) + ratio * (ratio * log_ratio / denominator)
        in_narrow = ndtr(upper) - ndtr(lower)
        in_wide = ndtr((upper - shift) / ratio) - ndtr((lower - shift) / ratio)
        distance = np.clip(in_narrow - in_wide, 0.0, 1.0)
    same = (gap == 0) & (narrow == wide)
    return np.where(same, 0.0, np.where(narrow == 0, 1.0, distance))


def _check_moments(means: Sequence[NDArray[Any]], variances: Sequence[NDArray[Any]]) -> None:
    if not all(np.isfinite(mean).all() for mean in means):
        raise ValueError("mean_p, mean_q: every mean must be finite")
    if not all(((variance >= 0) & (variance < np.inf)).all() for variance in variances):
        raise ValueError("variance_p, variance_q: every variance must be finite and >= 0")


def _categorical_variation(p: Categorical, q: Categorical) -> float:
    if len(p.probabilities) != len(q.probabilities):
        raise ValueError(
            f"the distributions have {len(p.probabilities)} and {len(q.probabilities)} levels; "
            "give both the same levels, with probability 0 where one does not occur"
        )
    return min(1.0, float(np.abs(p.probabilities - q.probabilities).sum()) / 2)


# Total variation from samples: one half finds where two laws differ, the other says how much.

# Of each end of an interval, in standard errors of a difference of shares. On normal samples of
# 50 to 10 000 values 0.25 and 0.5 did about equally well; at 1 small samples find no set at all.
_PRICE = 0.4

_Half = Vector | Normal | Categorical
_Region = NDArray[np.bool_]


def sampled_variation(p: Law, q: Law) -> tuple[float, float]:
    """Return the held-out estimate and its standard error that `total_variation` documents.

    Parameters
    ----------
    p, q : Law
        At least one of them Samples.

    Examples
    --------
    >>> import numpy as np
    >>> draws = np.random.default_rng(0).normal(0, 1, (2, 1000))
    >>> value, error = sampled_variation(Samples(draws[0]), Samples(2 + draws[1]))
    >>> round(value, 1), round(error, 2)
    (0.7, 0.02)
    """
    for sample, law in ((p, q), (q, p)):
        if isinstance(sample, Samples) and isinstance(law, Categorical):
            _check_levels(sample.values, len(law.probabilities))
    even, odd = ((_half(p, start), _half(q, start)) for start in (0, 1))
    there, back = _judged(even, odd), _judged(odd, even)
    return max(0.0, (there[0] + back[0]) / 2), (there[1] + back[1]) / 2


def _half(law: Law, start: int) -> _Half:
    return law.values[start::2] if isinstance(law, Samples) else law


def _judged(finders: tuple[_Half, _Half], judges: tuple[_Half, _Half]) -> tuple[float, float]:
    """Return how far the judges' shares of the finders' region differ, and the standard error."""
    edges, region = best_set(*finders)
    trivial = region.all() or not region.any()
    shares, variance = [], 0.0
    for judge in judges:
        shares.append(float(_shares(judge, edges)[region].sum()))
        if isinstance(judge, np.ndarray):
            # A share near 0 or 1, or of no region at all, must not pass for one that is known.
            n = len(judge)
            share = 0.5 if trivial else (n * shares[-1] + 1) / (n + 2)
            variance += share * (1 - share) / n
    return shares[0] - shares[1], math.sqrt(variance)


def best_set(p: _Half, q: _Half) -> tuple[Vector, _Region]:
    """Return the ends of cells, and which cells make the set that p exceeds q on by most.

    A value x lies in the cell ``searchsorted(ends, x)``.

    Examples
    --------
    >>> ends, chosen = best_set(np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0]))
    >>> chosen[np.searchsorted(ends, [2.5, 5.5])]
    array([ True, False])
    """
    edges = _edges(p, q)
    return edges, _region(p, q, edges)


def _edges(p: _Half, q: _Half) -> Vector:
    """Return the upper ends of the cells: levels, or every value at which a share jumps."""
    for law in (p, q):
        if isinstance(law, Categorical):
            return np.arange(len(law.probabilities), dtype=float)
    return np.unique(np.concatenate([_jumps(p), _jumps(q)]))


def _jumps(law: _Half) -> Vector:
    if isinstance(law, np.ndarray):
        return law
    if isinstance(law, Normal) and law.variance == 0:
        return np.array([np.nextafter(law.mean, -np.inf), law.mean])
    return np.empty(0)


def _shares(law: _Half, edges: Vector) -> Vector:
    """Return the share of each cell (-∞, e0], (e0, e1], …, (e_last, ∞)."""
    match law:
        case Categorical():
            return np.append(law.probabilities, 0.0)
        case Normal(mean, 0):
            below = (edges >= mean).astype(float)
        case Normal(mean, variance):
            below = ndtr((edges - mean) / math.sqrt(variance))
        case _:
            cells = np.searchsorted(edges, law)
            return np.bincount(cells, minlength=len(edges) + 1) / len(law)
    return np.diff(below, prepend=0.0, append=1.0)


def _region(p: _Half, q: _Half, edges: Vector) -> _Region:
    """Return the cells of a set on which p exceeds q by most, less the price of its ends."""
    gain = _shares(p, edges) - _shares(q, edges)
    if isinstance(p, Categorical) or isinstance(q, Categorical):
        return gain > 0
    noise = sum(1 / len(law) for law in (p, q) if isinstance(law, np.ndarray))
    return _best_intervals(gain, _PRICE * math.sqrt(noise))


@kernel
def _best_intervals(gain: Vector, price: float) -> _Region:
    """Maximise the gain of the chosen cells less `price` for each change between neighbours.

    Viterbi's algorithm on two states, in the set and out of it.
    """
    n = len(gain)
    came_from_inside = np.zeros((n, 2), np.bool_)
    outside, inside = 0.0, gain[0]
    for cell in range(1, n):
        leaves, stays = inside - price > outside, inside >= outside - price
        came_from_inside[cell, 0], came_from_inside[cell, 1] = leaves, stays
        kept = inside if stays else outside - price
        outside = inside - price if leaves else outside
        inside = kept + gain[cell]
    region = np.empty(n, np.bool_)
    chosen = inside > outside
    for cell in range(n - 1, -1, -1):
        region[cell] = chosen
        chosen = came_from_inside[cell, 1 if chosen else 0]
    return region


def _check_levels(values: Vector, n_levels: int) -> None:
    strange = ~np.isin(values, np.arange(n_levels))
    if strange.any():
        raise ValueError(
            f"a sample compared with a distribution on {n_levels} levels holds the numbers 0 to "
            f"{n_levels - 1}, got {values[strange][0]}; code the levels first"
        )
