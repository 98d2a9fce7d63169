"""Charts of a choice: risks beside random graphs, and who moved under which intervention.

Importing this imports Altair, so the document names these charts by `lazy_chart`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import altair as alt

from causalassay.present.charts import (
    FALLING,
    INK_OF_PAGE,
    RISING,
    chart_of,
    titled_spec,
    two_colours,
)
from causalassay.present.formatting import fixed, percent, shortened
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

YES_NO = (True, False)


def risks(choice: Choice) -> dict[str, Any]:
    """Return the risk of each algorithm and baseline beside random graphs of its density."""
    rows = (
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
    )
    labels, shares = alt.Axis(labelLimit=LONGEST_LABEL), alt.Axis(values=[0, 0.2, 0.4, 0.6, 0.8, 1])
    names = [row.name for row in choice.rows]
    base = chart_of(many=rows).encode(y=alt.Y("name:N", sort=names, title=None, axis=labels))
    x = alt.X("risk:Q", title=None, scale=alt.Scale(domain=[0, 1]), axis=shares)
    colour = two_colours("beats:N", YES_NO, (FALLING, "currentColor"))
    return titled_spec(
        alt.layer(
            base.mark_bar(height=16, opacity=0.16, **INK_OF_PAGE).encode(
                x=alt.X("from:Q"), x2="to:Q"
            ),
            base.mark_rule(strokeWidth=2, opacity=0.7).encode(
                x=alt.X("low:Q"), x2="high:Q", color=colour
            ),
            *(
                base.mark_point(filled=filled, size=50, opacity=1)
                .encode(x=x, color=colour)
                .transform_filter(alt.FieldEqualPredicate(field="role", equal=role))
                for role, filled in (("algorithm", True), ("baseline", False))
            ),
        ),
        "Weighted causal risk: left is better",
        [
            f"Line: {percent(choice.level)} interval. Grey: 95 % of random graphs of",
            "the same density. Blue: shown to beat them. Hollow: baseline.",
        ],
        width=WIDTH,
        height=ROW * len(names),
        padding=PADDING,
    )


def movements(choice: Choice) -> dict[str, Any]:
    """Return the effect of each condition on each column, framed where it moved."""
    labels = (
        {
            "row": number,
            "label": f"{shortened(movement.condition, LONGEST_NAME)} → "
            f"{shortened(movement.target, LONGEST_NAME)}",
        }
        for number, movement in enumerate(choice.movements)
    )
    width, height = CELL
    rectangle: dict[str, Any] = {"width": width - 3, "height": height - 3}
    y = alt.Y("row:O", axis=None)
    axis = alt.Axis(orient="top", labelAngle=-90, labelLimit=LONGEST_LABEL)
    x = alt.X("column:N", sort=list(choice.columns), title=None, axis=axis)
    base = chart_of(many=_cells(choice)).encode(x=x, y=y)
    faint = alt.Scale(domain=list(YES_NO), range=[1, 0.55])
    return titled_spec(
        alt.layer(
            base.mark_rect(**rectangle).encode(
                color=two_colours("up:N", YES_NO, (RISING, FALLING)),
                opacity=alt.Opacity("strength:Q", scale=None),
            ),
            base.mark_rect(
                **rectangle, filled=False, stroke="currentColor", strokeWidth=1.6
            ).transform_filter(alt.FieldEqualPredicate(field="moved", equal=True)),
            base.mark_text(fontSize=10, **INK_OF_PAGE).encode(
                text="text:N", opacity=alt.Opacity("strong:N", scale=faint, legend=None)
            ),
            chart_of(many=labels)
            .mark_text(align="right", fontSize=12, **INK_OF_PAGE)
            .encode(x=alt.value(-6), y=y, text="label:N"),
        ),
        "Who moved under which intervention",
        "Effect sizes. Orange: up, blue: down. Frame: moved. T: the target.",
        offset=14,
        width=width * len(choice.columns),
        height=height * len(choice.movements),
        padding=PADDING,
    )


def _cells(choice: Choice) -> Iterator[dict[str, Any]]:
    for number, movement in enumerate(choice.movements):
        for name in choice.columns:
            effect, is_target = movement.effects[name], name == movement.target
            size = "–" if effect is None else fixed(effect, 1)
            moved = name in movement.moved
            yield {
                "row": number,
                "column": name,
                "text": "T" if is_target else size,
                "up": (effect or 0) > 0,
                "strength": 0 if is_target else min(abs(effect or 0) / STRONG, 1) * 0.55,
                "moved": moved,
                "strong": is_target or moved,
            }
