"""The command `audit`."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from causalassay.cli.interruptions import answered_in_one_line
from causalassay.cli.printing import counter, steady_progress, wide_console
from causalassay.cli.reading_options import (
    Continuous,
    Drop,
    Separator,
    Transpose,
    printed_notes,
    settled,
)
from causalassay.common.replacing import check_target, write_text

if TYPE_CHECKING:
    from causalassay.auditing import Audit, PooledAudit
    from causalassay.auditing.benchmark_files import Pair, Reading
    from causalassay.present.document import Document
    from causalassay.present.provenance import Provenance


def audit(  # noqa: PLR0913, PLR0917  one argument per option
    data: Annotated[
        list[Path],
        typer.Argument(
            help="Data files with one column per variable: text (CSV, TSV, …), Parquet, Feather "
            "or NumPy; or a folder of them. Several files are judged together."
        ),
    ],
    graph: Annotated[
        Path | None,
        typer.Option(
            help="File with the DAG taken as true: an edge list with the header from,to or a "
            "square 0/1 matrix, row -> column; also GraphML, GML, DOT, .npy and .npz. One graph "
            "for all data files."
        ),
    ] = None,
    graphs: Annotated[
        Path | None,
        typer.Option(help="Folder with one graph per data file, with the same file name."),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(help="Write one HTML page with pictures that works offline."),
    ] = None,
    latex: Annotated[
        Path | None,
        typer.Option(help="Write a LaTeX table (booktabs) with the verdict in a comment."),
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
            help="The rows are ordered in time. The graph is then a summary graph: i -> j if i "
            "acts on j at any lag; both directions mean feedback.",
        ),
    ] = False,
    max_lag: Annotated[
        int | None, typer.Option(help="For a series: the largest lag of a link. Default: 1.")
    ] = None,
    discrete: Annotated[
        bool, typer.Option("--discrete", help="All columns are discrete: values are levels.")
    ] = False,
    drop: Drop = None,
    continuous: Continuous = False,
    separator: Separator = None,
    transpose: Transpose = False,
    bootstrap: Annotated[
        int, typer.Option(help="Number of bootstrap resamples for the intervals.")
    ] = 200,
    seed: Annotated[
        int, typer.Option(help="Random seed: the same seed gives the same numbers.")
    ] = 0,
    each: Annotated[
        bool, typer.Option("--each", help="With several files: also print the findings for each.")
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="Also print how each rule decides.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Say whether a benchmark can be won by sorting: by what, and by how much.

    Measures how closely variance, R² and other simple statistics follow the
    causal order of the graph, in both directions, and how well sorting by them
    scores compared with random orders. The findings are: gameable, gameable backwards,
    leaning, undecided, too small, no evidence; and whether the data refute the
    graph. Each finding names its rule. Without a graph only the columns are
    described.

    Example: causalassay audit data.csv --graph graph.csv

    The same with a page and a table to cite:
    causalassay audit data.csv --graph graph.csv --report audit.html --latex audit.tex

    One verdict on a benchmark of many files (data/a.csv belongs to graphs/a.csv):
    causalassay audit data/*.csv --graphs graphs/

    A folder of NPZ files, each with the arrays X and graph:
    causalassay audit benchmark/
    """
    from causalassay.auditing.benchmark_files import Reading, pair_files
    from causalassay.present.provenance import provenance

    pairs = pair_files(data, graph, graphs)
    how = Reading(
        target=target,
        condition=condition,
        observational=observational,
        rows="series" if series else "independent",
        transpose=transpose,
        **settled(drop, discrete, continuous, separator),
    )
    options = {"n_bootstrap": bootstrap, "max_lag": max_lag}
    files = _roles(pairs)
    for path in (report, latex):
        check_target(path, files)
    if latex is not None and "graph" not in " ".join(files.values()):
        raise ValueError("a LaTeX table needs a graph: pass --graph as well")
    settings = {"bootstrap": bootstrap, "max_lag": max_lag, **vars(how)}
    made = provenance(seed, settings, files)
    with answered_in_one_line("nothing was written"):
        result = _run(pairs, how, seed, options)
    name = pairs[0].data.name if len(pairs) == 1 else f"{len(pairs)} files"
    document = _document(result, name, made)
    _write(result, document, report, latex)  # first: a reader may close the pipe
    if as_json:
        typer.echo(json.dumps(result.to_dict() | made.to_dict(), indent=2, allow_nan=False))
    else:
        from causalassay.present.terminal import print_document

        asked = {"--each": each, "--full": full}
        print_document(document, wide_console(), {name for name, on in asked.items() if on})


def _roles(pairs: list[Pair]) -> dict[Path, str]:
    """Return the role of each file that is read, each file once."""
    from causalassay.graphs.files import holds_graph

    files = {}
    for pair in pairs:
        alone = pair.graph is None and holds_graph(pair.data)
        files[pair.data] = "data and graph" if alone else "data"
    return files | {pair.graph: "graph" for pair in pairs if pair.graph is not None}


def _run(
    pairs: list[Pair], how: Reading, seed: int, options: dict[str, Any]
) -> Audit | PooledAudit:
    if len(pairs) == 1:
        return _run_one(pairs[0], how, seed, options)
    return _run_all(pairs, how, seed, options)


def _run_one(pair: Pair, how: Reading, seed: int, options: dict[str, Any]) -> Audit:
    from causalassay.auditing import audit as run_audit
    from causalassay.auditing.benchmark_files import read_pair
    from causalassay.common.seeding import stream

    with printed_notes():
        dataset, truth = read_pair(pair, how)
    with counter("auditing: steps", "audit") as on_progress:
        rng = stream(seed, "audit")
        return run_audit(dataset, truth, rng, on_progress=on_progress, **options)


def _run_all(pairs: list[Pair], how: Reading, seed: int, options: dict[str, Any]) -> PooledAudit:
    from causalassay.auditing import audit as run_audit
    from causalassay.auditing import pool
    from causalassay.auditing.benchmark_files import read_pair
    from causalassay.common.seeding import stream

    audits = {}
    with steady_progress(
        "auditing files", "audited {done} of {total} files", "audit"
    ) as on_progress:
        on_progress(0, len(pairs))
        for pair in pairs:
            with printed_notes():
                dataset, truth = read_pair(pair, how)
            if truth is None:
                raise ValueError(f"{pair.data}: no graph; each of several files needs one")
            rng = stream(seed, "audit", pair.name)
            try:
                audits[pair.name] = run_audit(dataset, truth, rng, pooled=True, **options)
            except ValueError as error:
                raise ValueError(f"{pair.data}: {error}") from None
            on_progress(len(audits), len(pairs))
    return pool(audits)


def _document(result: Audit | PooledAudit, name: str, made: Provenance) -> Document:
    from causalassay.auditing import PooledAudit
    from causalassay.auditing.document import audit_document, pooled_document
    from causalassay.present.provenance import today

    blocks = made.blocks(shlex.join(["causalassay", *sys.argv[1:]]), today())
    if isinstance(result, PooledAudit):
        return pooled_document(result, name, blocks)
    return audit_document(result, name, blocks)


def _write(
    result: Audit | PooledAudit, document: Document, report: Path | None, latex: Path | None
) -> None:
    """Write the page and the table that were asked for, and say where they are."""
    from causalassay.auditing import PooledAudit
    from causalassay.auditing.document import citable_table, file_table

    if report is not None:
        from causalassay.present.html import page

        write_text(report, page(document))
        typer.echo(f"Report: {report}", err=True)
    if latex is not None:
        from causalassay.present.latex import comments, table_latex

        table = file_table(result) if isinstance(result, PooledAudit) else citable_table(result)
        about = f"{document.title}: {document.about}"
        write_text(latex, table_latex(table, [*comments(document), about]))
        typer.echo(f"LaTeX table: {latex}", err=True)
