"""The curves of time against nodes and rows, a panel for each algorithm."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import pandas as pd

from bench.growth import Curve
from bench.ratio_picture import MET, PAPER, svg
from causalassay.present.colours import light

(FRAME,) = light("faint")
COLUMNS = 6
PANEL = {"width": 120, "height": 80}
WORDS = {"d": "number of nodes", "n": "number of rows"}


def picture(curves: Sequence[Curve]) -> str:
    """Return the picture as SVG: nodes above, rows below."""
    blocks = [_block([curve for curve in curves if curve.along == along], along) for along in "dn"]
    chart = alt.vconcat(*blocks, spacing=30, background=PAPER)
    # Without a label for each point, which are half of the file: the table says it in words.
    return svg(chart.configure(aria=False).configure_view(stroke=FRAME))


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
        axis=alt.Axis(values=[10, 100, 1000, 10**4, 10**5, 10**6], format="~s", grid=False),
        title=WORDS[along],
    )
    y = alt.Y(
        "seconds:Q",
        scale=alt.Scale(type="log", domain=[1e-5, 100], clamp=True),
        axis=alt.Axis(values=[1e-4, 1e-2, 1, 100], format="~g", grid=False),
        title="seconds",
    )
    lines = alt.Chart(frame).mark_line(color=MET, strokeWidth=2).encode(x=x, y=y)
    order = [_title(curve) for curve in curves]
    facet = alt.Facet("panel:N", sort=order, title=None, header=alt.Header(labelFontSize=11))
    return lines.properties(**PANEL).facet(facet, columns=COLUMNS)


def _title(curve: Curve) -> str:
    return f"{curve.name}: {curve.along}^{curve.exponent:.1f}"
