"""All outcomes of a reproduction in one picture: how far the numbers are, and what was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import altair as alt
import vl_convert

from causalassay.report.charts import theme
from causalassay.reproducing import Line
from causalassay.reproducing.agreement import Outcome, relative_difference

OUTCOMES: dict[Outcome, str] = {
    "agrees": "#0072B2",
    "holds": "#56B4E9",
    "open": "#BBBBBB",
    "fails": "#E69F00",
    "disagrees": "#D55E00",
    "other data": "#CC79A7",
    "not run": "#DDDDDD",
    "not computed": "#EEEEEE",
}
"""From the best to those without a number, with their colours; light and dark differ in grey."""

FARTHEST = 3.0
"""Dots beyond are drawn here."""
DISTANCE = "ours − published, as a multiple of what is allowed"
ROW, WIDTH = 20, 300
SPARE = {"left": 30, "right": 30, "top": 5, "bottom": 5}
"""Around the picture: a reader's font may be wider than the one it was measured with."""

Groups = Mapping[str, Sequence[Line]]
Chart = alt.Chart | alt.LayerChart | alt.FacetChart


def overview_svg(groups: Groups) -> str:
    """Return the picture, a row for each group of lines: an item, or a paper."""
    names = list(groups)
    panels: list[Chart] = [_counts(groups, names)]
    if any(distances(groups)):
        panels.insert(0, _numbers(groups, names))
    chart = alt.hconcat(*panels, spacing=12, padding=SPARE).configure(**theme.config())
    return vl_convert.vegalite_to_svg(chart.to_dict(), allowed_base_urls=[])


def counts_by_group(groups: Groups) -> list[dict[str, object]]:
    """Return how many lines of each group have each outcome."""
    return [
        {"group": name, "outcome": outcome, "place": place, "count": count}
        for name, lines in groups.items()
        for place, outcome in enumerate(OUTCOMES)
        if (count := Counter(line.outcome for line in lines)[outcome])
    ]


def distances(groups: Groups) -> list[dict[str, object]]:
    """Return how far each number is, at most `FARTHEST`."""
    rows: list[dict[str, object]] = []
    for name, lines in groups.items():
        for line in lines:
            judged = line.outcome in {"agrees", "disagrees"}
            far = (
                None
                if line.ours is None or not judged
                else relative_difference(line.value, line.ours)
            )
            if far is not None:
                shown = min(max(far, -FARTHEST), FARTHEST)
                rows.append({"group": name, "far": shown, "outcome": line.outcome})
    return rows


def _numbers(groups: Groups, names: Sequence[str]) -> Chart:
    band = (
        alt.Chart(alt.InlineData(values=[{"low": -1, "high": 1}]))
        .mark_rect(color="#EEF3F7")
        .encode(x=alt.X("low:Q", title=DISTANCE), x2="high:Q")
    )
    axis = alt.Axis(values=[-3, -2, -1, 0, 1, 2, 3], format="d")
    dots = (
        alt.Chart(alt.InlineData(values=distances(groups)))
        .mark_point(filled=True, size=34, opacity=0.55)
        .encode(
            x=alt.X(
                "far:Q",
                title=DISTANCE,
                scale=alt.Scale(domain=[-FARTHEST, FARTHEST]),
                axis=axis,
            ),
            y=_rows(names, labels=True),
            color=_colour(),
        )
    )
    return alt.layer(band, dots).properties(
        width=WIDTH, height=ROW * len(names), title="Numbers: within ±1 they agree"
    )


def _counts(groups: Groups, names: Sequence[str]) -> alt.Chart:
    return (
        alt.Chart(alt.InlineData(values=counts_by_group(groups)))
        .mark_bar(height=12)
        .encode(
            x=alt.X("count:Q", title="published values", axis=alt.Axis(tickMinStep=1, format="d")),
            y=_rows(names, labels=not any(distances(groups))),
            color=_colour(),
            order=alt.Order("place:Q"),
        )
        .properties(width=WIDTH, height=ROW * len(names), title="All values by outcome")
    )


def _rows(names: Sequence[str], *, labels: bool) -> alt.Y:
    axis = alt.Axis(labels=labels, ticks=False, title=None, labelLimit=200)
    return alt.Y("group:N", axis=axis, scale=alt.Scale(domain=list(names)))


def _colour() -> alt.Color:
    scale = alt.Scale(domain=list(OUTCOMES), range=list(OUTCOMES.values()))
    return alt.Color("outcome:N", scale=scale, legend=alt.Legend(title=None, orient="right"))
