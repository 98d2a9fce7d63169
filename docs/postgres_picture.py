"""Draws images/postgres.svg and prints its numbers: python docs/postgres_picture.py experiment.

The folder is that of `causalassay domain postgres --out experiment`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import altair as alt
import numpy as np
import pandas as pd
import vl_convert

from causalassay.cli.algorithms import read_algorithms
from causalassay.common.seeding import stream
from causalassay.lab.factorial import Evaluation, FactorialExperiment, evaluate, read_experiment
from causalassay.lab.factorial.biasing import biased_rows
from causalassay.lab.factorial.truth import mean_of
from causalassay.present.colours import light

TARGET = Path(__file__).parent / "images" / "postgres.svg"
ALGORITHMS = ("pc", "mmhc", '{use = "ges", penalty_discount = 1.0}')
INK, PAPER, BLUE = light("ink", "paper", "blue")
COLOURS = {"algorithm": BLUE, "reference": "#8a8a8a"}
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


def links(result: Evaluation) -> pd.DataFrame:
    """Return in which share of the repeats an algorithm links a treatment with an outcome."""
    truth, settings = result.truth, result.truth.settings
    found = []
    for name, algorithm in read_algorithms(ALGORITHMS).items():
        linked = np.zeros(truth.effects.shape)
        for repeat in range(result.repeats):
            rng = stream(result.seed, "bias", repeat)
            data = truth.dataset(biased_rows(truth.experiment, rng, settings.beta, settings.bins))
            graph = algorithm.discover(data, stream(result.seed, "links", repeat, name)).graph
            either = graph | graph.T
            linked += either[np.ix_(truth.treatment_nodes, truth.outcome_nodes)]
        frame = pd.DataFrame(linked / result.repeats, columns=list(truth.experiment.outcomes))
        frame.insert(0, "treatment", truth.experiment.treatments)
        frame.insert(0, "algorithm", name)
        found.append(frame)
    return pd.concat(found)


def levels(experiment: FactorialExperiment) -> pd.DataFrame:
    """Return the mean of each outcome at each level of each treatment."""
    rows = []
    for treatment, known in experiment.levels.items():
        means = experiment.frame.groupby(treatment)[list(experiment.outcomes)].mean()
        rows += [{"treatment": treatment, "level": one, **means.loc[one]} for one in known]
    return pd.DataFrame(rows)


def repeatability(experiment: FactorialExperiment) -> pd.DataFrame:
    """Return the share of queries and settings whose outcome is the same in all trials."""
    cells = experiment.frame.groupby([experiment.subject, *experiment.treatments])
    same = (cells[list(experiment.outcomes)].nunique() == 1).mean()
    return same.to_frame("same in all trials").T


def without_edges(result: Evaluation) -> pd.DataFrame:
    """Return what the consistent graph loses without the edges of one treatment."""
    under = next(row for row in result.specifications if row.change == "under")
    frame = pd.DataFrame({"without": under.treatments, "SHD": under.shd, "SID": under.sid})
    means = [mean_of(column) for column in under.tv_of_truth.T]
    return frame.assign(
        TV=[one.value for one in means],
        low=[one.low for one in means],
        high=[one.high for one in means],
    )


def _heat(frame: pd.DataFrame) -> alt.LayerChart:
    base = alt.Chart(frame).encode(
        x=alt.X("outcome:N", sort=None, title=None, axis=alt.Axis(orient="top", labelAngle=0)),
        y=alt.Y("treatment:N", sort=None, title=None),
    )
    colour = alt.Color("TV:Q", scale=alt.Scale(scheme="blues", domain=[0, 0.8]), legend=None)
    dark = alt.condition("datum.TV > 0.35", alt.value(PAPER), alt.value(INK))
    text = base.mark_text(fontSize=13).encode(text="label:N", color=dark)
    heat = base.mark_rect().encode(color=colour) + text
    title = "Total variation between the last and the first level of each treatment"
    return heat.properties(width=545, height=100, title=title)


def _dots(frame: pd.DataFrame, measure: str) -> alt.LayerChart:
    first = measure == "SHD"
    axis = alt.Axis(labels=first, ticks=first, labelLimit=220)
    graphs = list(dict.fromkeys(frame["graph"]))
    y = alt.Y("graph:N", title=None, axis=axis, scale=alt.Scale(domain=graphs))
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
    dots = [_dots(reached, name) for name in ("SHD", "SID", "TV")]
    below = alt.hconcat(*dots, title="What each graph reaches (mean of 20 repeats, 95 % interval)")
    chart = alt.vconcat(_heat(effects(result)), below).resolve_scale(color="independent")
    chart = chart.configure(
        background=PAPER, padding={"left": 40, "right": 20, "top": 8, "bottom": 8}
    )
    chart = chart.configure_axis(
        gridOpacity=0.5, labelFontSize=12, titleFontSize=12, labelColor=INK
    )
    return str(vl_convert.vegalite_to_svg(chart.to_json(), allowed_base_urls=[])) + "\n"


if __name__ == "__main__":
    experiment = read_experiment(Path(sys.argv[1]) / "postgres.toml")
    evaluation = evaluate(experiment, read_algorithms(ALGORITHMS), n_look_alikes=0)
    for table in (
        repeatability(experiment),
        levels(experiment),
        effects(evaluation),
        scores(evaluation),
        without_edges(evaluation),
        links(evaluation),
    ):
        sys.stdout.write(table.round(3).to_string(index=False) + "\n\n")
    TARGET.write_text(picture(evaluation), encoding="utf-8")
