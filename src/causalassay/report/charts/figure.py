"""A figure of a report: its chart, its data, and what it says in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt
import pandas as pd

AnyChart = alt.LayerChart | alt.FacetChart


@dataclass(frozen=True, eq=False)
class Figure:
    """A chart and all that a page says about it.

    Parameters
    ----------
    kind : str
        One of `gallery.KINDS`.
    choice : str
        Of several figures of a kind the metric or the scheme; empty if there is one.
    title : str
    note : str
        How to read it.
    alt : str
        What it shows, in words and numbers.
    chart : LayerChart or FacetChart
        Fills the width of what contains it, or has panels (see `sizing`).
    data : DataFrame
        Tidy; the one data set of the chart.
    id : str
        Letters, digits and hyphens; unique in a report.
    """

    kind: str
    choice: str
    title: str
    note: str
    alt: str
    chart: AnyChart
    data: pd.DataFrame
    id: str = ""


@dataclass(frozen=True)
class LeftOut:
    """A figure that the study has no data for.

    Parameters
    ----------
    kind, choice : str
        As of a `Figure`.
    reason : str
        A sentence.
    """

    kind: str
    choice: str
    reason: str


def joined(sentences: Sequence[str]) -> str:
    """Return sentences one after the other, without the empty ones.

    Examples
    --------
    >>> joined(["One.", "", "Two."])
    'One. Two.'
    """
    return " ".join(sentence for sentence in sentences if sentence)
