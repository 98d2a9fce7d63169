"""The picture: score against time of every search."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import mean, median
from typing import cast

import altair as alt
import pandas as pd

from bench.ratio_picture import PAPER, svg
from bench.table_lines import calls
from bench.timings import Result
from causalassay.present.colours import light

Results = Mapping[str, Sequence[Result]]
"""By the name of the row."""

SEARCHES = {"greedy": "GES", "xges-0": "XGES-0", "xges": "XGES", "boss": "BOSS", "grasp": "GRaSP"}
SIZES = (50, 100)
WIDTH, HEIGHT = 370, 340
OURS, OTHERS = "causalassay", "another package"
ALL, FEWER = "on all seeds", "on one seed"
LEFT = ["Tetrad BOSS", "Tetrad FGES"]
"""Whose names stand on the left, so that none covers another."""
COLOURS = light("blue", "vermillion")
"""Shapes say the same."""


def picture(results: Results) -> str:
    """Return the picture as SVG."""
    return svg(_chart(points(results)))


def points(results: Results) -> pd.DataFrame:
    """Return seconds and lost BIC of each program.

    What is lost is the mean difference to the best score that any program has on the seed.
    """
    records = []
    for size in SIZES:
        named = list(_of_size(results, size))
        best = _best(result for _, result in named)
        for search, result in named:
            own = _scores(result)
            if own:
                records.append(
                    {
                        "size": f"{size} nodes",
                        "who": OURS if result.name == OURS else OTHERS,
                        "name": _label(search, result.name),
                        "seeds": ALL if set(own) == set(best) else FEWER,
                        "seconds": median(min(calls(one)) for one in result.timings.values()),
                        "lost": mean(best[seed] - score for seed, score in own.items()),
                    }
                )
    return pd.DataFrame(records, columns=["size", "who", "name", "seeds", "seconds", "lost"])


def _of_size(results: Results, size: int) -> Iterator[tuple[str, Result]]:
    for job, search in SEARCHES.items():
        for result in results.get(f"{job}-{size}", ()):
            yield search, result


def _best(results: Iterable[Result]) -> dict[int, float]:
    best: dict[int, float] = {}
    for result in results:
        for seed, score in _scores(result).items():
            best[seed] = max(score, best.get(seed, score))
    return best


def _scores(result: Result) -> dict[int, float]:
    return {
        seed: timing.quality["BIC"]
        for seed, timing in result.timings.items()
        if "BIC" in timing.quality
    }


def _label(search: str, name: str) -> str:
    """Return what is written beside a point: the search, and whose it is.

    Examples
    --------
    >>> _label("BOSS", "causalassay"), _label("BOSS", "Tetrad 7.6.3 BOSS")
    ('BOSS', 'Tetrad BOSS')
    >>> _label("XGES-0", "xges")
    'xges XGES-0'
    """
    if name == OURS:
        return search
    package, *rest = name.split()
    return f"{package} {rest[-1] if rest else search}"


def _chart(frame: pd.DataFrame) -> alt.TopLevelMixin:
    """Return time across, lost score downwards, a panel for each size."""
    seconds = alt.Scale(type="log", domain=[0.004, 3000], nice=False)
    times = alt.Axis(values=[0.01, 0.1, 1, 10, 100, 1000], format="~r")
    lost = alt.Scale(type="symlog", constant=1, reverse=True, domainMin=0)
    scores = alt.Axis(values=[0, 1, 2, 5, 10, 20, 50, 100, 200, 500])
    base = alt.Chart().encode(
        x=alt.X("seconds:Q", scale=seconds, axis=times, title="CPU seconds (log scale)"),
        y=alt.Y("lost:Q", scale=lost, axis=scores, title="BIC below the best found (mean)"),
    )
    above = alt.Legend(orient="top")
    whose = alt.Scale(domain=[OURS, OTHERS], range=COLOURS)
    shapes = alt.Scale(domain=[OURS, OTHERS], range=["circle", "square"])
    filled = alt.Scale(domain=[ALL, FEWER], range=[1, 0])
    dots = base.mark_point(size=60, strokeWidth=2, opacity=1).encode(
        stroke=alt.Stroke("who:N", title=None, scale=whose, legend=above),
        fill=alt.Fill("who:N", title=None, scale=whose, legend=above),
        shape=alt.Shape("who:N", title=None, scale=shapes, legend=above),
        fillOpacity=alt.FillOpacity("seeds:N", title=None, scale=filled, legend=above),
    )
    is_left = alt.expr.indexof(LEFT, alt.datum.name) >= 0
    words = base.encode(text="name:N")
    right = words.transform_filter(~is_left).mark_text(align="left", dx=8, fontSize=11)
    left = words.transform_filter(is_left).mark_text(align="right", dx=-8, fontSize=11)
    panel = alt.layer(dots, right, left).properties(width=WIDTH, height=HEIGHT)
    column = alt.Column("size:N", sort=[f"{size} nodes" for size in SIZES], title=None)
    panels = panel.facet(data=frame, column=column)
    return cast(alt.TopLevelMixin, panels.properties(background=PAPER))
