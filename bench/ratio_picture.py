"""The picture: how many times as fast as each peer, with the targets marked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, cast

import altair as alt
import pandas as pd
import vl_convert

from bench.table_lines import Line, Ratio
from causalassay.present.colours import light

WIDTH, STEP = 520, 17
INK, QUIET, PAPER = light("ink", "quiet", "paper")
MET, MISSED, FREE = light("blue", "vermillion", "sky")
"""Shapes say the same."""
_CELLS = 10
"""Of a row of the table."""
_RATIO = re.compile(r"(?P<least>> )?(?P<middle>[\d.]+)×(?: \((?P<low>[\d.]+)–(?P<high>[\d.]+)\))?")
"""How a table writes a ratio and its range, without the spaces of thousands."""


def ratios(lines: Sequence[Line]) -> str:
    """Return the picture as SVG."""
    return svg(_chart(pd.DataFrame([_record(line) for line in lines if line.ratio is not None])))


def ratios_of_page(text: str) -> str:
    """Return the picture of the table on a page: of all its rows, whenever each was run."""
    return svg(_chart(pd.DataFrame(_records_of(text))))


def svg(chart: alt.TopLevelMixin) -> str:
    """Return a chart as SVG, without asking anybody else for anything."""
    return str(vl_convert.vegalite_to_svg(chart.to_json(), allowed_base_urls=[])) + "\n"


def _record(line: Line) -> dict[str, Any]:
    if line.ratio is None:
        raise ValueError(f"{line.name} has no ratio to draw")
    who = f"{line.row.title.split(' (')[0]}, {line.row.size} · {line.name}"
    return _mark(who, line.ratio, line.target, line.met)


def _mark(who: str, ratio: Ratio, target: str, met: bool | None) -> dict[str, Any]:
    return {
        "who": who,
        "ratio": ratio.middle,
        "low": ratio.low,
        "high": ratio.high,
        "target": float(target.removesuffix("×")) if target else None,
        "state": {None: "no target", True: "target met", False: "target missed"}[met],
        "kind": "at least" if ratio.at_least else "measured",
    }


def _records_of(text: str) -> Iterator[dict[str, Any]]:
    """Yield what is drawn of each row of the first table of a page that has a ratio."""
    title = size = ""
    for line in re.findall(r"(?m)^\| (.*) \|$", text.partition("\n## Searches")[0]):
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)]
        if cells[0]:
            title, size = cells[0].split(" (")[0], cells[1]
        if len(cells) < _CELLS or not (
            ratio := _RATIO.search(re.sub(r"(?<=\d)\s(?=\d)", "", cells[6]))
        ):
            continue
        middle = float(ratio["middle"])
        low, high = (float(ratio[end] or middle) for end in ("low", "high"))
        name = re.sub(r" \d+(\.\d+)+$", "", cells[2])
        met = {"yes": True, "no": False}.get(cells[8].strip("*"))
        at_least = ratio["least"] is not None
        yield _mark(f"{title}, {size} · {name}", Ratio(middle, low, high, at_least), cells[7], met)


def _chart(frame: pd.DataFrame) -> alt.TopLevelMixin:
    order = list(dict.fromkeys(frame["who"]))
    ends = alt.Scale(type="log", nice=True)
    axis = alt.Axis(labelExpr="format(datum.value, ',~r') + '×'", tickCount=6, gridOpacity=0.6)
    x = alt.X("ratio:Q", scale=ends, axis=axis, title="times as fast as the peer (log scale)")
    y = alt.Y("who:N", sort=order, title=None, axis=alt.Axis(labelLimit=420))
    states = ["target met", "target missed", "no target"]
    colour = alt.Color(
        "state:N",
        title=None,
        scale=alt.Scale(domain=states, range=[MET, MISSED, FREE]),
        legend=alt.Legend(orient="top"),
    )
    shape = alt.Shape(
        "kind:N",
        title=None,
        scale=alt.Scale(domain=["measured", "at least"], range=["circle", "triangle-right"]),
        legend=alt.Legend(orient="top"),
    )
    base = alt.Chart(frame).encode(y=y)
    one = alt.Chart(pd.DataFrame({"ratio": [1.0]})).mark_rule(color=QUIET).encode(x="ratio:Q")
    spread = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("low:Q", scale=ends), x2="high:Q", color=colour
    )
    goal = base.mark_tick(color=INK, thickness=2, size=13).encode(x=alt.X("target:Q", scale=ends))
    dots = base.mark_point(filled=True, size=70, opacity=1).encode(x=x, color=colour, shape=shape)
    layers: Any = alt.layer(one, spread, goal, dots)
    chart = layers.properties(width=WIDTH, height=alt.Step(STEP), background=PAPER)
    return cast(alt.TopLevelMixin, chart.configure_view(stroke=None))
