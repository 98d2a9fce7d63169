"""Wilcoxon's signed-rank test, exact for few subjects, also with ties and zeros."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from causalassay.arrays import Vector

MOST_EXACT = 50
"""Differences up to which the distribution is exact; beyond it is normal."""


def signed_rank_p_value(differences: Vector) -> float:
    """Return the two-sided p-value that differences are symmetric about 0.

    Zeros are left out, and ties share their mean rank. For at most `MOST_EXACT` differences the
    distribution over all signs is exact, given these ranks.

    Examples
    --------
    >>> signed_rank_p_value(np.array([1.0, 2.0, 2.0, 5.0, 0.0]))
    0.125
    """
    moved = differences[differences != 0]
    if not len(moved):
        return 1.0
    if len(moved) > MOST_EXACT:
        return float(stats.wilcoxon(moved, method="approx").pvalue)
    doubled = np.rint(2 * stats.rankdata(np.abs(moved))).astype(np.int64)
    positive = int(doubled[moved > 0].sum())
    law = _law_of_sums(doubled)
    return min(1.0, 2.0 * float(law[max(positive, len(law) - 1 - positive) :].sum()))


def _law_of_sums(ranks: NDArray[np.int64]) -> Vector:
    """Return the probability of each sum of ranks whose signs are fair coins."""
    law = np.zeros(int(ranks.sum()) + 1)
    law[0] = 1.0
    for rank in ranks:
        law[rank:] = law[rank:] / 2 + law[: len(law) - rank] / 2
        law[:rank] /= 2
    return law
