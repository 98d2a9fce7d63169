"""The command `audit`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console
from rich.table import Table

from causalassay.cli.printing import counter, escaped, limits_text, number
from causalassay.cli.reading_options import (
    Continuous,
    Drop,
    Separator,
    Transpose,
    printed_notes,
    settled,
)

if TYPE_CHECKING:
    from causalassay.auditing import Audit, BaselineScore, Sortability


def audit(  # noqa: PLR0913, PLR0917  one argument per option
    data: Annotated[
        Path,
        typer.Argument(
            help="Text (CSV, TSV, …), Parquet, Feather or NumPy file: a column for each variable."
        ),
    ],
    graph: Annotated[
        Path | None,
        typer.Option(
            help="File of the DAG held to be true: an edge list with header from,to or a square "
            "0/1 matrix, row -> column; also GraphML, GML, DOT, .npy and .npz."
        ),
    ] = None,
    condition: Annotated[
        str | None, typer.Option(help="Column that names each row's experimental condition.")
    ] = None,
    target: Annotated[
        str | None, typer.Option(help="Column that names the variable intervened upon.")
    ] = None,
    observational: Annotated[
        str | None, typer.Option(help="Condition to audit: the one without intervention.")
    ] = None,
    series: Annotated[
        bool,
        typer.Option(
            "--series",
            help="The rows follow each other in time; the graph is then the summary of what acts "
            "on what at any lag, and both directions mean feedback.",
        ),
    ] = False,
    max_lag: Annotated[
        int | None, typer.Option(help="Of a series: how far links reach back. Default: 1.")
    ] = None,
    discrete: Annotated[
        bool, typer.Option("--discrete", help="All columns are discrete: their values are levels.")
    ] = False,
    drop: Drop = None,
    continuous: Continuous = False,
    separator: Separator = None,
    transpose: Transpose = False,
    bootstrap: Annotated[int, typer.Option(help="Resamples for the intervals.")] = 200,
    seed: Annotated[int, typer.Option(help="The same seed gives the same numbers.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Say whether a benchmark can be won by sorting: by what, and by how much.

    Measures how far variance, R² and other simple statistics follow the causal
    order of the graph, in both directions, and runs the baselines that exploit
    them beside as many random orders as it takes to decide. Gives all findings
    with their rules: gameable, gameable backwards, leaning, undecided, too small,
    no evidence; and whether the data refute the graph. Without --graph it
    describes the columns alone.

    Example: causalassay audit data.csv --graph graph.csv
    """
    from causalassay.auditing import audit as run_audit
    from causalassay.data import read
    from causalassay.graphs import read_graph
    from causalassay.seeding import stream

    rows: Literal["independent", "series"] = "series" if series else "independent"
    options = settled(drop, discrete, continuous, separator)
    with printed_notes():
        dataset = read(data, target, condition, observational, rows=rows, **options)
        columns = dataset.columns
        truth = read_graph(graph, columns, transpose=transpose)[0] if graph else None
    with counter("auditing: steps") as on_progress:
        result = run_audit(
            dataset,
            truth,
            stream(seed, "audit"),
            n_bootstrap=bootstrap,
            on_progress=on_progress,
            max_lag=max_lag,
        )
    if as_json:
        typer.echo(json.dumps(result.to_dict(), indent=2, allow_nan=False))
    else:
        _print_audit(result, data.name, Console())


def _print_audit(result: Audit, name: str, console: Console) -> None:
    edges = "no graph" if result.n_edges is None else f"{result.n_edges} edges"
    console.print(
        f"[bold]{escaped(name)}[/]: {result.n_samples} rows, {result.n_nodes} columns, {edges}\n",
        highlight=False,
    )
    if result.sortabilities:
        console.print(_sortability_table(result.sortabilities))
        for note in dict.fromkeys(s.note for s in result.sortabilities if s.note):
            console.print(f"note: {note}", style="dim")
    if result.baselines:
        console.print(_baseline_table(result.baselines))
        for note in dict.fromkeys(b.note for b in result.baselines if b.note):
            console.print(f"note: {note}", style="dim")
    _print_findings(result, console)


def _print_findings(result: Audit, console: Console) -> None:
    verdict = result.verdict
    console.print(f"[bold]Verdict: {escaped(verdict.sentence)}[/]", highlight=False)
    for finding in result.findings:
        if finding != verdict:
            console.print(escaped(finding.sentence), highlight=False)
    console.print()
    for name, text in result.rules.items():
        console.print(f"[dim]Rule “{escaped(name)}”: {escaped(text)}[/]", highlight=False)


def _sortability_table(rows: tuple[Sortability, ...]) -> Table:
    table = Table(
        title="How far statistics follow the causal order (1/2: not at all)",
        title_justify="left",
        title_style="bold",
    )
    headings = ["statistic", "counted by", "sortability", "95 %", "p rising", "p falling"]
    for heading in headings:
        left = heading in {"statistic", "counted by"}
        table.add_column(heading, justify="left" if left else "right")
    for row in rows:
        table.add_row(
            row.statistic.replace("R2", "R²"),
            row.convention,
            number(row.value),
            limits_text(row.interval),
            number(row.p_rising, 3),
            number(row.p_falling, 3),
        )
    return table


def _baseline_table(rows: tuple[BaselineScore, ...]) -> Table:
    table = Table(
        title="What baselines reach (random ones: mean and 95 %)",
        title_justify="left",
        title_style="bold",
    )
    for heading in ("baseline", "SHD", "F1", "p-value"):
        table.add_column(heading, justify="left" if heading == "baseline" else "right")
    for row in rows:
        shd, f1 = number(row.shd, 0), number(row.f1)
        if row.shd_range and row.f1_range:
            shd, f1 = f"{shd} {limits_text(row.shd_range, 0)}", f"{f1} {limits_text(row.f1_range)}"
        table.add_row(row.algorithm, shd, f1, "" if row.p_order is None else number(row.p_order, 3))
    return table
