"""What the figures show, in words and numbers: their alternative texts, and remarks below them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from causalassay.analysis.matrix import Matrix
from causalassay.analysis.report.chart_data import ChartScope
from causalassay.analysis.runs import ABSENT, SCHEME, Codes
from causalassay.metrics.registry import metric_name
from causalassay.present.formatting import Interval, counted, digits, few, interval

MOST_NAMED = 6
"""Algorithms that a sentence names; of more it says how many."""


def joined(*sentences: str) -> str:
    """Return sentences one after the other, without the empty ones."""
    return " ".join(sentence for sentence in sentences if sentence)


def listed(claim: str, names: Sequence[str], colon: str = ":") -> str:
    """Return a sentence that ends with some names; nothing without any."""
    return f"{claim}{colon} {few(names, MOST_NAMED, 'others')}." if names else ""


def number(value: float) -> str:
    """Return a score as a sentence has it."""
    return digits(value) if math.isfinite(value) else "undefined"


def span(seconds: float) -> str:
    """Return a time in the unit that fits.

    Examples
    --------
    >>> span(0.0000059), span(0.0123), span(1.5), span(1234.5)
    ('5.9 µs', '12.3 ms', '1.5 s', '1234 s')
    """
    for factor, unit in ((1e6, "µs"), (1e3, "ms"), (1.0, "s")):
        if seconds * factor < 1000 or unit == "s":
            break
    amount = seconds * factor
    return f"{amount:.0f} {unit}" if amount >= 100 else f"{amount:.3g} {unit}"


def pairing(data: pd.DataFrame) -> str:
    """Return on which schemes which algorithms were not averaged over the same graphs."""
    if data[SCHEME].nunique() == 1:
        return ""
    apart = data[~data["paired"].astype(bool) & data["mean"].notna()]
    names = [
        f"{name} ({', '.join(part[SCHEME])})"
        for name, part in apart.groupby("algorithm", sort=False)
    ]
    claim = "Not on the same graphs as the other schemes"
    return listed(claim, names) or "All schemes are of the same graphs."


def unscored(scope: ChartScope, metric: str, among: Codes | None = None) -> str:
    """Return how many runs of which algorithms are in no mean; nothing if all have a score.

    Parameters
    ----------
    scope : ChartScope
    metric : str
    among : array of int, optional
        The cells of all runs that a figure of several sizes is of. Default: those of the size that
        is shown.
    """
    runs = scope.runs if among is None else scope.analysis.all_runs
    cells = np.flatnonzero(runs.cells[SCHEME].isin(scope.schemes))
    if among is not None:
        cells = np.intersect1d(cells, among)
    names = []
    for name in scope.algorithms:
        ran = runs.status[runs.algorithms.index(name), cells] != ABSENT
        lost = int((ran & np.isnan(runs.scores_of(metric, name)[cells])).sum())
        if lost:
            names.append(f"{name} ({lost} of {ran.sum()})")
    return listed("Runs without a score are in no mean", names)


def _best(part: pd.DataFrame, better: str, column: str = "mean") -> Any:
    """Return the record of the best mean, None where there is none."""
    known = part[part[column].notna()]
    if not len(known):
        return None
    label: Any = known[column].idxmax() if better == "high" else known[column].idxmin()
    return known.loc[label]


def describe_overview(matrix: Matrix) -> str:
    """Return what was found of each scheme, and who is first there."""
    sentences = []
    sign = 1 if matrix.better == "high" else -1
    for index, column in enumerate(matrix.columns):
        means = {row.algorithm: row.cells[index].mean for row in matrix.rows}
        known = {name: mean for name, mean in means.items() if math.isfinite(mean)}
        if known:
            best = max(known, key=lambda name: sign * known[name])
            text = f"{best} has the best mean, {number(known[best])}."
            sentences.append(f"{column.name}: {column.finding}; {text}")
    return " ".join(sentences)


def describe_schemes(data: pd.DataFrame, scope: ChartScope, metric: str) -> str:
    """Return who leads on each scheme, and what sorting reaches there."""
    n_algorithms = counted(data["algorithm"].nunique(), "algorithm")
    sentences = [f"Mean {metric_name(metric)} of {n_algorithms}."]
    algorithms = data[~data["algorithm"].isin(scope.baselines)]
    for scheme in scope.scheme_names:
        best = _best(algorithms[algorithms[SCHEME] == scheme], scope.summary.better[metric])
        if best is None:
            continue
        mean = Interval(best["mean"], best["low"], best["high"])
        reached = interval(mean, digits) if math.isfinite(best["mean"]) else "undefined"
        text = f"On {scheme} {best['algorithm']} leads with {reached}"
        if math.isfinite(best["sorting"]):
            text += f"; the best sorting baseline reaches {number(best['sorting'])}"
        sentences.append(f"{text}.")
    return " ".join(sentences)


def describe_sortability(data: pd.DataFrame) -> str:
    """Return the mean sortabilities of each scheme."""
    sentences = []
    for diagnostic, part in data.groupby("diagnostic", sort=False):
        means = part.drop_duplicates(SCHEME)
        pairs = zip(means[SCHEME], means["mean"], strict=True)
        text = ", ".join(f"{scheme} {number(mean)}" for scheme, mean in pairs)
        sentences.append(f"Mean {diagnostic}: {text}.")
    chance = "Chance is 0.50; the further above, the more of the causal order sorting finds."
    return " ".join([*sentences, chance])


def describe_boxes(data: pd.DataFrame, scope: ChartScope, metric: str) -> str:
    """Return whose median is best in the first and in the last panel, on each scheme."""
    panels = list(dict.fromkeys(data["panel"]))
    better = scope.summary.better[metric]
    sentences = [f"Box plots of {metric_name(metric)} in {counted(len(panels), 'panel')}."]
    for panel in dict.fromkeys([panels[0], panels[-1]]):
        inside = data[data["panel"] == panel]
        leading = [
            f"{best['algorithm']} {number(best['median'])} on {scheme}"
            for scheme in scope.scheme_names
            if (best := _best(inside[inside[SCHEME] == scheme], better, "median")) is not None
        ]
        sentences.append(f"Best median, {panel}: {', '.join(leading)}.")
    return " ".join(sentences)


def describe_against(data: pd.DataFrame, name: str, what: str) -> str:
    """Return where the score falls and rises most from the smallest to the largest value."""
    first, last = data["at"].min(), data["at"].max()
    ends = data.pivot_table(index=["algorithm", SCHEME], columns="at", values="mean", sort=False)
    change = (ends[last] - ends[first]).dropna()
    head = f"Mean {name} against {what}, from {first:g} to {last:g}."
    if not len(change):
        return head

    def describe(series: Any, word: str) -> str:
        algorithm, scheme = series
        pair = f"{number(ends.loc[series, first])} to {number(ends.loc[series, last])}"
        return f"It {word} for {algorithm} on {scheme}: {pair}."

    up = "rises most" if change.max() > 0 else "falls least"
    down = "falls most" if change.min() < 0 else "rises least"
    return " ".join([head, describe(change.idxmax(), up), describe(change.idxmin(), down)])


def describe_times(data: pd.DataFrame) -> str:
    """Return which algorithm is slowest and which fastest, on the largest graphs."""
    largest = data["nodes"].max()
    inside = data if math.isnan(largest) else data[data["nodes"] == largest]
    where = "" if math.isnan(largest) else f" on {largest:g} nodes"
    slow, quick = _best(inside, "high"), _best(inside, "low")
    return (
        f"Median run time{where}: longest {slow['algorithm']} with {span(slow['mean'])} "
        f"({span(slow['low'])} to {span(slow['high'])}), shortest {quick['algorithm']} with "
        f"{span(quick['mean'])}."
    )


def describe_ranks(data: pd.DataFrame, metrics: Sequence[str], where: str) -> str:
    """Return whose mean rank depends most on the metric."""
    ranks = data.pivot_table(index="algorithm", columns="metric", values="mean", sort=False)
    apart = (ranks.max(axis=1) - ranks.min(axis=1)).sort_values(ascending=False, kind="stable")
    head = f"Mean ranks on {where} by {', '.join(metrics)}; 1 is best."
    if not len(apart) or apart.iloc[0] == 0:
        return f"{head} All metrics rank the algorithms alike."
    sentences = [
        f"{name} ({', '.join(f'{number(ranks.loc[name, m])} by {m}' for m in metrics)})"
        for name in apart.index[:3]
    ]
    return f"{head} They differ most for {'; '.join(sentences)}."
