"""The data of redrawn figures, in one form: x, y, series and panel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from causalassay.reproducing.computations.gradient_step import EXAMPLE, residual_variances
from causalassay.reproducing.computations.three_node_losses import dag_losses
from causalassay.reproducing.computations.variance_along_order import variances_by_depth

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
    """

    item: str
    draw: Draw
    data: pd.DataFrame
    x: str
    y: str

    @property
    def caption(self) -> str:
        """What it is, and how many runs it cannot show."""
        lost = int(self.data["y"].isna().sum())
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
        series, or of a place on the axis, to the name of a problem.
    algorithms : table, optional
        From the name that is shown to the name in the study; by default all.
    """
    shown = {name: label for label, name in (algorithms or {}).items()}
    parts = []
    for panel in panels:
        for series, problem in panel["problems"].items():
            rows = frame[frame["problem"] == problem]
            if shown:
                rows = rows[rows["algorithm"].isin(list(shown))]
            parts.append(
                pd.DataFrame(
                    {
                        "x": [shown.get(str(name), str(name)) for name in rows["algorithm"]],
                        "y": rows[panel["column"]].astype(float).where(rows["status"] == "ok"),
                        "series": series,
                        "panel": panel["panel"],
                    }
                )
            )
    return pd.concat(parts, ignore_index=True)


def swapped(data: pd.DataFrame) -> pd.DataFrame:
    """Return the boxes with problems on the axis and algorithms as series."""
    return data.rename(columns={"x": "series", "series": "x"})


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


def loss_ranks(*, lambda1: float, noise_sd: Sequence[float], draws: int) -> pd.DataFrame:
    """Return how often each candidate DAG has the least loss, by true DAG; a tie is shared."""
    low, high = noise_sd
    parts = []
    for panel, standardised in (("raw", False), ("standardised", True)):
        losses = dag_losses(lambda1, (low, high), draws, standardised=standardised)
        best = losses <= losses.min(axis=2, keepdims=True) + 1e-9
        share = (best / best.sum(axis=2, keepdims=True)).mean(axis=1)
        truth, candidate = np.indices(share.shape)
        parts.append(
            pd.DataFrame(
                {"x": candidate.ravel(), "y": truth.ravel(), "value": share.ravel()}
            ).assign(series="", panel=panel)
        )
    return pd.concat(parts, ignore_index=True)


COMPUTED: dict[str, Callable[..., pd.DataFrame]] = {
    "gradient-curves": gradient_curves,
    "depth-curves": depth_curves,
    "loss-ranks": loss_ranks,
}
"""Pictures that no study gives, by the name that `compute` states."""
