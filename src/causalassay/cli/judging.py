"""The commands `audit`, which judges a data set, and `choose`, which judges algorithms on one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from causalassay.cli.algorithms import algorithm_option, read_algorithms, read_study_algorithms
from causalassay.cli.interruptions import algorithms_at_work, answered_in_one_line
from causalassay.cli.options import (
    Output,
    Reading,
    ReadingConditions,
    argument,
    complete_study,
    flag,
    option,
    printed_notes,
    provenance_blocks,
    seed_option,
    series_option,
)
from causalassay.cli.printing import counter, steady_progress
from causalassay.common.files import check_target, write_text
from causalassay.present.formatting import counted

if TYPE_CHECKING:
    from causalassay.auditing import Audit, PooledAudit
    from causalassay.cli.options import FileDecision
    from causalassay.contracts import Algorithm
    from causalassay.data.file_pairs import Pair
    from causalassay.present import Document


@dataclass(frozen=True)
class AuditOptions:
    """What `audit` looks at, and how."""

    data: list[Path] = argument(
        "Data files with one column per variable: text (CSV, TSV, …), Parquet, Feather "
        "or NumPy; or a folder of them. Several files are judged together."
    )
    graph: Path | None = option(
        None,
        "File with the DAG taken as true: an edge list with the header from,to or a "
        "square 0/1 matrix, row -> column; also GraphML, GML, DOT, .npy and .npz. One graph "
        "for all data files.",
    )
    graphs: Path | None = option(
        None, "Folder with one graph per data file, with the same file name."
    )
    transpose: bool = flag(
        "Reverse the edges: for a matrix whose entry in row i, column j means j -> i."
    )
    series: bool = series_option()
    max_lag: int | None = option(None, "For a series: the largest lag of a link. Default: 1.")
    bootstrap: int = option(200, "Number of bootstrap resamples for the intervals.")
    seed: int = seed_option()
    latex: Path | None = option(
        None, "Write a LaTeX table (booktabs) with the verdict in a comment."
    )
    each: bool = flag("With several files: also print the findings for each.")

    def measuring(self) -> dict[str, Any]:
        """Return the parameters of the audit: what is measured, and what provenance states."""
        return {"bootstrap": self.bootstrap, "max_lag": self.max_lag}


def audit(options: AuditOptions, reading: Reading, output: Output) -> None:
    """Say whether a benchmark can be won by sorting: by what, and by how much.

    Measures how closely variance, R², kurtosis, skewness, mean and the position in the
    file follow the causal order of the graph, in both directions, and how well sorting
    by them directs edges compared with random orders. The findings are: gameable,
    gameable backwards, sortable with no gain found, gain with no sortability found,
    undecided, too small, no evidence; and whether the data refute the graph. Each
    finding names its rule. Without a graph only the columns are
    described. Of several conditions, the one without intervention is audited.

    Example: causalassay audit data.csv --graph graph.csv

    The same with a page and a table to cite:
    causalassay audit data.csv --graph graph.csv --report audit.html --latex audit.tex

    One verdict on a benchmark of many files (data/a.csv belongs to graphs/a.csv):
    causalassay audit data/*.csv --graphs graphs/

    A folder of NPZ files, each with the arrays X and graph:
    causalassay audit benchmark/
    """
    from causalassay.auditing import PooledAudit
    from causalassay.auditing.benchmark_files import Reading as FileReading
    from causalassay.auditing.benchmark_files import pair_files
    from causalassay.auditing.document import audit_document, pooled_document
    from causalassay.present import provenance

    pairs = pair_files(options.data, options.graph, options.graphs)
    rows: Literal["series", "independent"] = "series" if options.series else "independent"
    files = _roles(pairs)
    alone = list(files.values()) == ["data"]  # with a graph, its columns are those of the data
    decision = reading.decided(pairs[0].data, rows=rows) if alone else None
    settings = decision.settings if decision else reading.settings(rows=rows)
    how = FileReading(transpose=options.transpose, **settings)
    output.check(files)
    check_target(options.latex, files)
    if options.latex is not None and "graph" not in " ".join(files.values()):
        raise ValueError("a LaTeX table needs a graph: pass --graph as well")
    origin = provenance(options.seed, options.measuring() | vars(how), files)
    with answered_in_one_line("nothing was written"):
        result = _audited(pairs, how, options, decision)
    name = pairs[0].data.name if len(pairs) == 1 else counted(len(pairs), "file")
    show = pooled_document if isinstance(result, PooledAudit) else audit_document
    document = show(result, name, provenance_blocks(origin))  # type: ignore[arg-type]
    output.conclude(
        document,
        lambda: result.to_dict() | origin.to_dict(),
        {"LaTeX table": (options.latex, lambda path: _write_latex(path, document, result))},
        ["--each"] if options.each else [],
    )


def _roles(pairs: list[Pair]) -> dict[Path, str]:
    """Return the role of each file that is read, each file once."""
    from causalassay.graphs.formats.reading import holds_graph

    files = {}
    for pair in pairs:
        alone = pair.graph is None and holds_graph(pair.data)
        files[pair.data] = "data and graph" if alone else "data"
    return files | {pair.graph: "graph" for pair in pairs if pair.graph is not None}


def _audited(
    pairs: list[Pair], how: Any, options: AuditOptions, decision: FileDecision | None
) -> Audit | PooledAudit:
    """Return the audit of one file, or of several together."""
    from causalassay.auditing import audit as run_audit
    from causalassay.auditing import pool
    from causalassay.auditing.benchmark_files import read_pair
    from causalassay.common.seeding import stream

    settings = options.measuring()
    settings["n_bootstrap"] = settings.pop("bootstrap")
    if len(pairs) == 1:
        with decision.explained() if decision else printed_notes():
            dataset, truth = read_pair(pairs[0], how)
        with counter("auditing: steps", "audit") as on_step:
            rng = stream(options.seed, "audit")
            return run_audit(dataset, truth, rng, on_progress=on_step, **settings)
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
            rng = stream(options.seed, "audit", pair.name)
            try:
                audits[pair.name] = run_audit(dataset, truth, rng, pooled=True, **settings)
            except ValueError as error:
                raise ValueError(f"{pair.data}: {error}") from None
            on_progress(len(audits), len(pairs))
    return pool(audits)


def _write_latex(path: Path, document: Document, result: Audit | PooledAudit) -> None:
    from causalassay.auditing import PooledAudit
    from causalassay.auditing.document import citable_table, file_table
    from causalassay.judging.artefacts import looked_at
    from causalassay.present.latex import comments, table_latex

    if isinstance(result, PooledAudit):
        table, world = file_table(result), next(iter(result.audits.values())).world
    else:
        table, world = citable_table(result), result.world
    about = [*comments(document), looked_at(world), f"{document.title}: {document.about}"]
    write_text(path, table_latex(table, about))


@dataclass(frozen=True)
class ChooseOptions:
    """Which algorithms `choose` ranks, and by what."""

    data: Path = argument(
        "Data file with one column per variable, and columns that name each row's "
        "condition and the variable intervened upon: text (CSV, TSV, …), Parquet, Feather."
    )
    algorithm: list[str] | None = algorithm_option(several=True)
    study: Path | None = option(
        None,
        "Take the algorithms that a study file lists; of its limits and problems nothing.",
        autocompletion=complete_study,
    )
    allow_programs: bool = flag("Run the programs that a --study names, unasked.")
    seconds: float = option(
        300.0,
        "What each algorithm may take, refits included; one that takes longer is a row "
        "with that reason. 0: no limit, and no processes of their own.",
        min=0,
    )
    test: str = option("t", "Test of who moved: t, welch, mann-whitney or kolmogorov-smirnov.")
    least_effect: float = option(
        0.0,
        "A column counts as moved only if its effect is also this large: the "
        "standardised mean difference (Kolmogorov–Smirnov: the largest gap).",
        min=0,
    )
    cutoff: list[float] | None = option(
        None,
        "Least effect at which the ranking is made again; may be given more than once. "
        "Default: 0.2 and 0.5.",
    )
    not_acting: list[str] | None = option(
        None,
        "Condition whose intervention does not act on the measured level, such as an "
        "inhibitor of activity: it is flagged, and the second opinion is also given without "
        "flagged ones. May be given more than once.",
        metavar="CONDITION",
    )
    random_graphs: int = option(2000, "Random graphs beside each algorithm.", min=1)
    seed: int = seed_option()
    out: Path | None = option(
        None, "Folder to write the graphs to, one edge list for each algorithm."
    )

    def algorithms(self) -> dict[str, Algorithm] | None:
        """Return the algorithms that are named; None for all that apply."""
        if self.algorithm and self.study:
            raise ValueError(
                "--algorithm and --study: pass one of them, or neither for all that apply"
            )
        if self.study is not None:
            return read_study_algorithms(self.study, allow_programs=self.allow_programs)
        return read_algorithms(self.algorithm) if self.algorithm else None


def choose(options: ChooseOptions, reading: ReadingConditions, output: Output) -> None:
    """Say which algorithm to take for your own experiments, without a true graph.

    That is xgies, or boss where targets are unknown, unless another algorithm explains the
    rows better by more than one standard error. Beside it stand other opinions: an
    algorithm's risk is how far its graph is from what each experiment moved, for
    experiments that it has not seen; predictions and likelihoods of such experiments; and
    the scores of graphs that know nothing: empty, complete, and random graphs of the
    algorithm's density. The file needs experiments on at least 2 columns.

    Example: causalassay choose sachs.csv --condition condition --target target
    --observational cd3_cd28 --report choice.html

    Some algorithms only, with settings: causalassay choose data.csv … --algorithm ges
    --algorithm '{use = "pc", alpha = 0.001}' --algorithm mine.py:MyClass
    """
    from causalassay.present import provenance
    from causalassay.risk import DescendantTests
    from causalassay.risk.choosing import choose as rank
    from causalassay.risk.choosing.document import choice_document

    output.check([options.data])
    if options.out is not None and options.out.exists() and not options.out.is_dir():
        raise NotADirectoryError(
            f"--out {options.out}: it is a file, expected a folder for the graphs"
        )
    tests = DescendantTests(options.test, least_effect=options.least_effect)  # type: ignore[arg-type]
    algorithms = options.algorithms()
    rules: dict[str, Any] = {
        "cutoffs": tuple(options.cutoff) if options.cutoff is not None else (0.2, 0.5),
        "not_acting": tuple(options.not_acting or ()),
        "n_random": options.random_graphs,
        "seconds": options.seconds or None,
    }
    stated = {
        "algorithms": list(algorithms) if algorithms else "all that apply",
        "tests": repr(tests),
        "drop_condition": reading.drop_condition,
    }
    decision = reading.decided(options.data)
    settings = stated | rules | decision.settings
    origin = provenance(options.seed, settings, {options.data: "data"})
    dataset = decision.read()
    if dataset.observational is None:
        raise ValueError(
            f"{options.data}: experiments are compared with a condition without intervention; "
            "name it with --observational, and the columns with --condition and --target"
        )
    with (
        algorithms_at_work(),
        steady_progress("running algorithms", "ran {done} of {total} algorithms", "choose") as show,
    ):
        choice = rank(
            dataset,
            options.seed,  # as `ca.choose` takes it
            algorithms,
            tests,
            on_progress=lambda _, done, total: show(done, total),
            **rules,
        )
    output.conclude(
        choice_document(choice, options.data.name, provenance_blocks(origin)),
        lambda: choice.to_dict() | origin.to_dict(),
        {"Graphs": (options.out, choice.write_graphs)},
    )
