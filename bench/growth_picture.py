"""The curves of time against nodes and rows, a panel for each algorithm."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import pandas as pd

from bench.growth import Curve
from bench.picture import MET, QUIET, svg

COLUMNS = 6
PANEL = {"width": 120, "height": 80}
WORDS = {"d": "number of nodes", "n": "number of rows"}


def picture(curves: Sequence[Curve]) -> str:
    """Return the picture as SVG: nodes above, rows below."""
    blocks = [_block([curve for curve in curves if curve.along == along], along) for along in "dn"]
    chart = alt.vconcat(*blocks, spacing=30, background="white")
    return svg(chart.configure_view(stroke="#dddddd"))


def _block(curves: Sequence[Curve], along: str) -> alt.FacetChart:
    frame = pd.DataFrame(
        [
            {"panel": _title(curve), "size": size, "seconds": seconds}
            for curve in curves
            for size, seconds in zip(curve.sizes, curve.seconds, strict=True)
        ]
    )
    x = alt.X(
        "size:Q",
        scale=alt.Scale(type="log"),
        axis=alt.Axis(tickCount=3, format="~s", grid=False),
        title=WORDS[along],
    )
    y = alt.Y(
        "seconds:Q",
        scale=alt.Scale(type="log", domain=[1e-5, 100], clamp=True),
        axis=alt.Axis(values=[1e-4, 1e-2, 1, 100], format="~g", gridColor="#eeeeee"),
        title="seconds",
    )
    base = alt.Chart(frame).encode(x=x, y=y)
    layers = alt.layer(
        base.mark_line(color=QUIET, strokeWidth=1), base.mark_point(color=MET, filled=True, size=22)
    )
    order = [_title(curve) for curve in curves]
    facet = alt.Facet("panel:N", sort=order, title=None, header=alt.Header(labelFontSize=11))
    return layers.properties(**PANEL).facet(facet, columns=COLUMNS)


def _title(curve: Curve) -> str:
    return f"{curve.name}: {curve.along}^{curve.exponent:.1f}"
