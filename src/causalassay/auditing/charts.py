"""Charts of audits: statistics along the causal order, baselines beside random orders, files."""
# ruff: noqa: PLC0415  altair is imported where used, so that an audit without a page does without

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from causalassay.present.charts import FALLING, RISING, SMALL_WIDTH

if TYPE_CHECKING:
    import altair as alt

    from causalassay.auditing.result import Audit
    from causalassay.judging.artefacts import Artefact

HEIGHT = 170
ROW = 34
"""Pixels of a baseline or a statistic."""
MOST_NAMES = 26
"""The most columns whose names fit below the plot."""
MOST_EDGES = 150
"""More lines than these hide the points."""
TIE = 1e-9
LONGEST_NAME = 120
"""Pixels of a name; a longer one is cut."""


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
        f"{artefact.word[0].upper()}{artefact.word[1:]} along the causal order: it rises along "
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
    n_rising = sum(rises for *_, rises in rising)
    word = artefact.word
    title = alt.TitleParams(
        f"{word[0].upper()}{word[1:]} along the causal order{' (log scale)' if log else ''}",
        subtitle=[
            f"rises along {n_rising} of {len(rising)} edges, falls or ties along "
            f"{len(rising) - n_rising}",
            "causes first; no order between dashed lines",
        ],
    )
    names = list(values)
    few = len(names) <= MOST_NAMES
    axis = alt.Axis(labels=few, ticks=few, grid=False, labelAngle=-90, labelLimit=LONGEST_NAME)
    x = alt.X("column:N", sort=names, title=None if few else f"{len(names)} columns", axis=axis)
    scale = alt.Scale(type="log") if log else alt.Scale(zero=False)
    y = alt.Y("value:Q", title=None, scale=scale, axis=alt.Axis(format="~g", tickCount=5))
    points = [
        {"column": one.name, "depth": one.depth, "value": values[one.name]} for one in audit.columns
    ]
    layers = [_between_depths(audit)]
    if len(rising) <= MOST_EDGES:
        layers.append(_edges(rising, values, x, y))
    layers.append(
        alt.Chart(alt.InlineData(values=points))
        .mark_point(filled=True, size=45, opacity=1, color="currentColor")
        .encode(x=x, y=y)
    )
    return _spec(alt.layer(*layers).properties(title=title, width=SMALL_WIDTH, height=HEIGHT))


def _edges(
    rising: list[tuple[str, str, bool]], values: Mapping[str, float], x: alt.X, y: alt.Y
) -> alt.Chart:
    import altair as alt

    ends = [
        {"edge": edge, "column": name, "value": values[name], "rises": rises}
        for edge, (cause, effect, rises) in enumerate(rising)
        for name in (cause, effect)
    ]
    domain = [True, False]
    return (
        alt.Chart(alt.InlineData(values=ends))
        .mark_line(strokeWidth=1.3)
        .encode(
            x=x,
            y=y,
            detail="edge:N",
            color=alt.Color(
                "rises:N", scale=alt.Scale(domain=domain, range=[RISING, FALLING]), legend=None
            ),
            strokeDash=alt.StrokeDash(
                "rises:N", scale=alt.Scale(domain=domain, range=[[1, 0], [4, 2]]), legend=None
            ),
            opacity=alt.Opacity(
                "rises:N", scale=alt.Scale(domain=domain, range=[0.5, 0.9]), legend=None
            ),
        )
    )


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
        .mark_rule(strokeDash=[2, 3], opacity=0.35, color="currentColor")
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
    x = alt.X("from:Q", scale=alt.Scale(domain=[0, 1]), title=None)
    over = (
        alt.Chart(alt.InlineData(values=bars))
        .mark_bar(opacity=0.45, color="currentColor")
        .encode(x=x.axis(None), x2="to:Q", y=alt.Y("orders:Q", axis=None), y2=alt.datum(0))
        .properties(width=SMALL_WIDTH, height=56)
    )
    points = [
        {
            "baseline": row.algorithm,
            "from": row.f1,
            "low": row.f1_range[0] if row.f1_range else row.f1,
            "high": row.f1_range[1] if row.f1_range else row.f1,
            "direction": row.direction or "neither",
            "score": f"{row.f1:.2f}"
            + ("" if row.p_order is None else f", p-value {row.p_order:.3f}"),
        }
        for row in rows
    ]
    base = alt.Chart(alt.InlineData(values=points))
    y = alt.Y("baseline:N", sort=[row.algorithm for row in rows], axis=None)
    colours = alt.Scale(
        domain=["rising", "falling", "neither"], range=[RISING, FALLING, "currentColor"]
    )
    band = (
        alt.Chart(alt.InlineData(values=[{"low": low, "high": high, "mean": random.f1}]))
        .mark_rect(opacity=0.12, color="currentColor")
        .encode(x="low:Q", x2="high:Q")
    )
    mean = (
        alt.Chart(alt.InlineData(values=[{"mean": random.f1}]))
        .mark_rule(strokeDash=[3, 3], opacity=0.6, color="currentColor")
        .encode(x="mean:Q")
    )
    spans = base.mark_rule(opacity=0.6, strokeWidth=2, color="currentColor").encode(
        x=alt.X("low:Q"), x2="high:Q", y=y
    )
    dots = base.mark_point(filled=True, size=55, opacity=1).encode(
        x=x, y=y, color=alt.Color("direction:N", scale=colours, legend=None)
    )
    # Names and scores stand above their points: beside them they would take half the width.
    names = base.mark_text(align="left", dy=-13, color="currentColor", fontSize=11).encode(
        x=alt.value(2), y=y, text="baseline:N"
    )
    scores = base.mark_text(align="right", dy=-13, color="currentColor", fontSize=11).encode(
        x=alt.value(SMALL_WIDTH - 2), y=y, text="score:N"
    )
    below = alt.layer(band, mean, spans, dots, names, scores).properties(
        width=SMALL_WIDTH, height=ROW * len(rows)
    )
    title = alt.TitleParams(
        "F1 of the baselines and of random orders",
        subtitle=f"bars: {sum(counts)} random orders; band: their central 95 %",
    )
    return _spec(alt.vconcat(over, below, spacing=4).properties(title=title))


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
        {"file": name, "random": one.random_f1, "f1": one.random_f1 + gain, "direction": direction}
        for name, one in files.items()
        for direction, gain in (("falling", one.falling_gain), ("rising", one.rising_gain))
    ]
    domain = alt.Scale(domain=[0, 1])
    line = (
        alt.Chart(alt.InlineData(values=[{"x": 0, "y": 0}, {"x": 1, "y": 1}]))
        .mark_line(strokeDash=[4, 3], opacity=0.6, color="currentColor")
        .encode(x=alt.X("x:Q", scale=domain), y=alt.Y("y:Q", scale=domain))
    )
    dots = (
        alt.Chart(alt.InlineData(values=points))
        .mark_point(size=45, opacity=1)
        .encode(
            x=alt.X("random:Q", scale=domain, title="random orders (mean)"),
            y=alt.Y("f1:Q", scale=domain, title=None),
            color=_directions(),
            shape=alt.Shape("direction:N", legend=None),
        )
    )
    title = alt.TitleParams(
        f"F1 along {word}, against random orders",
        subtitle="one point per file and direction; above the line is better",
    )
    return _spec(alt.layer(line, dots).properties(title=title, width=SMALL_WIDTH, height=250))


def _directions() -> alt.Color:
    import altair as alt

    scale = alt.Scale(domain=["rising", "falling"], range=[RISING, FALLING])
    return alt.Color("direction:N", scale=scale, title=None)


def sortability_by_file(measured: Mapping[str, Mapping[str, FilePoint]]) -> dict[str, Any]:
    """Return the sortability of each file by each statistic, with the means.

    Parameters
    ----------
    measured : mapping of str to mapping
        By what the chart calls the statistic, then by file.
    """
    import altair as alt

    points = [
        {"statistic": word, "file": name, "sortability": one.sortability}
        for word, files in measured.items()
        for name, one in files.items()
    ]
    y = alt.Y("statistic:N", title=None, sort=list(measured))
    x = alt.X("sortability:Q", scale=alt.Scale(domain=[0, 1]), title=None)
    base = alt.Chart(alt.InlineData(values=points))
    half = (
        alt.Chart(alt.InlineData(values=[{"x": 0.5}]))
        .mark_rule(strokeDash=[4, 3], opacity=0.6, color="currentColor")
        .encode(x="x:Q")
    )
    dots = base.mark_point(color=FALLING, size=45, opacity=1).encode(x=x, y=y)
    means = base.mark_tick(color=RISING, thickness=3, size=20).encode(x="mean(sortability):Q", y=y)
    title = alt.TitleParams(
        "Sortability of each file", subtitle="1/2 is chance; the bar is the mean"
    )
    return _spec(
        alt.layer(half, dots, means).properties(
            title=title, width=SMALL_WIDTH, height=ROW * len(measured)
        )
    )


def _spec(chart: Any) -> dict[str, Any]:
    spec: dict[str, Any] = chart.to_dict()
    return spec
