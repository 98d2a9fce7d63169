"""The figure of run times."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from causalassay.analysis.chart_data import dot_tables
from causalassay.analysis.chart_data.scope import ChartScope
from causalassay.report.charts import alt_texts
from causalassay.report.charts.dot_chart import Dots, draw_dots
from causalassay.report.charts.figure import Figure, LeftOut, joined


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


def _stopped(data: pd.DataFrame) -> str:
    counts = data.groupby("algorithm", sort=False)["timeouts"].sum()
    stopped = [f"{name} ({count})" for name, count in counts.items() if count]
    if not stopped:
        return ""
    return f"Runs stopped at their time limit are not in the medians: {alt_texts.named(stopped)}."
