"""The data of redrawn figures, in one form: x, y, series and panel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from causalassay import risk
from causalassay.lab.papers.computations.garant2016 import look_alike_boxes
from causalassay.lab.papers.computations.herman2025 import Graphs, sample_r2, sortabilities
from causalassay.lab.papers.computations.ormaniec2024 import (
    N_NODES,
    inverse_noise,
    iscm_correlations,
    standardised_correlations,
)
from causalassay.lab.papers.computations.reisach2021 import (
    EXAMPLE,
    dag_losses,
    residual_variances,
    three_node_dags,
    variances_by_depth,
)
from causalassay.lab.papers.study_values import ESTIMATED, with_acor
from causalassay.metrics import shd, sid

Draw = Literal["lines", "boxes", "heat map"]


@dataclass(frozen=True, eq=False)
class Picture:
    """A redrawn figure.

    Parameters
    ----------
    item : str
    draw : {"lines", "boxes", "heat map"}
    data : DataFrame
        Columns ``x``, ``y``, ``series`` and ``panel``; of a heat map also ``value``. A run
        without a score has nan as ``y``.
    x, y : str
        Titles of the axes.
    value : str
        What the shades of a heat map mean.
    lost : int
        Runs without a score that the data do not show, for they are of means.
    """

    item: str
    draw: Draw
    data: pd.DataFrame
    x: str
    y: str
    value: str = ""
    lost: int = 0

    @property
    def caption(self) -> str:
        """What it is, and how many runs it cannot show."""
        lost = self.lost + int(self.data["y"].isna().sum())
        text = f"{self.item} redrawn."
        return f"{text} Not drawn: {lost} runs without a score." if lost else text


def study_scores(
    frame: pd.DataFrame,
    *,
    panels: Sequence[Mapping[str, Any]],
    algorithms: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Return the scores of a study's rows, one box for each algorithm and series.

    Parameters
    ----------
    frame : DataFrame
    panels : list of tables
        ``panel`` (its title), ``column`` (the score), and ``problems``: from the name of a
        series, or of a place on the axis, to the name of a problem. ``algorithm`` replaces
        the names of the algorithms, so that tables of one panel have a series each.
        ``algorithms`` stands for that of all panels.
    algorithms : table, optional
        From the name that is shown to the name in the study, in this order; by default all.
    """
    parts = []
    for panel in panels:
        named = panel.get("algorithms", algorithms) or {}
        shown = {name: label for label, name in named.items()}
        for series, problem in panel["problems"].items():
            rows = frame[frame["problem"] == problem]
            if shown:
                rows = _in_order(rows, list(shown))
            parts.append(
                pd.DataFrame(
                    {
                        "x": panel.get("algorithm")
                        or [shown.get(str(name), str(name)) for name in rows["algorithm"]],
                        "y": rows[panel["column"]].astype(float).where(rows["status"] == "ok"),
                        "series": series,
                        "panel": panel["panel"],
                    }
                )
            )
    return pd.concat(parts, ignore_index=True)


def _in_order(rows: pd.DataFrame, algorithms: Sequence[str]) -> pd.DataFrame:
    """Return the rows of some algorithms in the order in which these are named."""
    chosen = rows[rows["algorithm"].isin(algorithms)]
    places = [algorithms.index(name) for name in chosen["algorithm"]]
    return chosen.iloc[np.argsort(places, kind="stable")]


def swapped(data: pd.DataFrame) -> pd.DataFrame:
    """Return the boxes with problems on the axis and algorithms as series."""
    return data.rename(columns={"x": "series", "series": "x"})


def mean_curves(data: pd.DataFrame) -> pd.DataFrame:
    """Return the mean of each series at each x, which is a number; lost runs do not count.

    Examples
    --------
    >>> data = pd.DataFrame({"x": "10", "y": [1.0, 2.0], "series": "pc", "panel": "SID"})
    >>> mean_curves(data)[["x", "y"]].to_numpy().tolist()
    [[10.0, 1.5]]
    """
    numbered = data.assign(x=data["x"].astype(int))
    return numbered.groupby(["panel", "series", "x"], sort=False)["y"].mean().reset_index()


def gradient_curves() -> pd.DataFrame:
    """Return residual variances and MSE against the step size, both panels of appendix E."""
    parts = []
    for free, longest in ((True, 0.4), (False, 0.8)):
        steps = np.linspace(0, longest, 81)
        after = [residual_variances(EXAMPLE, float(one), free_diagonal=free) for one in steps]
        curves = np.array(after)
        panel = "diagonal free" if free else "diagonal at 0"
        named = {"X": curves[:, 0], "Y": curves[:, 1], "MSE": curves.sum(axis=1)}
        parts += [
            pd.DataFrame({"x": steps, "y": y, "series": name, "panel": panel})
            for name, y in named.items()
        ]
    return pd.concat(parts, ignore_index=True)


def depth_curves(*, weights: Sequence[Sequence[float]], positions: int, draws: int) -> pd.DataFrame:
    """Return the mean variance by depth for each range of weights."""
    parts = []
    for low, high in weights:
        found = np.nanmean(variances_by_depth((low, high), positions, draws), axis=0)
        parts.append(
            pd.DataFrame({"x": range(positions), "y": found, "series": f"±({low}, {high})"})
        )
    return pd.concat(parts, ignore_index=True).assign(panel="")


def loss_landscape(*, lambda1: float, noise_sd: Sequence[float], draws: int) -> pd.DataFrame:
    """Return the loss of candidates, and where the least is, by SHD and SID to the true DAG.

    The loss is scaled to 0 and 1 among the 25 candidates of a draw. A tie with the true DAG
    goes to it, as in the paper; others are shared.
    """
    low, high = noise_sd
    dags = three_node_dags()
    parts = []
    for name, standardised in (("raw", False), ("standardised", True)):
        losses = dag_losses(lambda1, (low, high), draws, standardised=standardised)
        least = losses.min(axis=2, keepdims=True)
        span = losses.max(axis=2, keepdims=True) - least
        scaled = (losses - least) / np.where(span > 0, span, 1.0)  # no edge: all losses tie
        best = losses <= least + 1e-9
        own = best & np.eye(len(dags), dtype=bool)[:, None]
        best = np.where(own.any(axis=2, keepdims=True), own, best)
        pairs = pd.DataFrame(
            {
                "x": [shd(truth, dag) for truth in dags for dag in dags],
                "y": [sid(truth, dag) for truth in dags for dag in dags],
                "loss": scaled.mean(axis=1).ravel(),
                "best": (best / best.sum(axis=2, keepdims=True)).mean(axis=1).ravel() / len(dags),
            }
        )
        cells = pairs.groupby(["x", "y"]).agg({"loss": "mean", "best": "sum"}).reset_index()
        for column, what in (("loss", "mean scaled loss"), ("best", "share of least losses")):
            part = cells[["x", "y"]].assign(value=cells[column], series="", panel=f"{what}, {name}")
            parts.append(part)
    return pd.concat(parts, ignore_index=True)


def sign_map(
    frame: pd.DataFrame, *, pair: Sequence[str], rows: Sequence[str], columns: Sequence[str]
) -> pd.DataFrame:
    """Return how much true risks differ, and how often estimates agree in sign, by cell.

    Parameters
    ----------
    frame : DataFrame
        The rows of a study of risks.
    pair : (str, str)
        Of algorithms.
    rows, columns : list of str
        The labels that make a row and a column. A cell of fewer than 3 systems
        whose true risks differ by 0.1 has no value, as in the paper.
    """
    drawn = with_acor(frame)
    of_pair = drawn[drawn["algorithm"].isin(list(pair))]
    found = {one.setting: one for one in risk.agreement(of_pair, [*rows, *columns], ESTIMATED)}
    down, across = (
        sorted(set(frame[list(keys)].itertuples(index=False, name=None)))
        for keys in (rows, columns)
    )
    cells = [(y, x, found.get((*y, *x))) for y in down for x in across]
    place = {
        "y": [", ".join(map(str, y)) for y, _, _ in cells],
        "x": [", ".join(map(str, x)) for _, x, _ in cells],
    }
    panels = {
        "difference of true risk (median)": [
            abs(one.median_difference) if one else np.nan for *_, one in cells
        ],
        "share of agreeing signs": [one.share if one else np.nan for *_, one in cells],
    }
    return pd.concat(
        [
            pd.DataFrame({**place, "value": values}).assign(series="", panel=panel)
            for panel, values in panels.items()
        ],
        ignore_index=True,
    )


def pair_map(frame: pd.DataFrame, *, columns: Sequence[str]) -> pd.DataFrame:
    """Return how often estimates agree in sign, for each pair of algorithms and each setting."""
    found = risk.agreement(with_acor(frame), columns, ESTIMATED)
    cells = sorted(found, key=lambda one: one.setting)
    return pd.DataFrame(
        {
            "y": [f"{one.first} and {one.second}" for one in cells],
            "x": [", ".join(map(str, one.setting)) for one in cells],
            "value": [one.share for one in cells],
        }
    ).assign(series="", panel="share of agreeing signs")


def power_curves(
    frame: pd.DataFrame, *, columns: Mapping[str, str], power: str, series: Sequence[str]
) -> pd.DataFrame:
    """Return the means of numbers of the data against a label's power of 10.

    Parameters
    ----------
    frame : DataFrame
    columns : table
        From the title of a panel to its column.
    power : str
        The label on the axis.
    series : list of str
        The labels that make a series.
    """
    drawn = frame.drop_duplicates(["problem", "replicate"])
    named = drawn[list(series)].astype(str).agg(", ".join, axis=1)
    drawn = drawn.assign(series=named, x=np.log10(drawn[power]).round().astype(int))
    parts = [
        drawn.groupby(["series", "x"])[column].mean().rename("y").reset_index().assign(panel=panel)
        for panel, column in columns.items()
    ]
    return pd.concat(parts, ignore_index=True)


def hub_r2(*, leaves: Sequence[int], samples: int, draws: int) -> pd.DataFrame:
    """Return the R² of collider and confounder hubs of UUMC by their number of leaves."""
    parts = []
    for n_leaves in leaves:
        for kind in ("collider", "confounder"):
            found = sample_r2(n_leaves, kind, samples, draws)
            parts.append(pd.DataFrame({"x": n_leaves, "y": found, "series": kind}))
    return pd.concat(parts, ignore_index=True).assign(panel="")


def uumc_sortabilities(*, graphs: Graphs, samples: int, draws: int) -> pd.DataFrame:
    """Return the sortabilities of UUMC on some graphs."""
    found = sortabilities(graphs, samples, draws)
    parts = [
        pd.DataFrame({"x": name, "y": found[:, column], "series": "UUMC"})
        for column, name in enumerate(("variance", "R²"))
    ]
    return pd.concat(parts, ignore_index=True).assign(panel="")


def chain_correlations(*, spacings: Sequence[int], draws: int) -> pd.DataFrame:
    """Return the mean |correlation| along chains of pairs some steps apart."""
    parts = []
    for panel, correlations in (
        ("standardised", standardised_correlations),
        ("iSCM", iscm_correlations),
    ):
        means = correlations(N_NODES, draws).mean(axis=0)
        for spacing in spacings:
            along = np.diag(means, spacing)
            curve = {"x": range(len(along)), "y": along, "series": f"{spacing} apart"}
            parts.append(pd.DataFrame(curve).assign(panel=panel))
    return pd.concat(parts, ignore_index=True)


def noise_scales(*, draws: int) -> pd.DataFrame:
    """Return log10 of the inverse noise variances that standardised SCMs and iSCMs imply."""
    named = zip(("standardised", "iSCM"), inverse_noise(draws), strict=True)
    parts = [pd.DataFrame({"x": name, "y": found.ravel()}) for name, found in named]
    return pd.concat(parts, ignore_index=True).assign(series="nodes", panel="")


COMPUTED: dict[str, Callable[..., pd.DataFrame]] = {
    "gradient-curves": gradient_curves,
    "chain-correlations": chain_correlations,
    "depth-curves": depth_curves,
    "hub-r2": hub_r2,
    "look-alike-boxes": look_alike_boxes,
    "loss-landscape": loss_landscape,
    "noise-scales": noise_scales,
    "uumc-sortabilities": uumc_sortabilities,
}
"""Pictures that no study gives, by the name that `compute` states."""

OF_STUDIES: dict[str, Callable[..., pd.DataFrame]] = {
    "study": study_scores,
    "sign map": sign_map,
    "pair map": pair_map,
    "mean curves": power_curves,
}
"""Pictures of the rows of studies, by the name that `compute` states."""
