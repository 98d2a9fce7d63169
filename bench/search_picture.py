"""The picture: score against time of every search."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import mean, median
from typing import cast

import altair as alt
import pandas as pd

from bench.ratio_picture import svg
from bench.table_lines import calls
from bench.timings import Result

Results = Mapping[str, Sequence[Result]]
"""By the name of the row."""

SEARCHES = {"greedy": "GES", "xges-0": "XGES-0", "xges": "XGES", "boss": "BOSS", "grasp": "GRaSP"}
SIZES = (50, 100)
WIDTH, HEIGHT = 330, 300
OURS, OTHERS = "causalassay", "another package"
COLOURS = ["#0072B2", "#D55E00"]
"""Okabe and Ito's, which the colour-blind tell apart; shapes say the same."""


def picture(results: Results) -> str:
    """Return the picture as SVG."""
    return svg(_chart(points(results)))


def points(results: Results) -> pd.DataFrame:
    """Return seconds and lost BIC of each program that ran on all seeds of a row.

    What is lost is the mean difference to the best score that any program has on the seed.
    """
    records = []
    for size in SIZES:
        named = list(_of_size(results, size))
        best = _best(result for _, result in named)
        for search, result in named:
            own = _scores(result)
            if own and set(own) == set(best):
                records.append(
                    {
                        "size": f"{size} nodes",
                        "who": OURS if result.name == OURS else OTHERS,
                        "name": _label(search, result.name),
                        "seconds": median(min(calls(one)) for one in result.timings.values()),
                        "lost": mean(best[seed] - score for seed, score in own.items()),
                    }
                )
    return pd.DataFrame(records, columns=["size", "who", "name", "seconds", "lost"])


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
    base = alt.Chart().encode(
        x=alt.X("seconds:Q", scale=alt.Scale(type="log"), title="CPU seconds (log scale)"),
        y=alt.Y(
            "lost:Q",
            scale=alt.Scale(type="symlog", constant=10, reverse=True),
            title="BIC below the best found, mean over seeds",
        ),
    )
    whose = [OURS, OTHERS]
    colour = alt.Color(
        "who:N",
        title=None,
        scale=alt.Scale(domain=whose, range=COLOURS),
        legend=alt.Legend(orient="top"),
    )
    shape = alt.Shape(
        "who:N", title=None, scale=alt.Scale(domain=whose, range=["circle", "square"])
    )
    dots = base.mark_point(filled=True, size=70, opacity=1).encode(color=colour, shape=shape)
    names = base.mark_text(align="left", dx=7, fontSize=11).encode(text="name:N")
    panel = alt.layer(dots, names).properties(width=WIDTH, height=HEIGHT)
    column = alt.Column("size:N", sort=[f"{size} nodes" for size in SIZES], title=None)
    panels = panel.facet(data=frame, column=column).resolve_scale(y="independent")
    return cast(alt.TopLevelMixin, panels.properties(background="white"))
