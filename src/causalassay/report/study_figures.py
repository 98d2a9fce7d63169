"""Figures of the problems, the run times, the ranks and the share that sortability explains."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import pandas as pd

from causalassay.analysis import figure_tables as aggregates
from causalassay.analysis.figure_scope import Scope
from causalassay.analysis.runs import SCHEME, Table
from causalassay.report import captions
from causalassay.report.dots import Dots, draw_dots
from causalassay.report.figure import Figure, LeftOut, joined
from causalassay.report.panels import SORTABILITIES, sortability_chart
from causalassay.report.theme import scheme_words

RANKED = ("shd", "sid", "tv_dag")
"""What is compared by the ranks it gives: of each the first metric whose name begins so."""
REGRESSORS = SORTABILITIES | {"both": "both"}


def sortability_figures(scope: Scope) -> Iterator[Figure | LeftOut]:
    """Yield the distribution of the problems' sortabilities by scheme."""
    data = aggregates.sortability_bins(scope)
    if data.empty:
        reason = "Neither var- nor R²-sortability was measured."
        yield LeftOut("sortability", "", reason)
        return
    data = data.assign(diagnostic=data["diagnostic"].map(SORTABILITIES))
    note = (
        "Histograms over the problems and replicates of each scheme, each scaled to its fullest "
        "bar; the triangle is the mean. At 1, variance or R² grows along the causal order without "
        "exception, and sorting by it is enough; the dashed line at 1/2 is chance."
    )
    schemes = [scheme for scheme in scope.schemes if scheme in set(data[SCHEME])]
    chart = sortability_chart(data, schemes)
    title = "Sortability of the problems"
    told = captions.tell_sortability(data)
    yield Figure("sortability", "", title, note, told, chart, data)


def runtime_figures(table: Table, scope: Scope) -> Iterator[Figure | LeftOut]:
    """Yield the run times by algorithm and number of nodes."""
    data = aggregates.run_times(table, scope)
    if data.empty:
        yield LeftOut("runtime", "", "No run has a time.")
        return
    told = captions.tell_times(data)
    sized = bool(data["nodes"].notna().any())
    if not sized:
        data = data.assign(nodes="all")
    times = data.groupby("algorithm")["mean"].max()
    content = Dots(
        data,
        sorted(times.index, key=lambda name: (name in scope.baselines, times[name])),
        scope.baselines,
        "nodes",
        sorted(set(data["nodes"])),
        ["time of discovery, median and range"],
        grows=True,
        seconds=True,
        legend="nodes" if sized else "",
    )
    note = joined(
        [
            "Median seconds of the runs that ended, with the shortest and the longest, fastest "
            "first; the axis is logarithmic.",
            _stopped(data),
        ]
    )
    title = "Run time against the number of nodes" if sized else "Run time"
    yield Figure("runtime", "", title, note, told, draw_dots(content), data)


def _stopped(data: pd.DataFrame) -> str:
    counts = data.groupby("algorithm", sort=False)["timeouts"].sum()
    stopped = [f"{name} ({count})" for name, count in counts.items() if count]
    if not stopped:
        return ""
    return f"Runs stopped at their time limit are not in the medians: {captions.named(stopped)}."


def rank_figures(scope: Scope) -> Iterator[Figure | LeftOut]:
    """Yield the mean ranks that several metrics give, a figure for each scheme."""
    metrics = ranked_metrics(scope.summary.metrics)
    if len(metrics) < 2 or len(scope.algorithms) < 2:
        what = "metrics" if len(metrics) < 2 else "algorithms"
        yield LeftOut("rankings", "", f"Ranks are compared where there are two {what} at least.")
        return
    for scheme in scope.schemes:
        data = aggregates.rank_means(scope, scheme, metrics)
        if not data["mean"].notna().any():
            reason = f"On {scheme_words(scheme)} no problem has rows of all algorithms yet."
            yield LeftOut("rankings", scheme, reason)
            continue
        first = data[data["metric"] == metrics[0]].set_index("algorithm")["mean"]
        content = Dots(
            data,
            sorted(first.index, key=lambda name: first[name]),
            scope.baselines,
            "metric",
            metrics,
            ["mean rank, 1 is best"],
            domain=(1, len(scope.runs.algorithms)),
        )
        note = joined(
            [
                "Mean rank of each algorithm among all on the same problem, with its 95 % "
                f"interval; best by {metrics[0]} first. Signs of a row that lie apart: the metrics "
                "disagree.",
                captions.rank_remark(data),
            ]
        )
        told = captions.tell_ranks(data, metrics, scheme)
        title = f"Ranks by {', '.join(metrics)} on {scheme_words(scheme)}"
        yield Figure("rankings", scheme, title, note, told, draw_dots(content), data)


def ranked_metrics(metrics: Sequence[str]) -> list[str]:
    """Return the metrics whose ranks are compared: SHD, SID and TV, or the first three.

    Examples
    --------
    >>> ranked_metrics(["f1", "sid_normalized", "shd", "tv_dag"])
    ['shd', 'sid_normalized', 'tv_dag']
    >>> ranked_metrics(["f1", "recall", "shd"])
    ['f1', 'recall', 'shd']
    """
    found = [next((m for m in metrics if m.startswith(name)), None) for name in RANKED]
    known = [metric for metric in found if metric is not None]
    return known if len(known) > 1 else list(metrics[:3])


def explained_figures(scope: Scope) -> Iterator[Figure | LeftOut]:
    """Yield the share of the score's variance that sortability explains, for each metric."""
    if not scope.metrics:
        yield LeftOut("explained", "", "The study has no metric.")
    for metric in scope.metrics:
        data = aggregates.explained(scope, metric)
        known = data[data["mean"].notna()]
        if known.empty:
            reasons = ", ".join(dict.fromkeys(data["note"]))
            yield LeftOut("explained", metric, f"{metric} cannot be explained: {reasons}.")
            continue
        data = data.assign(regressors=data["regressors"].map(REGRESSORS))
        most = known.groupby("algorithm")["mean"].max()
        content = Dots(
            data[data["algorithm"].isin(most.index)],
            sorted(most.index, key=lambda name: -most[name]),
            scope.baselines,
            "regressors",
            list(REGRESSORS.values()),
            [f"share of the variance of {metric}", "that sortability explains"],
            domain=(0, 1),
        )
        note = joined(
            [
                f"R² of a regression of {metric} on the sortabilities of the problems, over all "
                "schemes, with 95 % limits. Near 1, how sortable the data are decides the score. "
                "A description of this study: sizes and densities of graphs move scores too.",
                _undefined(data),
            ]
        )
        told = captions.tell_explained(data, metric)
        title = f"How much of {metric} sortability explains"
        yield Figure("explained", metric, title, note, told, draw_dots(content), content.data)


def _undefined(data: pd.DataFrame) -> str:
    """Say of which algorithms nothing is known, and why."""
    lacking = [
        f"{name} ({', '.join(dict.fromkeys(part['note']))})"
        for name, part in data.groupby("algorithm", sort=False)
        if all(math.isnan(value) for value in part["mean"])
    ]
    return f"Left out: {captions.named(lacking)}." if lacking else ""
