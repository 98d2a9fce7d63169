"""The command `report`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from causalassay.cli.options import AsJson, Folder


def report(
    folder: Folder,
    out: Annotated[
        Path | None, typer.Option(help="File to write. Default: report.html in the folder.")
    ] = None,
    figures: Annotated[
        bool,
        typer.Option(
            "--figures", help="Also write its figures (PDF, SVG, PNG) and LaTeX tables next to it."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write a study's report: one HTML page that works offline.

    Example: causalassay report first-look-results --figures
    """
    from causalassay.report.files import write_report, write_report_and_figures

    if figures:
        page, *others = write_report_and_figures(folder, out)
    else:
        page, others = write_report(folder, out), []
    if as_json:
        files = {"report": str(page), "figures": [str(file) for file in others]}
        typer.echo(json.dumps(files, indent=2))
        return
    typer.echo(f"Report: {page}")
    if others:
        tables = sum(file.suffix == ".tex" for file in others)
        typer.echo(f"{len(others) - tables} figures and {tables} LaTeX tables: {others[0].parent}")
