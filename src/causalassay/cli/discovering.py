"""The command `discover`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from causalassay.cli.algorithms import algorithm_option, read_one_algorithm
from causalassay.cli.interruptions import algorithms_at_work
from causalassay.cli.options import (
    Output,
    ReadingConditions,
    argument,
    flag,
    option,
    provenance_blocks,
    seed_option,
    series_option,
)
from causalassay.cli.printing import steady_progress
from causalassay.common.files import check_target, write_text
from causalassay.common.spelling import listed
from causalassay.present.formatting import counted

if TYPE_CHECKING:
    from causalassay.contracts import Algorithm
    from causalassay.data import Dataset
    from causalassay.resampling import EdgeFrequencies

ENDINGS = (".csv", ".graphml", ".gml", ".dot", ".gv", ".json", ".npy", ".npz")
"""Of graph files."""

BOOTSTRAPS = 100


@dataclass(frozen=True)
class DiscoverOptions:
    """What `discover` runs, and the files that it writes besides the page."""

    data: Path = argument(
        "Data file with one column per variable: text (CSV, TSV, …), Parquet, Feather or NumPy."
    )
    algorithm: str = algorithm_option(several=False)
    settings: list[str] | None = option(
        None,
        "A setting of the algorithm, such as alpha=0.01. May be given more than once.",
        "--set",
        metavar="NAME=VALUE",
    )
    bootstrap: int | None = option(
        None,
        "Number of bootstraps of the rows; 0 for the graph alone. Default: 100, and 0 for a "
        "series.",
    )
    write_graph: Path | None = option(
        None,
        "Graph file to write: .csv (edge list with frequencies), .graphml, .gml, .dot, .json, "
        ".npy or .npz.",
    )
    matrix: bool = flag("Write a CSV matrix instead of an edge list.")
    svg: Path | None = option(
        None, "Write the drawing: thick: often joined; dashed: direction unsure."
    )
    series: bool = series_option()
    seed: int = seed_option()
    workers: int | None = option(
        None, "Local processes. Default: 2 where bootstraps take long.", min=1
    )

    def check(self, report: Path | None) -> None:
        """Raise before the work begins if a file cannot be written."""
        written = [path for path in (self.write_graph, self.svg, report) if path is not None]
        for path in written:
            check_target(path, [self.data])
        if len({path.absolute() for path in written}) < len(written):
            raise ValueError(
                "--write-graph, --svg and --report name the same file; give each its own"
            )
        ending = "" if self.write_graph is None else self.write_graph.suffix.lower()
        if self.write_graph is not None and ending not in ENDINGS:
            raise ValueError(
                f"--write-graph {self.write_graph}: expected a file that ends in {listed(ENDINGS)}"
            )
        if self.matrix and ending != ".csv":
            raise ValueError(
                "--matrix is for --write-graph FILE.csv; leave it out, or write such a file"
            )


def discover(options: DiscoverOptions, reading: ReadingConditions, output: Output) -> None:
    """Find a graph in your data, and how often bootstraps of the rows have each edge.

    One algorithm runs on all rows, then on rows drawn with replacement within each
    condition. A frequency says how much an edge depends on which rows were
    measured; it is no probability that the edge is true.

    Example: causalassay discover data.csv --algorithm pc --set alpha=0.01 --write-graph graph.csv

    With experiments: causalassay discover sachs.csv --condition condition
    --target target --observational cd3_cd28 --algorithm gies --report graph.html
    """
    from causalassay.graphs.formats.writing import writable_names
    from causalassay.present import provenance
    from causalassay.resampling.document import Search, frequencies_document

    options.check(output.report)
    label, chosen = read_one_algorithm(options.algorithm, options.settings or [])
    n_bootstrap = options.bootstrap
    if n_bootstrap is None:
        n_bootstrap = 0 if options.series else BOOTSTRAPS
    rows = {"rows": "series" if options.series else "independent"}
    stated: dict[str, Any] = {
        "algorithm": repr(chosen),
        "bootstrap": n_bootstrap,
        "drop_condition": reading.drop_condition or [],
    }
    decision = reading.decided(options.data, **rows)
    settings = stated | decision.settings
    origin = provenance(options.seed, settings, {options.data: "data"})
    dataset = decision.read()
    writable_names(dataset.columns)  # names that no graph file can hold are refused here
    result = _frequencies(label, chosen, dataset, n_bootstrap, options.seed, options.workers)
    assumptions = getattr(chosen, "assumptions", "")
    search = Search(label, options.data.name, _size(dataset, chosen), assumptions)
    output.conclude(
        frequencies_document(result, search, provenance_blocks(origin)),
        lambda: {"algorithm": label, **result.to_dict(), **origin.to_dict()},
        {
            "Graph": (options.write_graph, lambda path: _write_graph(path, result, options.matrix)),
            "Drawing": (
                options.svg,
                lambda path: write_text(path, f"{result.draw()._repr_svg_()}\n"),
            ),
        },
    )


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
                on_progress=on_progress,
                isolated=True,
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
    rows, columns = counted(data.n_samples, "row"), counted(data.n_nodes, "column")
    if n == 1:
        return f"{rows}, {columns}"
    reads = getattr(algorithm, "reads", None)
    hint = f"; the algorithm reads {reads}" if reads else ""
    return f"{rows} in {n} conditions, {columns}{hint}"


def _write_graph(path: Path, result: EdgeFrequencies, matrix: bool) -> None:
    from causalassay.graphs import write_graph

    write_graph(
        path,
        result.estimate.graph,
        result.columns,
        layout="matrix" if matrix else "edges",
        numbers=result.numbers,
        feedback=result.estimate.kind == "summary",
    )
