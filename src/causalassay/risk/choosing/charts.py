"""Charts of a choice: risks beside random graphs, and who moved under which intervention."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from causalassay.present.charts import FALLING, RISING
from causalassay.present.formatting import fixed, shortened

if TYPE_CHECKING:
    from causalassay.risk.choosing.result import Choice

WIDTH, ROW = 300, 20
CELL = (32, 22)
"""Pixels of a cell of the matrix of effects, across and down."""

STRONG = 1.0
"""The effect from which on a cell has its full colour."""

PADDING = {"left": 28, "right": 8, "top": 4, "bottom": 4}
"""Pixels around a chart: a reader's letters may be wider than those it was measured with."""

LONGEST_NAME = 26
LONGEST_LABEL = 160
"""Pixels of a name; a longer one is cut."""


def risks_alt(choice: Choice) -> str:
    """Return in words what the risks are."""
    least = choice.rows[0]
    return (
        f"Weighted causal risk of {len(choice.rows)} graphs with intervals: the least is "
        f"{fixed(least.weighted)}, of {least.name}"
    )


def risks(choice: Choice) -> dict[str, Any]:
    """Return the risk of each algorithm and baseline beside random graphs of its density."""
    import altair as alt  # noqa: PLC0415  # takes a while, and most choices are never drawn

    rows = [
        {
            "name": row.name,
            "risk": row.weighted,
            "low": row.interval[0],
            "high": row.interval[1],
            "from": row.random.low,
            "to": row.random.high,
            "beats": row.random.beaten,
            "role": row.role,
        }
        for row in choice.rows
    ]
    names = [row.name for row in choice.rows]
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        y=alt.Y("name:N", sort=names, title=None, axis=alt.Axis(labelLimit=LONGEST_LABEL))
    )
    axis = alt.Axis(values=[0, 0.2, 0.4, 0.6, 0.8, 1])
    x = alt.X("risk:Q", title=None, scale=alt.Scale(domain=[0, 1]), axis=axis)
    colour = alt.Color(
        "beats:N",
        scale=alt.Scale(domain=[True, False], range=[FALLING, "currentColor"]),
        legend=None,
    )
    band = base.mark_bar(height=16, opacity=0.16, color="currentColor").encode(
        x=alt.X("from:Q"), x2="to:Q"
    )
    spans = base.mark_rule(strokeWidth=2, opacity=0.7).encode(
        x=alt.X("low:Q"), x2="high:Q", color=colour
    )
    points = [
        base.mark_point(filled=filled, size=50, opacity=1)
        .encode(x=x, color=colour)
        .transform_filter(alt.FieldEqualPredicate(field="role", equal=role))
        for role, filled in (("algorithm", True), ("baseline", False))
    ]
    title = alt.TitleParams(
        "Weighted causal risk: left is better",
        subtitle=[
            "Line: 95 % interval. Grey: 95 % of random graphs of",
            "the same density. Blue: shown to beat them. Hollow: baseline.",
        ],
    )
    chart = alt.layer(band, spans, *points)
    return _spec(chart.properties(title=title, width=WIDTH, height=ROW * len(rows)))


def movements_alt(choice: Choice) -> str:
    """Return in words how many columns moved."""
    moved = sum(len(each.moved) for each in choice.movements)
    pairs = len(choice.movements) * (len(choice.columns) - 1)
    return f"Who moved under which intervention: {moved} of {pairs} pairs of condition and column"


def movements(choice: Choice) -> dict[str, Any]:
    """Return the effect of each condition on each column, framed where it moved."""
    import altair as alt  # noqa: PLC0415  # as above

    labels = [
        f"{shortened(each.condition, LONGEST_NAME)} → {shortened(each.target, LONGEST_NAME)}"
        for each in choice.movements
    ]
    cells = []
    for place, each in enumerate(choice.movements):
        for name in choice.columns:
            effect, target = each.effects[name], name == each.target
            number = "–" if effect is None else fixed(effect, 1)
            cells.append(
                {
                    "row": place,
                    "column": name,
                    "text": "T" if target else number,
                    "up": (effect or 0) > 0,
                    "strength": 0 if target else min(abs(effect or 0) / STRONG, 1) * 0.55,
                    "moved": name in each.moved,
                    "strong": target or name in each.moved,
                }
            )
    base = alt.Chart(alt.InlineData(values=cells)).encode(
        x=alt.X(
            "column:N",
            sort=list(choice.columns),
            title=None,
            axis=alt.Axis(orient="top", labelAngle=-90, labelLimit=LONGEST_LABEL),
        ),
        y=alt.Y("row:O", axis=None),
    )
    width, height = CELL
    yes_no = [True, False]
    fill = base.mark_rect(width=width - 3, height=height - 3).encode(
        color=alt.Color(
            "up:N", scale=alt.Scale(domain=yes_no, range=[RISING, FALLING]), legend=None
        ),
        opacity=alt.Opacity("strength:Q", scale=None),
    )
    frame = base.mark_rect(
        width=width - 3, height=height - 3, filled=False, stroke="currentColor", strokeWidth=1.6
    ).transform_filter(alt.FieldEqualPredicate(field="moved", equal=True))
    numbers = base.mark_text(fontSize=10, color="currentColor").encode(
        text="text:N",
        opacity=alt.Opacity(
            "strong:N", scale=alt.Scale(domain=yes_no, range=[1, 0.55]), legend=None
        ),
    )
    named = [{"row": place, "label": label} for place, label in enumerate(labels)]
    names = (
        alt.Chart(alt.InlineData(values=named))
        .mark_text(align="right", fontSize=12, color="currentColor")
        .encode(x=alt.value(-6), y=alt.Y("row:O", axis=None), text="label:N")
    )
    title = alt.TitleParams(
        "Who moved under which intervention",
        subtitle="Effect sizes. Orange: up, blue: down. Frame: moved. T: the target.",
        offset=14,
    )
    chart = alt.layer(fill, frame, numbers, names).properties(
        title=title, width=width * len(choice.columns), height=height * len(labels)
    )
    return _spec(chart)


def _spec(chart: Any) -> dict[str, Any]:
    spec: dict[str, Any] = chart.properties(padding=PADDING).to_dict()
    return spec
