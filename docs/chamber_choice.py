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
    panels = [_panel(frame, "SID", "risk by choose"), _panel(frame, "oracle risk", None)]
    chart = alt.hconcat(*panels).configure_axis(
        gridOpacity=0.5, labelFontSize=12, titleFontSize=12, labelColor=INK
    )
    chart = chart.configure(background="white", padding=8)
    return str(vl_convert.vegalite_to_svg(chart.to_json(), allowed_base_urls=[])) + "\n"


def _panel(frame: pd.DataFrame, name: str, title: str | None) -> alt.LayerChart:
    own = frame[np.isfinite(frame[name])]
    own = own.assign(place=_apart(own[name].to_numpy(float), own["risk"].to_numpy()))
    low, high = own[name].min(), own[name].max()
    domain = [low - 0.05 * (high - low), high + 0.45 * (high - low)]
    x = alt.X(
        f"{name}:Q",
        title=f"{name} by the known graph",
        scale=alt.Scale(domain=domain, nice=False),
        axis=alt.Axis(tickCount=6),
    )
    heights = alt.Scale(domain=[0.15, 1])
    roles = alt.Scale(domain=["algorithm", "baseline"], range=["#0072B2", "#767676"])
    colour = alt.Color("role:N", title=None, scale=roles).legend(orient="top", symbolOpacity=1)
    shapes = alt.Scale(domain=["algorithm", "baseline"], range=["circle", "square"])
    base = alt.Chart(own)
    bars = base.mark_rule(opacity=0.3).encode(
        x=x, y=alt.Y("low:Q", scale=heights, title=title), y2="high:Q", color=colour
    )
    points = base.mark_point(filled=True, size=50, opacity=1).encode(
        x=x, y="risk:Q", color=colour, shape=alt.Shape("role:N", title=None, scale=shapes)
    )
    words = base.mark_text(align="left", dx=7, fontSize=10, color=INK).encode(
        x=x, y="place:Q", text="name:N"
    )
    return (bars + points + words).properties(width=360, height=420)


def _apart(across: np.ndarray, up: np.ndarray) -> np.ndarray:
    """Return heights for labels, moved up until none covers another."""
    width, step = 0.45 * np.ptp(across), 0.028
    places = up.astype(float).copy()
    done: list[int] = []
    for one in np.argsort(up):
        while any(
            abs(across[one] - across[other]) < width and abs(places[one] - places[other]) < step
            for other in done
        ):
            places[one] += step / 4
        done.append(one)
    return places


if __name__ == "__main__":
    compared = scores(json.loads(Path(sys.argv[1]).read_text()), chamber(sys.argv[2]))
    sys.stdout.write(compared.round(2).to_string(index=False) + "\n\n")
    sys.stdout.write(agreement(compared).round(2).to_string(index=False) + "\n")
    TARGET.write_text(picture(compared), encoding="utf-8")
