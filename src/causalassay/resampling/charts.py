"""The chart of edge frequencies: a cell for each pair of columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from causalassay.present.charts import PAPER
from causalassay.present.formatting import percent

if TYPE_CHECKING:
    import altair as alt

    from causalassay.resampling.result import EdgeFrequencies

SIDE, SMALL = 30, 12
"""Pixels of a cell with its numbers, and without."""
MOST_NUMBERED = 24
"""Columns up to which cells have numbers."""
MOST_DRAWN = 80
"""Columns up to which there is a chart at all."""
DARK = 0.55
"""Share from which on the numbers in a cell are light."""
LINE = 12
"""Pixels between two numbers in a cell."""
LONGEST_NAME = 130
"""Pixels of a name; a longer one is cut."""

INK, FILL, FRAME, EDGE = "#1f2933", "#2f6f9f", "#cbd2d9", "#c2410c"


def frequency_matrix(frequencies: EdgeFrequencies) -> dict[str, Any]:
    """Return how often each row may cause each column.

    A cell has the share of i→j, and after a dash that of i—j: the numbers of the table. The
    more often either comes out, the darker it is. The edges of the graph have a frame.
    """
    import altair as alt  # noqa: PLC0415  # takes a while, and few results are drawn

    names = list(frequencies.columns)
    pairs = [(i, j) for i in range(len(names)) for j in range(len(names)) if i != j]
    axis: dict[str, Any] = {"title": None, "grid": False, "ticks": False, "domain": False}
    axis["labelLimit"] = LONGEST_NAME
    scale = alt.Scale(domain=names, paddingInner=0.07, paddingOuter=0.04)
    base = alt.Chart(alt.InlineData(values=[_cell(frequencies, *pair) for pair in pairs])).encode(
        x=alt.X("effect:N", scale=scale, axis=alt.Axis(**axis, orient="top", labelAngle=-90)),
        y=alt.Y("cause:N", scale=scale, axis=alt.Axis(**axis)),
    )
    shades = alt.Scale(domain=[0, 1], range=[PAPER, FILL], interpolate="rgb")
    drawn = alt.datum.drawn
    layers = [
        base.mark_rect().encode(
            color=alt.Color("known:Q", legend=None, scale=shades),
            stroke=alt.condition(drawn, alt.value(EDGE), alt.value(FRAME)),
            strokeWidth=alt.condition(drawn, alt.value(2), alt.value(1)),
            description="says:N",
        )
    ]
    few = len(names) <= MOST_NUMBERED
    if few:
        layers += [_numbers(base, n_lines) for n_lines in (1, 2)]
    size = len(names) * (SIDE if few else SMALL)
    spec: dict[str, Any] = alt.layer(*layers).properties(width=size, height=size).to_dict()
    return spec


def _cell(frequencies: EdgeFrequencies, i: int, j: int) -> dict[str, Any]:
    cause, effect = frequencies.columns[i], frequencies.columns[j]
    forward, backward, undirected, absent = frequencies.shares(i, j)
    lines = [f"{100 * forward:.0f}"] if forward > 0 else []
    lines += [f"—{100 * undirected:.0f}"] if undirected > 0 else []
    return {
        "cause": cause,
        "effect": effect,
        "known": forward + undirected,
        "drawn": bool(frequencies.estimate.graph[i, j]),
        "n_lines": len(lines),
        "numbers": "\n".join(lines),
        "says": f"{cause} → {effect}: {percent(forward)}, {effect} → {cause}: "
        f"{percent(backward)}, undirected: {percent(undirected)}, absent: {percent(absent)}",
    }


def _numbers(base: alt.Chart, n_lines: int) -> alt.Chart:
    """Return the numbers of the cells that have so many, in the middle of each."""
    import altair as alt  # noqa: PLC0415

    look: dict[str, Any] = {"fontSize": 11, "lineBreak": "\n", "lineHeight": LINE, "aria": False}
    return (
        base.transform_filter(alt.datum.n_lines == n_lines)
        .mark_text(**look, dy=LINE * (1 - n_lines) / 2)
        .encode(
            text="numbers:N",
            color=alt.condition(alt.datum.known > DARK, alt.value(PAPER), alt.value(INK)),
        )
    )
