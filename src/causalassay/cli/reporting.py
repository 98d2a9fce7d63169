"""The command `report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


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
    from causalassay.report.files import write_report, write_report_and_figures

    if figures:
        page, *others = write_report_and_figures(folder, out)
    else:
        page, others = write_report(folder, out), []
    typer.echo(f"Report: {page}")
    for file in others:
        typer.echo(file)
