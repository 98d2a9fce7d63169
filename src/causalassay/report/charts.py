"""The figures of a report: `figures` gives those that a study has data for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from causalassay.analysis.figure_scope import NODES, SAMPLES, choose
from causalassay.analysis.runs import Table
from causalassay.analysis.summary import Summary
from causalassay.report.figure import Figure, LeftOut
from causalassay.report.score_figures import against_figures, box_figures, scheme_figures
from causalassay.report.study_figures import (
    explained_figures,
    rank_figures,
    runtime_figures,
    sortability_figures,
)

__all__ = ["KINDS", "Figure", "Gallery", "LeftOut", "figures", "gallery"]

KINDS = (
    *("schemes", "sortability", "boxes", "against_d", "against_n"),
    *("runtime", "rankings", "explained"),
)
"""In the order of the report."""


@dataclass(frozen=True)
class Gallery:
    """The figures of a study, and why others are not there.

    Parameters
    ----------
    figures : tuple of Figure
        In the order of `KINDS`.
    left_out : tuple of LeftOut
    remarks : tuple of str
        Sentences on what of the study no figure shows.
    """

    figures: tuple[Figure, ...]
    left_out: tuple[LeftOut, ...]
    remarks: tuple[str, ...]


def figures(table: Table, summary: Summary) -> list[Figure]:
    """Return the figures that a study has data for."""
    return list(gallery(table, summary).figures)


def gallery(table: Table, summary: Summary) -> Gallery:
    """Return the figures of a study, and a sentence for each that has no data.

    Parameters
    ----------
    table : Table
        Such as `exporting.StudyTable`.
    summary : Summary
        Of that table, by scheme.

    Raises
    ------
    ValueError
        If the summary is grouped by anything else.
    """
    if not len(table.frame):
        reason = "The study has no rows yet."
        return Gallery((), tuple(LeftOut(kind, "", reason) for kind in KINDS), ())
    scope = choose(table, summary)
    found: list[Figure | LeftOut] = [
        *scheme_figures(scope),
        *sortability_figures(scope),
        *box_figures(scope),
        *against_figures(scope, "against_d", NODES),
        *against_figures(scope, "against_n", SAMPLES),
        *runtime_figures(table, scope),
        *rank_figures(scope),
        *explained_figures(scope),
    ]
    drawn = [part for part in found if isinstance(part, Figure)]
    left_out = tuple(part for part in found if isinstance(part, LeftOut))
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
