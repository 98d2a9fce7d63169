"""Tables of the charts with one dot and interval for each algorithm and series.

Each has a bounded number of records. Numbers have five significant digits, so that a
page stays small; what is undefined is nan.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from causalassay.analysis.chart_data.scope import ChartScope
from causalassay.analysis.chart_data.thinning import rounded, thinned
from causalassay.analysis.names import metric_name, scheme_name
from causalassay.analysis.runs import NODES, SCHEME, SORTING

MOST_SIZES = 6
SHORTEST = 1e-6
"""Seconds of a clock that did not tick: a logarithm needs more than 0."""


def scheme_scores(scope: ChartScope, metric: str) -> pd.DataFrame:
    """Return the mean score on the same graphs by algorithm and scheme, with 95 % limits.

    As `Attribution.schemes` has it; ``sorting`` is the better mean of the baselines
    that sort by variance and by R², on that scheme.
    """
    frame = _of(scope, scope.summary.attribution.schemes, metric)
    frame = frame[frame[SCHEME].isin(scope.schemes)]
    sorting = _best_sorting(scope, frame, metric)
    columns = ["algorithm", SCHEME, "mean", "low", "high", "n_units", "n_missing", "paired"]
    frame = frame[columns].assign(sorting=frame[SCHEME].map(sorting).astype(float))
    return rounded(frame.assign(**{SCHEME: frame[SCHEME].map(scheme_name)}))


def _best_sorting(scope: ChartScope, frame: pd.DataFrame, metric: str) -> dict[str, float]:
    runs = scope.runs
    names = [runs.algorithms[index] for use in SORTING for index in runs.using(use)]
    means = frame[frame["algorithm"].isin(names)].groupby(SCHEME)["mean"]
    best = means.max() if scope.better[metric] == "high" else means.min()
    return {str(scheme): float(value) for scheme, value in best.items()}


def rank_means(scope: ChartScope, scheme: str, metrics: Sequence[str]) -> pd.DataFrame:
    """Return the mean rank by algorithm and metric on one scheme, from 1 for the best.

    As `Summary.ranks` has it: all algorithms are ranked, also those not in the charts.
    """
    frame = scope.summary.ranks
    chosen = frame["algorithm"].isin(scope.algorithms) & (frame[SCHEME] == scheme)
    chosen &= frame["metric"].isin(metrics)
    columns = ["algorithm", "metric", "rank", "rank_low", "rank_high"]
    names = {"rank": "mean", "rank_low": "low", "rank_high": "high"}
    frame = frame.loc[chosen, [*columns, "n_ranked", "n_last"]].rename(columns=names)
    return rounded(frame.assign(metric=frame["metric"].map(metric_name)))


def run_times(scope: ChartScope) -> pd.DataFrame:
    """Return the median seconds of discovery by algorithm and nodes, with the whole range.

    Only runs that are ok count. ``timeouts`` is the number of runs that were stopped: they
    have no time, so the median is too low where there are some.
    """
    frame = scope.analysis.table.frame
    if "seconds" not in frame:
        return pd.DataFrame()
    head = frame[["algorithm", "status", "seconds"]].astype({"algorithm": str})
    head = head.assign(nodes=frame[NODES] if scope.is_number(NODES) else np.nan)
    head = head[head["algorithm"].isin(scope.algorithms)]
    sizes = thinned(sorted(head["nodes"].dropna().unique()), MOST_SIZES)
    head = head[head["nodes"].isin(sizes)] if sizes else head
    rows = []
    for (name, nodes), part in head.groupby(["algorithm", "nodes"], dropna=False):
        seconds = part.loc[part["status"] == "ok", "seconds"].dropna()
        if len(seconds):
            rows.append(
                {
                    "algorithm": name,
                    "nodes": nodes,
                    "mean": max(float(seconds.median()), SHORTEST),
                    "low": max(float(seconds.min()), SHORTEST),
                    "high": max(float(seconds.max()), SHORTEST),
                    "n": len(seconds),
                    "timeouts": int((part["status"] == "timeout").sum()),
                }
            )
    return rounded(pd.DataFrame(rows))


def times_and_scores(scope: ChartScope, scheme: str, metric: str) -> pd.DataFrame:
    """Return the median seconds and the mean score of each algorithm on one scheme."""
    frame = scope.analysis.table.frame
    if "seconds" not in frame:
        return pd.DataFrame()
    chosen = (frame[SCHEME] == scheme) & (frame["status"] == "ok") & frame["seconds"].notna()
    seconds = frame[chosen].groupby("algorithm")["seconds"].median()
    scores = _of(scope, scope.summary.scores, metric)
    scores = scores[(scores[SCHEME] == scheme) & scores["algorithm"].isin(seconds.index)]
    columns = {"mean_low": "low", "mean_high": "high"}
    scores = scores[["algorithm", "role", "mean", *columns]].rename(columns=columns)
    times = scores["algorithm"].map(seconds).astype(float).clip(lower=SHORTEST)
    return rounded(scores.assign(seconds=times)[scores["mean"].notna()])


def _of(scope: ChartScope, frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    if not len(frame):
        return frame
    return frame[frame["algorithm"].isin(scope.algorithms) & (frame["metric"] == metric)]
