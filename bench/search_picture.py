"""The picture: score against time of every search.

To draw it again from a file of timings: ``python -m bench.search_picture TIMINGS.json TARGET.svg``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean, median
from typing import Any, cast

import altair as alt
import pandas as pd

from bench.ratio_picture import svg

Timings = Mapping[str, Sequence[Mapping[str, Any]]]
"""The results of each row by its name, as files have them."""

SEARCHES = {"ges": "GES", "xges-0": "XGES-0", "xges": "XGES", "boss": "BOSS", "grasp": "GRaSP"}
SIZES = (50, 100)
WIDTH, HEIGHT = 330, 300
OURS, OTHERS = "causalassay", "another package"
COLOURS = ["#0072B2", "#D55E00"]
"""Okabe and Ito's, which the colour-blind tell apart; shapes say the same."""


def picture(timings: Timings) -> str:
    """Return the picture as SVG."""
    return svg(_chart(points(timings)))


def points(timings: Timings) -> pd.DataFrame:
    """Return seconds and lost BIC of each program that ran on all seeds of a row.

    What is lost is the mean difference to the best score that any program has on the seed.
    """
    records = []
    for size in SIZES:
        results = list(_results(timings, size))
        best = _best(result for _, result in results)
        for search, result in results:
            own = _scores(result)
            if own and set(own) == set(best):
                records.append(
                    {
                        "size": f"{size} nodes",
                        "who": OURS if result["name"] == OURS else OTHERS,
                        "name": _label(search, result["name"]),
                        "seconds": median(_least(one) for one in result["timings"].values()),
                        "lost": mean(best[seed] - score for seed, score in own.items()),
                    }
                )
    frame = pd.DataFrame(records, columns=["size", "who", "name", "seconds", "lost"])
    return frame.drop_duplicates(["size", "name"])


def _results(timings: Timings, size: int) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the results of all rows of a size; a search's own row comes before GES', with peers."""
    for job in sorted(SEARCHES, key="ges".__eq__):
        for result in timings.get(f"{job}-{size}", ()):
            yield SEARCHES[job], result


def _best(results: Iterator[Mapping[str, Any]]) -> dict[str, float]:
    best: dict[str, float] = {}
    for result in results:
        for seed, score in _scores(result).items():
            best[seed] = max(score, best.get(seed, score))
    return best


def _scores(result: Mapping[str, Any]) -> dict[str, float]:
    return {
        str(seed): timing["quality"]["BIC"]
        for seed, timing in result["timings"].items()
        if timing["quality"].get("BIC") is not None
    }


def _least(timing: Mapping[str, Any]) -> float:
    return float(min(timing["times"] or [timing["first"]]))


def _label(search: str, name: str) -> str:
    """Return what is written beside a point: the search, and whose it is.

    Examples
    --------
    >>> _label("BOSS", "causalassay"), _label("BOSS", "Tetrad 7.6.3 BOSS")
    ('BOSS', 'Tetrad BOSS')
    >>> _label("GES", "xges"), _label("XGES-0", "xges")
    ('xges XGES', 'xges XGES-0')
    """
    if name == OURS:
        return search
    package, *rest = name.split()
    if package == "xges" and search == "GES":
        return "xges XGES"
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


def main(timings: str, target: str) -> None:
    """Draw a file of timings."""
    record = json.loads(Path(timings).read_text(encoding="utf-8"))
    Path(target).write_text(picture(record["rows"]), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
