"""The data of redrawn figures, in one form: x, y, series and panel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from causalassay import risk
from causalassay.lab.papers.study_values import ESTIMATED, with_acor
from causalassay.present.formatting import counted

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
        return f"{text} Not drawn: {counted(lost, 'run')} without a score." if lost else text


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
    by_setting = {
        agreement.setting: agreement
        for agreement in risk.agreement(of_pair, [*rows, *columns], ESTIMATED)
    }
    down, across = (
        sorted(set(frame[list(keys)].itertuples(index=False, name=None)))
        for keys in (rows, columns)
    )
    cells = [(y, x, by_setting.get((*y, *x))) for y in down for x in across]
    axes = {
        "y": [", ".join(map(str, y)) for y, _, _ in cells],
        "x": [", ".join(map(str, x)) for _, x, _ in cells],
    }
    panels = {
        "difference of true risk (median)": [
            abs(agreement.median_difference) if agreement else np.nan for *_, agreement in cells
        ],
        "share of agreeing signs": [
            agreement.share if agreement else np.nan for *_, agreement in cells
        ],
    }
    return pd.concat(
        [
            pd.DataFrame({**axes, "value": values}).assign(series="", panel=panel)
            for panel, values in panels.items()
        ],
        ignore_index=True,
    )


def pair_map(frame: pd.DataFrame, *, columns: Sequence[str]) -> pd.DataFrame:
    """Return how often estimates agree in sign, for each pair of algorithms and each setting."""
    agreements = risk.agreement(with_acor(frame), columns, ESTIMATED)
    cells = sorted(agreements, key=lambda agreement: agreement.setting)
    return pd.DataFrame(
        {
            "y": [f"{agreement.first} and {agreement.second}" for agreement in cells],
            "x": [", ".join(map(str, agreement.setting)) for agreement in cells],
            "value": [agreement.share for agreement in cells],
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


OF_STUDIES: dict[str, Callable[..., pd.DataFrame]] = {
    "study": study_scores,
    "sign map": sign_map,
    "pair map": pair_map,
    "mean curves": power_curves,
}
"""Pictures of the rows of studies, by the name that `compute` states."""
