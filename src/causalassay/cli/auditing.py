"""The command `audit`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console
from rich.table import Table

from causalassay.cli.printing import escaped, limits_text, number, progress_bar

if TYPE_CHECKING:
    from causalassay.auditing import Audit, BaselineScore, Sortability


def audit(  # noqa: PLR0913, PLR0917  one argument per option
    data: Annotated[Path, typer.Argument(help="CSV or Parquet file: a column for each variable.")],
    graph: Annotated[
        Path | None,
        typer.Option(
            help="CSV file of the DAG held to be true: columns from,to, or a square 0/1 matrix "
            "with the names of the columns in its first row and column."
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
    bootstrap: Annotated[int, typer.Option(help="Resamples for the intervals.")] = 200,
    orders: Annotated[int, typer.Option(help="Random orders to compare with.")] = 100,
    seed: Annotated[int, typer.Option(help="The same seed gives the same numbers.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Say whether a benchmark can be won by sorting: by what, and by how much.

    Measures how far variance, R² and other simple statistics follow the causal
    order of the graph, runs the baselines that exploit them beside random
    orders, and gives a verdict with its rule. Without --graph it describes the
    columns alone.

    Example: causalassay audit data.csv --graph graph.csv
    """
    from causalassay.auditing import audit as run_audit
    from causalassay.data import read
    from causalassay.graphs import read_graph
    from causalassay.seeding import stream

    rows: Literal["independent", "series"] = "series" if series else "independent"
    dataset = read(data, target, condition, observational, discrete, rows)
    truth = read_graph(graph, columns=dataset.columns)[0] if graph else None
    with progress_bar("auditing") as on_progress:
        result = run_audit(
            dataset,
            truth,
            stream(seed, "audit"),
            n_bootstrap=bootstrap,
            n_orders=orders,
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
        console.print(_baseline_table(result.baselines))
        for note in dict.fromkeys(b.note for b in result.baselines if b.note):
            console.print(f"note: {note}", style="dim")
    if result.fit is not None:
        console.print(
            "Joined pairs depend more strongly than others: AUC "
            f"{number(result.fit.auc)}, p-value {number(result.fit.p_value, 3)}\n",
            highlight=False,
        )
    console.print(f"[bold]Verdict: {result.verdict.sentence}[/]", highlight=False)
    console.print(f"[dim]Rule: {result.verdict.rule}[/]\n", highlight=False)


def _sortability_table(rows: tuple[Sortability, ...]) -> Table:
    table = Table(
        title="How far statistics follow the causal order (1/2: not at all)",
        title_justify="left",
        title_style="bold",
    )
    if all(row.convention == "pairs" for row in rows):
        return _pairs_table(table, rows)
    for heading in ("statistic", "by paths", "95 %", "by pairs", "95 %", "p-value"):
        table.add_column(heading, justify="left" if heading == "statistic" else "right")
    pairs = {row.statistic: row for row in rows if row.convention == "pairs"}
    for row in rows:
        if row.convention == "paths":
            pair = pairs[row.statistic]
            table.add_row(
                row.statistic.replace("R2", "R²"),
                number(row.value),
                limits_text(row.interval),
                number(pair.value),
                limits_text(pair.interval),
                number(row.p_rising, 3),
            )
    return table


def _pairs_table(table: Table, rows: tuple[Sortability, ...]) -> Table:
    """Fill in the sortabilities of a series, which counts no paths and has no intervals."""
    for heading in ("statistic", "by pairs", "p-value"):
        table.add_column(heading, justify="left" if heading == "statistic" else "right")
    for row in rows:
        table.add_row(row.statistic.replace("R2", "R²"), number(row.value), number(row.p_rising, 3))
    return table


def _baseline_table(rows: tuple[BaselineScore, ...]) -> Table:
    table = Table(
        title="What baselines reach (random ones: mean and 95 %)",
        title_justify="left",
        title_style="bold",
    )
    for heading in ("algorithm", "SHD", "F1", "random orders as good"):
        table.add_column(heading, justify="left" if heading == "algorithm" else "right")
    for row in rows:
        shd, f1 = number(row.shd, 0), number(row.f1)
        if row.shd_range and row.f1_range:
            shd, f1 = f"{shd} {limits_text(row.shd_range, 0)}", f"{f1} {limits_text(row.f1_range)}"
        table.add_row(row.algorithm, shd, f1, "" if row.p_order is None else f"{row.p_order:.0%}")
    return table
