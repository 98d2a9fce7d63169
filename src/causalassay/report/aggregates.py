"""Small tidy tables for the report's figures: never rows, always bounded.

Numbers are rounded to six significant digits, so that a page stays small; what is
undefined is nan.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from causalassay.arrays import Vector
from causalassay.report.scope import FAMILY, NODES, Scope
from causalassay.study.summary.explaining import R2, VARIANCE
from causalassay.study.summary.intervals import Codes, deal, mean_with_interval
from causalassay.study.summary.runs import SCHEME, SORTING, Table

DIGITS = 6
N_BINS = 20
MOST_RECORDS = 600
"""Of one figure that has panels: beyond, it shows fewer sizes."""
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
    columns = ["algorithm", "role", SCHEME, "mean", "low", "high"]
    found = frame[[*columns, "n", "n_missing", "n_units", "paired"]]
    return _rounded(found.assign(sorting=found[SCHEME].map(sorting).astype(float)))


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
    columns = ["algorithm", "role", "metric", "rank", "rank_low", "rank_high"]
    names = {"rank": "mean", "rank_low": "low", "rank_high": "high"}
    return _rounded(found[[*columns, "n_ranked", "n_last"]].rename(columns=names))


def explained(scope: Scope, metric: str) -> pd.DataFrame:
    """Return the share of the score's variance that sortability explains, with 95 % limits.

    As `Attribution.explained` has it; ``note`` says why a share is undefined.
    """
    found = _of(scope, scope.summary.attribution.explained, metric)
    columns = ["algorithm", "role", "regressors", "share", "share_low", "share_high"]
    names = {"share": "mean", "share_low": "low", "share_high": "high"}
    return _rounded(found[[*columns, "adjusted", "n_units", "note"]].rename(columns=names))


def sortability_bins(scope: Scope) -> pd.DataFrame:
    """Return how many problems of each scheme have a sortability in each twentieth of [0, 1].

    ``share`` is of the ``n`` problems and replicates of the scheme where it is
    defined; ``mean`` is over these. Bins without a problem have no record.
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
                        "share": counts[place] / len(values),
                        "n": len(values),
                        "mean": float(values.mean()),
                    }
                )
    return _rounded(pd.DataFrame(rows))


def box_stats(scope: Scope, metric: str) -> pd.DataFrame:
    """Return what box plots of the score show, by algorithm, scheme, graph family and size.

    ``low`` and ``high`` are the outermost scores within 1.5 times the quartiles'
    distance of the quartiles; ``outside`` are the scores beyond.
    """
    by = [name for name in (FAMILY, NODES) if scope.has(name)]
    groups = _panels(scope, by)
    rows = []
    for (scheme, *labels), cells in groups:
        for place, name in zip(scope.places(), scope.algorithms, strict=True):
            scores = scope.runs.scores[metric][place, cells]
            found = _box(scores[np.isfinite(scores)])
            if found:
                head = {"algorithm": name, "role": scope.runs.roles[place], SCHEME: scheme}
                rows.append(head | {"panel": panel_name(by, labels)} | found)
    return _rounded(pd.DataFrame(rows))


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


def _panels(scope: Scope, by: Sequence[str]) -> list[tuple[tuple[Any, ...], Codes]]:
    """Return the groups of cells by scheme and labels, of few enough panels."""
    runs = scope.runs
    groups = [(group.values, group.cells) for group in runs.groups((SCHEME, *by))]
    groups = [(values, cells) for values, cells in groups if values[0] in scope.schemes]
    panels = list(dict.fromkeys(values[1:] for values, _ in groups))
    most = MOST_RECORDS // max(1, len(scope.algorithms) * len(scope.schemes))
    kept = thinned(panels, max(most, 1))
    return [(values, cells) for values, cells in groups if values[1:] in kept]


def thinned(values: Sequence[Any], most: int) -> list[Any]:
    """Return at most so many of some values: the first, the last, and evenly between them.

    Examples
    --------
    >>> thinned([10, 20, 30, 40, 50], 3), thinned([10, 20], 3), thinned([10, 20], 1)
    ([10, 30, 50], [10, 20], [10])
    """
    if len(values) <= most:
        return list(values)
    places = np.linspace(0, len(values) - 1, most).round().astype(int) if most > 1 else [0]
    return [values[place] for place in places]


def means_against(scope: Scope, metric: str, label: str) -> pd.DataFrame:
    """Return the mean score by algorithm, scheme and a number such as the nodes, with limits.

    The limits resample whole units, as in `summarizing.score_groups`.
    """
    groups = _panels(scope, [label])
    rows = []
    for (scheme, value), cells in groups:
        if value is None:
            continue
        blocks = deal(scope.runs.units[cells])
        for place, name in zip(scope.places(), scope.algorithms, strict=True):
            scores = scope.runs.scores[metric][place, cells]
            found = mean_with_interval(scores, blocks)
            if np.isfinite(found.value):
                rows.append(
                    {
                        "algorithm": name,
                        "role": scope.runs.roles[place],
                        SCHEME: scheme,
                        "at": value,
                        "mean": found.value,
                        "low": found.low,
                        "high": found.high,
                        "n": int((~np.isnan(scores)).sum()),
                        "n_missing": int(np.isnan(scores).sum()),
                    }
                )
    return _rounded(pd.DataFrame(rows))


def varies(scope: Scope, label: str) -> bool:
    """Return whether a label is a number that takes several values in the study."""
    return is_number(scope, label) and scope.runs.cells[label].nunique() > 1


def is_number(scope: Scope, label: str) -> bool:
    """Return whether the study's problems have a label and it is a number."""
    known = scope.runs.cells[label].dropna() if scope.has(label) else ()
    return len(known) > 0 and all(isinstance(v, int | float) and v is not True for v in known)


def run_times(table: Table, scope: Scope) -> pd.DataFrame:
    """Return the median seconds of discovery by algorithm and nodes, with the whole range.

    Of runs that are ok; ``timeouts`` counts those that were stopped, which have no
    time and are in no median: beside some, the median is too low.
    """
    frame = table.frame
    if "seconds" not in frame:
        return pd.DataFrame()
    head = frame[["algorithm", "role", "status", "seconds"]].astype({"algorithm": str, "role": str})
    head = head.assign(nodes=frame[NODES] if is_number(scope, NODES) else np.nan)
    head = head[head["algorithm"].isin(scope.algorithms)]
    sizes = thinned(sorted(head["nodes"].dropna().unique()), MOST_SIZES)
    head = head[head["nodes"].isin(sizes)] if sizes else head
    rows = []
    for (name, role, nodes), part in head.groupby(["algorithm", "role", "nodes"], dropna=False):
        seconds = part.loc[part["status"] == "ok", "seconds"].dropna()
        if len(seconds):
            rows.append(
                {
                    "algorithm": name,
                    "role": role,
                    "nodes": nodes,
                    "mean": max(float(seconds.median()), SHORTEST),
                    "low": max(float(seconds.min()), SHORTEST),
                    "high": max(float(seconds.max()), SHORTEST),
                    "n": len(seconds),
                    "timeouts": int((part["status"] == "timeout").sum()),
                }
            )
    return _rounded(pd.DataFrame(rows))


def _of(scope: Scope, frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    if not len(frame):
        return frame
    return frame[frame["algorithm"].isin(scope.algorithms) & (frame["metric"] == metric)]


def _schemes(scope: Scope) -> Iterator[tuple[str, Codes]]:
    for group in scope.runs.groups((SCHEME,)):
        if group.values[0] in scope.schemes:
            yield group.values[0], group.cells


def _rounded(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the table with its numbers to so many digits, counted from 0."""
    found = frame.reset_index(drop=True)
    for name in found.columns[found.dtypes == float]:
        found[name] = round_digits(found[name].to_numpy())
    return found


def round_digits(values: Vector) -> Vector:
    """Return numbers to six significant digits.

    Examples
    --------
    >>> round_digits(np.array([0.123456789, 12345.6789, np.nan])).tolist()
    [0.123457, 12345.7, nan]
    """
    return np.array([float(f"{value:.{DIGITS}g}") for value in values])
