"""Hyper-parameters chosen on held-out systems."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from causalassay.study.plan import Statistic


def best_candidate(
    scores: Sequence[Sequence[float]], better: str, statistic: Statistic
) -> tuple[int, float]:
    """Return the index of the best candidate and its statistic; of equals the first.

    Parameters
    ----------
    scores : sequence of sequence of float
        Of each candidate on each held-out system; nan (it failed, or the number
        is undefined) counts as worse than any number.
    better : {"high", "low"}
    statistic : {"median", "mean"}

    References
    ----------
    Ormaniec et al. 2024, appendix E.4.

    Examples
    --------
    >>> best_candidate([[0.5, 0.6, 0.7], [0.9, 0.9, float("nan")]], "high", "median")
    (1, 0.9)
    >>> best_candidate([[0.5, 0.6, 0.7], [0.9, 0.9, float("nan")]], "high", "mean")
    (0, 0.6)
    """
    sign = 1.0 if better == "high" else -1.0
    middle: Callable[..., np.floating] = np.median if statistic == "median" else np.mean
    signed = [np.nan_to_num(sign * np.asarray(row, dtype=float), nan=-np.inf) for row in scores]
    # Equal infinities have the difference nan in a mean or median; the worst stays the worst.
    with np.errstate(invalid="ignore"):
        values = [float(middle(row)) for row in signed]
    values = [-np.inf if np.isnan(value) else value for value in values]
    best = int(np.argmax(values))
    return best, sign * values[best]
