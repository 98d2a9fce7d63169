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
from causalassay.present.colours import light
from causalassay.risk import oracle

TARGET = Path(__file__).parent / "images" / "light-tunnel-choice.svg"
KNOWN = {"SID": "low", "oracle risk": "low", "SHD": "low", "F1": "high"}
PANELS = {
    "risk": "risk by choose",
    "TV": "TV of predictions",
    "oracle risk": "oracle risk",
    "SID": "SID",
    "F1": "F1 (high is better)",
}
ENDS_OF = {"risk": ("low", "high"), "TV": ("TV low", "TV high")}
RESAMPLES, ENDS = 2000, (0.025, 0.975)
INK, PAPER = light("ink", "paper")


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
                **_prediction(choice, row["name"]),
                "SID": _sid(problem.graph, graph),
                "oracle risk": oracle(problem.graph, graph),
                "SHD": shd(problem.graph, graph),
                "F1": f1(problem.graph, graph),
            }
        )
    return pd.DataFrame(found)


def _prediction(choice: Mapping[str, Any], name: str) -> dict[str, float]:
    """Return the second opinion: the total variation of predictions, with its interval."""
    score = choice["second_opinion"]["scores"].get(name) or {}
    values = [score.get(key) for key in ("value", "low", "high")]
    numbers = [float("nan") if value is None else value for value in values]
    return dict(zip(("TV", "TV low", "TV high"), numbers, strict=True))


def _sid(truth: np.ndarray, graph: np.ndarray) -> float:
    """Return the SID; of a class the mean over members, as studies have it."""
    return mean_over_members(lambda dag: sid(truth, dag), repair(graph, 1).graph, 1).value


def effects_seen(choice: Mapping[str, Any], problem: Problem) -> str:
    """Return how many of the true effects the tests of who moved find."""
    at, graph = problem.data.index, problem.graph  # every effect is direct: sensors cause nothing
    seen = {(one["target"], name) for one in choice["movements"] for name in one["moved"]}
    true = {pair for pair in seen if graph[at(pair[0]), at(pair[1])]}
    still = sum(not one["moved"] for one in choice["movements"])
    return (
        f"{len(true)} of {int(graph.sum())} true effects seen, {len(seen) - len(true)} false; "
        f"{still} experiments move nothing, {int((~graph.any(axis=1)).sum())} variables cause "
        "nothing"
    )


def agreement(frame: pd.DataFrame) -> pd.DataFrame:
    """Return Kendall's tau of what choose says with each score by the known graph.

    Among algorithms only. Positive: both rank alike. Intervals have 95 % by resampling
    algorithms; p-values are for rankings that have nothing to do with each other.
    """
    own = frame[frame["role"] == "algorithm"]
    rng = np.random.default_rng(1)
    rows = []
    for opinion in ("risk", "TV"):
        for name, better in KNOWN.items():
            both = own[[opinion, name]].to_numpy(float) * [1, -1 if better == "high" else 1]
            both = both[np.isfinite(both).all(axis=1)]
            tau, p_value = kendalltau(*both.T)
            picked = rng.integers(len(both), size=(RESAMPLES, len(both)))
            low, high = np.nanquantile([kendalltau(*both[one].T)[0] for one in picked], ENDS)
            rows.append((opinion, name, len(both), tau, low, high, p_value))
    columns = ["choose", "known graph", "algorithms", "tau", "low", "high", "p"]
    return pd.DataFrame(rows, columns=columns)


def picture(frame: pd.DataFrame) -> str:
    """Return all scores as SVG, the graphs in the order of their risk."""
    order = list(frame.sort_values("risk")["name"])
    roles = ["algorithm", "baseline"]
    colours = alt.Scale(domain=roles, range=light("blue", "quiet"))
    shapes = alt.Scale(domain=roles, range=["circle", "square"])
    colour = alt.Color("role:N", title=None, scale=colours).legend(orient="top")
    shape = alt.Shape("role:N", title=None, scale=shapes)
    panels = []
    for name, title in PANELS.items():
        axis = alt.Axis(labels=not panels, ticks=not panels, domain=not panels)
        y = alt.Y("name:N", scale=alt.Scale(domain=order), title=None, axis=axis)
        base = alt.Chart(frame[np.isfinite(frame[name])])
        points = base.mark_point(filled=True, size=50, opacity=1).encode(
            x=alt.X(
                f"{name}:Q",
                title=title,
                axis=alt.Axis(tickCount=3, labelOverlap="greedy", labelSeparation=8),
            ),
            y=y,
            color=colour,
            shape=shape,
        )
        if name in ENDS_OF:
            low, high = ENDS_OF[name]
            spread = base.mark_rule().encode(x=f"{low}:Q", x2=f"{high}:Q", y=y, color=colour)
            points = spread + points
        panels.append(points.properties(width=118, height=alt.Step(17)))
    chart = alt.hconcat(*panels).configure_axis(
        gridOpacity=0.5, labelFontSize=12, titleFontSize=12, labelColor=INK
    )
    chart = chart.configure(
        background=PAPER, padding={"left": 30, "right": 5, "top": 5, "bottom": 5}
    )
    return str(vl_convert.vegalite_to_svg(chart.to_json(), allowed_base_urls=[])) + "\n"


if __name__ == "__main__":
    chosen, known = json.loads(Path(sys.argv[1]).read_text()), chamber(sys.argv[2])
    compared = scores(chosen, known)
    tables = [compared, agreement(compared)]
    lines = [table.round(2).to_string(index=False) + "\n" for table in tables]
    sys.stdout.write("\n".join([*lines, effects_seen(chosen, known)]) + "\n")
    TARGET.write_text(picture(compared), encoding="utf-8")
