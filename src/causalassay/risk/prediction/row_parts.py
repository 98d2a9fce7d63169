"""Total variation between what was measured and what was predicted, and each row's part in it."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from causalassay.common.arrays import Vector
from causalassay.metrics.laws import Categorical, best_set

Law = Vector | Categorical
"""Draws, or the probabilities of levels."""


class Variation(NamedTuple):
    """The sample version of a total variation, as `total_variation` gives it.

    Parameters
    ----------
    value, error : float
    measured, predicted : ndarray
        What each row adds to the difference of shares, less the mean. Their sum of squares is
        the variance of the value where the sets that were found are held fixed. Empty for a
        prediction whose probabilities are known.
    """

    value: float
    error: float
    measured: Vector
    predicted: Vector


def variation(measured: Vector, predicted: Law) -> Variation:
    """Return the total variation of two columns, with the part that each row has in it.

    Parameters
    ----------
    measured : ndarray, shape (n,)
        At least 4 values, in an order that says nothing.
    predicted : ndarray, shape (m,), or Categorical

    Examples
    --------
    >>> draws = np.random.default_rng(0).normal(0, 1, (2, 1000))
    >>> found = variation(draws[0], 2 + draws[1])
    >>> round(found.value, 1), round(found.error, 2), found.measured.shape
    (0.7, 0.02, (1000,))
    """
    n_drawn = 0 if isinstance(predicted, Categorical) else len(predicted)
    parts = [np.empty(len(measured)), np.empty(n_drawn)]
    total, error = 0.0, 0.0
    for finder, judge in ((0, 1), (1, 0)):
        ends, region = best_set(measured[finder::2], _half(predicted, finder))
        trivial = region.all() or not region.any()
        variance = 0.0
        for sign, law, part in zip((1, -1), (measured, predicted), parts, strict=True):
            half = _half(law, judge)
            if isinstance(half, Categorical):
                total += sign * float(half.probabilities[region[: len(half.probabilities)]].sum())
                continue
            inside = region[np.searchsorted(ends, half)].astype(float)
            n, share = len(half), float(inside.mean())
            total += sign * share
            part[judge::2] = sign * (inside - share) / (2 * n)
            guarded = 0.5 if trivial else (n * share + 1) / (n + 2)
            variance += guarded * (1 - guarded) / n
        error += math.sqrt(variance) / 2
    return Variation(max(0.0, total / 2), error, *parts)


def _half(law: Law, start: int) -> Law:
    return law if isinstance(law, Categorical) else law[start::2]
