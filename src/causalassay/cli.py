"""The command line: parses, calls, prints."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.padding import Padding
from rich.table import Table

if TYPE_CHECKING:
    from causalassay.audit import Audit, BaselineScore, Sortability


class Part(StrEnum):
    """What `causalassay list` can list."""

    algorithms = "algorithms"
    models = "models"
    metrics = "metrics"
    diagnostics = "diagnostics"


app = typer.Typer(
    help="An assay office for causal discovery: is an algorithm, or a benchmark, worth what it "
    "claims?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


THREAD_COUNTS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)


def main() -> None:
    """Run the command line; a mistake in the input is a line on stderr and exit code 2."""
    for name in THREAD_COUNTS:
        # Before numpy is imported: a second BLAS thread makes small inverses many times slower.
        os.environ.setdefault(name, "1")
    try:
        app()
    except (ValueError, OSError) as error:
        Console(stderr=True).print(f"[bold red]error:[/] {_escaped(str(error))}", highlight=False)
        sys.exit(2)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"causalassay {version('causalassay')}")
        raise typer.Exit


@app.callback()
def about(
    show_version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print it.")
    ] = False,
) -> None:
    """Tell what the words below have in common: nothing but the program."""


@app.command()
def audit(  # noqa: PLR0913, PLR0917  one argument an option
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
    bootstrap: Annotated[int, typer.Option(help="Resamples for the intervals.")] = 200,
    orders: Annotated[int, typer.Option(help="Random orders to compare with.")] = 100,
    seed: Annotated[int, typer.Option(help="The same seed gives the same numbers.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Tell whether a benchmark can be won by sorting: by what, and by how much.

    Measures how far variance, R² and other simple statistics follow the causal
    order of the graph, runs the baselines that exploit them beside random
    orders, and gives a verdict with its rule. Without --graph it says what the
    columns tell alone.

    Example: causalassay audit data.csv --graph graph.csv
    """
    from causalassay.audit import audit as run_audit
    from causalassay.data import read
    from causalassay.graphs import read_graph
    from causalassay.seeding import stream

    dataset = read(data, target=target, condition=condition, observational=observational)
    truth = read_graph(graph, columns=dataset.columns)[0] if graph else None
    with _progress("auditing") as on_progress:
        found = run_audit(
            dataset, truth, stream(seed, "audit"), bootstrap, orders, on_progress=on_progress
        )
    if as_json:
        typer.echo(json.dumps(found.to_dict(), indent=2, allow_nan=False))
    else:
        _print_audit(found, data.name, Console())


@app.command(name="list")
def list_parts(
    what: Annotated[
        Part, typer.Argument(help="algorithms, models, metrics or diagnostics.")
    ] = Part.algorithms,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """List what can be named in scripts and studies, and why some of it cannot run here.

    Example: causalassay list algorithms
    """
    from causalassay.catalogue import catalogue

    rows = catalogue(what.value)
    if as_json:
        typer.echo(json.dumps(rows, indent=2))
        return
    console = Console()
    for row in rows:
        name, *details = row.items()
        console.print(f"[bold]{_escaped(name[1])}[/]", highlight=False)
        for heading, text in details:
            if text:
                label = heading.replace("_", " ")
                line = Padding(f"[dim]{label}:[/] {_escaped(text)}", (0, 0, 0, 4))
                console.print(line, highlight=False)


new = typer.Typer(help="Write a working beginning of your own.", no_args_is_help=True)
app.add_typer(new, name="new")


@new.command()
def algorithm(
    name: Annotated[str, typer.Argument(help="Small letters and hyphens, like my-algorithm.")],
    folder: Annotated[Path, typer.Option(help="Where to make the package's folder.")] = Path(),
) -> None:
    """Write a plug-in package: one algorithm, its entry point and its conformance test.

    Example: causalassay new algorithm my-algorithm
    """
    from causalassay.scaffold import new_algorithm

    for file in new_algorithm(name, folder):
        typer.echo(file)
    typer.echo(f"\nNow: pip install -e {folder / name} && pytest {folder / name}")


@contextmanager
def _progress(label: str) -> Iterator[Callable[[int, int], None]]:
    """Show a bar on stderr where somebody watches, and nothing elsewhere."""
    from rich.progress import Progress

    with Progress(
        console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()
    ) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _print_audit(found: Audit, name: str, console: Console) -> None:
    edges = "no graph" if found.n_edges is None else f"{found.n_edges} edges"
    console.print(
        f"[bold]{_escaped(name)}[/]: {found.n_samples} rows, {found.n_nodes} columns, {edges}\n",
        highlight=False,
    )
    if found.sortabilities:
        console.print(_sortability_table(found.sortabilities))
        for note in dict.fromkeys(s.note for s in found.sortabilities if s.note):
            console.print(f"note: {note}", style="dim")
        console.print(_baseline_table(found.baselines))
        for note in dict.fromkeys(b.note for b in found.baselines if b.note):
            console.print(f"note: {note}", style="dim")
    if found.fit is not None:
        console.print(
            "Joined pairs depend more strongly than others: AUC "
            f"{_number(found.fit.auc)}, chance {_number(found.fit.p_value, 3)}\n",
            highlight=False,
        )
    console.print(f"[bold]Verdict: {found.verdict.sentence}[/]", highlight=False)
    console.print(f"[dim]Rule: {found.verdict.rule}[/]\n", highlight=False)


def _sortability_table(rows: tuple[Sortability, ...]) -> Table:
    table = Table(
        title="How far statistics follow the causal order (1/2: not at all)",
        title_justify="left",
        title_style="bold",
    )
    for heading in ("statistic", "by paths", "95 %", "by pairs", "95 %", "chance"):
        table.add_column(heading, justify="left" if heading == "statistic" else "right")
    pairs = {row.statistic: row for row in rows if row.convention == "pairs"}
    for row in rows:
        if row.convention == "paths":
            pair = pairs[row.statistic]
            table.add_row(
                row.statistic.replace("R2", "R²"),
                _number(row.value),
                _range(row.interval),
                _number(pair.value),
                _range(pair.interval),
                _number(row.p_rising, 3),
            )
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
        shd, f1 = _number(row.shd, 0), _number(row.f1)
        if row.shd_range and row.f1_range:
            shd, f1 = f"{shd} {_range(row.shd_range, 0)}", f"{f1} {_range(row.f1_range)}"
        table.add_row(row.algorithm, shd, f1, "" if row.p_order is None else f"{row.p_order:.0%}")
    return table


def _number(value: float, decimals: int = 2) -> str:
    return "–" if math.isnan(value) else f"{value:.{decimals}f}"


def _range(limits: tuple[float, float], decimals: int = 2) -> str:
    return f"{_number(limits[0], decimals)}–{_number(limits[1], decimals)}"


def _escaped(text: str) -> str:
    from rich.markup import escape

    return escape(text)
