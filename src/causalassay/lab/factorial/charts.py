"""Charts of evaluations: scores of all graphs by each measure, and effects as a heat map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from causalassay.common.arrays import finite_or_none
from causalassay.lab.factorial.scores import ScoreRow
from causalassay.lab.factorial.truth import Truth
from causalassay.present.charts import FALLING, RISING, SMALL_WIDTH, chart_of, titled_spec
from causalassay.present.formatting import fixed, size

TITLES = {
    "TV": "Total variation from the experiment",
    "SHD": "SHD from the consistent graph",
    "SID": "SID from the consistent graph",
}
DECIMALS = {"TV": 2, "SHD": 1, "SID": 1}
ROW = 34
"""Pixels of a graph: its name above its interval."""
CELL = 41
"""Pixels of a treatment in the heat map."""
LONGEST_NAME = 220
"""Pixels of an outcome's name; a longer one is cut."""


def _by_variation(rows: Sequence[ScoreRow]) -> list[ScoreRow]:
    judged = (row for row in rows if row.mean("TV").n)
    return sorted(judged, key=lambda row: row.mean("TV").value)


def scores_alt(rows: Sequence[ScoreRow], measure: str) -> str:
    """Return the scores by one measure in words."""
    means = {row.name: row.mean(measure) for row in _by_variation(rows)}
    values = (f"{name} {fixed(mean.value)}" for name, mean in means.items() if mean.n)
    return f"{TITLES[measure]}: {', '.join(values)}"


def scores(rows: Sequence[ScoreRow], measure: str) -> dict[str, Any]:
    """Return all graphs by one measure, in the order of total variation, with intervals.

    Parameters
    ----------
    rows : sequence of ScoreRow
    measure : {"TV", "SHD", "SID"}
    """
    import altair as alt

    ordered = _by_variation(rows)
    points = [_point(row, measure) for row in ordered]
    # Names and numbers stand above their intervals: beside them they would take half the width.
    base = chart_of(*points)
    y = alt.Y("graph:N", sort=[row.name for row in ordered], axis=None)
    x = alt.X("value:Q", title=None, scale=alt.Scale(zero=True), axis=alt.Axis(tickCount=5))
    colour = alt.Color(
        "role:N",
        scale=alt.Scale(domain=["algorithm", "reference"], range=[FALLING, "currentColor"]),
        legend=None,
    )
    known = base.transform_filter("isValid(datum.value)")
    spans = known.transform_filter("isValid(datum.low)").mark_rule(strokeWidth=2.5, yOffset=6)
    fill = alt.Fill(
        "role:N",
        scale=alt.Scale(domain=["algorithm", "reference"], range=[FALLING, "transparent"]),
        legend=None,
    )
    names = base.mark_text(align="left", dy=-8, fontSize=11, limit=SMALL_WIDTH - 40)
    numbers = base.mark_text(align="right", dy=-8, fontSize=11)
    layers = alt.layer(
        spans.encode(x=alt.X("low:Q"), x2="high:Q", y=y, color=colour),
        known.mark_point(size=45, opacity=1, yOffset=6).encode(x=x, y=y, color=colour, fill=fill),
        names.encode(x=alt.value(2), y=y, text="graph:N", color=colour),
        numbers.encode(x=alt.value(SMALL_WIDTH - 2), y=y, text="text:N", color=colour),
    )
    below = ["mean over repeats and its 95 % interval", "blue: an algorithm"]
    height = ROW * max(1, len(points))
    return titled_spec(layers, TITLES[measure], below, width=SMALL_WIDTH, height=height)


def _point(row: ScoreRow, measure: str) -> dict[str, Any]:
    mean = row.mean(measure)
    text = fixed(mean.value, DECIMALS[measure]) if mean.n else "no graph"
    values = {"value": mean.value, "low": mean.low, "high": mean.high}
    known = {name: finite_or_none(value) for name, value in values.items()}
    return {"graph": row.name, "role": row.role, "text": text, **known}


def effects(truth: Truth) -> dict[str, Any]:
    """Return how far each treatment moves each outcome, as a heat map with numbers."""
    import altair as alt

    experiment = truth.experiment
    cells = [
        {
            "treatment": effect.treatment,
            "outcome": effect.outcome,
            "effect": effect.TV,
            "text": f"{size(effect.TV, '<')}{'*' if effect.moves else ''}",
        }
        for effect in truth.effect_rows
    ]
    base = chart_of(*cells)
    axis = alt.Axis(
        orient="top", labelAngle=-90, labelLimit=LONGEST_NAME, ticks=False, domain=False
    )
    x = alt.X("outcome:N", sort=list(experiment.outcomes), title=None, axis=axis)
    y = alt.Y("treatment:N", sort=list(experiment.treatments), axis=None)
    opacity = alt.Opacity("effect:Q", scale=alt.Scale(zero=True, range=[0.04, 0.6]), legend=None)
    names = (
        base.transform_aggregate(groupby=["treatment"])
        .mark_text(align="left", baseline="top", dy=3 - CELL // 2, fontSize=11)
        .encode(x=alt.value(4), y=y, text="treatment:N", color=alt.value("currentColor"))
    )
    layers = alt.layer(
        base.mark_rect(color=RISING, stroke="currentColor", strokeOpacity=0.2).encode(
            x=x, y=y, opacity=opacity
        ),
        base.mark_text(dy=8).encode(x=x, y=y, text="text:N", color=alt.value("currentColor")),
        names,
    )
    return titled_spec(
        layers,
        "What each treatment does to each outcome",
        "TV between last and first level; star: it moves it (test)",
        offset=24,  # browsers may draw the names wider than they are measured
        width=SMALL_WIDTH,
        height=CELL * len(experiment.treatments),
    )
