"""The figures of a report: those that a study has data for, and why others are missing."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd
from altair import FacetChart, LayerChart

from causalassay.analysis import Analysis, chart_tables
from causalassay.analysis.chart_scope import ChartScope, choose
from causalassay.analysis.matrix import Matrix, Row
from causalassay.analysis.names import metric_name, scheme_name
from causalassay.analysis.report.charts import texts
from causalassay.analysis.report.charts.theme import direction
from causalassay.analysis.report.charts.views import (
    GROUPS,
    SORTABILITIES,
    Dots,
    box_chart,
    draw_dots,
    draw_scatter,
    line_chart,
    overview_chart,
    own_axes,
    sortability_chart,
    with_names,
)
from causalassay.analysis.runs import DENSITY, NODES, SAMPLES, SCHEME
from causalassay.judging.findings import FindingKind
from causalassay.present.formatting import few, in_words

AnyChart = LayerChart | FacetChart


@dataclass(frozen=True, eq=False)
class Figure:
    """A chart and all that a page says about it.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    choice : str
        Of several figures of a kind the metric or the scheme; empty if there is one.
    title : str
    note : str
        How to read it.
    alt : str
        What it shows, in words and numbers.
    chart : LayerChart or FacetChart
        Fills the width of what contains it, or has panels (see `theme`).
    data : DataFrame
        Tidy; the one data set of the chart.
    id : str
        Letters, digits and hyphens; unique in a report.
    """

    kind: str
    choice: str
    title: str
    note: str
    alt: str
    chart: AnyChart
    data: pd.DataFrame
    id: str = ""


@dataclass(frozen=True)
class LeftOut:
    """A figure that the study has no data for.

    Parameters
    ----------
    kind, choice : str
        As of a `Figure`.
    reason : str
        A sentence.
    """

    kind: str
    choice: str
    reason: str


def joined(sentences: Sequence[str]) -> str:
    """Return sentences one after the other, without the empty ones.

    Examples
    --------
    >>> joined(["One.", "", "Two."])
    'One. Two.'
    """
    return " ".join(sentence for sentence in sentences if sentence)


OVERVIEW = "overview"
"""The picture of the first screen."""
KINDS = (
    *(OVERVIEW, "schemes", "sortability", "boxes", "against_d", "against_density", "against_n"),
    *("runtime", "time_score", "rankings"),
)
"""In the order of the report."""


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
    parts: list[Figure | LeftOut] = [
        *overview_figures(scope),
        *scheme_figures(scope),
        *sortability_figures(scope),
        *box_figures(scope),
        *against_figures(scope, "against_d", NODES),
        *against_figures(scope, "against_density", DENSITY),
        *against_figures(scope, "against_n", SAMPLES),
        *runtime_figures(scope),
        *time_score_figures(scope),
        *rank_figures(scope),
    ]
    drawn = [part for part in parts if isinstance(part, Figure)]
    left_out = tuple(part for part in parts if isinstance(part, LeftOut))
    return Gallery(tuple(_with_ids(drawn)), left_out, scope.left_out)


def _with_ids(drawn: Iterable[Figure]) -> Iterator[Figure]:
    """Yield the figures with ids that no other has, and their alternative text in the chart."""
    taken: set[str] = set()
    for figure in drawn:
        plain = re.sub(r"[^a-z0-9]+", "-", f"{figure.kind} {figure.choice}".lower()).strip("-")
        free, count = plain, 2
        while free in taken:
            free, count = f"{plain}-{count}", count + 1
        taken.add(free)
        yield replace(figure, id=free, chart=figure.chart.properties(description=figure.alt))


NOT_DECIDED = "not decided"
GROUP_OF: Mapping[FindingKind, str] = {
    FindingKind.ROBUST: "robust",
    FindingKind.VARIANCE_ORDER: "depends on variances",
    FindingKind.VARIANCE_RATIOS: "depends on variances",
    FindingKind.UNITS: "depends on units",
    FindingKind.LEAD_LOST: "lead lost",
    FindingKind.NO_LEAD: "no lead found",
}
"""The colour's name of a main finding; those left out are not decided."""


def overview_figures(scope: ChartScope) -> Iterator[Figure | LeftOut]:
    """Yield the scores of all algorithms across the schemes, coloured by what was found."""
    matrix = scope.analysis.matrix
    data = _data(scope, matrix)
    if data.empty:
        yield LeftOut(OVERVIEW, "", "No run has a score yet.")
        return
    gamed = {one.name for one in matrix.columns if one.gamed}
    data = data.assign(artefact=data["scheme"].isin(gamed))
    groups = [name for name in GROUPS if name in set(data["group"])]
    note = (
        "A line for each algorithm, coloured by its finding; dashed lines are baselines. "
        + ("Shaded: schemes with a found artefact. " if gamed else "")
        + ("The thick line is yours. " if data["mine"].any() else "")
        + "Point at a line for its name."
    )
    name = metric_name(matrix.metric)
    title = f"{name} on each scheme" if len(matrix.columns) > 1 else name
    chart = overview_chart(data, groups, direction(matrix.metric, matrix.better))
    yield Figure(OVERVIEW, "", title, note, texts.describe_overview(matrix), chart, data)


def _data(scope: ChartScope, matrix: Matrix) -> pd.DataFrame:
    rows = []
    for row in matrix.rows:
        if row.algorithm not in scope.algorithms:
            continue
        for column, cell in zip(matrix.columns, row.cells, strict=True):
            if column.scheme in scope.schemes and math.isfinite(cell.mean):
                rows.append(
                    {
                        "algorithm": row.algorithm,
                        "scheme": column.name,
                        "mean": round(cell.mean, 4),
                        "low": round(cell.low, 4),
                        "high": round(cell.high, 4),
                        "group": _group(scope, row),
                        "finding": row.finding,
                        "mine": row.role == "mine",
                    }
                )
    return pd.DataFrame(rows)


def _group(scope: ChartScope, row: Row) -> str:
    if row.role == "baseline":
        use = scope.runs.uses[scope.runs.algorithms.index(row.algorithm)]
        sorts = use.endswith("sortnregress") and "random" not in use
        return "sorting baseline" if sorts else "other baseline"
    return GROUP_OF.get(row.kind, NOT_DECIDED)


AXES = {NODES: "nodes", SAMPLES: "samples", DENSITY: "edges per node"}
TICK = (
    "The black tick in each lane is the better of the baselines that sort by variance or R², on "
    "the same scheme: who does not pass it shows nothing beyond sorting."
)
NO_METRIC = "The study has no metric."


def scheme_figures(scope: ChartScope) -> Iterator[Figure | LeftOut]:
    """Yield the score of each algorithm on each scheme, a figure for each metric."""
    if not scope.metrics:
        yield LeftOut("schemes", "", NO_METRIC)
    for metric in scope.metrics:
        data = chart_tables.scheme_scores(scope, metric)
        if not data["mean"].notna().any():
            yield LeftOut("schemes", metric, _unscored(metric))
            continue
        ticked = bool(data["sorting"].notna().any())
        content = Dots(
            data,
            ordered(scope, data),
            scope.baselines,
            SCHEME,
            scope.scheme_names,
            [
                direction(metric, scope.better[metric]),
                *["black tick: best sorting baseline"] * ticked,
            ],
            mark="sorting" if ticked else "",
        )
        note = joined(
            [
                f"Mean {metric_name(metric)} of each algorithm with its 95 % interval; hollow "
                f"signs are baselines. {scope.analysis.matrix.order}",
                TICK if ticked else "",
                _pairing(data),
                texts.unscored(scope, metric),
            ]
        )
        alt = texts.describe_schemes(data, scope, metric)
        one = len(scope.schemes) == 1
        where = scope.scheme_names[0] if one else "each scheme"
        title = f"{metric_name(metric)} on {where}"
        yield Figure("schemes", metric_name(metric), title, note, alt, draw_dots(content), data)


def box_figures(scope: ChartScope) -> Iterator[Figure | LeftOut]:
    """Yield box plots by graph family and size, a figure for each of the first metrics."""
    if not scope.metrics:
        yield LeftOut("boxes", "", NO_METRIC)
    for metric in scope.detailed:
        data, n_panels = chart_tables.box_stats(scope, metric)
        if not len(data):
            yield LeftOut("boxes", metric, _unscored(metric))
            continue
        rows = ordered(scope, data)
        n_drawn = data["panel"].nunique()
        note = joined(
            [
                "Boxes reach from the lower to the upper quartile, with a sign at the median; "
                "whiskers reach to the outermost score within 1.5 times the box. "
                f"Scores beyond that are not drawn: {data['outside'].sum()} of "
                f"{data['n'].sum()}.",
                "Each panel has an axis of its own." if own_axes(data) else "",
                f"Shown are {n_drawn} of {n_panels} graph families and sizes."
                if n_drawn < n_panels
                else "",
                texts.unscored(scope, metric),
            ]
        )
        alt = texts.describe_boxes(data, scope, metric)
        axis = direction(metric, scope.better[metric])
        chart = box_chart(data, rows, scope.baselines, axis)
        title = f"{metric_name(metric)} by graph family and size"
        yield Figure("boxes", metric_name(metric), title, note, alt, chart, data)


def against_figures(scope: ChartScope, kind: str, label: str) -> Iterator[Figure | LeftOut]:
    """Yield mean scores against a number of the problems, for each of the first metrics."""
    what = AXES[label]
    if not scope.varies(label):
        yield LeftOut(kind, "", _constant(scope, label))
        return
    for metric in scope.detailed:
        data = chart_tables.means_against(scope, metric, label)
        if data.empty or data["at"].nunique() < 2:
            yield LeftOut(
                kind, metric, f"Runs with a {metric_name(metric)} are of one number of {what} only."
            )
            continue
        axis = f"{direction(metric, scope.better[metric])} against {what}"
        chart = line_chart(data, ordered(scope, data), scope.baselines, axis)
        note = joined(
            [
                f"Mean {metric_name(metric)} with its 95 % interval, over all problems with so "
                f"many {what}; a panel for each algorithm, all on the same axes.",
                texts.unscored(scope, metric),
            ]
        )
        alt = texts.describe_against(data, metric, what)
        title = f"{metric_name(metric)} against {what}"
        yield Figure(kind, metric_name(metric), title, note, alt, chart, data)


def ordered(scope: ChartScope, data: pd.DataFrame) -> list[str]:
    """Return the algorithms of some data in the order of the matrix, baselines last."""
    known = set(data["algorithm"])
    return [name for name in scope.order if name in known]


def _pairing(data: pd.DataFrame) -> str:
    if data[SCHEME].nunique() == 1:
        return ""
    apart = data[~data["paired"].astype(bool) & data["mean"].notna()]
    if apart.empty:
        return "All schemes are of the same graphs."
    names = [
        f"{name} ({', '.join(part[SCHEME])})"
        for name, part in apart.groupby("algorithm", sort=False)
    ]
    return f"Not on the same graphs as the other schemes: {few(names, texts.MOST_NAMED, 'others')}."


def _unscored(metric: str) -> str:
    return f"No run has a {metric_name(metric)}."


def _constant(scope: ChartScope, label: str) -> str:
    what = AXES[label]
    if not scope.is_number(label):
        return f"The problems do not state their number of {what}."
    value = scope.runs.cells[label].dropna().iloc[0]
    return f"All problems have {value:g} {what}."


def sortability_figures(scope: ChartScope) -> Iterator[Figure | LeftOut]:
    """Yield the distribution of the problems' sortabilities by scheme."""
    data = chart_tables.sortability_bins(scope)
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
    schemes = [scheme for scheme in scope.scheme_names if scheme in set(data[SCHEME])]
    chart = sortability_chart(data, schemes)
    title = "Sortability of the problems"
    alt = texts.describe_sortability(data)
    yield Figure("sortability", "", title, note, alt, chart, data)


def runtime_figures(scope: ChartScope) -> Iterator[Figure | LeftOut]:
    """Yield the run times by algorithm and number of nodes."""
    data = chart_tables.run_times(scope)
    if data.empty:
        yield LeftOut("runtime", "", "No run has a time.")
        return
    alt = texts.describe_times(data)
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
        data = chart_tables.times_and_scores(scope, scheme, matrix.metric)
        if data.empty:
            continue
        drawn = True
        data = with_names(data)
        name, where = metric_name(matrix.metric), scheme_name(scheme)
        best = data.sort_values("mean", ascending=matrix.better == "low").iloc[0]
        alt = (
            f"{name} against seconds on {where}. Best mean: {best['algorithm']} with "
            f"{texts.number(best['mean'])} in {texts.span(best['seconds'])}."
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
    names = few(stopped, texts.MOST_NAMED, "others")
    return f"Runs stopped at their time limit are not in the medians: {names}."


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
        data = chart_tables.rank_means(scope, scheme, metrics)
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
                texts.rank_remark(data),
            ]
        )
        names = [metric_name(metric) for metric in metrics]
        alt = texts.describe_ranks(data, names, scheme)
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
