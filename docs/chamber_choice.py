"""Compares the ranking of `choose` on the light tunnel with the known graph, for real-systems.md.

causalassay choose chamber.csv --condition condition --target target --observational reference \
    --json > choice.json
python docs/chamber_choice.py choice.json DATA_FOLDER

Draws images/light-tunnel-choice.svg; prints a table and rank correlations.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import vl_convert
from scipy.stats import kendalltau

from causalassay.data import Problem, chamber
from causalassay.metrics import f1, shd, sid
from causalassay.metrics.resolution import mean_over_members, repair
from causalassay.risk import oracle

TARGET = Path(__file__).parent / "images" / "light-tunnel-choice.svg"
KNOWN = {"SID": "low", "oracle risk": "low", "SHD": "low", "F1": "high"}
PANELS = {
    "risk": "risk by choose",
    "oracle risk": "oracle risk",
    "SID": "SID",
    "F1": "F1 (high is better)",
}
RESAMPLES = 2000
INK = "#222222"


def scores(choice: Mapping[str, Any], problem: Problem) -> pd.DataFrame:
    """Return the risk of each row, and what the known graph says of the graph found."""
    at = problem.data.index
    found = []
    for row in choice["rows"]:
        edges = choice["graphs"].get(row["name"])
        if edges is None:
            continue
        graph = np.zeros_like(problem.graph)
        for i, j in edges["directed"]:
            graph[at(i), at(j)] = True
        for i, j in edges["undirected"]:
            graph[at(i), at(j)] = graph[at(j), at(i)] = True
        found.append(
            {
                "name": row["name"],
                "role": row["role"],
                "edges": row["density"]["directed"] + row["density"]["undirected"],
                "risk": row["weighted"],
                "low": row["interval"][0],
                "high": row["interval"][1],
                "SID": _sid(problem.graph, graph),
                "oracle risk": oracle(problem.graph, graph),
                "SHD": shd(problem.graph, graph),
                "F1": f1(problem.graph, graph),
            }
        )
    return pd.DataFrame(found)


def _sid(truth: np.ndarray, graph: np.ndarray) -> float:
    """Return the SID; of a class the mean over members, as studies have it."""
    return mean_over_members(lambda dag: sid(truth, dag), repair(graph, 1).graph, 1).value


def agreement(frame: pd.DataFrame) -> pd.DataFrame:
    """Return Kendall's tau of the risk with each score of the known graph, among algorithms.

    Positive: both rank alike. Intervals have 95 % by resampling algorithms; p-values are for
    rankings that have nothing to do with each other.
    """
    own = frame[frame["role"] == "algorithm"]
    rng = np.random.default_rng(1)
    picked = rng.integers(len(own), size=(RESAMPLES, len(own)))
    rows = []
    for name, better in KNOWN.items():
        score = (-own[name] if better == "high" else own[name]).to_numpy(float)
        risk, known = own["risk"].to_numpy(), np.isfinite(score)
        tau, p_value = kendalltau(risk[known], score[known])
        drawn = [_tau(risk[rows_], score[rows_]) for rows_ in picked]
        low, high = np.nanquantile(drawn, [0.025, 0.975])
        rows.append((name, int(known.sum()), tau, low, high, p_value))
    return pd.DataFrame(rows, columns=["score", "algorithms", "tau", "low", "high", "p"])


def _tau(risk: np.ndarray, score: np.ndarray) -> float:
    known = np.isfinite(score)
    return float(kendalltau(risk[known], score[known])[0])


def picture(frame: pd.DataFrame) -> str:
    """Return all scores as SVG, the graphs in the order of their risk."""
    order = list(frame.sort_values("risk")["name"])
    roles = ["algorithm", "baseline"]
    colours = alt.Scale(domain=roles, range=["#0072B2", "#767676"])
    shapes = alt.Scale(domain=roles, range=["circle", "square"])
    colour = alt.Color("role:N", title=None, scale=colours).legend(orient="top")
    shape = alt.Shape("role:N", title=None, scale=shapes)
    panels = []
    for name, title in PANELS.items():
        axis = alt.Axis(labels=not panels, ticks=not panels, domain=not panels)
        y = alt.Y("name:N", scale=alt.Scale(domain=order), title=None, axis=axis)
        base = alt.Chart(frame[np.isfinite(frame[name])])
        points = base.mark_point(filled=True, size=50, opacity=1).encode(
            x=alt.X(f"{name}:Q", title=title, axis=alt.Axis(tickCount=4)),
            y=y,
            color=colour,
            shape=shape,
        )
        if name == "risk":
            points = base.mark_rule().encode(x="low:Q", x2="high:Q", y=y, color=colour) + points
        panels.append(points.properties(width=150, height=alt.Step(17)))
    chart = alt.hconcat(*panels).configure_axis(
        gridOpacity=0.5, labelFontSize=12, titleFontSize=12, labelColor=INK
    )
    chart = chart.configure(
        background="white", padding={"left": 30, "right": 5, "top": 5, "bottom": 5}
    )
    return str(vl_convert.vegalite_to_svg(chart.to_json(), allowed_base_urls=[])) + "\n"


if __name__ == "__main__":
    compared = scores(json.loads(Path(sys.argv[1]).read_text()), chamber(sys.argv[2]))
    sys.stdout.write(compared.round(2).to_string(index=False) + "\n\n")
    sys.stdout.write(agreement(compared).round(2).to_string(index=False) + "\n")
    TARGET.write_text(picture(compared), encoding="utf-8")
