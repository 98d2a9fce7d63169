"""Which algorithms may be the best: those that are not distinguishable from the best mean.

An algorithm is left out if the one with the best mean is ahead of it by a paired test: Student's
t over units, one-sided, at 5 % divided by the number of opponents. So the algorithm that is best
in truth is left out in at most 5 % of comparisons, however the best mean was picked (Hsu 1984,
"Constrained simultaneous confidence intervals for multiple comparisons with the best").
"""

from __future__ import annotations

import numpy as np

from causalassay.analysis.comparison import difference
from causalassay.analysis.runs import SCHEME, Runs
from causalassay.analysis.unit_means import Codes, count_units, mean_with_interval

LEVEL = 0.05
RULE = (
    "Marked is every algorithm that is not distinguishable from the best mean (paired t over "
    "units, one-sided, 5 % divided by the number of opponents). One unit allows no test and has no "
    "marks."
)


class BestMarks(dict[tuple[str, object], frozenset[str]]):
    """The algorithms that may be the best, by metric and scheme; none where there is no score."""

    def __missing__(self, key: tuple[str, object]) -> frozenset[str]:
        return frozenset()


def best_marks(runs: Runs) -> BestMarks:
    """Return the algorithms that are not distinguishable from the best, by metric and scheme."""
    return BestMarks(
        {
            (metric, group.values[0]): frozenset(
                runs.algorithms[index] for index in possibly_best(runs, metric, group.cells)
            )
            for group in runs.groups((SCHEME,))
            for metric in runs.scores
        }
    )


def possibly_best(runs: Runs, metric: str, cells: Codes) -> frozenset[int]:
    """Return the indices of the algorithms that are not distinguishable from the best mean.

    Parameters
    ----------
    runs : Runs
    metric : str
    cells : array of int
        The problems and replicates to look at.
    """
    scores = runs.scores[metric][:, cells] * runs.better[metric]
    known = np.flatnonzero(~np.isnan(scores).all(axis=1))
    if not len(known) or count_units(runs.units[cells]) < 2:
        return frozenset()
    means = {int(index): float(np.nanmean(scores[index])) for index in known}
    best = max(means, key=lambda index: (means[index], -index))
    coverage = 1 - 2 * LEVEL / max(len(means) - 1, 1)
    return frozenset(
        index
        for index in means
        if index == best or not _ahead(runs, metric, cells, best, index, coverage)
    )


def _ahead(  # noqa: PLR0913, PLR0917
    runs: Runs, metric: str, cells: Codes, best: int, other: int, coverage: float
) -> bool:
    """Return whether one algorithm is distinguishably better than another."""
    gain = difference(runs, metric, cells, (best, other)) * runs.better[metric]
    return mean_with_interval(gain, runs.units[cells], coverage).low > 0
