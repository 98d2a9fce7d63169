"""The command `report`, and the verdict on the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from causalassay.cli.printing import escaped

if TYPE_CHECKING:
    from causalassay.analysis import Summary
    from causalassay.study.storage import StudyTable


def report(
    folder: Annotated[Path, typer.Argument(help="The study's results folder.")],
    out: Annotated[
        Path | None, typer.Option(help="File to write. Default: report.html in the folder.")
    ] = None,
    figures: Annotated[
        bool,
        typer.Option(
            "--figures", help="Also write its figures (PDF, SVG, PNG) and LaTeX tables beside it."
        ),
    ] = False,
) -> None:
    """Write a study's report: one page that works offline and can be sent to anybody.

    Example: causalassay report first-look-results --figures
    """
    from causalassay.report.page import write_report

    page = write_report(folder, out)
    typer.echo(f"Report: {page}")
    if figures:
        for file in _write_figures(folder, page.parent / "figures"):
            typer.echo(file)


def _write_figures(folder: Path, target: Path) -> list[Path]:
    from causalassay.analysis import summarize
    from causalassay.report.figure_files import write_figures
    from causalassay.report.latex import write_tables
    from causalassay.study.storage import study_table

    table = study_table(folder)
    summary = summarize(table)
    return [*write_figures(table, summary, target), *write_tables(summary, target)]


def print_verdict(table: StudyTable, summary: Summary, console: Console) -> None:
    """Print the sentences of a study's verdict, and then the rules that made them."""
    from causalassay.analysis.verdict.verdict import verdict

    console.print("[bold]Verdict[/]")
    for line in verdict(table, summary).lines():
        console.print(escaped(line), highlight=False)
