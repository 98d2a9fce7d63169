"""The picture of the first screen: the schemes side by side, a line for each algorithm."""

from __future__ import annotations

import math
from collections.abc import Iterator

import altair as alt
import pandas as pd

from causalassay.analysis.chart_data.scope import ChartScope
from causalassay.analysis.matrix import Matrix, Row
from causalassay.analysis.names import metric_name, scheme_name
from causalassay.judging.findings import FindingKind
from causalassay.report.charts import alt_texts, theme
from causalassay.report.charts.chart_parts import finished, inline, tooltip
from causalassay.report.charts.figure import Figure, LeftOut

KIND = "overview"
HEIGHT = 380
GROUPS = {
    "robust": theme.COLOURS[2],
    "depends on variances": theme.COLOURS[0],
    "depends on units": theme.COLOURS[1],
    "lead lost": theme.COLOURS[4],
    "no lead found": "#999999",
    "not decided": theme.COLOURS[5],
    "sorting baseline": theme.INK,
    "other baseline": theme.QUIET,
}
"""What colours distinguish: the finding on an algorithm, and baselines."""
GROUP_OF = dict.fromkeys(
    (FindingKind.VARIANCE_ORDER, FindingKind.VARIANCE_RATIOS), "depends on variances"
)
SIGNS = (*theme.SHAPES, "triangle-right")
DASHED = ("sorting baseline", "other baseline")


def overview_figures(scope: ChartScope) -> Iterator[Figure | LeftOut]:
    """Yield the scores of all algorithms across the schemes, coloured by what was found."""
    matrix = scope.analysis.matrix
    data = _data(scope, matrix)
    if data.empty:
        yield LeftOut(KIND, "", "No run has a score yet.")
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
    chart = _chart(data, groups, theme.direction(matrix.metric, matrix.better))
    yield Figure(KIND, "", title, note, _describe(matrix), chart, data)


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
    return GROUP_OF.get(row.kind, row.kind.label if row.kind.label in GROUPS else "not decided")


def _chart(data: pd.DataFrame, groups: list[str], title: str) -> alt.LayerChart:
    schemes = list(dict.fromkeys(data["scheme"]))
    axis = alt.Axis(
        title=None,
        labelExpr="split(datum.label, ' ')",
        labelAngle=0,
        labelAlign="center",
        labelBaseline="top",
        labelFontSize=11,
        labelOverlap=False,
        ticks=False,
    )
    x = alt.X("scheme:N", sort=schemes, axis=axis, scale=alt.Scale(type="band"), bandPosition=0.5)
    y = alt.Y("mean:Q", title=title, scale=alt.Scale(zero=True), axis=alt.Axis(tickCount=5))
    legend = alt.Legend(title=None, columns=2)
    colour = alt.Color(
        "group:N",
        scale=alt.Scale(domain=groups, range=[GROUPS[name] for name in groups]),
        legend=legend,
    )
    dashes = [[5, 3] if name in DASHED else [1, 0] for name in groups]
    dash = alt.StrokeDash("group:N", scale=alt.Scale(domain=groups, range=dashes), legend=legend)
    places = [list(GROUPS).index(name) for name in groups]
    shapes = alt.Scale(domain=groups, range=[SIGNS[place] for place in places])
    base = alt.Chart()
    shade = (
        base.transform_filter("datum.artefact")
        .transform_aggregate(groupby=["scheme"])
        .mark_rect(color=theme.COLOURS[1], opacity=0.12)
        .encode(x=alt.X("scheme:N", sort=schemes))
    )
    width = alt.StrokeWidth(
        "mine:O", scale=alt.Scale(domain=[False, True], range=[1.8, 4]), legend=None
    )
    line = base.mark_line(opacity=0.85).encode(
        x=x, y=y, color=colour, strokeDash=dash, strokeWidth=width, detail="algorithm:N"
    )
    point = base.mark_point(filled=True, size=34, opacity=0.9).encode(
        x=x,
        y=y,
        color=colour,
        shape=alt.Shape("group:N", scale=shapes, legend=legend),
        tooltip=tooltip("algorithm", "scheme", "mean", "low", "high", "finding"),
    )
    chart = alt.layer(shade, line, point, data=inline(data))
    low = {"low": {"below": 1056, "height": 220}}
    return finished(chart.properties(width="container", height=HEIGHT), data, usermeta=low)


def _describe(matrix: Matrix) -> str:
    """Say what was found of each scheme, and who is first there."""
    sentences = []
    for index, column in enumerate(matrix.columns):
        known = [row for row in matrix.rows if math.isfinite(row.cells[index].mean)]
        if known:
            sign = 1 if matrix.better == "high" else -1
            best = max(known, key=lambda row: sign * row.cells[index].mean)
            mean = alt_texts.number(best.cells[index].mean)
            sentences.append(
                f"{scheme_name(column.scheme)}: {column.finding}; {best.algorithm} has the best "
                f"mean, {mean}."
            )
    return " ".join(sentences)
