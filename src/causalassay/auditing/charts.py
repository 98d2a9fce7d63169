"""Charts of audits: statistics along the causal order, baselines and chance levels, files.

Importing this imports Altair, so documents name these charts by `lazy_chart`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import altair as alt

from causalassay.auditing.pooled import Measured
from causalassay.auditing.result import RANDOM_ORDERS, Audit, BaselineScore
from causalassay.judging.artefacts import Artefact, artefacts_of
from causalassay.present.charts import (
    FALLING,
    INK_OF_PAGE,
    RISING,
    SMALL_WIDTH,
    UNREAD,
    chart_of,
    titled_spec,
)
from causalassay.present.drawing.svg import shortened, width
from causalassay.present.formatting import PValue, counted, fixed, p_parts

HEIGHT = 170
ROW = 34
"""Pixels of a baseline or a statistic."""
MOST_NAMES = 26
"""The most columns whose names fit below the plot."""
MOST_EDGES = 150
"""More lines than these hide the points."""
NARROW = 0.8
"""The share of the width of a text in a wide font that vl-convert expects it to take."""

SHARES = alt.Axis(format="~g", values=[0, 0.2, 0.4, 0.6, 0.8, 1])
FROM_0_TO_1 = alt.Scale(domain=[0, 1])
DIRECTIONS = alt.Axis(format="~g", values=[-1, -0.5, 0, 0.5, 1])
FROM_MINUS_1 = alt.Scale(domain=[-1, 1])


def along_order(audit: Audit, artefact: Artefact) -> dict[str, Any]:
    """Return a statistic of the columns along the true order, and the edges along which it rises.

    Parameters
    ----------
    audit : Audit
        With a graph.
    artefact : Artefact
        That was measured on all columns.
    """
    values = {column.name: column.statistics[artefact.statistic] for column in audit.columns}
    log = artefact.statistic == "variance" and min(values.values()) > 0
    edges = audit.edges_rising(artefact.statistic)
    names = list(values)
    named = len(names) <= MOST_NAMES
    axis = alt.Axis(labels=False, ticks=named, grid=False)
    x = alt.X("column:N", sort=names, title=None if named else f"{len(names)} columns", axis=axis)
    y = alt.Y("value:Q", title=None, **_scale(list(values.values()), log=log))
    columns = chart_of(
        many=(
            {
                "column": name,
                "value": value,
                "label": shortened(name),
                "about": f"{name}: {artefact.word} {value:.4g}",
            }
            for name, value in values.items()
        )
    )
    layers = [_between_depths(audit), *_edge_counts([rises for *_, rises in edges])]
    if len(edges) <= MOST_EDGES:
        layers.append(_edges(edges, values).encode(x=x, y=y))
    points = columns.mark_point(filled=True, size=45, opacity=1, **INK_OF_PAGE)
    layers.append(points.encode(x=x, y=y, description="about:N"))
    below = 5.0
    if named:
        # A layer and not the axis: two long names may look alike, and columns stay two.
        labels = columns.mark_text(angle=270, align="right", baseline="middle", **UNREAD)
        layers.append(labels.encode(x=x, y=alt.value(HEIGHT + 8), text="label:N"))
        below += (1 - NARROW) * max(width(shortened(name)) for name in names)
    return titled_spec(
        alt.layer(*layers),
        f"{artefact.title} along the causal order{' (log scale)' if log else ''}",
        "causes first; no order between dashed lines",
        offset=8,
        width=SMALL_WIDTH,
        height=HEIGHT,
        padding={"left": 5, "right": 5, "top": 5, "bottom": below},
    )


def _scale(values: Sequence[float], *, log: bool) -> dict[str, Any]:
    """Return the scale of some values and its axis, whose numbers are round and few."""
    low, high = min(values), max(values)
    if not log:
        spare = 0.06 * (high - low) or 0.05 * (abs(high) or 1.0)
        scale = alt.Scale(domain=[low - spare, high + spare], nice=False)
        return {"scale": scale, "axis": alt.Axis(format="~g", tickCount=5)}
    spare = max((high / low) ** 0.06, 1.02)
    domain = [low / spare, high * spare]
    axis = alt.Axis(format="~g", values=log_ticks(*domain))
    return {"scale": alt.Scale(type="log", domain=domain, nice=False), "axis": axis}


def log_ticks(low: float, high: float) -> list[float]:
    """Return powers of ten between two numbers, with doubles and halves where these are few.

    Vega would draw a line for each of their multiples, too.

    Examples
    --------
    >>> log_ticks(0.5, 300), log_ticks(0.9, 3), log_ticks(2.1, 2.45)
    ([1.0, 10.0, 100.0], [1.0, 2.0], [2.1, 2.2, 2.3, 2.4])
    """
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    step = max(1, len(powers) // 5)
    for factors in ((1,), (1, 2, 5)):
        ticks = [factor * 10.0**power for power in powers[::step] for factor in factors]
        inside = [tick for tick in ticks if low <= tick <= high]
        if len(inside) > 2:
            return inside
    size = 10.0 ** math.floor(math.log10(high - low))
    first, last = math.ceil(low / size), math.floor(high / size)
    every = [float(f"{multiple * size:.4g}") for multiple in range(first, last + 1)]
    return inside if len(inside) > 1 else every[:: max(1, len(every) // 4)]


def _edges(edges: Sequence[tuple[str, str, bool]], values: Mapping[str, float]) -> alt.Chart:
    """Return a line for each edge, whose look says whether the statistic rises along it."""

    def by_way(rising: Any, falling: Any) -> dict[str, Any]:
        return {"scale": alt.Scale(domain=[True, False], range=[rising, falling]), "legend": None}

    ends = (
        {"edge": number, "column": name, "value": values[name], "rises": rises}
        for number, (cause, effect, rises) in enumerate(edges)
        for name in (cause, effect)
    )
    return (
        chart_of(many=ends)
        .mark_line(strokeWidth=1.3, aria=False)
        .encode(
            detail="edge:N",
            color=alt.Color("rises:N", **by_way(RISING, FALLING)),
            strokeDash=alt.StrokeDash("rises:N", **by_way([1, 0], [4, 2])),
            opacity=alt.Opacity("rises:N", **by_way(0.5, 0.9)),
        )
    )


def _edge_counts(rising: Sequence[bool]) -> list[alt.Chart]:
    """Return above the plot, in the colours of the lines, how many of each there are."""
    n_rising, n_edges = sum(rising), len(rising)

    def above(text: str, colour: str, side: Literal["left", "right"]) -> alt.Chart:
        x = alt.value(0 if side == "left" else SMALL_WIDTH)
        texts = chart_of({"text": text}).mark_text(align=side, color=colour, aria=False)
        return texts.encode(x=x, y=alt.value(-10), text="text:N")

    return [
        above(f"rises along {n_rising} of {counted(n_edges, 'edge')}", RISING, "left"),
        above(f"falls or ties along {n_edges - n_rising}", FALLING, "right"),
    ]


def _between_depths(audit: Audit) -> alt.Chart:
    """Return lines between columns of different depth: what is between two has no order."""
    step = SMALL_WIDTH / len(audit.columns)
    depths = [column.depth for column in audit.columns]
    changes = ({"x": step * k} for k in range(1, len(depths)) if depths[k] != depths[k - 1])
    rules = chart_of(many=changes).mark_rule(strokeDash=[2, 3], opacity=0.35, **UNREAD)
    return rules.encode(x=alt.X("x:Q", scale=None, axis=None))


def chance_levels(audit: Audit) -> dict[str, Any]:
    """Return the direction score of each baseline below the distribution over random orders."""
    random = next(row for row in audit.baselines if row.algorithm == RANDOM_ORDERS)
    low, high = random.direction_range or (random.direction_score, random.direction_score)
    rows = [
        row
        for row in audit.baselines
        if row.algorithm != RANDOM_ORDERS and not math.isnan(row.direction_score)
    ]
    counts = audit.random_direction_counts
    step = 2 / len(counts)
    bars = (
        {"from": k * step - 1, "to": (k + 1) * step - 1, "orders": count}
        for k, count in enumerate(counts)
        if count
    )
    x = alt.X("from:Q", scale=FROM_MINUS_1, title=None, axis=DIRECTIONS)
    distribution = (
        chart_of(many=bars)
        .mark_bar(opacity=0.45, **UNREAD)
        .encode(x=x.axis(None), x2="to:Q", y=alt.Y("orders:Q", axis=None), y2=alt.datum(0))
        .properties(width=SMALL_WIDTH, height=56, view=alt.ViewConfig(stroke=None))
    )
    band = chart_of({"low": low, "high": high}).mark_rect(opacity=0.12, **UNREAD)
    mean = chart_of({"mean": random.direction_score})
    mean_rule = mean.mark_rule(strokeDash=[3, 3], opacity=0.6, **UNREAD)
    words = {artefact.statistic: artefact.word for artefact in artefacts_of(audit.world)}
    base = chart_of(many=(_baseline_point(row, words) for row in rows)).encode(
        y=alt.Y("baseline:N", sort=[row.algorithm for row in rows], axis=None)
    )
    colours = alt.Scale(
        domain=["rising", "falling", "neither"], range=[RISING, FALLING, "currentColor"]
    )
    # Names and scores stand above their points: beside them they would take half the width.
    below = alt.layer(
        band.encode(x=alt.X("low:Q", axis=DIRECTIONS, title=None), x2="high:Q"),
        mean_rule.encode(x="mean:Q"),
        base.mark_rule(opacity=0.6, strokeWidth=2, yOffset=8, **UNREAD).encode(
            x=alt.X("low:Q"), x2="high:Q"
        ),
        base.mark_point(filled=True, size=55, opacity=1, yOffset=8).encode(
            x=x,
            color=alt.Color("direction:N", scale=colours, legend=None),
            description="about:N",
        ),
        _above(base, "left", -6).encode(text="label:N"),
        _above(base, "right", -6).encode(text="score:N"),
    ).properties(width=SMALL_WIDTH, height=ROW * len(rows))
    return titled_spec(
        alt.vconcat(distribution, below, spacing=0),
        "Direction scores of baselines and random orders",
        f"bars: {sum(counts)} random orders; band: their central 95 %",
    )


def _baseline_point(row: BaselineScore, words: Mapping[str, str]) -> dict[str, Any]:
    reached = row.direction_score
    low, high = row.direction_range or (reached, reached)
    score = fixed(reached)
    if row.p_order is not None:
        is_below, number = p_parts(PValue(row.p_order, row.p_is_bound))
        score += f", p {'<' if is_below else '='} {number}"
    return {
        "baseline": row.algorithm,
        "label": f"by {row.direction} {words[row.statistic]}" if row.statistic else row.algorithm,
        "from": reached,
        "low": low,
        "high": high,
        "direction": row.direction or "neither",
        "score": score,
        "about": f"{row.algorithm}: {score}",
    }


def _above(base: alt.Chart, side: Literal["left", "right"], dy: int) -> alt.Chart:
    """Return texts above the rows of a chart, at one side of it."""
    x = alt.value(3 if side == "left" else SMALL_WIDTH - 3)
    return base.mark_text(align=side, dy=dy, **UNREAD).encode(x=x)


def sortability_by_file(measured: Mapping[str, Mapping[str, Measured]]) -> dict[str, Any]:
    """Return the sortability of each file by each statistic, with the means.

    Parameters
    ----------
    measured : mapping of str to mapping
        By what the chart calls the statistic, then by file.
    """
    points = [
        _point(word, name, file.sortability)
        for word, files in measured.items()
        for name, file in files.items()
    ]
    titles = ("Sortability of each file", "1/2 is chance; the bar is the mean, with its number")
    return _strips(points, list(measured), 0.5, (FROM_0_TO_1, SHARES), titles)


def direction_by_file(measured: Mapping[str, Mapping[str, Measured]]) -> dict[str, Any]:
    """Return the direction score of each file along each statistic, rising and falling.

    Parameters
    ----------
    measured : mapping of str to mapping
        As above.
    """
    points = [
        _point(f"{direction} {word}", name, score)
        for word, files in measured.items()
        for name, file in files.items()
        for direction, score in (("rising", file.up_direction), ("falling", file.down_direction))
    ]
    rows = [f"{direction} {word}" for word in measured for direction in ("rising", "falling")]
    title = "Direction score of sorting, by file"
    titles = (title, "0 is chance; the bar is the mean, with its number")
    return _strips(points, rows, 0.0, (FROM_MINUS_1, DIRECTIONS), titles)


def _point(row: str, name: str, value: float) -> dict[str, Any]:
    return {"row": row, "value": value, "about": f"{name}: {fixed(value)}"}


def _strips(
    points: Sequence[dict[str, Any]],
    rows: Sequence[str],
    chance: float,
    shape: tuple[alt.Scale, alt.Axis],
    titles: tuple[str, str],
) -> dict[str, Any]:
    """Return a row of points for each name, with the mean of each."""
    scale, axis = shape
    y = alt.Y("row:N", title=None, sort=list(rows), axis=None)
    base = chart_of(many=points).encode(y=y)
    words = chart_of(many=({"row": row} for row in rows)).encode(y=y)
    expected = chart_of({"x": chance}).mark_rule(strokeDash=[4, 3], opacity=0.6, **UNREAD)
    means = base.mark_tick(color=RISING, thickness=3, size=20, opacity=1, yOffset=8, aria=False)
    return titled_spec(
        alt.layer(
            expected.encode(x="x:Q"),
            base.mark_point(color=FALLING, size=45, opacity=1, yOffset=8).encode(
                x=alt.X("value:Q", scale=scale, title=None, axis=axis), description="about:N"
            ),
            means.encode(x="mean(value):Q"),
            _above(words, "left", -8).encode(text="row:N"),
            _above(base, "right", -8).encode(text=alt.Text("mean(value):Q", format=".2f")),
        ),
        *titles,
        width=SMALL_WIDTH,
        height=(ROW + 6) * len(rows),
    )
