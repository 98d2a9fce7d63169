"""The command `discover`."""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from causalassay.cli.algorithm_options import OneAlgorithm, Settings, read_one_algorithm
from causalassay.cli.interruptions import algorithms_at_work
from causalassay.cli.options import AsJson
from causalassay.cli.printing import escaped, steady_progress, wide_console
from causalassay.cli.reading_options import (
    Condition,
    Continuous,
    Discrete,
    Drop,
    DropCondition,
    Observational,
    Separator,
    Series,
    Target,
    printed_notes,
    settled,
)
from causalassay.replacing import check_target, replacing
from causalassay.spelling import listed

if TYPE_CHECKING:
    from causalassay.auditing.provenance import Provenance
    from causalassay.contracts import Algorithm
    from causalassay.data import Dataset
    from causalassay.resampling import EdgeFrequencies

ENDINGS = (".csv", ".graphml", ".gml", ".dot", ".gv", ".json", ".npy", ".npz")
"""Of graph files."""

BOOTSTRAPS = 100

MOST_LISTED = 200
"""Rows of the table on the terminal; the rest is counted."""


@dataclass(frozen=True)
class _Outputs:
    """The files to write."""

    graph: Path | None
    matrix: bool
    svg: Path | None
    report: Path | None

    def check(self, data: Path) -> None:
        """Raise before the work begins if one of them cannot be written."""
        for path in (self.graph, self.svg, self.report):
            check_target(path, (data,))
        stated = [path.absolute() for path in (self.graph, self.svg, self.report) if path]
        if len(set(stated)) < len(stated):
            raise ValueError("--out, --svg and --report name the same file; give each its own")
        ending = "" if self.graph is None else self.graph.suffix.lower()
        if self.graph is not None and ending not in ENDINGS:
            raise ValueError(f"--out {self.graph}: expected a file that ends in {listed(ENDINGS)}")
        if self.matrix and ending != ".csv":
            raise ValueError("--matrix is for --out FILE.csv; leave it out, or write such a file")


def discover(  # noqa: PLR0913, PLR0917  one argument per option
    data: Annotated[
        Path,
        typer.Argument(
            help="Data file with one column per variable: text (CSV, TSV, …), Parquet, Feather or "
            "NumPy."
        ),
    ],
    algorithm: OneAlgorithm,
    settings: Settings = None,
    bootstrap: Annotated[
        int | None,
        typer.Option(
            help="Number of bootstraps of the rows; 0 for the graph alone. Default: 100, and 0 "
            "for a series.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Graph file to write: .csv (edge list with frequencies), .graphml, .gml, .dot, "
            ".json, .npy or .npz."
        ),
    ] = None,
    matrix: Annotated[
        bool, typer.Option("--matrix", help="Write a CSV matrix instead of an edge list.")
    ] = False,
    svg: Annotated[
        Path | None,
        typer.Option(help="Write the drawing: thick: often joined; dashed: direction unsure."),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Write one HTML page that works offline.")
    ] = None,
    condition: Condition = None,
    target: Target = None,
    observational: Observational = None,
    drop_condition: DropCondition = None,
    series: Series = False,
    discrete: Discrete = False,
    drop: Drop = None,
    continuous: Continuous = False,
    separator: Separator = None,
    seed: Annotated[
        int, typer.Option(min=0, help="Random seed: the same seed gives the same numbers.")
    ] = 0,
    workers: Annotated[
        int | None,
        typer.Option(min=1, help="Local processes. Default: 2 where bootstraps take long."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Find a graph in your data, and how often bootstraps of the rows have each edge.

    One algorithm runs on all rows, then on rows drawn with replacement within each
    condition. A frequency says how much an edge depends on which rows were
    measured; it is no probability that the edge is true.

    Example: causalassay discover data.csv --algorithm pc --set alpha=0.01 --out graph.csv

    With experiments: causalassay discover sachs.csv --condition condition
    --target target --observational cd3_cd28 --algorithm gies --report graph.html
    """
    from causalassay.auditing.provenance import provenance

    outputs = _Outputs(out, matrix, svg, report)
    outputs.check(data)
    label, chosen = read_one_algorithm(algorithm, settings or [])
    n_bootstrap = bootstrap if bootstrap is not None else 0 if series else BOOTSTRAPS
    reading: dict[str, Any] = {
        "target": target,
        "condition": condition,
        "observational": observational,
        "rows": "series" if series else "independent",
        **settled(drop, discrete, continuous, separator),
    }
    dropped = drop_condition or []
    stated = {"algorithm": repr(chosen), "bootstrap": n_bootstrap, "drop_condition": dropped}
    made = provenance(seed, stated | reading, {data: "data"})
    dataset = _read(data, reading, dropped)
    found = _found(label, chosen, dataset, n_bootstrap, seed, workers)
    size = _size(dataset, chosen)
    _write(outputs, found, data.name, label, size, made)  # first: a reader may close the pipe
    if as_json:
        plain = {"algorithm": label, **found.to_dict(), **made.to_dict()}
        typer.echo(json.dumps(plain, indent=2, allow_nan=False))
        return
    _print(found, f"{data.name}: {size}", label)


def _read(path: Path, reading: dict[str, Any], dropped: list[str]) -> Dataset:
    """Return the data; names that no graph file can hold are refused here."""
    from causalassay.data import read
    from causalassay.graphs.writing import writable_names

    with printed_notes():
        dataset = read(path, **reading, drop_conditions=dropped)
    writable_names(dataset.columns)
    return dataset


def _found(
    label: str,
    algorithm: Algorithm,
    dataset: Dataset,
    n_bootstrap: int,
    seed: int,
    workers: int | None,
) -> EdgeFrequencies:
    from causalassay.contracts import NotApplicable
    from causalassay.discovery.environment_algorithms import NotInstalled
    from causalassay.resampling import AlgorithmFailed, edge_frequencies
    from causalassay.seeding import stream

    try:
        with (
            algorithms_at_work(),
            steady_progress(
                "bootstraps", "{done} of {total} bootstraps", f"discover {label}"
            ) as on_progress,
        ):
            return edge_frequencies(
                algorithm,
                dataset,
                stream(seed, "discover"),
                n_bootstrap,
                processes=workers,
                on_progress=on_progress,
            )
    except NotInstalled as reason:
        raise ValueError(f"{label}: {reason}") from None
    except NotApplicable as reason:
        hint = " (--drop-condition)" if "leave the condition out" in str(reason) else ""
        raise ValueError(f"{label} does not apply to these data: {reason}{hint}") from None
    except AlgorithmFailed as reason:
        raise ValueError(f"{label}: {reason}") from None


def _size(data: Dataset, algorithm: Algorithm) -> str:
    """Return how large the data are, and which of several conditions the algorithm reads."""
    n = len(data.regimes)
    columns = "1 column" if data.n_nodes == 1 else f"{data.n_nodes} columns"
    if n == 1:
        return f"{data.n_samples} rows, {columns}"
    reads = getattr(algorithm, "reads", None)
    said = f"; the algorithm reads {reads}" if reads else ""
    return f"{data.n_samples} rows in {n} conditions, {columns}{said}"


def _write(
    outputs: _Outputs, found: EdgeFrequencies, data: str, label: str, size: str, made: Provenance
) -> None:
    """Write the files that were asked for, and say where they are."""
    if outputs.graph is not None:
        from causalassay.graphs import write_graph

        write_graph(
            outputs.graph,
            found.estimate.graph,
            found.columns,
            layout="matrix" if outputs.matrix else "edges",
            numbers=found.numbers,
            feedback=found.estimate.kind == "summary",
        )
        typer.echo(f"Graph: {outputs.graph}", err=True)
    if outputs.svg is not None:
        with replacing(outputs.svg) as partial:
            partial.write_text(found.draw()._repr_svg_() + "\n", encoding="utf-8")
        typer.echo(f"Drawing: {outputs.svg}", err=True)
    if outputs.report is not None:
        from causalassay.auditing.provenance import today
        from causalassay.report.graph_page.document import Found, graph_page

        command = shlex.join(["causalassay", *sys.argv[1:]])
        page = graph_page(Found(data, size, label, found), made, command, today())
        with replacing(outputs.report) as partial:
            partial.write_text(page, encoding="utf-8")
        typer.echo(f"Report: {outputs.report}", err=True)


def _print(found: EdgeFrequencies, head: str, label: str) -> None:
    console = wide_console()
    console.print(f"[bold]{escaped(label)}[/] on {escaped(head)}", highlight=False)
    console.print(
        f"Found: {found.draw().caption}. {found.sentence}", highlight=False, soft_wrap=True
    )
    _print_table(found, console)
    for reason, count in found.failures.items():
        line = f"{count} of {found.n_bootstrap} bootstraps failed: {escaped(reason)}"
        console.print(line, highlight=False, soft_wrap=True)


def _print_table(found: EdgeFrequencies, console: Console) -> None:
    """Print the edges, with their frequencies where there are any."""
    from causalassay.resampling.result import percent

    pairs = found.pairs()
    if not pairs:
        return
    title = "Edges, and their shares of the bootstraps" if found.measured else None
    table = Table("edge", title=title, title_justify="left")
    for head in ("as drawn", "→", "←", "—", "absent") if found.measured else ():
        table.add_column(head, justify="right")
    for one in pairs[:MOST_LISTED]:
        shares = (one.support, one.forward, one.backward, one.undirected, one.absent)
        table.add_row(escaped(one.text), *(map(percent, shares) if found.measured else ()))
    console.print(table)
    if len(pairs) > MOST_LISTED:
        left = len(pairs) - MOST_LISTED
        console.print(f"and {left} more; --out and --json have all", highlight=False)
    if any(not one.mark for one in pairs):
        console.print("? most bootstraps join the pair, the graph does not", style="dim")
