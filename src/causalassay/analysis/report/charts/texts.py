"""What the figures show, in words and numbers: their alternative texts, and remarks below them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd

from causalassay.analysis.chart_scope import ChartScope
from causalassay.analysis.matrix import Matrix
from causalassay.analysis.names import metric_name, scheme_name
from causalassay.analysis.runs import SCHEME
from causalassay.present.formatting import Interval, digits, few, interval

MOST_NAMED = 6
"""Algorithms that a sentence names; of more it says how many."""


def number(value: float) -> str:
    """Return a score as a sentence has it.

    Examples
    --------
    >>> number(0.123), number(float("inf"))
    ('0.12', 'undefined')
    """
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


def estimate(row: Any) -> str:
    """Return the mean of a record with its interval, where it has one."""
    if not math.isfinite(row["mean"]):
        return number(row["mean"])
    return interval(Interval(row["mean"], row["low"], row["high"]), digits)


def describe_overview(matrix: Matrix) -> str:
    """Say what was found of each scheme, and who is first there."""
    sentences = []
    for index, column in enumerate(matrix.columns):
        known = [row for row in matrix.rows if math.isfinite(row.cells[index].mean)]
        if known:
            sign = 1 if matrix.better == "high" else -1
            best = max(known, key=lambda row: sign * row.cells[index].mean)
            mean = number(best.cells[index].mean)
            sentences.append(
                f"{scheme_name(column.scheme)}: {column.finding}; {best.algorithm} has the best "
                f"mean, {mean}."
            )
    return " ".join(sentences)


def describe_schemes(data: pd.DataFrame, scope: ChartScope, metric: str) -> str:
    """Say who leads on each scheme, and what sorting reaches there."""
    sentences = [f"Mean {metric_name(metric)} of {data['algorithm'].nunique()} algorithms."]
    listed = data[~data["algorithm"].isin(scope.baselines)]
    for scheme in scope.scheme_names:
        best = _best(listed[listed[SCHEME] == scheme], scope.better[metric])
        if best is None:
            continue
        text = f"On {scheme} {best['algorithm']} leads with {estimate(best)}"
        if math.isfinite(best["sorting"]):
            text += f"; the best sorting baseline reaches {number(best['sorting'])}"
        sentences.append(f"{text}.")
    return " ".join(sentences)


def describe_sortability(data: pd.DataFrame) -> str:
    """Say the mean sortabilities of each scheme."""
    sentences = []
    for diagnostic, part in data.groupby("diagnostic", sort=False):
        means = part.drop_duplicates(SCHEME)
        pairs = zip(means[SCHEME], means["mean"], strict=True)
        text = ", ".join(f"{scheme} {number(mean)}" for scheme, mean in pairs)
        sentences.append(f"Mean {diagnostic}: {text}.")
    return " ".join(
        [
            *sentences,
            "Chance is 0.50; the further above, the more of the causal order sorting finds.",
        ]
    )


def describe_boxes(data: pd.DataFrame, scope: ChartScope, metric: str) -> str:
    """Say whose median is best in the first and in the last panel, on each scheme."""
    panels = list(dict.fromkeys(data["panel"]))
    sentences = [
        f"Box plots of {metric_name(metric)} in {len(panels)} panel{'s' * (len(panels) > 1)}."
    ]
    for panel in dict.fromkeys([panels[0], panels[-1]]):
        inside = data[data["panel"] == panel].rename(columns={"median": "mean"})
        leading = [
            f"{best['algorithm']} {number(best['mean'])} on {scheme}"
            for scheme in scope.scheme_names
            if (best := _best(inside[inside[SCHEME] == scheme], scope.better[metric])) is not None
        ]
        sentences.append(f"Best median, {panel}: {', '.join(leading)}.")
    return " ".join(sentences)


def describe_against(data: pd.DataFrame, metric: str, what: str) -> str:
    """Say where the score falls and rises most from the smallest to the largest value."""
    first, last = data["at"].min(), data["at"].max()
    ends = data.pivot_table(index=["algorithm", SCHEME], columns="at", values="mean", sort=False)
    change = (ends[last] - ends[first]).dropna()
    head = f"Mean {metric_name(metric)} against {what}, from {first:g} to {last:g}."
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
    """Say which algorithm is slowest and which fastest, on the largest graphs."""
    largest = data["nodes"].max()
    inside = data if math.isnan(largest) else data[data["nodes"] == largest]
    where = "" if math.isnan(largest) else f" on {largest:g} nodes"
    slow, quick = _best(inside, "high"), _best(inside, "low")
    return (
        f"Median run time{where}: longest {slow['algorithm']} with {span(slow['mean'])} "
        f"({span(slow['low'])} to {span(slow['high'])}), shortest {quick['algorithm']} with "
        f"{span(quick['mean'])}."
    )


def describe_ranks(data: pd.DataFrame, metrics: Sequence[str], scheme: str) -> str:
    """Say whose mean rank depends most on the metric."""
    ranks = data.pivot_table(index="algorithm", columns="metric", values="mean", sort=False)
    apart = (ranks.max(axis=1) - ranks.min(axis=1)).sort_values(ascending=False, kind="stable")
    head = f"Mean ranks on {scheme_name(scheme)} by {', '.join(metrics)}; 1 is best."
    if not len(apart) or apart.iloc[0] == 0:
        return f"{head} All metrics rank the algorithms alike."
    sentences = [
        f"{name} ({', '.join(f'{number(ranks.loc[name, m])} by {m}' for m in metrics)})"
        for name in apart.index[:3]
    ]
    return f"{head} They differ most for {'; '.join(sentences)}."


def rank_remark(data: pd.DataFrame) -> str:
    """Say which algorithms two metrics rank differently beyond the intervals."""
    split = [
        str(name)
        for name, part in data.groupby("algorithm", sort=False)
        if part["low"].max() > part["high"].min()
    ]
    if not split:
        return "No algorithm's intervals lie apart."
    return f"The intervals of two metrics lie apart for {few(split, MOST_NAMED, 'others')}."


def unscored(scope: ChartScope, metric: str) -> str:
    """Say how many runs of which algorithms are in no mean; empty if all have a score."""
    scores = scope.summary.scores
    chosen = (scores["metric"] == metric) & scores["algorithm"].isin(scope.algorithms)
    scores = scores[chosen & scores[SCHEME].isin(scope.schemes)]
    lacking = scores.assign(lacking=scores["n_not_ok"] + scores["n_undefined"])
    counts = lacking.groupby("algorithm", sort=False)[["lacking", "n"]].sum().astype(int)
    texts = [
        f"{name} ({missing} of {n})"
        for name, missing, n in zip(counts.index, counts["lacking"], counts["n"], strict=True)
        if missing
    ]
    return (
        f"Runs without a score are in no mean: {few(texts, MOST_NAMED, 'others')}." if texts else ""
    )


def _best(part: pd.DataFrame, better: str) -> Any:
    """Return the record of the best mean, None where there is none."""
    known = part[part["mean"].notna()]
    if not len(known):
        return None
    label: Any = known["mean"].idxmax() if better == "high" else known["mean"].idxmin()
    return known.loc[label]
