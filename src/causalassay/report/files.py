"""The files of a report: the page, and for a paper its figures and LaTeX tables."""

from __future__ import annotations

import os
from pathlib import Path

from causalassay.analysis import Analysis
from causalassay.report.charts.image_files import write_figures
from causalassay.report.latex import write_tables
from causalassay.report.page.content import PageContent, read_content
from causalassay.report.page.document import render_page
from causalassay.study.storage.targets import refuse_target

PAGE = "report.html"
FIGURES = "figures"


def write_report(
    folder: Path | str, target: Path | str | None = None, analysis: Analysis | None = None
) -> Path:
    """Write a study's report as one HTML file and return its path.

    It can be written while the study runs. An interrupted call leaves no file of that
    name, or the one that was there.

    Parameters
    ----------
    folder : Path or str
        Of the store.
    target : Path or str, optional
        The file to write. Default: ``report.html`` in the folder.
    analysis : Analysis, optional
        Of the rows in that store, if there is one already.

    Raises
    ------
    FileNotFoundError
        There is no store, or no folder to write to.
    ValueError
        The target is part of the store, or the store is damaged.
    """
    folder, target = Path(folder), _target(Path(folder), target)
    _write_page(read_content(folder, analysis), target)
    return target


def write_report_and_figures(folder: Path | str, target: Path | str | None = None) -> list[Path]:
    """Write a study's report, and beside it its figures and LaTeX tables; return all paths.

    The page is the first of them. Parameters and errors are those of `write_report`.
    """
    folder, target = Path(folder), _target(Path(folder), target)
    content = read_content(folder)
    _write_page(content, target)
    figures = target.parent / FIGURES
    return [
        target,
        *write_figures(content.gallery.figures, figures),
        *write_tables(content.analysis, figures),
    ]


def _target(folder: Path, target: Path | str | None) -> Path:
    target = folder / PAGE if target is None else Path(target)
    refuse_target(target, folder)
    return target


def _write_page(content: PageContent, target: Path) -> None:
    text = render_page(content)
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
