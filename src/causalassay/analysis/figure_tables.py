"""Small tidy tables for the report's figures: never rows, always bounded.

Numbers are rounded to five significant digits, so that a page stays small; what is
undefined is nan.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from causalassay.analysis.bootstrap import Codes
from causalassay.analysis.explained_variance import R2, VARIANCE
from causalassay.analysis.figure_scope import NODES, Scope
from causalassay.analysis.runs import SCHEME, SORTING, Table
from causalassay.arrays import Vector

DIGITS = 5
N_BINS = 20
MOST_SIZES = 6
SHORTEST = 1e-6
"""Seconds of a clock that did not tick: a logarithm needs more than 0."""


def scheme_scores(scope: Scope, metric: str) -> pd.DataFrame:
    """Return the mean score on the same graphs by algorithm and scheme, with 95 % limits.

    As `Attribution.schemes` has it; ``sorting`` is the better mean of the baselines
    that sort by variance and by R², on that scheme.
    """
    frame = _of(scope, scope.summary.attribution.schemes, metric)
    frame = frame[frame[SCHEME].isin(scope.schemes)]
    sorting = _best_sorting(scope, frame, metric)
    columns = ["algorithm", SCHEME, "mean", "low", "high", "n_units", "n_missing", "paired"]
    found = frame[columns]
    return rounded(found.assign(sorting=found[SCHEME].map(sorting).astype(float)))


def _best_sorting(scope: Scope, frame: pd.DataFrame, metric: str) -> dict[str, float]:
    runs = scope.runs
    names = [runs.algorithms[place] for use in SORTING for place in runs.using(use)]
    means = frame[frame["algorithm"].isin(names)].groupby(SCHEME)["mean"]
    best = means.max() if scope.better[metric] == "high" else means.min()
    return {str(scheme): float(value) for scheme, value in best.items()}


def rank_means(scope: Scope, scheme: str, metrics: Sequence[str]) -> pd.DataFrame:
    """Return the mean rank by algorithm and metric on one scheme, from 1 for the best.

    As `Summary.ranks` has it: all algorithms are ranked, also those not shown.
    """
    frame = scope.summary.ranks
    chosen = frame["algorithm"].isin(scope.algorithms) & (frame[SCHEME] == scheme)
    found = frame[chosen & frame["metric"].isin(metrics)]
    columns = ["algorithm", "metric", "rank", "rank_low", "rank_high"]
    names = {"rank": "mean", "rank_low": "low", "rank_high": "high"}
    return rounded(found[[*columns, "n_ranked", "n_last"]].rename(columns=names))


def explained(scope: Scope, metric: str) -> pd.DataFrame:
    """Return the share of the score's variance that sortability explains, with 95 % limits.

    As `Attribution.explained` has it; ``note`` says why a share is undefined.
    """
    found = _of(scope, scope.summary.attribution.explained, metric)
    columns = ["algorithm", "regressors", "share", "share_low", "share_high"]
    names = {"share": "mean", "share_low": "low", "share_high": "high"}
    return rounded(found[[*columns, "adjusted", "n_units", "note"]].rename(columns=names))


def sortability_bins(scope: Scope) -> pd.DataFrame:
    """Return how many problems of each scheme have a sortability in each twentieth of [0, 1].

    ``n`` problems and replicates of the scheme have the sortability, ``mean`` is over
    these; ``height`` is the count over that of the fullest bin. Empty bins have no record.
    """
    rows = []
    edges = np.linspace(0, 1, N_BINS + 1)
    for diagnostic in (VARIANCE, R2):
        for scheme, cells in _schemes(scope):
            values = scope.runs.measured.get(diagnostic, np.empty(0))
            values = values[cells] if len(values) else values
            values = values[~np.isnan(values)]
            counts, _ = np.histogram(values, edges)
            for place in np.flatnonzero(counts):
                rows.append(
                    {
                        "diagnostic": diagnostic,
                        SCHEME: scheme,
                        "from": edges[place],
                        "to": edges[place + 1],
                        "count": int(counts[place]),
                        "height": counts[place] / counts.max(),
                        "n": len(values),
                        "mean": float(values.mean()),
                    }
                )
    return rounded(pd.DataFrame(rows))


def run_times(table: Table, scope: Scope) -> pd.DataFrame:
    """Return the median seconds of discovery by algorithm and nodes, with the whole range.

    Of runs that are ok; ``timeouts`` counts those that were stopped, which have no
    time and are in no median: beside some, the median is too low.
    """
    frame = table.frame
    if "seconds" not in frame:
        return pd.DataFrame()
    head = frame[["algorithm", "status", "seconds"]].astype({"algorithm": str})
    head = head.assign(nodes=frame[NODES] if is_number(scope, NODES) else np.nan)
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


def thinned(values: Sequence[Any], most: int) -> list[Any]:
    """Return at most so many of some values: the first, the last, and evenly between them.

    Examples
    --------
    >>> thinned([10, 20, 30, 40, 50], 3), thinned([10, 20], 3), thinned([10, 20, 30], 1)
    ([10, 30, 50], [10, 20], [20])
    """
    if len(values) <= most:
        return list(values)
    if most == 1:
        return [values[len(values) // 2]]
    places = np.linspace(0, len(values) - 1, most).round().astype(int)
    return [values[place] for place in places]


def is_number(scope: Scope, label: str) -> bool:
    """Return whether the study's problems have a label and it is a number."""
    if not scope.has(label):
        return False
    known = scope.runs.cells[label].dropna().infer_objects()
    return len(known) > 0 and is_numeric_dtype(known) and not is_bool_dtype(known)


def _of(scope: Scope, frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    if not len(frame):
        return frame
    return frame[frame["algorithm"].isin(scope.algorithms) & (frame["metric"] == metric)]


def _schemes(scope: Scope) -> Iterator[tuple[str, Codes]]:
    for group in scope.runs.groups((SCHEME,)):
        if group.values[0] in scope.schemes:
            yield group.values[0], group.cells


def rounded(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the table with its numbers to so many digits, counted from 0."""
    found = frame.reset_index(drop=True)
    numbers = found.select_dtypes(float)
    return found.assign(**{str(name): round_digits(numbers[name].to_numpy()) for name in numbers})


def round_digits(values: Vector) -> Vector:
    """Return numbers to five significant digits.

    Examples
    --------
    >>> round_digits(np.array([0.123456789, 12345.6789, np.nan])).tolist()
    [0.12346, 12346.0, nan]
    """
    return np.array([float(f"{value:.{DIGITS}g}") for value in values])
