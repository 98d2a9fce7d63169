"""Tables of the charts with panels: histograms, box plots, and means against a number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from causalassay.analysis.chart_data.scope import ChartScope
from causalassay.analysis.chart_data.thinning import rounded, thinned
from causalassay.analysis.names import scheme_name
from causalassay.analysis.runs import FAMILY, NODES, SCHEME
from causalassay.analysis.unit_means import Codes, limited, mean_with_interval
from causalassay.arrays import Vector

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
