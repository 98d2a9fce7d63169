"""Small tidy tables that the charts of a report are drawn from.

Each has a bounded number of records. Numbers have five significant digits, so that a
page stays small; what is undefined is nan.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from causalassay.analysis.chart_scope import ChartScope
from causalassay.analysis.names import metric_name, scheme_name
from causalassay.analysis.runs import FAMILY, NODES, SCHEME, SORTING
from causalassay.analysis.unit_means import Codes, limited, mean_with_interval
from causalassay.common.arrays import Vector

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


VARIANCE, R2 = "var_sortability", "r2_sortability"
N_BINS = 20
MOST_RECORDS = 600
"""Of one figure; beyond that, it shows fewer sizes."""


def sortability_bins(scope: ChartScope) -> pd.DataFrame:
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
            for bin_index in np.flatnonzero(counts):
                rows.append(
                    {
                        "diagnostic": diagnostic,
                        SCHEME: scheme_name(scheme),
                        "from": edges[bin_index],
                        "to": edges[bin_index + 1],
                        "count": int(counts[bin_index]),
                        "height": counts[bin_index] / counts.max(),
                        "n": len(values),
                        "mean": float(values.mean()),
                    }
                )
    return rounded(pd.DataFrame(rows))


def _schemes(scope: ChartScope) -> Iterator[tuple[str, Codes]]:
    for group in scope.runs.groups((SCHEME,)):
        if group.values[0] in scope.schemes:
            yield group.values[0], group.cells


def box_stats(scope: ChartScope, metric: str) -> tuple[pd.DataFrame, int]:
    """Return what box plots show by algorithm, scheme and panel, and how many panels there are.

    A panel is a graph family and a size; beyond a bound some are not shown.
    ``low`` and ``high`` are the outermost scores within 1.5 times the quartiles'
    distance of the quartiles; ``outside`` are the scores beyond.
    """
    by = [name for name in (FAMILY, NODES) if scope.has(name)]
    groups, n_panels = _panels(scope, by)
    rows = []
    for (scheme, *labels), cells in groups:
        for index, name in zip(scope.indices(), scope.algorithms, strict=True):
            scores = scope.runs.scores[metric][index, cells]
            box = _box(scores[np.isfinite(scores)])
            if box:
                head = {"panel": panel_name(by, labels), "algorithm": name}
                head[SCHEME] = scheme_name(scheme)
                rows.append(head | box)
    return rounded(pd.DataFrame(rows)), n_panels


def _box(scores: Vector) -> dict[str, float]:
    if not len(scores):
        return {}
    lower, middle, upper = np.quantile(scores, [0.25, 0.5, 0.75])
    reach = 1.5 * (upper - lower)
    inside = scores[(scores >= lower - reach) & (scores <= upper + reach)]
    return {
        "low": float(inside.min()),
        "q1": float(lower),
        "median": float(middle),
        "q3": float(upper),
        "high": float(inside.max()),
        "outside": len(scores) - len(inside),
        "n": len(scores),
    }


def panel_name(by: Sequence[str], labels: Sequence[Any]) -> str:
    """Return what a panel of box plots is called.

    Examples
    --------
    >>> panel_name(["graph.kind", "graph.n_nodes"], ["chain", 10])
    'chain, 10 nodes'
    >>> panel_name([], []), panel_name(["graph.n_nodes"], [None])
    ('all problems', 'size not stated')
    """
    words = []
    for name, value in zip(by, labels, strict=True):
        if value is None:
            words.append("size not stated" if name == NODES else "no graph family")
        else:
            words.append(f"{value:g} nodes" if name == NODES else str(value))
    return ", ".join(words) or "all problems"


def _panels(
    scope: ChartScope, by: Sequence[str]
) -> tuple[list[tuple[tuple[Any, ...], Codes]], int]:
    """Return the groups of cells by scheme and labels, of few panels, and how many there are.

    Of too many, each family keeps some sizes: of all the last label's values those
    at even distances.
    """
    groups = [(group.values, group.cells) for group in scope.runs.groups((SCHEME, *by))]
    groups = [(values, cells) for values, cells in groups if values[0] in scope.schemes]
    panels = list(dict.fromkeys(values[1:] for values, _ in groups))
    most = max(1, MOST_RECORDS // (len(scope.algorithms) * len(scope.schemes)))
    families = dict.fromkeys(panel[:-1] for panel in panels)
    sizes = sorted(dict.fromkeys(panel[-1:] for panel in panels), key=_size_order)
    kept = thinned(sizes, max(1, most // len(families)))
    chosen = [panel for panel in panels if panel[-1:] in kept][:most]
    return [(values, cells) for values, cells in groups if values[1:] in chosen], len(panels)


def _size_order(value: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple((part is None, isinstance(part, str), part) for part in value)


def means_against(scope: ChartScope, metric: str, label: str) -> pd.DataFrame:
    """Return the mean score by algorithm, scheme and a number such as the nodes, with limits.

    The limits are over whole units, as in `summary.score_groups`.
    """
    groups, _ = _panels(scope, [label])
    rows = []
    for (scheme, value), cells in groups:
        if value is None:
            continue
        for index, name in zip(scope.indices(), scope.algorithms, strict=True):
            scores = scope.runs.scores[metric][index, cells]
            interval = mean_with_interval(scores, scope.runs.units[cells])
            mean = limited(interval, *scope.runs.spans[metric])
            if np.isfinite(mean.value):
                rows.append(
                    {
                        "algorithm": name,
                        SCHEME: scheme_name(scheme),
                        "at": value,
                        "mean": mean.value,
                        "low": mean.low,
                        "high": mean.high,
                        "n": int((~np.isnan(scores)).sum()),
                        "n_missing": int(np.isnan(scores).sum()),
                    }
                )
    return rounded(pd.DataFrame(rows))


DIGITS = 5


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
    indices = np.linspace(0, len(values) - 1, most).round().astype(int)
    return [values[index] for index in indices]


def rounded(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the table with its numbers to five significant digits, its rows counted from 0."""
    renumbered = frame.reset_index(drop=True)
    numbers = renumbered.select_dtypes(float)
    return renumbered.assign(
        **{str(name): round_digits(numbers[name].to_numpy()) for name in numbers}
    )


def round_digits(values: Vector) -> Vector:
    """Return numbers to five significant digits.

    Examples
    --------
    >>> round_digits(np.array([0.123456789, 12345.6789, np.nan])).tolist()
    [0.12346, 12346.0, nan]
    """
    return np.array([float(f"{value:.{DIGITS}g}") for value in values])
