"""Figures of the ranks that several metrics give."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from causalassay.analysis.chart_data import dot_tables
from causalassay.analysis.chart_data.scope import ChartScope
from causalassay.analysis.names import metric_name, scheme_name
from causalassay.present.formatting import in_words
from causalassay.report.charts import alt_texts
from causalassay.report.charts.dot_chart import Dots, draw_dots
from causalassay.report.charts.figure import Figure, LeftOut, joined

RANKED = ("shd", "sid", "tv_dag")
"""Metrics whose ranks are compared: of each the first in the study whose name begins so."""


def rank_figures(scope: ChartScope) -> Iterator[Figure | LeftOut]:
    """Yield the mean ranks that several metrics give, a figure for each scheme."""
    metrics = ranked_metrics(scope.summary.metrics, scope.analysis.matrix.metric)
    if len(metrics) < 2 or len(scope.algorithms) < 2:
        what = "metrics" if len(metrics) < 2 else "algorithms"
        yield LeftOut("rankings", "", f"Ranks are compared where there are two {what} at least.")
        return
    free = [column.scheme for column in scope.analysis.matrix.columns if column.free]
    for scheme in sorted(scope.schemes, key=lambda scheme: scheme not in free):
        data = dot_tables.rank_means(scope, scheme, metrics)
        if not data["mean"].notna().any():
            reason = f"On {scheme_name(scheme)} no problem has rows of all algorithms yet."
            yield LeftOut("rankings", scheme, reason)
            continue
        first = data[data["metric"] == metric_name(metrics[0])].set_index("algorithm")["mean"]
        content = Dots(
            data,
            sorted(first.index, key=lambda name: first[name]),
            scope.baselines,
            "metric",
            [metric_name(metric) for metric in metrics],
            [f"mean rank on {scheme_name(scheme)}, 1 is best"],
            domain=(1, len(scope.runs.algorithms)),
        )
        note = joined(
            [
                "Mean rank of each algorithm among all on the same problem, with its 95 % "
                f"interval; best by {metric_name(metrics[0])} first. Signs of a row that lie "
                "apart: the metrics disagree.",
                alt_texts.rank_remark(data),
            ]
        )
        names = [metric_name(metric) for metric in metrics]
        alt = alt_texts.describe_ranks(data, names, scheme)
        title = f"Ranks by {in_words([metric_name(m) for m in metrics])} on {scheme_name(scheme)}"
        yield Figure("rankings", scheme_name(scheme), title, note, alt, draw_dots(content), data)


def ranked_metrics(metrics: Sequence[str], primary: str) -> list[str]:
    """Return the metrics whose ranks are compared: the primary one, SHD, SID and TV.

    Without SHD, SID and TV the first of the others.

    Examples
    --------
    >>> ranked_metrics(["f1", "sid_normalized", "shd", "tv_dag"], "f1")
    ['f1', 'shd', 'sid_normalized', 'tv_dag']
    >>> ranked_metrics(["f1", "recall", "precision"], "f1")
    ['f1', 'recall', 'precision']
    """
    first = [next((m for m in metrics if m.startswith(name)), None) for name in RANKED]
    known = [metric for metric in first if metric is not None]
    others = known if known else [metric for metric in metrics if metric != primary][:2]
    return list(dict.fromkeys([primary, *others]))
