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
from causalassay.graphs import sample_dag
from causalassay.metrics import f1, shd, sid
from causalassay.risk import oracle

TARGET = Path(__file__).parent / "images" / "light-tunnel-choice.svg"
KNOWN = {"SID": "low", "oracle risk": "low", "SHD": "low", "F1": "high"}
RESAMPLES, MEMBERS = 2000, 50
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
    """Return the SID, of a graph with undirected edges the mean over some of its members."""
    if not (graph & graph.T).any():
        return float(sid(truth, graph))
    rng = np.random.default_rng(1)
    try:
        return float(np.mean([sid(truth, sample_dag(graph, rng)) for _ in range(MEMBERS)]))
    except ValueError:  # it has no member
        return float("nan")


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
    """Return risk against SID and against oracle risk as SVG."""
    panels = []
    for name in ("SID", "oracle risk"):
        base = alt.Chart(frame[np.isfinite(frame[name])])
        x = alt.X(f"{name}:Q", title=f"{name} by the known graph", scale=alt.Scale(zero=False))
        y = alt.Y("risk:Q", title=None if panels else "risk by choose", scale=alt.Scale(zero=False))
        colour = alt.Color(
            "role:N",
            title=None,
            scale=alt.Scale(domain=["algorithm", "baseline"], range=["#0072B2", "#767676"]),
        ).legend(orient="top")
        shape = alt.Shape(
            "role:N", scale=alt.Scale(domain=["algorithm", "baseline"], range=["circle", "square"])
        ).legend(None)
        bars = base.mark_rule(opacity=0.45).encode(
            x=x, y=alt.Y("low:Q", scale=alt.Scale(zero=False)), y2="high:Q", color=colour
        )
        points = base.mark_point(filled=True, size=50, opacity=1).encode(
            x=x, y=y, color=colour, shape=shape
        )
        words = base.mark_text(align="left", dx=6, fontSize=10, color=INK).encode(
            x=x, y=y, text="name:N"
        )
        panels.append((bars + points + words).properties(width=330, height=360))
    chart = alt.hconcat(*panels).configure_axis(
        gridOpacity=0.5, labelFontSize=12, titleFontSize=12, labelColor=INK
    )
    chart = chart.configure(
        background="white", padding={"left": 5, "right": 60, "top": 5, "bottom": 5}
    )
    return str(vl_convert.vegalite_to_svg(chart.to_json(), allowed_base_urls=[])) + "\n"


if __name__ == "__main__":
    compared = scores(json.loads(Path(sys.argv[1]).read_text()), chamber(sys.argv[2]))
    sys.stdout.write(compared.round(2).to_string(index=False) + "\n\n")
    sys.stdout.write(agreement(compared).round(2).to_string(index=False) + "\n")
    TARGET.write_text(picture(compared), encoding="utf-8")
