r"""The files of a report: the page, and for a paper its figures and LaTeX tables.

A LaTeX table is a ``tabular`` for ``\input`` inside a table of one's own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

import vl_convert

from causalassay.analysis import Analysis, tables
from causalassay.analysis.comparison import best_marks, own_algorithms
from causalassay.analysis.document import of_size
from causalassay.analysis.report.figures import Figure
from causalassay.analysis.report.page import read_content, render_page
from causalassay.common.files import write_text
from causalassay.present import Table
from causalassay.present.charts import fitted
from causalassay.present.latex import table_latex
from causalassay.study.storage.exporting import refuse_target

PAGE = "report.html"
FIGURES = "figures"

COLUMN_WIDTH, PAGE_WIDTH = 3.3, 6.9
"""Inches: of a chart of one view, and of one whose panels wrap."""
PER_INCH = 108
"""Pixels of a chart that make an inch: its text of 12 pixels is then of 8 points."""
POINTS = 72
DPI = 300
SIZE = r'\b(width|height)="([\d.]+)"'


def write_report(
    folder: Path | str, target: Path | str | None = None, analysis: Analysis | None = None
) -> Path:
    """Write a study's report as one HTML file and return its path.

    It can be written while the study runs. An interrupted call leaves no file of that
    name, or the one that was there.

    Parameters
    ----------
    folder : Path or str
        The folder of the store.
    target : Path or str, optional
        The file to write. Default: ``report.html`` in the folder.
    analysis : Analysis, optional
        The analysis of the rows in that store, if it was made already.

    Raises
    ------
    FileNotFoundError
        There is no store, or no folder to write to.
    ValueError
        The target is part of the store, or the store is damaged.
    """
    folder, target = Path(folder), _target(Path(folder), target)
    write_text(target, render_page(read_content(folder, analysis)))
    return target


def write_report_and_figures(folder: Path | str, target: Path | str | None = None) -> list[Path]:
    """Write a study's report, and beside it its figures and LaTeX tables; return all paths.

    The page is the first of them. Parameters and errors are those of `write_report`.
    """
    folder, target = Path(folder), _target(Path(folder), target)
    content = read_content(folder)
    write_text(target, render_page(content))
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


def write_tables(analysis: Analysis, folder: Path) -> list[Path]:
    """Write the tables of a study to a folder and return the files.

    ``matrix.tex``: scores by scheme with what was found of each algorithm. ``counts.tex``: how
    the runs ended. For each metric ``leaderboard-….tex``, the means with 95 % limits on each
    scheme, and ``schemes-….tex``, the means on the same graphs with the margin over the best
    sorting baseline. For an algorithm that the study calls its own, ``mine-….tex``: its paired
    differences to every other. Where problems have several sizes, each size has files of its own,
    whose names end with it.

    Parameters
    ----------
    analysis : Analysis
    folder : Path
        Made if it is not there; files of the same names are replaced.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, table in latex_tables(analysis).items():
        path = folder / f"{name}.tex"
        about = [table.caption or table.title, *table.notes, tables.LINE]
        path.write_text(table_latex(tables.baselines_last(table), about), encoding="utf-8")
        written.append(path)
    return written


def latex_tables(analysis: Analysis) -> dict[str, Table]:
    """Return the tables that `write_tables` writes, by the names of their files."""
    named = {"counts": tables.count_table(analysis.ended)}
    if not len(analysis.ended.counts):
        return named
    for each in (analysis, *analysis.others):
        # Also of a chosen size: its files must not replace those of another.
        end = f"-{each.size.slug}" if each.size.name else ""
        for name, table in _tables_of(each).items():
            named[_free_name(f"{name}{end}", named)] = of_size(table, each.size)
    return named


def _tables_of(analysis: Analysis) -> dict[str, Table]:
    """Return the tables of one size."""
    summary = analysis.summary
    named = {"matrix": tables.matrix_table(analysis.matrix)}
    order = [row.algorithm for row in analysis.matrix.rows]
    marks = best_marks(analysis.runs)
    for metric in summary.metrics:
        name = _free_name(f"leaderboard-{metric}", named).removeprefix("leaderboard-")
        named[f"leaderboard-{name}"] = tables.score_table(summary, metric, order, marks)
        named[f"schemes-{name}"] = tables.attribution_table(summary, metric, order)
    for mine in own_algorithms(analysis.runs) if summary.metrics else ():
        named[_free_name(f"mine-{mine}", named)] = tables.own_table(analysis, mine)
    return named


def _free_name(wanted: str, taken: Collection[str]) -> str:
    name = re.sub(r"[^a-z0-9]+", "-", wanted.lower()).strip("-")
    while name in taken:
        name += "-2"
    return name


def write_figures(
    figures: Sequence[Figure], folder: Path, formats: Sequence[str] = ("pdf", "svg", "png")
) -> list[Path]:
    """Write figures to a folder, at the size of print, and return the files.

    Nothing is fetched: data and fonts are at hand.

    Parameters
    ----------
    figures : sequence of Figure
        Such as those of a `Gallery`.
    folder : Path
        Made if it is not there; files of the same names are replaced.
    formats : sequence of str
        Any of "pdf", "svg" and "png"; a PNG has 300 dots per inch.
    """
    unknown = [name for name in formats if name not in FORMATS]
    if unknown:
        raise ValueError(f"a format is one of {list(FORMATS)}, got {unknown}")
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for figure in figures:
        spec = figure.chart.to_dict()
        width = PAGE_WIDTH if "columns" in spec else COLUMN_WIDTH
        spec = fitted(spec, round(width * PER_INCH))
        for name in formats:
            path = folder / f"{figure.id}.{name}"
            path.write_bytes(FORMATS[name](spec))
            written.append(path)
    return written


def _pdf(spec: dict[str, Any]) -> bytes:
    # A unit of the drawing becomes a point.
    return vl_convert.svg_to_pdf(_drawn(spec, POINTS, ""))


def _png(spec: dict[str, Any]) -> bytes:
    # The resolution alone would scale by DPI / POINTS.
    scale = POINTS / PER_INCH
    return vl_convert.vegalite_to_png(spec, scale=scale, ppi=DPI, allowed_base_urls=[])


def _svg(spec: dict[str, Any]) -> bytes:
    return _drawn(spec, 1, "in").encode()


def _drawn(spec: dict[str, Any], per_inch: float, unit: str) -> str:
    """Return the drawing as SVG, its size in a unit of which so many make an inch."""
    text = vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])

    def sized(match: re.Match[str]) -> str:
        return f'{match[1]}="{float(match[2]) / PER_INCH * per_inch:.3f}{unit}"'

    start, rest = text.split(">", 1)
    return f"{re.sub(SIZE, sized, start)}>{rest}"


FORMATS: dict[str, Callable[[dict[str, Any]], bytes]] = {"pdf": _pdf, "svg": _svg, "png": _png}
