"""Small tidy tables for the figures with panels: box plots, and means against a number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from causalassay.analysis.bootstrap import Codes, deal, mean_with_interval
from causalassay.analysis.figure_scope import FAMILY, NODES, Scope
from causalassay.analysis.figure_tables import is_number, rounded, thinned
from causalassay.analysis.runs import SCHEME
from causalassay.arrays import Vector

MOST_RECORDS = 600
"""Of one figure: beyond, it shows fewer sizes."""


def box_stats(scope: Scope, metric: str) -> tuple[pd.DataFrame, int]:
    """Return what box plots show by algorithm, scheme and panel, and how many panels there are.

    A panel is a graph family and a size; beyond a bound some are not shown.
    ``low`` and ``high`` are the outermost scores within 1.5 times the quartiles'
    distance of the quartiles; ``outside`` are the scores beyond.
    """
    by = [name for name in (FAMILY, NODES) if scope.has(name)]
    groups, n_panels = _panels(scope, by)
    rows = []
    for (scheme, *labels), cells in groups:
        for place, name in zip(scope.places(), scope.algorithms, strict=True):
            scores = scope.runs.scores[metric][place, cells]
            found = _box(scores[np.isfinite(scores)])
            if found:
                head = {"panel": panel_name(by, labels), "algorithm": name, SCHEME: scheme}
                rows.append(head | found)
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


def _panels(scope: Scope, by: Sequence[str]) -> tuple[list[tuple[tuple[Any, ...], Codes]], int]:
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


def means_against(scope: Scope, metric: str, label: str) -> pd.DataFrame:
    """Return the mean score by algorithm, scheme and a number such as the nodes, with limits.

    The limits resample whole units, as in `summarizing.score_groups`.
    """
    groups, _ = _panels(scope, [label])
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
                        SCHEME: scheme,
                        "at": value,
                        "mean": found.value,
                        "low": found.low,
                        "high": found.high,
                        "n": int((~np.isnan(scores)).sum()),
                        "n_missing": int(np.isnan(scores).sum()),
                    }
                )
    return rounded(pd.DataFrame(rows))


def varies(scope: Scope, label: str) -> bool:
    """Return whether a label is a number that takes several values in the study."""
    return is_number(scope, label) and scope.runs.cells[label].nunique() > 1
