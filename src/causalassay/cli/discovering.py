"""The command `discover`."""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from causalassay.cli.algorithm_options import OneAlgorithm, Settings, read_one_algorithm
from causalassay.cli.interruptions import algorithms_at_work
from causalassay.cli.options import AsJson
from causalassay.cli.printing import steady_progress, wide_console
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
from causalassay.common.replacing import check_target, write_text
from causalassay.common.spelling import listed
from causalassay.present.formatting import counted

if TYPE_CHECKING:
    from causalassay.contracts import Algorithm
    from causalassay.data import Dataset
    from causalassay.present.document import Document
    from causalassay.resampling import EdgeFrequencies

ENDINGS = (".csv", ".graphml", ".gml", ".dot", ".gv", ".json", ".npy", ".npz")
"""Of graph files."""

BOOTSTRAPS = 100


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
    from causalassay.present.provenance import provenance, today
    from causalassay.resampling.document import Search, frequencies_document

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
    origin = provenance(seed, stated | reading, {data: "data"})
    dataset = _read(data, reading, dropped)
    frequencies = _frequencies(label, chosen, dataset, n_bootstrap, seed, workers)
    assumptions = getattr(chosen, "assumptions", "")
    search = Search(label, data.name, _size(dataset, chosen), assumptions)
    command = shlex.join(["causalassay", *sys.argv[1:]])
    document = frequencies_document(frequencies, search, origin.blocks(command, today()))
    _write(outputs, frequencies, document)  # first: a reader may close the pipe
    if as_json:
        plain = {"algorithm": label, **frequencies.to_dict(), **origin.to_dict()}
        typer.echo(json.dumps(plain, indent=2, allow_nan=False))
        return
    from causalassay.present.terminal import print_document

    print_document(document, wide_console())


def _read(path: Path, reading: dict[str, Any], dropped: list[str]) -> Dataset:
    """Return the data; names that no graph file can hold are refused here."""
    from causalassay.data import read
    from causalassay.graphs.writing import writable_names

    with printed_notes():
        dataset = read(path, **reading, drop_conditions=dropped)
    writable_names(dataset.columns)
    return dataset


def _frequencies(
    label: str,
    algorithm: Algorithm,
    dataset: Dataset,
    n_bootstrap: int,
    seed: int,
    workers: int | None,
) -> EdgeFrequencies:
    from causalassay.common.seeding import stream
    from causalassay.contracts import NotApplicable
    from causalassay.discovery.environment_algorithms import NotInstalled
    from causalassay.resampling import AlgorithmFailed, edge_frequencies

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
                isolated=True,
                on_progress=on_progress,
            )
    except NotInstalled as reason:
        raise ValueError(f"{label}: {reason}") from None
    except NotApplicable as reason:
        raise ValueError(f"{label} does not apply to these data: {reason}") from None
    except AlgorithmFailed as reason:
        raise ValueError(f"{label}: {reason}") from None


def _size(data: Dataset, algorithm: Algorithm) -> str:
    """Return how large the data are, and which of several conditions the algorithm reads."""
    n = len(data.regimes)
    columns = counted(data.n_nodes, "column")
    if n == 1:
        return f"{data.n_samples} rows, {columns}"
    reads = getattr(algorithm, "reads", None)
    hint = f"; the algorithm reads {reads}" if reads else ""
    return f"{data.n_samples} rows in {n} conditions, {columns}{hint}"


def _write(outputs: _Outputs, frequencies: EdgeFrequencies, document: Document) -> None:
    """Write the files that were asked for, and say where they are."""
    if outputs.graph is not None:
        from causalassay.graphs import write_graph

        write_graph(
            outputs.graph,
            frequencies.estimate.graph,
            frequencies.columns,
            layout="matrix" if outputs.matrix else "edges",
            numbers=frequencies.numbers,
            feedback=frequencies.estimate.kind == "summary",
        )
        typer.echo(f"Graph: {outputs.graph}", err=True)
    if outputs.svg is not None:
        write_text(outputs.svg, f"{frequencies.draw()._repr_svg_()}\n")
        typer.echo(f"Drawing: {outputs.svg}", err=True)
    if outputs.report is not None:
        from causalassay.present.html import page

        write_text(outputs.report, page(document))
        typer.echo(f"Report: {outputs.report}", err=True)
