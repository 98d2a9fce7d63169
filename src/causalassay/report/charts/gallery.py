"""The figures of a report: those that a study has data for, and why others are missing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from causalassay.analysis import Analysis
from causalassay.analysis.chart_data.scope import choose
from causalassay.analysis.runs import DENSITY, NODES, SAMPLES
from causalassay.report.charts.artefact_figures import sortability_figures
from causalassay.report.charts.figure import Figure, LeftOut
from causalassay.report.charts.overview_figures import KIND as OVERVIEW
from causalassay.report.charts.overview_figures import overview_figures
from causalassay.report.charts.rank_figures import rank_figures
from causalassay.report.charts.score_figures import against_figures, box_figures, scheme_figures
from causalassay.report.charts.time_figures import runtime_figures, time_score_figures

KINDS = (
    *(OVERVIEW, "schemes", "sortability", "boxes", "against_d", "against_density", "against_n"),
    *("runtime", "time_score", "rankings"),
)
"""In the order of the report."""


@dataclass(frozen=True)
class Gallery:
    """The figures of a study, and why others are missing.

    Parameters
    ----------
    figures : tuple of Figure
        In the order of `KINDS`.
    left_out : tuple of LeftOut
    remarks : tuple of str
        Sentences about what no figure of the study shows.
    """

    figures: tuple[Figure, ...]
    left_out: tuple[LeftOut, ...]
    remarks: tuple[str, ...]


def gallery(analysis: Analysis) -> Gallery:
    """Return the figures of a study, and a sentence for each that has no data."""
    if not len(analysis.table.frame):
        reason = "The study has no rows yet."
        return Gallery((), tuple(LeftOut(kind, "", reason) for kind in KINDS), ())
    scope = choose(analysis)
    parts: list[Figure | LeftOut] = [
        *overview_figures(scope),
        *scheme_figures(scope),
        *sortability_figures(scope),
        *box_figures(scope),
        *against_figures(scope, "against_d", NODES),
        *against_figures(scope, "against_density", DENSITY),
        *against_figures(scope, "against_n", SAMPLES),
        *runtime_figures(scope),
        *time_score_figures(scope),
        *rank_figures(scope),
    ]
    drawn = [part for part in parts if isinstance(part, Figure)]
    left_out = tuple(part for part in parts if isinstance(part, LeftOut))
    return Gallery(tuple(_with_ids(drawn)), left_out, scope.left_out)


def _with_ids(drawn: Iterable[Figure]) -> Iterator[Figure]:
    """Yield the figures with ids that no other has, and their alternative text in the chart."""
    taken: set[str] = set()
    for figure in drawn:
        plain = re.sub(r"[^a-z0-9]+", "-", f"{figure.kind} {figure.choice}".lower()).strip("-")
        free, count = plain, 2
        while free in taken:
            free, count = f"{plain}-{count}", count + 1
        taken.add(free)
        yield replace(figure, id=free, chart=figure.chart.properties(description=figure.alt))
