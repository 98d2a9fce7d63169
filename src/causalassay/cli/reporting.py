"""The commands that show results: `status`, `summary`, `report`, `export`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from causalassay.cli.options import AsJson, Folder
from causalassay.cli.printing import progress_bar, wide_console
from causalassay.present.formatting import counted


def status(folder: Folder, as_json: AsJson = False) -> None:
    """Show the progress of a study, also while it runs.

    Example: causalassay status first-look-results
    """
    from causalassay.study.storage import read_store

    with read_store(folder) as store:
        progress = store.status()
    if as_json:
        typer.echo(json.dumps(progress.to_dict(), indent=2))
    else:
        for line in progress.lines():
            typer.echo(line)


def summary(
    folder: Folder,
    metric: Annotated[str | None, typer.Option(help="Show the tables for this metric.")] = None,
    full: Annotated[
        bool, typer.Option("--full", help="Also print all tables, sentences and rules.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Print the result of a study: one sentence, and the scores with the findings.

    --full adds how the runs ended, the leaderboards and the whole verdict;
    --json prints all of this, with ranks and pairwise comparisons.

    Example: causalassay summary first-look-results --full
    """
    from causalassay.analysis import read
    from causalassay.analysis.report import terminal
    from causalassay.study.forecast import missing_rows

    analysis, missing = read(folder), missing_rows(folder)
    if as_json:
        plain = analysis.to_dict() | {"missing": missing.by_algorithm}
        typer.echo(json.dumps(plain, indent=2, allow_nan=False))
        return
    if line := terminal.missing_rows_line(missing):
        typer.echo(line)
    console = wide_console()
    if metric is None:
        terminal.print_overview(analysis, console)
    if full or metric is not None:
        terminal.print_summary(analysis.summary, console, metric or "")
    if full and metric is None:
        terminal.print_sentences(analysis, console)


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
    from causalassay.analysis.report.files import write_report, write_report_and_figures

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


def export(  # noqa: PLR0913, PLR0917  one argument per option
    folder: Folder,
    file: Annotated[Path | None, typer.Argument(help="File to write: .csv or .parquet.")] = None,
    graphs: Annotated[
        Path | None,
        typer.Option(
            help="Folder to write: the graph of each row as a file, and index.csv with all rows."
        ),
    ] = None,
    graph_format: Annotated[
        str,
        typer.Option(
            "--format",
            help="Of the graphs: csv (edge list), matrix, graphml, gml, dot, json, npy or npz.",
        ),
    ] = "csv",
    everything: Annotated[
        bool,
        typer.Option(
            "--everything", help="Include rows of parts that are no longer in the study file."
        ),
    ] = False,
    timing: Annotated[
        bool,
        typer.Option(
            help="--no-timing leaves out times and host names, so that two runs give equal files."
        ),
    ] = True,
    as_json: AsJson = False,
) -> None:
    """Write the rows of a study to one table, or the graphs that were found to a folder.

    The table has one row per task, one column per quantity.

    In CSV files, text that a spreadsheet would run as a formula (it begins with
    = + - @ or a tab) gets a leading apostrophe. Parquet keeps all text unchanged.

    Example: causalassay export first-look-results rows.parquet

    The graphs: causalassay export first-look-results --graphs graphs --format graphml
    """
    if file is None and graphs is None:
        raise ValueError("name a file to write (rows.csv), or a folder: --graphs FOLDER")
    if graph_format != "csv" and graphs is None:
        raise ValueError("--format is for --graphs FOLDER; leave it out, or name a folder")
    written: dict[str, Any] = {}
    if file is not None:
        written |= {"rows": _export_rows(folder, file, everything, timing), "file": str(file)}
    if graphs is not None:
        written |= {
            "graphs": _export_graphs(folder, graphs, graph_format, everything),
            "folder": str(graphs),
        }
    if as_json:
        typer.echo(json.dumps(written))
        return
    if file is not None:
        typer.echo(f"{counted(written['rows'], 'row')}: {file}")
    if graphs is not None:
        typer.echo(f"{counted(written['graphs'], 'graph')}: {graphs}")


def _export_rows(folder: Path, file: Path, everything: bool, timing: bool) -> int:
    from causalassay.study.storage import export as write_rows

    with progress_bar("exporting") as on_progress:
        return write_rows(
            folder, file, everything=everything, timing=timing, on_progress=on_progress
        )


def _export_graphs(folder: Path, target: Path, graph_format: str, everything: bool) -> int:
    from causalassay.study.graph_export import export_graphs

    with progress_bar("exporting graphs") as on_progress:
        return export_graphs(
            folder, target, format=graph_format, everything=everything, on_progress=on_progress
        )
