"""Draws images/postgres.svg and prints its numbers: python docs/postgres_picture.py experiment.

The folder is that of `causalassay domain postgres --out experiment`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import altair as alt
import pandas as pd
import vl_convert

from causalassay.cli.algorithm_options import read_algorithms
from causalassay.factorial import Evaluation, evaluate, read_experiment

TARGET = Path(__file__).parent / "images" / "postgres.svg"
ALGORITHMS = ("pc", "mmhc", "ges")
COLOURS = {"algorithm": "#0072B2", "reference": "#8a8a8a"}
INK = "#222222"
LEVEL = 0.05


def effects(result: Evaluation) -> pd.DataFrame:
    """Return how far each treatment moves each outcome: total variation of last against first."""
    rows = result.to_dict()["effects"]
    frame = pd.DataFrame(rows)
    frame["label"] = [
        f"{one['TV']:.2f}" if one["p_value"] <= LEVEL else f"({one['TV']:.2f})" for one in rows
    ]
    return frame


def scores(result: Evaluation) -> pd.DataFrame:
    """Return the mean of each measure with its interval, one row per graph and measure."""
    found = []
    for row in result.rows:
        for measure in ("SHD", "SID", "TV"):
            mean = row.mean(measure)
            found.append((row.name, row.role, measure, mean.value, mean.low, mean.high))
    return pd.DataFrame(found, columns=["graph", "role", "measure", "mean", "low", "high"])


def _heat(frame: pd.DataFrame) -> alt.LayerChart:
    base = alt.Chart(frame).encode(
        x=alt.X("outcome:N", sort=None, title=None, axis=alt.Axis(orient="top", labelAngle=0)),
        y=alt.Y("treatment:N", sort=None, title=None),
    )
    colour = alt.Color("TV:Q", scale=alt.Scale(scheme="blues", domain=[0, 0.6]), legend=None)
    dark = alt.condition("datum.TV > 0.35", alt.value("white"), alt.value(INK))
    text = base.mark_text(fontSize=13).encode(text="label:N", color=dark)
    heat = base.mark_rect().encode(color=colour) + text
    return heat.properties(width=520, height=100)


def _dots(frame: pd.DataFrame, measure: str, first: bool) -> alt.LayerChart:
    axis = alt.Axis(labels=first, ticks=first, labelLimit=220)
    y = alt.Y("graph:N", sort=None, title=None, axis=axis)
    colour = alt.Color(
        "role:N", legend=None, scale=alt.Scale(domain=list(COLOURS), range=list(COLOURS.values()))
    )
    base = alt.Chart(frame[frame["measure"] == measure])
    spread = base.mark_rule().encode(x="low:Q", x2="high:Q", y=y, color=colour)
    x = alt.X("mean:Q", title=measure, scale=alt.Scale(zero=True))
    points = base.mark_point(filled=True, size=55, opacity=1).encode(x=x, y=y, color=colour)
    return (spread + points).properties(width=165, height=alt.Step(20))


def picture(result: Evaluation) -> str:
    """Return the SVG: what moves what, and below what each graph reaches."""
    reached = scores(result)
    dots = [_dots(reached, name, name == "SHD") for name in ("SHD", "SID", "TV")]
    chart = alt.vconcat(_heat(effects(result)), alt.hconcat(*dots)).resolve_scale(
        color="independent"
    )
    chart = chart.configure(background="white", padding=8)
    chart = chart.configure_axis(
        gridOpacity=0.5, labelFontSize=12, titleFontSize=12, labelColor=INK
    )
    return str(vl_convert.vegalite_to_svg(chart.to_json(), allowed_base_urls=[])) + "\n"


if __name__ == "__main__":
    experiment = read_experiment(Path(sys.argv[1]) / "postgres.toml")
    evaluation = evaluate(experiment, read_algorithms(ALGORITHMS), n_look_alikes=0)
    for table in (effects(evaluation), scores(evaluation)):
        sys.stdout.write(table.round(3).to_string(index=False) + "\n")
    TARGET.write_text(picture(evaluation), encoding="utf-8")
