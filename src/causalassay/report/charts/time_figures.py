"""Figures of run times: by algorithm and size, and against the score."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from causalassay.analysis.chart_data import dot_tables
from causalassay.analysis.chart_data.scope import ChartScope
from causalassay.analysis.names import metric_name, scheme_name
from causalassay.report.charts import alt_texts
from causalassay.report.charts.dot_chart import Dots, draw_dots
from causalassay.report.charts.figure import Figure, LeftOut, joined
from causalassay.report.charts.scatter_chart import draw_scatter, with_names
from causalassay.report.charts.theme import direction


def runtime_figures(scope: ChartScope) -> Iterator[Figure | LeftOut]:
    """Yield the run times by algorithm and number of nodes."""
    data = dot_tables.run_times(scope)
    if data.empty:
        yield LeftOut("runtime", "", "No run has a time.")
        return
    alt = alt_texts.describe_times(data)
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
        ["time of discovery,", "median and range"],
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
    yield Figure("runtime", "", title, note, alt, draw_dots(content), data)


def time_score_figures(scope: ChartScope) -> Iterator[Figure | LeftOut]:
    """Yield the time of each algorithm against its score, a figure for each scheme."""
    matrix = scope.analysis.matrix
    free = [column.scheme for column in matrix.columns if column.free]
    drawn = False
    for scheme in sorted(scope.schemes, key=lambda scheme: scheme not in free):
        data = dot_tables.times_and_scores(scope, scheme, matrix.metric)
        if data.empty:
            continue
        drawn = True
        data = with_names(data)
        name, where = metric_name(matrix.metric), scheme_name(scheme)
        best = data.sort_values("mean", ascending=matrix.better == "low").iloc[0]
        alt = (
            f"{name} against seconds on {where}. Best mean: {best['algorithm']} with "
            f"{alt_texts.number(best['mean'])} in {alt_texts.span(best['seconds'])}."
        )
        note = (
            f"Mean {name} with its 95 % interval against the median seconds of discovery, "
            "which are logarithmic; hollow signs are baselines. Names that would overlap are left "
            "out: point at a sign for its name."
        )
        chart = draw_scatter(data, scope.baselines, direction(matrix.metric, matrix.better))
        yield Figure("time_score", where, f"{name} against time on {where}", note, alt, chart, data)
    if not drawn:
        yield LeftOut("time_score", "", "No run has a time and a score.")


def _stopped(data: pd.DataFrame) -> str:
    counts = data.groupby("algorithm", sort=False)["timeouts"].sum()
    stopped = [f"{name} ({count})" for name, count in counts.items() if count]
    if not stopped:
        return ""
    return f"Runs stopped at their time limit are not in the medians: {alt_texts.named(stopped)}."
