"""The figures of a report: one table of kinds, what each draws, and what it says in words.

A kind has a heading, its choices (metrics or schemes, of which a page shows one at a time), and a
function that draws one of them, or returns the reason why the study has no data for it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pandas as pd
from altair import FacetChart, LayerChart

from causalassay.analysis import Analysis
from causalassay.analysis.comparison import own_algorithms
from causalassay.analysis.matrix import Row
from causalassay.analysis.report import chart_data, charts
from causalassay.analysis.report import figure_texts as texts
from causalassay.analysis.report.chart_data import SORTABILITIES, ChartScope, choose
from causalassay.analysis.runs import DENSITY, NODES, SAMPLES, SCHEME, SORTING, scheme_name
from causalassay.analysis.sizes import DIMENSIONS, DRAWN, Size
from causalassay.metrics.charts import reliability_points
from causalassay.metrics.registry import metric_name
from causalassay.present.formatting import digits, in_words

OVERVIEW = "overview"
"""The picture of the first screen."""
DETAILED_METRICS = 2
"""Metrics of the figures with many panels: the first ones of the study."""
RANKED = ("shd", "sid", "tv_dag")
"""Metrics whose ranks are compared: of each the first in the study whose name begins so."""
MOST_CURVES = 36
"""Figures of curves against one number; beyond that, fewer other sizes are drawn."""
NO_METRIC = "The study has no metric."
NOT_DECIDED = "not decided"
TICK = (
    "The black tick in each lane is the better of the baselines that sort by variance or R², on "
    "the same scheme: who does not pass it shows nothing beyond sorting."
)


@dataclass(frozen=True, eq=False)
class Figure:
    """A chart and all that a page says about it.

    Parameters
    ----------
    choice : str
        The metric or the scheme, if there are several figures of a kind; else empty.
    title : str
    note : str
        How to read it.
    alt : str
        What it shows, in words and numbers.
    chart : LayerChart or FacetChart
        Fills the width of what contains it, or has panels (see `present.charts.fitted`).
    data : DataFrame
        Tidy; the one data set of the chart.
    kind : str
        One of `KINDS`.
    id : str
        Letters, digits and hyphens; unique in a report.
    """

    choice: str
    title: str
    note: str
    alt: str
    chart: LayerChart | FacetChart
    data: pd.DataFrame
    kind: str = ""
    id: str = ""


@dataclass(frozen=True)
class LeftOut:
    """A figure that the study has no data for.

    Parameters
    ----------
    kind, choice : str
        One of `KINDS`; the metric or the scheme.
    reason : str
        A sentence.
    """

    kind: str
    choice: str
    reason: str


@dataclass(frozen=True)
class Gallery:
    """The figures of a study, and why others are missing.

    Parameters
    ----------
    figures : tuple of Figure
        In the order of `KINDS`.
    left_out : tuple of LeftOut
    remarks : tuple of str
        Sentences about what no figure of the study shows.
    """

    figures: tuple[Figure, ...]
    left_out: tuple[LeftOut, ...]
    remarks: tuple[str, ...]


def gallery(analysis: Analysis) -> Gallery:
    """Return the figures of a study, and a sentence for each that has no data."""
    if not len(analysis.table.frame):
        reason = "The study has no rows yet."
        return Gallery((), tuple(LeftOut(kind, "", reason) for kind in KINDS), ())
    scope = choose(analysis)
    figures: dict[str, Figure] = {}
    left_out: dict[tuple[str, str], LeftOut] = {}
    for name, kind in KINDS.items():
        for choice in kind.choices(scope):
            drawn = kind.draw(scope, choice)
            if isinstance(drawn, str):
                left_out.setdefault((name, drawn), LeftOut(name, str(choice), drawn))
            else:
                key = _free_id(f"{name} {drawn.choice}", figures)
                chart = drawn.chart.properties(description=drawn.alt)
                figures[key] = replace(drawn, kind=name, id=key, chart=chart)
    return Gallery(tuple(figures.values()), tuple(left_out.values()), scope.left_out)


def _free_id(text: str, taken: Mapping[str, Figure]) -> str:
    free = plain = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    count = 2
    while free in taken:
        free, count = f"{plain}-{count}", count + 1
    return free


# ---- what is drawn ----


def _beside_nodes(scope: ChartScope) -> str:
    """Return the end of a title: the samples and the density, where these vary."""
    rest = scope.analysis.size.without(NODES).name
    return f", {rest}" if rest else ""


def _axis(scope: ChartScope, metric: str) -> str:
    """Return an axis title: the metric, and which direction is good."""
    return f"{metric_name(metric)} ({scope.summary.better[metric]}er is better)"


def _overview(scope: ChartScope, _: str) -> Figure | str:
    """Draw the scores of all algorithms across the schemes, coloured by what was found."""
    matrix = scope.analysis.matrix
    data = pd.DataFrame(
        {
            "algorithm": row.algorithm,
            "scheme": column.name,
            "mean": round(cell.mean, 4),
            "low": round(cell.low, 4),
            "high": round(cell.high, 4),
            "group": _group(scope, row),
            "finding": row.finding,
            "mine": row.role == "mine",
            "artefact": column.gamed,
        }
        for row in matrix.rows
        for column, cell in zip(matrix.columns, row.cells, strict=True)
        if row.algorithm in scope.algorithms
        and column.scheme in scope.schemes
        and math.isfinite(cell.mean)
    )
    if data.empty:
        return "No run has a score yet."
    gamed = any(column.gamed for column in matrix.columns)
    groups = [name for name in charts.GROUPS if name in set(data["group"])]
    note = texts.joined(
        "A line for each algorithm, coloured by its finding; dashed lines are baselines.",
        "Shaded: schemes with a found artefact." if gamed else "",
        "The thick line is yours." if data["mine"].any() else "",
        "Point at a line for its name.",
    )
    name = metric_name(matrix.metric)
    title = f"{name} on each scheme" if len(matrix.columns) > 1 else name
    title += scope.at_size
    chart = charts.overview(data, groups, _axis(scope, matrix.metric))
    return Figure("", title, note, texts.describe_overview(matrix), chart, data)


def _group(scope: ChartScope, row: Row) -> str:
    if row.role == "baseline":
        use = scope.runs.uses[scope.runs.algorithms.index(row.algorithm)]
        sorts = use.endswith((*SORTING, "variance-sorting"))  # those for series too
        return "sorting baseline" if sorts else "other baseline"
    return row.kind.group_label if row.kind.group in charts.FINDING_COLOURS else NOT_DECIDED


def _schemes(scope: ChartScope, metric: str) -> Figure | str:
    """Draw the score of each algorithm on each scheme in one metric."""
    if not metric:
        return NO_METRIC
    data, name = chart_data.scheme_scores(scope, metric), metric_name(metric)
    if not data["mean"].notna().any():
        return f"No run has a {name}."
    ticked = bool(data["sorting"].notna().any())
    chart = charts.dots(
        data,
        scope.ordered(data["algorithm"]),
        scope.baselines,
        SCHEME,
        scope.scheme_names,
        [_axis(scope, metric), *["black tick: best sorting baseline"] * ticked],
        mark="sorting" if ticked else "",
    )
    note = texts.joined(
        f"Mean {name} of each algorithm with its 95 % interval; hollow signs are baselines.",
        scope.analysis.matrix.order,
        TICK if ticked else "",
        texts.pairing(data),
        texts.unscored(scope, metric),
    )
    where = scope.scheme_names[0] if len(scope.schemes) == 1 else "each scheme"
    alt = texts.describe_schemes(data, scope, metric)
    return Figure(name, f"{name} on {where}{scope.at_size}", note, alt, chart, data)


def _sortability(scope: ChartScope, _: str) -> Figure | str:
    """Draw the distribution of the problems' sortabilities by scheme."""
    data = chart_data.sortability_bins(scope)
    if data.empty:
        return "Neither var- nor R²-sortability was measured."
    data = data.assign(diagnostic=data["diagnostic"].map(SORTABILITIES))
    note = (
        "Histograms over the problems and replicates of each scheme, each scaled to its fullest "
        "bar; the triangle is the mean. At 1, variance or R² grows along the causal order without "
        "exception, and sorting by it is enough; the dashed line at 1/2 is chance."
    )
    schemes = [scheme for scheme in scope.scheme_names if scheme in set(data[SCHEME])]
    chart = charts.histograms(data, schemes)
    title = f"Sortability of the problems{scope.at_size}"
    return Figure("", title, note, texts.describe_sortability(data), chart, data)


def _boxes(scope: ChartScope, metric: str) -> Figure | str:
    """Draw box plots by graph family and size in one metric."""
    if not metric:
        return NO_METRIC
    (data, n_panels), name = chart_data.box_stats(scope, metric), metric_name(metric)
    if data.empty:
        return f"No run has a {name}."
    n_drawn = data["panel"].nunique()
    note = texts.joined(
        "Boxes reach from the lower to the upper quartile, with a sign at the median; whiskers "
        "reach to the outermost score within 1.5 times the box. Scores beyond that are not drawn: "
        f"{data['outside'].sum()} of {data['n'].sum()}.",
        "Each panel has an axis of its own." if charts.own_axes(data) else "",
        f"Shown are {n_drawn} of {n_panels} graph families and sizes." * (n_drawn < n_panels),
        texts.unscored(scope, metric, chart_data.cells_of_boxes(scope)),
    )
    rows = scope.ordered(data["algorithm"])
    chart = charts.boxes(data, rows, scope.baselines, _axis(scope, metric))
    alt = texts.describe_boxes(data, scope, metric)
    title = f"{name} by graph family and size{_beside_nodes(scope)}"
    return Figure(name, title, note, alt, chart, data)


@dataclass(frozen=True)
class CurveChoice:
    """One figure of curves.

    Parameters
    ----------
    metric : str
    rest : Size
        What else makes the size of its problems.
    """

    metric: str
    rest: Size

    def __str__(self) -> str:
        return ", ".join(text for text in (metric_name(self.metric), self.rest.name) if text)


Choice = str | CurveChoice
"""What a figure of a kind is of: a metric, a scheme or a curve; empty where there is no choice."""


def _curve_choices(label: str, scope: ChartScope) -> Sequence[Choice]:
    """Return every metric with everything else that makes a size, that of the page first."""
    if not scope.varies(label) or not scope.curve_metrics:
        return ("",)
    cells = scope.analysis.all_runs.cells[label]
    rests = [rest for rest, among in scope.slices(label).items() if cells.iloc[among].nunique() > 1]
    most = max(1, MOST_CURVES // len(scope.curve_metrics))
    choices = [CurveChoice(metric, rest) for rest in rests[:most] for metric in scope.curve_metrics]
    return choices or ("",)


def _against(label: str, scope: ChartScope, choice: Choice) -> Figure | str:
    """Draw mean scores in one metric against a number of the problems."""
    what = DIMENSIONS[label].many
    if not scope.is_number(label):
        return f"The problems do not state their number of {what}."
    if not scope.varies(label):
        return f"All problems have {scope.runs.cells[label].dropna().iloc[0]:g} {what}."
    if not scope.summary.metrics:
        return NO_METRIC
    if not isinstance(choice, CurveChoice):
        return f"The number of {what} varies only together with what else makes a size."
    metric, name = choice.metric, metric_name(choice.metric)
    among = scope.slices(label)[choice.rest]
    data = chart_data.means_against(scope, metric, label, among)
    if data.empty or data["at"].nunique() < 2:
        return f"Runs with a {name} are of one number of {what} only."
    beside = f" Of {choice.rest.name}." if choice.rest.name else ""
    pooled = [DIMENSIONS[other].many for other, value in choice.rest.values if value == DRAWN]
    note = texts.joined(
        f"Mean {name} with its 95 % interval over instances, against the number of {what}; a panel "
        f"for each scheme, a line for each algorithm, baselines in grey.{beside}",
        "On the page, click a name in the legend to see it alone, with Shift several.",
        f"Means are over all {in_words(pooled)} that were drawn." if pooled else "",
        "The thick line is yours." if (mine := own_algorithms(scope.analysis.all_runs)) else "",
        texts.unscored(scope, metric, among),
    )
    rows = scope.ordered(data["algorithm"])
    chart = charts.curves(data, rows, scope.baselines, mine, (what, _axis(scope, metric)))
    alt = texts.describe_against(data, name, what)
    at = f", {choice.rest.name}" if choice.rest.name else ""
    return Figure(str(choice), f"{name} against {what}{at}", note, alt, chart, data)


def _runtime(scope: ChartScope, _: str) -> Figure | str:
    """Draw the run times by algorithm and number of nodes."""
    every = chart_data.run_times(scope)
    data = every if every.empty else every[every["n"] > 0].reset_index(drop=True)
    if data.empty:
        return "No run has a time."
    alt = texts.describe_times(data)
    sized = bool(data["nodes"].notna().any())
    if not sized:
        data = data.assign(nodes="all")
    times = data.groupby("algorithm")["mean"].max()
    chart = charts.dots(
        data,
        sorted(times.index, key=lambda name: (name in scope.baselines, times[name])),
        scope.baselines,
        "nodes",
        sorted(set(data["nodes"])),
        ["time of discovery,", "median and range"],
        times=True,
        legend="nodes" if sized else "",
    )
    # Also where no run ended: there is nothing to draw, but something to say.
    timeouts = every.groupby("algorithm", sort=False)["timeouts"].sum()
    note = texts.joined(
        "Median seconds of the runs that ended, with the shortest and the longest, fastest first; "
        "the axis is logarithmic.",
        texts.listed(
            "Runs stopped at their time limit are not in the medians",
            [f"{name} ({count})" for name, count in timeouts.items() if count],
        ),
    )
    title = "Run time against the number of nodes" if sized else "Run time"
    title += _beside_nodes(scope)
    return Figure("", title, note, alt, chart, data)


def _time_score(scope: ChartScope, scheme: str) -> Figure | str:
    """Draw the time of each algorithm against its score on one scheme."""
    matrix = scope.analysis.matrix
    data = chart_data.times_and_scores(scope, scheme, matrix.metric)
    if data.empty:
        return "No run has a time and a score."
    data = charts.with_names(data)
    name, where = metric_name(matrix.metric), scheme_name(scheme)
    best = data.sort_values("mean", ascending=matrix.better == "low").iloc[0]
    alt = (
        f"{name} against seconds on {where}. Best mean: {best['algorithm']} with "
        f"{texts.number(best['mean'])} in {texts.span(best['seconds'])}."
    )
    note = (
        f"Mean {name} with its 95 % interval against the median seconds of discovery, which are "
        "logarithmic; hollow signs are baselines. Names that would overlap are left out: point at "
        "a sign for its name."
    )
    chart = charts.scatter(data, scope.baselines, _axis(scope, matrix.metric))
    title = f"{name} against time on {where}{scope.at_size}"
    return Figure(where, title, note, alt, chart, data)


def _timed_schemes(scope: ChartScope) -> list[str]:
    metric = scope.analysis.matrix.metric
    timed = [s for s in scope.free_first if len(chart_data.times_and_scores(scope, s, metric))]
    return timed or [""]


def _ranks(scope: ChartScope, scheme: str) -> Figure | str:
    """Draw the mean ranks that several metrics give on one scheme."""
    metrics = ranked_metrics(scope.summary.metrics, scope.analysis.matrix.metric)
    if len(metrics) < 2 or len(scope.algorithms) < 2:
        what = "metrics" if len(metrics) < 2 else "algorithms"
        return f"Ranks are compared where there are two {what} at least."
    data, where = chart_data.rank_means(scope, scheme, metrics), scheme_name(scheme)
    if not data["mean"].notna().any():
        return f"On {where} no problem has rows of all algorithms yet."
    names = [metric_name(metric) for metric in metrics]
    first = data[data["metric"] == names[0]].set_index("algorithm")["mean"]
    chart = charts.dots(
        data,
        sorted(first.index, key=lambda name: first[name]),
        scope.baselines,
        "metric",
        names,
        [f"mean rank on {where}, 1 is best"],
        domain=(1, len(scope.runs.algorithms)),
    )
    limits = data.groupby("algorithm", sort=False).agg({"low": "max", "high": "min"})
    split = list(limits.index[limits["low"] > limits["high"]])
    apart = texts.listed("The intervals of two metrics lie apart for", split, "")
    note = texts.joined(
        "Mean rank of each algorithm among all on the same problem, with its 95 % interval; best "
        f"by {names[0]} first. Signs of a row that lie apart: the metrics disagree.",
        apart or "No algorithm's intervals lie apart.",
    )
    title = f"Ranks by {in_words(names)} on {where}{scope.at_size}"
    alt = texts.describe_ranks(data, names, where)
    return Figure(where, title, note, alt, chart, data)


def _reliability(scope: ChartScope, scheme: str) -> Figure | str:
    """Draw the probabilities of edges against the shares of true ones on one scheme."""
    bins, where = chart_data.reliability_bins(scope)[scheme], scheme_name(scheme)
    names = scope.ordered(bins)
    data = chart_data.rounded(
        pd.DataFrame(reliability_points({name: bins[name] for name in names})).rename(
            columns={"series": "algorithm"}
        )
    )
    errors = [f"{name} {digits(bins[name].calibration_error)}" for name in names]
    said = texts.listed("Calibration error", errors)
    note = texts.joined(
        "Ordered pairs of columns in ten bins by the probability of an edge, over all runs on the "
        "scheme. On the diagonal a probability of 0.7 means seven in ten.",
        said,
    )
    alt = f"Shares of true edges against their probabilities on {where}. {said}"
    chart = charts.reliability(data, names)
    title = f"Probabilities of edges on {where}{scope.at_size}"
    return Figure(where, title, note, alt, chart, data)


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


@dataclass(frozen=True)
class Kind:
    """A kind of figure.

    Parameters
    ----------
    heading : str
        Over the figures of the kind.
    draw : callable
        Returns the figure of a choice, or a sentence: why the study has no data for it.
    choices : callable
        Returns the metrics, schemes or curves to draw; by default nothing is to be chosen.
    """

    heading: str
    draw: Callable[[ChartScope, Any], Figure | str]
    choices: Callable[[ChartScope], Sequence[Choice]] = lambda _: ("",)


def _first_metrics(scope: ChartScope) -> Sequence[str]:
    return scope.metrics[:DETAILED_METRICS] or ("",)


KINDS: Mapping[str, Kind] = {
    OVERVIEW: Kind("", _overview),
    "schemes": Kind("The schemes side by side", _schemes, lambda scope: scope.metrics or ("",)),
    "sortability": Kind("Sortability of the problems", _sortability),
    "boxes": Kind("Scores by graph family and size", _boxes, _first_metrics),
    "against_d": Kind(
        "Scores against the number of nodes",
        partial(_against, NODES),
        partial(_curve_choices, NODES),
    ),
    "against_density": Kind(
        "Scores against the density of the graphs",
        partial(_against, DENSITY),
        partial(_curve_choices, DENSITY),
    ),
    "against_n": Kind(
        "Scores against the number of samples",
        partial(_against, SAMPLES),
        partial(_curve_choices, SAMPLES),
    ),
    "runtime": Kind("Run time", _runtime),
    "time_score": Kind("Time against score", _time_score, _timed_schemes),
    "reliability": Kind(
        "What probabilities of edges are worth",
        _reliability,
        lambda scope: [s for s in scope.free_first if s in chart_data.reliability_bins(scope)],
    ),
    "rankings": Kind(
        "Where metrics rank the algorithms differently", _ranks, lambda scope: scope.free_first
    ),
}
"""In the order of the report."""
