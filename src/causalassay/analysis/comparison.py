"""Algorithms against each other on the same problems: paired differences and ranks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import rankdata

from causalassay.analysis.runs import ABSENT, OK, SCHEME, Group, Runs
from causalassay.analysis.unit_means import count_units, limited, mean_with_interval
from causalassay.common.arrays import Vector

LEVEL = 0.05
"""Of all comparisons of one algorithm on one scheme together."""

MOST_OPPONENTS = 8
"""Listed algorithms that all others are compared with; of more, the best by their mean."""


def paired_differences(
    runs: Runs, by: Sequence[str] = (SCHEME,), most_opponents: int = MOST_OPPONENTS
) -> pd.DataFrame:
    """Return score minus opponent's score over the cells where both are defined.

    Every algorithm meets the best baseline of the group and each listed algorithm,
    or of more than `most_opponents` listed ones those with the best mean; so the
    number of pairs grows with the number of algorithms, not with its square. Each
    pair stands once: a listed algorithm against a baseline, others in the order of names.

    Returns
    -------
    DataFrame
        For each group, metric and pair: ``n_pairs`` cells in ``n_units`` units; the
        ``mean`` difference with 95 % limits over whole units; the ``median``;
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
    distinguishable from 0 by a paired t-test over units at 5 % divided by the number of opponents.
    """
    own = runs.algorithms.index(algorithm)
    coverage = 1 - LEVEL / max(len(runs.algorithms) - 1, 1)
    rows = []
    for group in runs.groups(by):
        for metric in runs.scores:
            for other, name in enumerate(runs.algorithms):
                if other != own:
                    head = {
                        "algorithm": algorithm,
                        "opponent": name,
                        "role": runs.roles[other],
                        **dict(zip(by, group.values, strict=True)),
                        "metric": metric,
                    }
                    found = _difference(runs, metric, group, (own, other))
                    limits = [found[name] for name in ("mean", "mean_low", "mean_high")]
                    turned = limits if runs.better[metric] == 1 else [-limits[i] for i in (0, 2, 1)]
                    gains = dict(zip(("gain", "gain_low", "gain_high"), turned, strict=True))
                    apart = difference(runs, metric, group.cells, (own, other))
                    mean = mean_with_interval(apart, runs.units[group.cells], coverage)
                    rows.append(head | found | gains | {"clear": mean.low > 0 or mean.high < 0})
    return pd.DataFrame(rows)


def best_by_mean(runs: Runs, metric: str, group: Group, indices: Sequence[int]) -> int | None:
    """Return the algorithm of the best mean among some; None if no score is defined.

    The first of several equal ones is taken.
    """
    means = _means(runs, metric, group, indices)
    return max(means, key=lambda index: (means[index], -index)) if means else None


def difference(
    runs: Runs, metric: str, cells: NDArray[np.integer[Any]], pair: tuple[int, int]
) -> Vector:
    """Return score minus opponent's score in each cell, nan where either is undefined."""
    scores = runs.scores[metric]
    with np.errstate(invalid="ignore"):  # both may be infinite
        return scores[pair[0], cells] - scores[pair[1], cells]


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
        units = runs.units[cells]
        for metric, scores in runs.scores.items():
            ranks = _ranks(scores[:, cells] * runs.better[metric])
            for index, name in enumerate(runs.algorithms):
                interval = mean_with_interval(ranks[index], units)
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
                        "n_units": count_units(units),
                        "rank": mean.value,
                        "rank_low": mean.low,
                        "rank_high": mean.high,
                    }
                )
    return pd.DataFrame(rows)


def _ranks(scores: NDArray[np.floating[Any]]) -> NDArray[np.floating[Any]]:
    """Return the rank of each algorithm in each cell, where high scores are better."""
    if not scores.size:
        return scores
    return rankdata(np.where(np.isnan(scores), np.inf, -scores), axis=0)


def _means(runs: Runs, metric: str, group: Group, indices: Sequence[int]) -> dict[int, float]:
    """Return the mean of each algorithm that has one, signed so that high is better."""
    means = {}
    for index in indices:
        scores = runs.scores[metric][index, group.cells]
        defined = scores[~np.isnan(scores)]
        if len(defined):
            means[index] = runs.better[metric] * float(defined.mean())
    return means


def _pairs(
    runs: Runs, metric: str, group: Group, best: int | None, most_opponents: int
) -> Iterator[tuple[int, int]]:
    everyone = range(len(runs.algorithms))
    baselines = set(runs.baselines)
    opponents = [index for index in everyone if index not in baselines]
    if len(opponents) > most_opponents:
        means = _means(runs, metric, group, opponents)
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
    units = runs.units[cells]
    apart = difference(runs, metric, cells, pair)
    defined = ~np.isnan(apart)
    mean = mean_with_interval(apart, units)
    ended, opponent_ended = status[:, started] == OK
    gain = apart * runs.better[metric]
    return {
        "n_pairs": int(defined.sum()),
        "n_units": count_units(units[defined]),
        "mean": mean.value,
        "mean_low": mean.low,
        "mean_high": mean.high,
        "median": float(np.median(apart[defined])) if defined.any() else np.nan,
        "wins": int((gain > 0).sum()),
        "ties": int((gain == 0).sum()),
        "losses": int((gain < 0).sum()),
        "n_undefined": int((ended & opponent_ended & ~defined).sum()),
        "only_algorithm": int((ended & ~opponent_ended).sum()),
        "only_opponent": int((opponent_ended & ~ended).sum()),
        "neither": int((~ended & ~opponent_ended).sum()),
    }
