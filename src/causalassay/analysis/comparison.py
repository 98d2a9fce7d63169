"""Algorithms against each other: means with intervals, paired differences, ranks, the best.

An instance is a graph and a replicate: the problems of one replicate share their graph and their
random numbers, so their rows are not independent of each other. All replicates on one data file
are one instance. The intervals are Student's, with the variance between the instances: percentiles
of a bootstrap cover 89 % at 10 instances.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import stdtrit
from scipy.stats import rankdata

from causalassay.analysis.runs import ABSENT, OK, SCHEME, Codes, Group, Runs
from causalassay.common.arrays import Values, Vector

COVERAGE = 0.95
LEVEL = 0.05
"""The level of all comparisons of one algorithm on one scheme together."""
MOST_OPPONENTS = 8
"""Listed algorithms that all others are compared with; of more, the best by their mean."""
BEST_RULE = (
    "Marked is every algorithm that is not distinguishable from the best mean (paired t over "
    "instances, one-sided, 5 % divided by the number of opponents). One instance allows no test "
    "and has no marks."
)


# ---- means with intervals over independent instances ----


@dataclass(frozen=True)
class MeanInterval:
    """A mean or a difference of means, and the limits of its 95 % interval; nan where undefined."""

    value: float
    low: float
    high: float

    def columns(self, name: str = "mean", prefix: str = "") -> dict[str, float]:
        """Return the mean and its limits as columns of a table."""
        return {name: self.value, f"{prefix}low": self.low, f"{prefix}high": self.high}


def count_instances(instances: Codes) -> int:
    """Return how many instances rows lie in.

    Examples
    --------
    >>> count_instances(np.array([7, 3, 7]))
    2
    """
    seen = np.zeros(int(instances.max(initial=-1)) + 1, dtype=bool)
    seen[instances] = True
    return int(seen.sum())


def by_instance(values: Vector, instances: Codes, n_instances: int) -> Vector:
    """Return the mean of each instance's values that are not nan; nan where it has none.

    Examples
    --------
    >>> by_instance(np.array([1.0, 3.0, np.nan]), np.array([0, 0, 1]), 3)
    array([ 2., nan, nan])
    """
    defined = ~np.isnan(values)
    totals = np.bincount(instances[defined], weights=values[defined], minlength=n_instances)
    counts = np.bincount(instances[defined], minlength=n_instances)
    with np.errstate(invalid="ignore"):
        return totals / counts


def mean_with_interval(
    values: Vector, instances: Codes, coverage: float = COVERAGE
) -> MeanInterval:
    """Return the mean of the values that are not nan, with its interval, of 95 % if not stated.

    The interval is nan with fewer than two instances or an infinite value.

    Examples
    --------
    >>> mean_with_interval(np.array([1.0, 1.0, np.nan]), np.array([0, 1, 2]))
    MeanInterval(value=1.0, low=1.0, high=1.0)
    >>> two = mean_with_interval(np.array([0.0, 1.0, 2.0]), np.array([0, 1, 2]))
    >>> round(two.low, 2), round(two.high, 2)
    (-1.48, 3.48)
    """
    defined = ~np.isnan(values)
    known, instances = values[defined], instances[defined]
    if not len(known):
        return MeanInterval(np.nan, np.nan, np.nan)
    if not np.isfinite(known).all():
        return MeanInterval(float(known.mean()), np.nan, np.nan)
    # Deviations from a value of the sample: equal values then give exactly that value.
    centre = float(np.median(known))
    apart = known - centre
    mean = float(apart.mean())
    counts = np.bincount(instances)
    n_instances = int((counts > 0).sum())
    if n_instances < 2:
        return MeanInterval(centre + mean, np.nan, np.nan)
    # How far each instance pulls the mean away from where the others have it.
    influence = (np.bincount(instances, weights=apart) - mean * counts) / len(known)
    error = float(np.sqrt(n_instances / (n_instances - 1) * (influence**2).sum()))
    width = float(stdtrit(n_instances - 1, (1 + coverage) / 2)) * error
    return MeanInterval(centre + mean, centre + mean - width, centre + mean + width)


def limited(interval: MeanInterval, least: float, most: float) -> MeanInterval:
    """Return the interval without what no mean can be.

    Examples
    --------
    >>> limited(MeanInterval(0.1, -0.1, 0.3), 0.0, 1.0)
    MeanInterval(value=0.1, low=0.0, high=0.3)
    """
    low, high = np.clip([interval.low, interval.high], least, most)
    return MeanInterval(interval.value, float(low), float(high))


# ---- paired differences ----


def difference(runs: Runs, metric: str, cells: Codes, pair: tuple[int, int]) -> Vector:
    """Return score minus opponent's score in each cell, nan where either is undefined."""
    scores = runs.scores[metric]
    with np.errstate(invalid="ignore"):  # both may be infinite
        return scores[pair[0], cells] - scores[pair[1], cells]


def paired_differences(
    runs: Runs, by: Sequence[str] = (SCHEME,), most_opponents: int = MOST_OPPONENTS
) -> pd.DataFrame:
    """Return score minus opponent's score over the cells where both are defined.

    Every algorithm meets the best baseline of the group and each listed algorithm,
    or of more than `most_opponents` listed ones those with the best mean; so the
    number of pairs grows with the number of algorithms, not with its square. Each
    pair appears once: a listed algorithm against a baseline, others in the order of names.

    Returns
    -------
    DataFrame
        For each group, metric and pair: ``n_pairs`` cells in ``n_units`` instances; the
        ``mean`` difference with 95 % limits over whole instances; the ``median``;
        ``wins``, ``ties`` and ``losses`` of the algorithm; and the cells that do not
        count: ``n_undefined`` (both ended, a score is nan), ``only_algorithm`` and
        ``only_opponent`` (one ended), ``neither``. ``best_baseline`` marks an opponent
        that is the best baseline of the group by its mean. Being chosen as the best, it
        is a slightly harder opponent than any single baseline.
    """
    rows = []
    for group in runs.groups(by):
        for metric in runs.scores:
            best = best_by_mean(runs, metric, group, runs.baselines)
            for first, second in _pairs(runs, metric, group, best, most_opponents):
                head = {
                    "algorithm": runs.algorithms[first],
                    "opponent": runs.algorithms[second],
                    "best_baseline": second == best,
                    **dict(zip(by, group.values, strict=True)),
                    "metric": metric,
                }
                rows.append(head | _difference(runs, metric, group, (first, second)))
    return pd.DataFrame(rows)


def own_algorithms(runs: Runs) -> list[str]:
    """Return the algorithms that a study calls its own; none if there is no other to compare."""
    if len(runs.algorithms) < 2:
        return []
    return [name for name, role in zip(runs.algorithms, runs.roles, strict=True) if role == "mine"]


def compared_with_all(runs: Runs, algorithm: str, by: Sequence[str] = (SCHEME,)) -> pd.DataFrame:
    """Return one algorithm's paired differences to every other, as `paired_differences` has them.

    ``gain_low`` and ``gain_high`` are the limits of ``gain``, the difference with the sign turned
    where low scores are better: positive is better for the algorithm. ``clear``: the mean is
    distinguishable from 0 by a paired t-test over instances at 5 % divided by the number of
    opponents.
    """
    first = runs.algorithms.index(algorithm)
    coverage = 1 - LEVEL / max(len(runs.algorithms) - 1, 1)
    others = [index for index in range(len(runs.algorithms)) if index != first]
    rows = []
    for group in runs.groups(by):
        for metric, better in runs.better.items():
            for other in others:
                head = {
                    "algorithm": algorithm,
                    "opponent": runs.algorithms[other],
                    "role": runs.roles[other],
                    **dict(zip(by, group.values, strict=True)),
                    "metric": metric,
                }
                numbers = _difference(runs, metric, group, (first, other))
                low, high = sorted(better * numbers[name] for name in ("mean_low", "mean_high"))
                gains = MeanInterval(better * numbers["mean"], low, high).columns("gain", "gain_")
                apart = difference(runs, metric, group.cells, (first, other))
                mean = mean_with_interval(apart, runs.instances[group.cells], coverage)
                rows.append(head | numbers | gains | {"clear": mean.low > 0 or mean.high < 0})
    return pd.DataFrame(rows)


def _pairs(
    runs: Runs, metric: str, group: Group, best: int | None, most_opponents: int
) -> Iterator[tuple[int, int]]:
    everyone = range(len(runs.algorithms))
    baselines = set(runs.baselines)
    opponents = [index for index in everyone if index not in baselines]
    if len(opponents) > most_opponents:
        means = _means(runs, metric, group.cells, opponents)
        by_mean = sorted(opponents, key=lambda index: (-means.get(index, -np.inf), index))
        opponents = by_mean[:most_opponents]
    met = {*opponents} if best is None else {*opponents, best}
    # Baselines come last, the best at the end, so of a pair the second is the baseline.
    order = sorted(everyone, key=lambda index: (index in baselines, index == best, index))
    for first, second in combinations(order, 2):
        if first in met or second in met:
            yield first, second


def _difference(runs: Runs, metric: str, group: Group, pair: tuple[int, int]) -> dict[str, Any]:
    status = np.stack([runs.status[index, group.cells] for index in pair])
    started = (status != ABSENT).any(axis=0)
    cells = group.cells[started]
    instances = runs.instances[cells]
    apart = difference(runs, metric, cells, pair)
    defined = ~np.isnan(apart)
    ended, opponent_ended = status[:, started] == OK
    gain = apart * runs.better[metric]
    return {
        "n_pairs": int(defined.sum()),
        "n_units": count_instances(instances[defined]),
        **mean_with_interval(apart, instances).columns(prefix="mean_"),
        "median": float(np.median(apart[defined])) if defined.any() else np.nan,
        "wins": int((gain > 0).sum()),
        "ties": int((gain == 0).sum()),
        "losses": int((gain < 0).sum()),
        "n_undefined": int((ended & opponent_ended & ~defined).sum()),
        "only_algorithm": int((ended & ~opponent_ended).sum()),
        "only_opponent": int((opponent_ended & ~ended).sum()),
        "neither": int((~ended & ~opponent_ended).sum()),
    }


# ---- ranks, and who may be the best ----


def mean_ranks(runs: Runs, by: Sequence[str] = (SCHEME,)) -> pd.DataFrame:
    """Return the mean rank of each algorithm, from 1 for the best, with 95 % limits.

    All algorithms are ranked within each cell; equal scores share their mean rank.
    Runs that are not ok, or whose score is undefined, share the last rank. Cells where
    an algorithm has no row yet are not ranked: ``n_incomplete``.
    """
    rows = []
    for group in runs.groups(by):
        complete = (runs.status[:, group.cells] != ABSENT).all(axis=0)
        cells = group.cells[complete]
        instances = runs.instances[cells]
        for metric, scores in runs.scores.items():
            ranks = _ranks(scores[:, cells] * runs.better[metric])
            for index, name in enumerate(runs.algorithms):
                interval = mean_with_interval(ranks[index], instances)
                mean = limited(interval, 1, len(runs.algorithms))
                rows.append(
                    {
                        "algorithm": name,
                        "role": runs.roles[index],
                        **dict(zip(by, group.values, strict=True)),
                        "metric": metric,
                        "n_ranked": len(cells),
                        "n_last": int(np.isnan(scores[index, cells]).sum()),
                        "n_incomplete": int((~complete).sum()),
                        "n_units": count_instances(instances),
                        **mean.columns("rank", "rank_"),
                    }
                )
    return pd.DataFrame(rows)


def _ranks(scores: Values) -> Values:
    """Return the rank of each algorithm in each cell, where high scores are better."""
    if not scores.size:
        return scores
    return rankdata(np.where(np.isnan(scores), np.inf, -scores), axis=0)


def _means(runs: Runs, metric: str, cells: Codes, indices: Sequence[int]) -> dict[int, float]:
    """Return the mean of each algorithm that has one, signed so that high is better."""
    scores = {index: runs.scores[metric][index, cells] for index in indices}
    known = {index: values[~np.isnan(values)] for index, values in scores.items()}
    better = runs.better[metric]
    return {index: better * float(values.mean()) for index, values in known.items() if len(values)}


def best_by_mean(runs: Runs, metric: str, group: Group, indices: Sequence[int]) -> int | None:
    """Return the algorithm of the best mean among some; None if no score is defined.

    The first of several equal ones is taken.
    """
    means = _means(runs, metric, group.cells, indices)
    return max(means, key=lambda index: (means[index], -index)) if means else None


BestMarks = defaultdict[tuple[str, object], frozenset[str]]
"""The algorithms that may be the best, by metric and scheme; none where there is no score."""


def best_marks(runs: Runs) -> BestMarks:
    """Return the algorithms that are not distinguishable from the best, by metric and scheme."""
    marks: BestMarks = defaultdict(frozenset)
    for group in runs.groups((SCHEME,)):
        for metric in runs.scores:
            best = possibly_best(runs, metric, group.cells)
            marks[metric, group.values[0]] = frozenset(runs.algorithms[index] for index in best)
    return marks


def possibly_best(runs: Runs, metric: str, cells: Codes) -> frozenset[int]:
    """Return the indices of the algorithms that are not distinguishable from the best mean.

    An algorithm is left out if the one with the best mean is ahead of it by a paired test:
    Student's t over instances, one-sided, at 5 % divided by the number of opponents. So the
    algorithm that is best in truth is left out in at most 5 % of comparisons, however the best mean
    was picked (Hsu 1984, "Constrained simultaneous confidence intervals for multiple comparisons
    with the best").

    Parameters
    ----------
    runs : Runs
    metric : str
    cells : array of int
        The problems and replicates to look at.
    """
    means = _means(runs, metric, cells, range(len(runs.algorithms)))
    instances = runs.instances[cells]
    if not means or count_instances(instances) < 2:
        return frozenset()
    best = max(means, key=lambda index: (means[index], -index))
    coverage = 1 - 2 * LEVEL / max(len(means) - 1, 1)

    def is_behind(index: int) -> bool:
        gain = difference(runs, metric, cells, (best, index)) * runs.better[metric]
        return mean_with_interval(gain, instances, coverage).low > 0

    return frozenset(index for index in means if index == best or not is_behind(index))
