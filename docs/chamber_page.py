"""Prints the table of the light tunnel and draws images/light-tunnel.svg, for real-systems.md.

causalassay run examples/real-systems/chamber.toml
causalassay export chamber-results rows.csv && python docs/chamber_page.py rows.csv DATA_FOLDER
"""

from __future__ import annotations

import sys
from itertools import combinations_with_replacement
from pathlib import Path

import altair as alt
import numpy as np
import pandas as pd
import vl_convert

from causalassay.data import Problem, chamber
from causalassay.discovery.registry import ALGORITHMS
from causalassay.present.colours import light

TARGET = Path(__file__).parent / "images" / "light-tunnel.svg"
METRICS = {"f1": "F1", "shd": "SHD", "sid": "SID"}
ROWS = {True: "reference rows", False: "all rows"}
SCALES = {"": "raw", "standardize": "standardised"}
SETTINGS = [f"{rows}, {scale}" for rows in ROWS.values() for scale in SCALES.values()]
INK, PAPER = light("ink", "paper")
COLOURS = light("vermillion", "blue", "orange", "sky")
SHAPES = ["circle", "square", "triangle-up", "diamond"]


def scores(file: str) -> pd.DataFrame:
    """Return the mean, least and largest score of each algorithm, setting and metric."""
    table = pd.read_csv(file, keep_default_na=False, na_values=["nan"])
    table = table[table["status"] == "ok"]
    reads = {name: ALGORITHMS.get(name).reads for name in set(table["use"])}
    of_all = table["use"].map(reads).str.startswith("all rows")
    table = table[table["data.only_observational"] | of_all]
    rows = table["data.only_observational"].map(ROWS)
    table = table.assign(setting=rows + ", " + table["transform"].map(SCALES))
    long = table.melt(["algorithm", "setting"], list(METRICS), "metric", "score")
    long["score"] = pd.to_numeric(long["score"])
    return long.groupby(["algorithm", "setting", "metric"])["score"].agg(["mean", "min", "max"])


def markdown(found: pd.DataFrame) -> str:
    """Return the table: F1, SHD and SID in each setting, the best F1 first."""
    lines = [
        "| algorithm | " + " | ".join(SETTINGS) + " |",
        "|---|" + "---|" * len(SETTINGS),
    ]
    for name in order(found):
        cells = [
            ", ".join(_cell(found.loc[name, setting, metric], metric) for metric in METRICS)
            if (name, setting, "f1") in found.index
            else ""
            for setting in SETTINGS
        ]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def order(found: pd.DataFrame) -> list[str]:
    """Return the algorithms, the best mean F1 on raw reference rows first."""
    return found.xs((SETTINGS[0], "f1"), level=(1, 2))["mean"].sort_values(ascending=False).index


def _cell(score: pd.Series, metric: str) -> str:
    return f"{score['mean']:.2f}" if metric == "f1" else f"{score['mean']:.0f}"


def picture(found: pd.DataFrame) -> str:
    """Return the scores as SVG: a panel for each metric, a line for each algorithm."""
    frame = found.reset_index().replace({"metric": METRICS})
    y = alt.Y("algorithm:N", sort=list(order(found)), title=None)
    colour = alt.Color(
        "setting:N", title=None, scale=alt.Scale(domain=SETTINGS, range=COLOURS)
    ).legend(orient="top", columns=2, columnPadding=60)
    shape = alt.Shape("setting:N", title=None, scale=alt.Scale(domain=SETTINGS, range=SHAPES))
    lane = alt.YOffset("setting:N", sort=SETTINGS)
    panels = []
    for metric, better in (("F1", "high"), ("SHD", "low"), ("SID", "low")):
        x = alt.X("mean:Q", title=f"{metric}, {better} is better", scale=alt.Scale(zero=True))
        own = frame[frame["metric"] == metric]
        base, varied = alt.Chart(own), alt.Chart(own[own["min"] < own["max"]])
        spread = varied.mark_rule(opacity=0.7).encode(
            x="min:Q", x2="max:Q", y=y, yOffset=lane, color=colour
        )
        if panels:
            y = y.axis(labels=False, ticks=False)
        points = base.mark_point(filled=True, size=40).encode(
            x=x, y=y, yOffset=lane, color=colour, shape=shape
        )
        panels.append((spread + points).properties(width=170, height=alt.Step(6)))
    chart = alt.hconcat(*panels).configure_axis(
        grid=True, gridOpacity=0.5, labelFontSize=12, titleFontSize=12, labelColor=INK
    )
    chart = chart.configure(
        background=PAPER, padding={"left": 25, "right": 5, "top": 5, "bottom": 5}
    ).configure_legend(labelFontSize=12)
    return str(vl_convert.vegalite_to_svg(chart.to_json(), allowed_base_urls=[])) + "\n"


def shared_noise(problem: Problem) -> str:
    """Return how the two sensors of each place correlate, given all their known causes.

    Each sensor is regressed on its causes, their squares, cubes and products up to degree 3.
    """
    values = problem.data.observational_values
    values = (values - values.mean(axis=0)) / values.std(axis=0)

    def rest(name: str) -> np.ndarray:
        causes = np.flatnonzero(problem.graph[:, problem.data.index(name)])
        terms = [
            values[:, list(term)].prod(axis=1)
            for degree in range(4)
            for term in combinations_with_replacement(causes, degree)
        ]
        own, on = values[:, problem.data.index(name)], np.stack(terms, axis=1)
        return own - on @ np.linalg.lstsq(on, own, rcond=None)[0]

    return "".join(
        f"ir_{place} and vis_{place}, given their causes: "
        f"{np.corrcoef(rest(f'ir_{place}'), rest(f'vis_{place}'))[0, 1]:.2f}\n"
        for place in (1, 2, 3)
    )


if __name__ == "__main__":
    measured = scores(sys.argv[1])
    sys.stdout.write(markdown(measured) + "\n\n" + shared_noise(chamber(sys.argv[2])))
    TARGET.write_text(picture(measured), encoding="utf-8")
