"""The commands on a study's results, from `status` to `bundle`."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from causalassay.cli.interruptions import algorithms_at_work
from causalassay.cli.options import (
    AsJson,
    Folder,
    argument,
    complete_results,
    flag,
    option,
    print_json,
)
from causalassay.cli.printing import progress_bar, wide_console
from causalassay.common.spelling import did_you_mean, listed
from causalassay.present.formatting import byte_size, counted, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from causalassay.lab.bundling import Bundle
    from causalassay.study.storage.outputs import PrintedTask


def status(folder: Folder, as_json: AsJson = False) -> None:
    """Show the progress of a study, also while it runs, and how many instances findings need.

    Example: causalassay status first-look-results
    """
    from causalassay.analysis.needed import needed_in, needed_line
    from causalassay.study.storage import read_store

    with read_store(folder) as store:
        progress = store.status()
    needed = needed_in(folder)
    if as_json:
        instances = [each.to_dict() for each in needed]
        print_json(progress.to_dict() | {"instances": instances})
    else:
        typer.echo("\n".join([*progress.lines(), needed_line(needed)]))


@dataclass(frozen=True)
class LogOptions:
    """Whose output is shown."""

    results: Path = argument(
        "The study's results folder, or the study file beside it.",
        metavar="RESULTS",
        autocompletion=complete_results,
    )
    key: str | None = argument("The key of a row, or its first characters.", None)
    algorithm: str | None = option(None, "Only tasks of this algorithm.")
    problem: str | None = option(None, "Only tasks on this problem, by its name.")
    scheme: str | None = option(None, "Only tasks on problems of this scheme, such as iscm.")
    replicate: int | None = option(None, "Only tasks on this replicate.", min=0)
    failed: bool = flag("Only tasks whose row is not ok: failed, timeout or skipped.")


def log(options: LogOptions, as_json: AsJson = False) -> None:
    """Show what algorithms printed in a study: a list of tasks, or the output of one.

    The last 64 kB of each task are kept, standard output and standard error together, also
    of a task that failed, was too late, crashed or took too much memory. If one task is left
    after all options, its output is printed, else the tasks are listed.

    Example: causalassay log first-look-results --failed

    One of them: causalassay log first-look-results 3fa9
    """
    from causalassay.study.reasons import plain_lines
    from causalassay.study.storage import read_store

    with read_store(_results_of(options.results)) as store:
        printed = store.printed_tasks()
        tasks = _chosen_tasks(printed, options)
        output = store.output(tasks[0].key) if len(tasks) == 1 else b""
    text = plain_lines(output)
    if as_json:
        shown = {"output": text} if len(tasks) == 1 else {}
        print_json({"tasks": [task.to_dict() for task in tasks]} | shown)
    elif len(tasks) == 1:
        typer.echo("\n".join(_about_output(tasks[0], len(output))), err=True)
        typer.echo(text, nl=not text.endswith("\n"))
    elif tasks:
        typer.echo("\n".join(_log_lines(tasks)))
    else:
        typer.echo("no task printed anything" if not printed else "no such task printed anything")


def _results_of(given: Path) -> Path:
    """Return the results folder; of a study file the one that `run` uses."""
    if given.suffix != ".toml" or not given.is_file():
        return given
    from causalassay.study.language import read_study

    return given.parent / f"{read_study(given).name}-results"


def _chosen_tasks(printed: list[PrintedTask], options: LogOptions) -> list[PrintedTask]:
    """Return the tasks that the options leave; refuse a name that no task has."""
    tasks = [task for task in printed if task.key.startswith((options.key or "").lower())]
    if options.key is not None and not tasks:
        raise ValueError(f"no task whose key begins with {options.key!r} has printed anything")
    for name in ("algorithm", "problem", "scheme"):
        wanted = getattr(options, name)
        if wanted is None:
            continue
        known = list(dict.fromkeys(getattr(task, name) for task in printed))
        if wanted not in known:
            raise ValueError(
                f"--{name}: no {name} {wanted!r} has printed anything; "
                + (did_you_mean(wanted, known) if known else "no other has, either")
            )
        tasks = [task for task in tasks if getattr(task, name) == wanted]
    if options.replicate is not None:
        tasks = [task for task in tasks if task.replicate == options.replicate]
    return [task for task in tasks if task.status != "ok"] if options.failed else tasks


def _about_output(task: PrintedTask, kept: int) -> list[str]:
    """Return whose output it is, and how much of it there is."""
    reason = f", {task.reason}" if task.reason else ""
    lines = [
        f"{task.algorithm} on {task.problem}, {_replicate(task)}: {task.status}{reason} "
        f"({task.key})"
    ]
    if task.size > kept:
        lines.append(f"the last {byte_size(kept)} of {byte_size(task.size)}:")
    return lines


def _replicate(task: PrintedTask) -> str:
    where = "replicate" if task.purpose == "main" else "held-out system"
    return f"{where} {task.replicate}"


def _log_lines(tasks: list[PrintedTask]) -> Iterator[str]:
    """Yield the tasks as a table, one line each."""
    rows = [
        (
            task.key[:_KEY_SHOWN],
            task.algorithm,
            f"{task.problem}, {_replicate(task)}",
            byte_size(task.size),
            task.status,
            shortened(task.reason, _REASON_SHOWN),
        )
        for task in tasks
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True))
        yield "  ".join(cells).rstrip()
    yield f"{counted(len(tasks), 'task')}; name a key to see its output"


_KEY_SHOWN = 12
_REASON_SHOWN = 60


def summary(
    folder: Folder,
    metric: Annotated[str | None, typer.Option(help="Show the tables for this metric.")] = None,
    size: Annotated[
        str | None,
        typer.Option(
            help="Show problems of this size, such as d=20 or d=20,n=1000: nodes (d), samples "
            "(n), edges per node (k). Default: that with most runs, then the largest."
        ),
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="Also print all tables, sentences and rules.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Print the result of a study: one sentence, and the scores with the findings.

    Problems of several sizes are never averaged: the matrix is of one size, and a line
    below it names the others.

    --full adds how the runs ended, the leaderboards and the whole verdict, of all sizes;
    --json prints all of this, with ranks and pairwise comparisons.

    Example: causalassay summary first-look-results --full
    """
    from causalassay.analysis import read
    from causalassay.analysis.report import terminal
    from causalassay.study.forecast import missing_rows

    analysis, missing = read(folder), missing_rows(folder)
    if size is not None:
        analysis = analysis.at(size)
    if as_json:
        print_json(analysis.to_dict() | {"missing": missing.by_algorithm})
        return
    if line := terminal.missing_rows_line(missing):
        typer.echo(line)
    console = wide_console()
    if metric is None:
        terminal.print_overview(analysis, console, missing.total * bool(missing.n_missing))
    if full or metric is not None:
        terminal.print_tables(analysis, console, metric or "")
    if full and metric is None:
        terminal.print_sentences(analysis, console)


@dataclass(frozen=True)
class ReportOptions:
    """Where a report is written, and with what."""

    report: Path | None = option(None, "File to write. Default: report.html in the folder.")
    figures: bool = flag("Also write its figures (PDF, SVG, PNG) and LaTeX tables next to it.")


def report(folder: Folder, options: ReportOptions, as_json: AsJson = False) -> None:
    """Write a study's report: one HTML page that works offline.

    Example: causalassay report first-look-results --figures
    """
    from causalassay.analysis.report.files import write_report, write_report_and_figures

    if options.figures:
        page, *others = write_report_and_figures(folder, options.report)
    else:
        page, others = write_report(folder, options.report), []
    if as_json:
        print_json({"report": str(page), "figures": [str(file) for file in others]})
        return
    typer.echo(f"Report: {page}")
    if others:
        tables = sum(file.suffix == ".tex" for file in others)
        figures = counted(len(others) - tables, "figure")
        typer.echo(f"{figures} and {counted(tables, 'LaTeX table')}: {others[0].parent}")


@dataclass(frozen=True)
class ExportOptions:
    """What is exported, where to."""

    file: Path | None = argument("File to write: .csv or .parquet.", None)
    graphs: Path | None = option(
        None, "Folder to write: the graph of each row as a file, and index.csv with all rows."
    )
    graph_format: str = option(
        "csv",
        "Of the graphs: csv (edge list), matrix, graphml, gml, dot, json, npy or npz.",
        "--format",
    )
    everything: bool = flag("Include rows of parts that are no longer in the study file.")
    timing: bool = option(
        True, "--no-timing leaves out times and host names, so that two runs give equal files."
    )


def export(folder: Folder, options: ExportOptions, as_json: AsJson = False) -> None:
    """Write the rows of a study to one table, or the graphs that were found to a folder.

    The table has one row per task, one column per quantity.

    In CSV files, text that a spreadsheet would run as a formula (it begins with
    = + - @ or a tab) gets a leading apostrophe. Parquet keeps all text unchanged.

    Example: causalassay export first-look-results rows.parquet

    The graphs: causalassay export first-look-results --graphs graphs --format graphml
    """
    from causalassay.study.graph_export import export_graphs
    from causalassay.study.storage import export as export_rows

    file, graphs, everything = options.file, options.graphs, options.everything
    if file is None and graphs is None:
        raise ValueError("name a file to write (rows.csv), or a folder: --graphs FOLDER")
    if options.graph_format != "csv" and graphs is None:
        raise ValueError("--format is for --graphs FOLDER; leave it out, or name a folder")
    written: dict[str, Any] = {}
    if file is not None:
        with progress_bar("exporting") as show:
            n_rows = export_rows(
                folder, file, everything=everything, timing=options.timing, on_progress=show
            )
        written |= {"rows": n_rows, "file": str(file)}
    if graphs is not None:
        form = options.graph_format
        with progress_bar("exporting graphs") as show:
            n_graphs = export_graphs(
                folder, graphs, format=form, everything=everything, on_progress=show
            )
        written |= {"graphs": n_graphs, "folder": str(graphs)}
    if as_json:
        typer.echo(json.dumps(written))
        return
    if file is not None:
        typer.echo(f"{counted(written['rows'], 'row')}: {file}")
    if graphs is not None:
        typer.echo(f"{counted(written['graphs'], 'graph')}: {graphs}")


@dataclass(frozen=True)
class BundleOptions:
    """What a bundle holds and says."""

    folder: Path | None = argument(
        "The study's results folder.",
        None,
        metavar="RESULTS",
        autocompletion=complete_results,
    )
    out: Path | None = option(None, "Folder to write: a new or empty one.")
    anonymous: bool = flag("Leave out hosts, users and paths, for double-blind review.")
    hide: list[str] | None = option(
        None,
        "Further name that --anonymous leaves out, such as yours on the machine that ran "
        "the study. May be given more than once.",
    )
    include_data: bool = flag(
        "Copy the data files that the study names: you may share them. Without it they "
        "are named with their checksums."
    )
    licence: str | None = option(
        None, "What you state, such as CC-BY-4.0. Default: none is stated."
    )
    author: str | None = option(None, "Who made it, for the description.")
    url: str | None = option(None, "Where it will be, for the description.")
    unfinished: bool = flag("Bundle a study of which tasks are missing.")
    study_file: Path | None = option(
        None, "Where the study file is, if it is not beside the results folder.", "--study"
    )
    check: Path | None = option(None, "Now the command check-bundle.", hidden=True)


def bundle(options: BundleOptions, as_json: AsJson = False) -> None:
    """Write what a benchmark track asks for: a study, its results and their description.

    The folder holds the study file and its code, the rows, the graphs, the report, the
    versions of packages, checksums, a Croissant file and an evaluation card. It can be run
    again from inside with `causalassay run study.toml`.

    Example: causalassay bundle first-look-results --out first-look-bundle --anonymous

    Check it: causalassay check-bundle first-look-bundle
    """
    from causalassay.lab.bundling import Terms, write_bundle

    folder, out = options.folder, options.out
    if options.check is not None:
        if folder is not None or out is not None:
            raise ValueError("--check BUNDLE stands alone; leave out RESULTS and --out")
        check_bundle(options.check, as_json)
        return
    if folder is None or out is None:
        raise ValueError(
            "name the results and the folder to write: causalassay bundle RESULTS --out FOLDER"
        )
    terms = Terms(
        options.anonymous,
        options.include_data,
        options.unfinished,
        options.licence,
        options.author,
        options.url,
        tuple(options.hide or ()),
    )
    with algorithms_at_work(), progress_bar("bundling") as on_step:
        written = write_bundle(folder, out, terms, options.study_file, on_step)
    if as_json:
        print_json(dataclasses.asdict(written) | {"folder": str(written.folder)})
    else:
        typer.echo("\n".join(_bundle_lines(written, options.licence)))


def _bundle_lines(written: Bundle, licence: str | None) -> Iterator[str]:
    """Yield what a bundle holds, and what to do before it is handed in."""
    parts = (written.files, "file"), (written.rows, "row"), (written.graphs, "graph")
    yield f"{', '.join(counted(*part) for part in parts)}: {written.folder}"
    if written.missing:
        yield f"Not complete: {counted(written.missing, 'task')} missing; the card says so."
    for name in written.left_out:
        yield f"Not included: {name}; --include-data copies it, if you may share it."
    if written.elsewhere:
        yield (
            f"It also ran on {listed(written.elsewhere)}. If you have another user name there, it "
            "may still be in reasons and comments: add --hide NAME."
        )
    if written.suspected:
        yield (
            f"The wheel has a name that is hidden elsewhere ({written.suspected}): a citation, or "
            "an edit of yours that you take out before you hand it in."
        )
    if licence is None:
        yield "No licence is stated: most tracks ask for one, such as --licence CC-BY-4.0."
    yield f"Read {written.folder / 'card.md'} before you hand it in."


def check_bundle(
    folder: Annotated[Path, typer.Argument(help="The folder that `bundle` wrote.")],
    as_json: AsJson = False,
) -> None:
    """Check that the files of a bundle are as they were written, and its rows belong to its study.

    Nothing that it names is run.

    Example: causalassay check-bundle first-look-bundle
    """
    from causalassay.lab.bundling import check_bundle as check_files

    checked = check_files(folder)
    if as_json:
        print_json(dataclasses.asdict(checked))
        return
    typer.echo(f"{counted(checked.files, 'file')} as bundled: {folder}")
    missing = f"; {counted(checked.missing, 'task')} without a row" if checked.missing else ""
    typer.echo(
        f"{counted(checked.rows, 'row')} of the study{missing}; report and card say what they say."
    )
    if not checked.same_package:
        typer.echo(
            "Its wheel is not this causalassay: to install it is to trust those who made it."
        )
    if checked.others:
        others = checked.others
        typer.echo(f"{len(others)} other files have no checksum, such as {others[0]}.")
