"""What several panels of a figure, or the settings of two tables, say together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from causalassay.common.arrays import Values
from causalassay.lab.reproducing.estimates import Chosen, Estimate, over_replicates

Scores = Sequence[tuple[Mapping[str, Any], pd.Series]]
"""Tables that pick rows, each with its numbers by replicate."""

Panel = tuple[str, str]
"""A problem and a score; PC's favourable SHD stands beside the SHD of the others."""


def behind_the_best(rows: Scores, *_: Scores) -> Estimate:
    """Return how far behind the best in its worst panel is the algorithm for which that is least.

    Low scores are good. 0 means that one algorithm has the least mean in every panel.
    """
    panels, algorithms = _panels(rows), list(dict.fromkeys(one["algorithm"] for one, _ in rows))
    scores = {(one["algorithm"], _panel(one)): numbers.to_numpy(float) for one, numbers in rows}
    if absent := [(a, p) for a in algorithms for p in panels if (a, p) not in scores]:
        raise ValueError(f"each algorithm needs a table for each panel; absent: {absent[0]}")
    stacked = np.array([[scores[a, p] for p in panels] for a in algorithms])

    def least_gap(chosen: Chosen) -> float:
        means = np.nanmean(stacked[:, :, chosen], axis=2)
        return float((means - means.min(axis=0)).max(axis=1).min())

    return over_replicates(least_gap, stacked.shape[2], _lost(stacked), (0.0, np.inf))


def share_near(_: Scores, left: Scores, right: Scores) -> Estimate:
    """Return the share of left whose mean is near that of a table of right of the same panel.

    Near: at most the standard deviation of the panel's most variable table of right, which is
    the random one of the baselines.
    """
    panels = _panels(left)
    found = {panel: (_stacked(left, panel), _stacked(right, panel)) for panel in panels}

    def share(chosen: Chosen) -> float:
        near = []
        for scores, baselines in found.values():
            means = np.nanmean(baselines[:, chosen], axis=1)
            spread = np.nanstd(baselines, axis=1, ddof=1).max()
            gaps = np.abs(np.nanmean(scores[:, chosen], axis=1)[:, None] - means)
            near += (gaps.min(axis=1) <= spread).tolist()
        return float(np.mean(near))

    lost = sum(_lost(part) for pair in found.values() for part in pair)
    return over_replicates(share, len(left[0][1]), lost, (0.0, 1.0))


def spread_difference(_: Scores, left: Scores, right: Scores) -> Estimate:
    """Return the mean standard deviation of left's tables less that of right's.

    The two sides may be of studies with different numbers of replicates.
    """
    one, other = (_mean_spread(side) for side in (left, right))
    error = float(np.hypot(one.standard_error, other.standard_error))
    draws, lost = min(one.draws, other.draws), one.lost + other.lost
    return Estimate(one.value - other.value, error, draws, lost)


def orders_kept(_: Scores, left: Scores, right: Scores) -> Estimate:
    """Return the share of pairs that have the same order by left's means and by right's.

    Tables of left and right belong together by their places. Pairs are of one problem, and at
    least one of the two differs between left and right: two that do not keep their order always.
    """
    one, other = (np.array([numbers.to_numpy(float) for _, numbers in s]) for s in (left, right))
    problems = [table["problem"] for table, _ in left]
    differs = [a != b for (a, _), (b, _) in zip(left, right, strict=True)]
    pairs = [
        (i, j)
        for i, j in combinations(range(len(problems)), 2)
        if problems[i] == problems[j] and (differs[i] or differs[j])
    ]
    if not pairs:
        raise ValueError("no pair of tables of one problem differs between left and right")
    first, second = np.transpose(pairs)

    def share(chosen: Chosen) -> float:
        means = [np.nanmean(scores[:, chosen], axis=1) for scores in (one, other)]
        signs = [np.sign(mean[first] - mean[second]) for mean in means]
        return float(np.mean(signs[0] == signs[1]))

    return over_replicates(share, one.shape[1], _lost(one) + _lost(other), (0.0, 1.0))


def _mean_spread(side: Scores) -> Estimate:
    scores = np.array([numbers.to_numpy(float) for _, numbers in side])

    def spread(chosen: Chosen) -> float:
        return float(np.nanstd(scores[:, chosen], axis=1, ddof=1).mean())

    return over_replicates(spread, scores.shape[1], _lost(scores), (0.0, np.inf))


def _panel(selection: Mapping[str, Any]) -> Panel:
    return selection["problem"], selection["column"].removesuffix(" (favourable)")


def _panels(side: Scores) -> list[Panel]:
    return list(dict.fromkeys(_panel(one) for one, _ in side))


def _stacked(side: Scores, panel: Panel) -> Values:
    found = [numbers.to_numpy(float) for one, numbers in side if _panel(one) == panel]
    if not found:
        raise ValueError(f"no table of a baseline for {panel}")
    return np.array(found)


def _lost(scores: Values) -> int:
    return int(np.isnan(scores).sum())


OF_PANELS: dict[str, Callable[[Scores, Scores, Scores], Estimate]] = {
    "behind the best": behind_the_best,
    "share near": share_near,
    "spread difference": spread_difference,
    "orders kept": orders_kept,
}
"""Called with `rows`, `left` and `right`: each table and its numbers."""
