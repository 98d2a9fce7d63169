"""What a page is about: the state of the study, its analysis and its figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from causalassay.analysis import Analysis, read
from causalassay.report.charts.gallery import Gallery, gallery
from causalassay.study.storage import read_store
from causalassay.study.storage.reader import Choice, Session
from causalassay.study.storage.status import StudyStatus


@dataclass(frozen=True)
class PageContent:
    """What a page is about.

    Parameters
    ----------
    status : StudyStatus
    sessions : sequence of Session
        At least one.
    analysis : Analysis
    gallery : Gallery
        The figures of that analysis.
    choices : sequence of Choice
        What tuning chose.
    """

    status: StudyStatus
    sessions: Sequence[Session]
    analysis: Analysis
    gallery: Gallery
    choices: Sequence[Choice] = ()


def read_content(folder: Path, analysis: Analysis | None = None) -> PageContent:
    """Return what a store has to tell; an analysis of its rows is used if there is one already."""
    with read_store(folder) as store:
        status, sessions, choices = store.status(), store.sessions(), store.choices()
    analysis = read(folder) if analysis is None else analysis
    return PageContent(status, sessions, analysis, gallery(analysis), choices)
