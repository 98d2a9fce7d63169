"""Draws images/searches.svg, score against time of every search, from a run of the benchmark.

``python -m bench full --only ges --only xges --only boss --only grasp`` prints the name of its
file of timings; ``python docs/search_picture.py TIMINGS.json`` draws it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import mean, median
from typing import Any

import altair as alt
import pandas as pd
import vl_convert

TARGET = Path(__file__).parent / "images" / "searches.svg"
SEARCHES = {"ges": "GES", "xges": "XGES", "boss": "BOSS", "grasp": "GRaSP"}
SIZES = (20, 50, 100)
WIDTH, HEIGHT = 230, 220
OURS = "causalassay"


def points(rows: dict[str, list[dict[str, Any]]]) -> pd.DataFrame:
    """Return seconds and lost BIC of each program that ran on all seeds of a row.

    What is lost is the mean difference to the best score that any program has on the seed.
    """
    scores = {
        (size, seed): score
        for size in SIZES
        for _, result in _results(rows, size)
        for seed, score in _scores(result).items()
    }
    for size in SIZES:
        for _, result in _results(rows, size):
            for seed, score in _scores(result).items():
                scores[size, seed] = max(scores[size, seed], score)
    records = []
    for size in SIZES:
        all_seeds = {seed for n_nodes, seed in scores if n_nodes == size}
        for search, result in _results(rows, size):
            own = _scores(result)
            if set(own) == all_seeds:
                records.append(
                    {
                        "size": f"{size} nodes",
                        "search": search,
                        "who": OURS if result["name"] == OURS else "another package",
                        "name": _label(search, result["name"]),
                        "seconds": median(_least(one) for one in result["timings"].values()),
                        "lost": mean(scores[size, seed] - own[seed] for seed in own),
                    }
                )
    return pd.DataFrame(records)


def _results(
    rows: dict[str, list[dict[str, Any]]], size: int
) -> Iterator[tuple[str, dict[str, Any]]]:
    for job, search in SEARCHES.items():
        for result in rows.get(f"{job}-{size}", []):
            yield search, result


def _scores(result: dict[str, Any]) -> dict[str, float]:
    return {
        seed: timing["quality"]["BIC"]
        for seed, timing in result["timings"].items()
        if "BIC" in timing["quality"]
    }


def _least(timing: dict[str, Any]) -> float:
    return float(min(timing["times"] or [timing["first"]]))


def _label(search: str, name: str) -> str:
    return search if name == OURS else name if search in name else f"{name} {search}"


def chart(frame: pd.DataFrame) -> alt.TopLevelMixin:
    """Return time across, lost score downwards, a panel for each size."""
    base = alt.Chart().encode(
        x=alt.X("seconds:Q", scale=alt.Scale(type="log"), title="seconds (log scale)"),
        y=alt.Y("lost:Q", scale=alt.Scale(reverse=True), title="BIC below the best found (mean)"),
    )
    colour = alt.Color(
        "who:N",
        title=None,
        scale=alt.Scale(domain=[OURS, "another package"], range=["#0072B2", "#D55E00"]),
        legend=alt.Legend(orient="top"),
    )
    dots = base.mark_point(filled=True, size=70, opacity=1).encode(color=colour)
    names = base.mark_text(align="left", dx=7, fontSize=10).encode(text="name:N")
    panel = alt.layer(dots, names).properties(width=WIDTH, height=HEIGHT)
    panels = panel.facet(
        data=frame,
        column=alt.Column("size:N", sort=[f"{size} nodes" for size in SIZES], title=None),
    )
    return panels.properties(background="white")


def main(timings: str) -> None:
    """Write the picture."""
    frame = points(json.loads(Path(timings).read_text(encoding="utf-8"))["rows"])
    picture = vl_convert.vegalite_to_svg(chart(frame).to_json(), allowed_base_urls=[])
    TARGET.write_text(picture + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
