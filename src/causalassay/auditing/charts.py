"""Charts of audits: statistics along the causal order, baselines beside random orders, files."""
# ruff: noqa: PLC0415  altair is imported where used, so that an audit without a page does without

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from causalassay.present.charts import FALLING, RISING, SMALL_WIDTH
from causalassay.present.drawing.svg import shortened, width
from causalassay.present.formatting import PValue, fixed, p_parts

if TYPE_CHECKING:
    import altair as alt

    from causalassay.auditing.result import Audit, BaselineScore
    from causalassay.judging.artefacts import Artefact

HEIGHT = 170
ROW = 34
"""Pixels of a baseline or a statistic."""
MOST_NAMES = 26
"""The most columns whose names fit below the plot."""
MOST_EDGES = 150
"""More lines than these hide the points."""
TIE = 1e-9
NARROW = 0.8
"""The share of the width of a text in a wide font that vl-convert expects it to take."""


class FilePoint(NamedTuple):
    """What was measured of a statistic on one file."""

    sortability: float
    random_f1: float
    rising_gain: float
    falling_gain: float


def _rises(audit: Audit, artefact: Artefact) -> list[tuple[str, str, bool]]:
    """Return each edge, and whether the statistic rises along it."""
    values = {one.name: one.statistics[artefact.statistic] for one in audit.columns}
    return [
        (cause, effect, values[effect] - values[cause] > TIE * _size(values, cause, effect))
        for cause, effect in audit.edges
    ]


def _size(values: Mapping[str, float], *names: str) -> float:
    return max(abs(values[name]) for name in names)


def along_order_alt(audit: Audit, artefact: Artefact) -> str:
    """Return in words along how many edges a statistic rises."""
    rising = sum(rises for *_, rises in _rises(audit, artefact))
    return (
        f"{_capital(artefact.word)} along the causal order: it rises along "
        f"{rising} of {len(audit.edges)} edges"
    )


def along_order(audit: Audit, artefact: Artefact) -> dict[str, Any]:
    """Return a statistic of the columns along the true order, and the edges along which it rises.

    Parameters
    ----------
    audit : Audit
        With a graph.
    artefact : Artefact
        That was measured on all columns.
    """
    import altair as alt

    values = {one.name: one.statistics[artefact.statistic] for one in audit.columns}
    log = artefact.statistic == "variance" and min(values.values()) > 0
    rising = _rises(audit, artefact)
    labels = _counts(rising)
    names = list(values)
    named = len(names) <= MOST_NAMES
    title = alt.TitleParams(
        f"{_capital(artefact.word)} along the causal order{' (log scale)' if log else ''}",
        subtitle="causes first; no order between dashed lines",
        offset=8,
    )
    axis = alt.Axis(labels=False, ticks=named, grid=False)
    x = alt.X("column:N", sort=names, title=None if named else f"{len(names)} columns", axis=axis)
    y = alt.Y("value:Q", title=None, **_scale(list(values.values()), log=log))
    points = [
        {
            "column": name,
            "value": value,
            "label": shortened(name),
            "about": f"{name}: {artefact.word} {value:.4g}",
        }
        for name, value in values.items()
    ]
    base = alt.Chart(alt.InlineData(values=points))
    layers = [_between_depths(audit), *_legend(labels)]
    if len(rising) <= MOST_EDGES:
        layers.append(_edges(rising, values, x, y))
    layers.append(
        base.mark_point(filled=True, size=45, opacity=1, color="currentColor").encode(
            x=x, y=y, description="about:N"
        )
    )
    below = 5.0
    if named:
        # A layer and not the axis: two long names may look alike, and columns stay two.
        layers.append(
            base.mark_text(
                angle=270, align="right", baseline="middle", color="currentColor", aria=False
            ).encode(x=x, y=alt.value(HEIGHT + 8), text="label:N")
        )
        below += (1 - NARROW) * max(width(shortened(name)) for name in names)
    whole = alt.layer(*layers).properties(title=title, width=SMALL_WIDTH, height=HEIGHT)
    return _spec(whole.properties(padding={"left": 5, "right": 5, "top": 5, "bottom": below}))


def _capital(word: str) -> str:
    return f"{word[0].upper()}{word[1:]}"


def _counts(rising: list[tuple[str, str, bool]]) -> tuple[str, str]:
    """Return in words along how many edges a statistic rises, and along how many it does not."""
    n_rising = sum(rises for *_, rises in rising)
    left = len(rising) - n_rising
    return f"rises along {n_rising} of {len(rising)} edges", f"falls or ties along {left}"


def _scale(values: Sequence[float], *, log: bool) -> dict[str, Any]:
    """Return the scale of some values and its axis, whose numbers are round and few."""
    import altair as alt

    low, high = min(values), max(values)
    axis = alt.Axis(format="~g", tickCount=5)
    if not log:
        spare = 0.06 * (high - low) or 0.05 * (abs(high) or 1.0)
        return {"scale": alt.Scale(domain=[low - spare, high + spare], nice=False), "axis": axis}
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


def _edges(
    rising: list[tuple[str, str, bool]],
    values: Mapping[str, float],
    x: alt.X,
    y: alt.Y,
) -> alt.Chart:
    import altair as alt

    ends = [
        {"edge": edge, "column": name, "value": values[name], "rises": rises}
        for edge, (cause, effect, rises) in enumerate(rising)
        for name in (cause, effect)
    ]

    def by_way(rising: Any, falling: Any) -> dict[str, Any]:
        return {"scale": alt.Scale(domain=[True, False], range=[rising, falling]), "legend": None}

    return (
        alt.Chart(alt.InlineData(values=ends))
        .mark_line(strokeWidth=1.3, aria=False)
        .encode(
            x=x,
            y=y,
            detail="edge:N",
            color=alt.Color("rises:N", **by_way(RISING, FALLING)),
            strokeDash=alt.StrokeDash("rises:N", **by_way([1, 0], [4, 2])),
            opacity=alt.Opacity("rises:N", **by_way(0.5, 0.9)),
        )
    )


def _legend(labels: tuple[str, str]) -> list[alt.Chart]:
    """Return above the plot, in the colours of the lines, how many of each there are."""
    import altair as alt

    def above(text: str, colour: str, side: Literal["left", "right"]) -> alt.Chart:
        return (
            alt.Chart(alt.InlineData(values=[{"text": text}]))
            .mark_text(align=side, color=colour, aria=False)
            .encode(
                x=alt.value(0 if side == "left" else SMALL_WIDTH), y=alt.value(-10), text="text:N"
            )
        )

    return [above(labels[0], RISING, "left"), above(labels[1], FALLING, "right")]


def _between_depths(audit: Audit) -> alt.Chart:
    """Return lines between columns of different depth: what is between two has no order."""
    import altair as alt

    step = SMALL_WIDTH / len(audit.columns)
    pairs = zip(audit.columns, audit.columns[1:], strict=False)
    changes = [
        {"x": step * (k + 1)} for k, (one, other) in enumerate(pairs) if one.depth != other.depth
    ]
    return (
        alt.Chart(alt.InlineData(values=changes))
        .mark_rule(strokeDash=[2, 3], opacity=0.35, color="currentColor", aria=False)
        .encode(x=alt.X("x:Q", scale=None, axis=None))
    )


def beside_random(audit: Audit) -> dict[str, Any]:
    """Return the F1 of each baseline below the distribution over random orders."""
    import altair as alt

    from causalassay.auditing.result import RANDOM_ORDERS

    random = next(row for row in audit.baselines if row.algorithm == RANDOM_ORDERS)
    low, high = random.f1_range or (random.f1, random.f1)
    rows = [row for row in audit.baselines if row.algorithm != RANDOM_ORDERS and row.f1 == row.f1]
    counts = audit.random_f1_counts
    bars = [
        {"from": k / len(counts), "to": (k + 1) / len(counts), "orders": count}
        for k, count in enumerate(counts)
        if count
    ]
    x = alt.X("from:Q", scale=alt.Scale(domain=[0, 1]), title=None, axis=_shares())
    over = (
        alt.Chart(alt.InlineData(values=bars))
        .mark_bar(opacity=0.45, color="currentColor", aria=False)
        .encode(x=x.axis(None), x2="to:Q", y=alt.Y("orders:Q", axis=None), y2=alt.datum(0))
        .properties(width=SMALL_WIDTH, height=56, view=alt.ViewConfig(stroke=None))
    )
    points = [
        {
            "baseline": row.algorithm,
            "label": row.algorithm.removeprefix("sorted ") if row.statistic else row.algorithm,
            "from": row.f1,
            "low": row.f1_range[0] if row.f1_range else row.f1,
            "high": row.f1_range[1] if row.f1_range else row.f1,
            "direction": row.direction or "neither",
            "score": _score(row),
            "about": f"{row.algorithm}: {_score(row)}",
        }
        for row in rows
    ]
    base = alt.Chart(alt.InlineData(values=points))
    y = alt.Y("baseline:N", sort=[row.algorithm for row in rows], axis=None)
    colours = alt.Scale(
        domain=["rising", "falling", "neither"], range=[RISING, FALLING, "currentColor"]
    )
    band = (
        alt.Chart(alt.InlineData(values=[{"low": low, "high": high}]))
        .mark_rect(opacity=0.12, color="currentColor", aria=False)
        .encode(x=alt.X("low:Q", axis=_shares(), title=None), x2="high:Q")
    )
    mean = (
        alt.Chart(alt.InlineData(values=[{"mean": random.f1}]))
        .mark_rule(strokeDash=[3, 3], opacity=0.6, color="currentColor", aria=False)
        .encode(x="mean:Q")
    )
    # Names and scores stand above their points: beside them they would take half the width.
    spans = base.mark_rule(
        opacity=0.6, strokeWidth=2, color="currentColor", yOffset=8, aria=False
    ).encode(x=alt.X("low:Q"), x2="high:Q", y=y)
    dots = base.mark_point(filled=True, size=55, opacity=1, yOffset=8).encode(
        x=x,
        y=y,
        color=alt.Color("direction:N", scale=colours, legend=None),
        description="about:N",
    )
    names = base.mark_text(align="left", dy=-6, color="currentColor", aria=False).encode(
        x=alt.value(3), y=y, text="label:N"
    )
    scores = base.mark_text(align="right", dy=-6, color="currentColor", aria=False).encode(
        x=alt.value(SMALL_WIDTH - 3), y=y, text="score:N"
    )
    below = alt.layer(band, mean, spans, dots, names, scores).properties(
        width=SMALL_WIDTH, height=ROW * len(rows)
    )
    title = alt.TitleParams(
        "F1 of the baselines and of random orders",
        subtitle=f"bars: {sum(counts)} random orders; band: their central 95 %",
    )
    return _spec(alt.vconcat(over, below, spacing=0).properties(title=title))


def _score(row: BaselineScore) -> str:
    if row.p_order is None:
        return fixed(row.f1)
    below, number = p_parts(PValue(row.p_order, row.p_is_bound))
    return f"{fixed(row.f1)}, p {'<' if below else '='} {number}"


def _shares() -> alt.Axis:
    """Return an axis from 0 to 1 with few numbers."""
    import altair as alt

    return alt.Axis(format="~g", values=[0, 0.2, 0.4, 0.6, 0.8, 1])


def reached_by_file(word: str, files: Mapping[str, FilePoint]) -> dict[str, Any]:
    """Return the F1 along a statistic against that of random orders, two points for each file.

    Parameters
    ----------
    word : str
        What the chart calls the statistic.
    files : mapping of str to FilePoint
    """
    import altair as alt

    points = [
        {
            "random": one.random_f1,
            "f1": one.random_f1 + gain,
            "direction": direction,
            "about": f"{name}, {direction}: {fixed(one.random_f1 + gain)} against "
            f"{fixed(one.random_f1)}",
        }
        for name, one in files.items()
        for direction, gain in (("falling", one.falling_gain), ("rising", one.rising_gain))
    ]
    domain = alt.Scale(domain=[0, 1])
    line = (
        alt.Chart(alt.InlineData(values=[{"x": 0, "y": 0}, {"x": 1, "y": 1}]))
        .mark_line(strokeDash=[4, 3], opacity=0.6, color="currentColor", aria=False)
        .encode(x=alt.X("x:Q", scale=domain), y=alt.Y("y:Q", scale=domain))
    )
    dots = (
        alt.Chart(alt.InlineData(values=points))
        .mark_point(size=45, opacity=1)
        .encode(
            x=alt.X("random:Q", scale=domain, title="random orders (mean)", axis=_shares()),
            y=alt.Y("f1:Q", scale=domain, title=None, axis=_shares()),
            color=alt.Color("direction:N", scale=_ways([RISING, FALLING]), title=None),
            shape=alt.Shape("direction:N", scale=_ways(["circle", "square"]), title=None),
            description="about:N",
        )
    )
    title = alt.TitleParams(
        f"F1 along {word}, by file",
        subtitle="two points per file; above the line is better",
    )
    return _spec(alt.layer(line, dots).properties(title=title, width=SMALL_WIDTH, height=250))


def _ways(values: Sequence[str]) -> alt.Scale:
    import altair as alt

    return alt.Scale(domain=["rising", "falling"], range=list(values))


def sortability_by_file(measured: Mapping[str, Mapping[str, FilePoint]]) -> dict[str, Any]:
    """Return the sortability of each file by each statistic, with the means.

    Parameters
    ----------
    measured : mapping of str to mapping
        By what the chart calls the statistic, then by file.
    """
    import altair as alt

    points = [
        {
            "statistic": word,
            "sortability": one.sortability,
            "about": f"{name}: {fixed(one.sortability)}",
        }
        for word, files in measured.items()
        for name, one in files.items()
    ]
    y = alt.Y("statistic:N", title=None, sort=list(measured), axis=None)
    x = alt.X("sortability:Q", scale=alt.Scale(domain=[0, 1]), title=None, axis=_shares())
    base = alt.Chart(alt.InlineData(values=points))
    half = (
        alt.Chart(alt.InlineData(values=[{"x": 0.5}]))
        .mark_rule(strokeDash=[4, 3], opacity=0.6, color="currentColor", aria=False)
        .encode(x="x:Q")
    )
    dots = base.mark_point(color=FALLING, size=45, opacity=1, yOffset=8).encode(
        x=x, y=y, description="about:N"
    )
    means = base.mark_tick(
        color=RISING, thickness=3, size=20, opacity=1, yOffset=8, aria=False
    ).encode(x="mean(sortability):Q", y=y)
    words = (
        alt.Chart(alt.InlineData(values=[{"statistic": word} for word in measured]))
        .mark_text(align="left", dy=-8, color="currentColor", aria=False)
        .encode(x=alt.value(3), y=y, text="statistic:N")
    )
    numbers = base.mark_text(align="right", dy=-8, color="currentColor", aria=False).encode(
        x=alt.value(SMALL_WIDTH - 3), y=y, text=alt.Text("mean(sortability):Q", format=".2f")
    )
    title = alt.TitleParams(
        "Sortability of each file", subtitle="1/2 is chance; the bar is the mean, with its number"
    )
    return _spec(
        alt.layer(half, dots, means, words, numbers).properties(
            title=title, width=SMALL_WIDTH, height=(ROW + 6) * len(measured)
        )
    )


def _spec(chart: Any) -> dict[str, Any]:
    spec: dict[str, Any] = chart.to_dict()
    return spec
