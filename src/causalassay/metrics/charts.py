"""The reliability picture: probabilities of edges beside the shares of true ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from causalassay.metrics.probabilities import Reliability
from causalassay.present.charts import COLOURS, DASHES, QUIET, SHAPES, chart_of

SIDE, BARS = 280, 60
"""Pixels of the square, and of the bars of counts below it."""


def reliability_points(bins: Mapping[str, Reliability]) -> list[dict[str, Any]]:
    """Return a record for each bin of each series that has pairs."""
    return [
        {
            "series": name,
            "probability": round(float(p), 4),
            "share": round(float(share), 4),
            "pairs": int(count),
            "low": round(float(low), 4),
            "high": round(float(high), 4),
        }
        for name, series in bins.items()
        for low, high, count, p, share in zip(
            series.bounds,
            series.bounds[1:],
            series.counts,
            series.probability,
            series.share,
            strict=False,
        )
        if count
    ]


def reliability_spec(bins: Mapping[str, Reliability]) -> dict[str, Any]:
    """Return the picture as a specification: shares against probabilities; of one series, counts.

    Parameters
    ----------
    bins : mapping of str to Reliability
        Series by name, such as algorithms.
    """
    import altair as alt

    names = list(bins)
    ends = alt.Scale(domain=[0, 1])
    axis = alt.Axis(tickCount=5, format=".1f")
    x = alt.X("probability:Q", scale=ends, axis=axis, title="probability")
    legend = None if len(names) == 1 else alt.Legend(title=None)

    def channel(kind: Any, palette: Any) -> Any:
        picked = [palette[k % len(palette)] for k in range(len(names))]
        scale = alt.Scale(domain=names, range=picked)
        return kind("series:N", scale=scale, legend=legend)

    colour = channel(alt.Color, COLOURS)
    base = chart_of(many=reliability_points(bins))
    tooltip = [alt.Tooltip(field=name) for name in ("series", "probability", "share", "pairs")]
    diagonal = (
        chart_of({"probability": 0, "share": 0}, {"probability": 1, "share": 1})
        .mark_line(color=QUIET, strokeDash=[4, 3], strokeWidth=1)
        .encode(x=x, y="share:Q")
    )
    y = alt.Y("share:Q", scale=ends, axis=axis, title="share of true ones")
    lines = base.mark_line(strokeWidth=1.5).encode(
        x=x, y=y, color=colour, strokeDash=channel(alt.StrokeDash, DASHES)
    )
    points = base.mark_point(filled=True, size=60, opacity=1).encode(
        x=x, y=y, color=colour, shape=channel(alt.Shape, SHAPES), tooltip=tooltip
    )
    square = alt.layer(diagonal, lines, points).properties(width=SIDE, height=SIDE)
    if len(names) > 1:  # the counts of several would hide each other
        return dict(square.to_dict())
    counts = base.mark_rect(opacity=0.6).encode(
        x=alt.X("low:Q", scale=ends, axis=axis, title="probability, in bins"),
        x2="high:Q",
        y=alt.Y(
            "pairs:Q",
            scale=alt.Scale(type="sqrt"),
            axis=alt.Axis(tickCount=3, format="~s"),
            title="pairs",
        ),
        y2=alt.Y2Datum(0),
        color=colour,
        tooltip=tooltip,
    )
    spec: dict[str, Any] = alt.vconcat(
        square, counts.properties(width=SIDE, height=BARS), spacing=8
    ).to_dict()
    return spec
