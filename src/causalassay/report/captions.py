"""What the figures show, in words and numbers: their alternative texts, and remarks below them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd

from causalassay.analysis.figure_scope import Scope
from causalassay.analysis.runs import SCHEME
from causalassay.report.theme import scheme_words

MOST_NAMED = 6
"""Algorithms that a sentence names; of more it says how many."""


def number(value: float) -> str:
    """Return a score as a sentence has it.

    Examples
    --------
    >>> number(0.123), number(12.34), number(1234.5), number(-0.001), number(float("nan"))
    ('0.12', '12.3', '1234', '0.00', 'undefined')
    """
    if not math.isfinite(value):
        return "undefined"
    decimals = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    return f"{round(value, decimals) + 0.0:.{decimals}f}"


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
    if not math.isfinite(row["low"]):
        return number(row["mean"])
    return f"{number(row['mean'])} [{number(row['low'])}, {number(row['high'])}]"


def named(names: Sequence[str]) -> str:
    """Return names as a list, or how many more there are.

    Examples
    --------
    >>> named(["a", "b"]), named(list("abcdefgh"))
    ('a, b', 'a, b, c, d, e, f and 2 others')
    """
    # One name more is as short as saying that there is one.
    if len(names) <= MOST_NAMED + 1:
        return ", ".join(names)
    return f"{', '.join(names[:MOST_NAMED])} and {len(names) - MOST_NAMED} others"


def tell_schemes(data: pd.DataFrame, scope: Scope, metric: str) -> str:
    """Say who leads on each scheme, and what sorting reaches there."""
    said = [f"Mean {metric} of {data['algorithm'].nunique()} algorithms."]
    listed = data[~data["algorithm"].isin(scope.baselines)]
    for scheme in scope.schemes:
        best = _best(listed[listed[SCHEME] == scheme], scope.better[metric])
        if best is None:
            continue
        text = f"On {scheme_words(scheme)} {best['algorithm']} leads with {estimate(best)}"
        if math.isfinite(best["sorting"]):
            text += f"; the best sorting baseline reaches {number(best['sorting'])}"
        said.append(f"{text}.")
    return " ".join(said)


def tell_sortability(data: pd.DataFrame) -> str:
    """Say the mean sortabilities of each scheme."""
    said = []
    for diagnostic, part in data.groupby("diagnostic", sort=False):
        means = part.drop_duplicates(SCHEME)
        pairs = zip(means[SCHEME], means["mean"], strict=True)
        text = ", ".join(f"{scheme} {number(mean)}" for scheme, mean in pairs)
        said.append(f"Mean {diagnostic}: {text}.")
    return " ".join(
        [*said, "Chance is 0.50; the further above, the more of the causal order sorting finds."]
    )


def tell_boxes(data: pd.DataFrame, scope: Scope, metric: str) -> str:
    """Say whose median is best in the first and in the last panel, on each scheme."""
    panels = list(dict.fromkeys(data["panel"]))
    said = [f"Box plots of {metric} in {len(panels)} panel{'s' * (len(panels) > 1)}."]
    for panel in dict.fromkeys([panels[0], panels[-1]]):
        inside = data[data["panel"] == panel].rename(columns={"median": "mean"})
        leading = [
            f"{best['algorithm']} {number(best['mean'])} on {scheme_words(scheme)}"
            for scheme in scope.schemes
            if (best := _best(inside[inside[SCHEME] == scheme], scope.better[metric])) is not None
        ]
        said.append(f"Best median, {panel}: {', '.join(leading)}.")
    return " ".join(said)


def tell_against(data: pd.DataFrame, metric: str, what: str) -> str:
    """Say where the score falls and rises most from the smallest to the largest value."""
    first, last = data["at"].min(), data["at"].max()
    ends = data.pivot_table(index=["algorithm", SCHEME], columns="at", values="mean", sort=False)
    change = (ends[last] - ends[first]).dropna()
    head = f"Mean {metric} against {what}, from {first:g} to {last:g}."
    if not len(change):
        return head

    def told(place: Any, word: str) -> str:
        algorithm, scheme = place
        pair = f"{number(ends.loc[place, first])} to {number(ends.loc[place, last])}"
        return f"It {word} for {algorithm} on {scheme_words(scheme)}: {pair}."

    up = "rises most" if change.max() > 0 else "falls least"
    down = "falls most" if change.min() < 0 else "rises least"
    return " ".join([head, told(change.idxmax(), up), told(change.idxmin(), down)])


def tell_times(data: pd.DataFrame) -> str:
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


def tell_ranks(data: pd.DataFrame, metrics: Sequence[str], scheme: str) -> str:
    """Say whose mean rank depends most on the metric."""
    ranks = data.pivot_table(index="algorithm", columns="metric", values="mean", sort=False)
    apart = (ranks.max(axis=1) - ranks.min(axis=1)).sort_values(ascending=False, kind="stable")
    head = f"Mean ranks on {scheme_words(scheme)} by {', '.join(metrics)}; 1 is best."
    if not len(apart) or apart.iloc[0] == 0:
        return f"{head} All metrics rank the algorithms alike."
    said = [
        f"{name} ({', '.join(f'{number(ranks.loc[name, m])} by {m}' for m in metrics)})"
        for name in apart.index[:3]
    ]
    return f"{head} They differ most for {'; '.join(said)}."


def rank_remark(data: pd.DataFrame) -> str:
    """Say which algorithms two metrics rank differently beyond the intervals."""
    split = [
        str(name)
        for name, part in data.groupby("algorithm", sort=False)
        if part["low"].max() > part["high"].min()
    ]
    if not split:
        return "No algorithm's intervals lie apart."
    return f"The intervals of two metrics lie apart for {named(split)}."


def tell_explained(data: pd.DataFrame, metric: str) -> str:
    """Say of whose score sortability explains most, and of whose least."""
    both = data[data["regressors"] == "both"]
    known = both if both["mean"].notna().any() else data
    most, least = _best(known, "high"), _best(known, "low")
    return (
        f"Share of the variance of {metric} that sortability explains: most for "
        f"{most['algorithm']}, {estimate(most)}; least for {least['algorithm']}, "
        f"{estimate(least)}."
    )


def unscored(scope: Scope, metric: str) -> str:
    """Say how many runs of which algorithms are in no mean; empty if all have a score."""
    found = scope.summary.scores
    chosen = (found["metric"] == metric) & found["algorithm"].isin(scope.algorithms)
    found = found[chosen & found[SCHEME].isin(scope.schemes)]
    lacking = found.assign(lacking=found["n_not_ok"] + found["n_undefined"])
    counts = lacking.groupby("algorithm", sort=False)[["lacking", "n"]].sum().astype(int)
    told = [
        f"{name} ({missing} of {n})"
        for name, missing, n in zip(counts.index, counts["lacking"], counts["n"], strict=True)
        if missing
    ]
    return f"Runs without a score are in no mean: {named(told)}." if told else ""


def _best(part: pd.DataFrame, better: str) -> Any:
    """Return the record of the best mean, None where there is none."""
    known = part[part["mean"].notna()]
    if not len(known):
        return None
    place: Any = known["mean"].idxmax() if better == "high" else known["mean"].idxmin()
    return known.loc[place]
