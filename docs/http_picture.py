"""Draws images/http.svg and prints the effects: python docs/http_picture.py http-experiment.

The folder is that of `causalassay domain http --out http-experiment`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import altair as alt
import numpy as np
import pandas as pd
import vl_convert

from causalassay.lab.factorial import FactorialExperiment, read_experiment
from causalassay.present.colours import light

TARGET = Path(__file__).parent / "images" / "http.svg"
INK, PAPER = light("ink", "paper")
COLOURS = light("vermillion", "orange", "blue", "sky")
SHAPES = ["circle", "square", "triangle-up", "diamond"]
TITLES = {
    "compression": "gzip / identity",
    "proxy": "proxy / direct",
    "user_agent": "mobile / desktop",
}
RESAMPLES = 1000


def effects(experiment: FactorialExperiment) -> pd.DataFrame:
    """Return by what factor each treatment changes each outcome, for each server class.

    A factor is the geometric mean over pages of treated over untreated, all else equal; its
    interval has 95 % by resampling pages.
    """
    logs = experiment.frame.copy()
    logs[list(experiment.outcomes)] = np.log(logs[list(experiment.outcomes)])
    rng = np.random.default_rng(1)
    found = []
    for treatment, (without, with_it) in experiment.levels.items():
        by = [experiment.biasing, experiment.subject, treatment]
        means = logs.groupby(by)[list(experiment.outcomes)].mean()
        change = means.xs(with_it, level=treatment) - means.xs(without, level=treatment)
        for name, own in change.groupby(level=0):
            picked = rng.integers(len(own), size=(RESAMPLES, len(own)))
            for outcome in experiment.outcomes:
                values = own[outcome].to_numpy()
                low, high = np.quantile(values[picked].mean(axis=1), [0.025, 0.975])
                factors = np.exp([values.mean(), low, high])
                found.append((treatment, name, outcome, *factors))
    return pd.DataFrame(found, columns=["treatment", "class", "outcome", "factor", "low", "high"])


def picture(frame: pd.DataFrame, outcomes: tuple[str, ...]) -> str:
    """Return the factors as SVG: a panel for each treatment."""
    classes = list(dict.fromkeys(frame["class"]))
    scale = alt.Scale(domain=classes, range=COLOURS)
    colour = alt.Color("class:N", title="server class", scale=scale).legend(orient="top")
    shape = alt.Shape("class:N", scale=alt.Scale(domain=classes, range=SHAPES)).legend(None)
    panels = []
    for treatment, title in TITLES.items():
        own = frame[frame["treatment"] == treatment]
        axis = alt.Axis(labels=not panels, ticks=not panels, labelLimit=220)
        y = alt.Y("outcome:N", sort=list(outcomes), title=None, axis=axis)
        lane = alt.YOffset("class:N", sort=classes)
        x = alt.X(
            "factor:Q",
            title=f"{title} (log scale)",
            scale=alt.Scale(type="log", domain=[0.08, 8], nice=False),
            axis=alt.Axis(values=[0.1, 0.25, 0.5, 1, 2, 4], format="~g"),
        )
        base = alt.Chart(own)
        spread = base.mark_rule().encode(x="low:Q", x2="high:Q", y=y, yOffset=lane, color=colour)
        points = base.mark_point(filled=True, size=45, opacity=1).encode(
            x=x, y=y, yOffset=lane, color=colour, shape=shape
        )
        panels.append((spread + points).properties(width=165, height=alt.Step(11)))
    chart = alt.hconcat(*panels).configure_axis(
        gridOpacity=0.5, labelFontSize=12, titleFontSize=12, labelColor=INK
    )
    chart = chart.configure(
        background=PAPER, padding={"left": 25, "right": 5, "top": 5, "bottom": 5}
    )
    return str(vl_convert.vegalite_to_svg(chart.to_json(), allowed_base_urls=[])) + "\n"


if __name__ == "__main__":
    read = read_experiment(Path(sys.argv[1]) / "http.toml")
    measured = effects(read)
    sys.stdout.write(measured.round(3).to_string(index=False) + "\n")
    TARGET.write_text(picture(measured, read.outcomes), encoding="utf-8")
