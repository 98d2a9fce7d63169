"""The command `choose`."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from causalassay.cli.algorithm_options import (
    AlgorithmsOfStudy,
    SeveralAlgorithms,
    read_algorithms,
    read_study_algorithms,
)
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
    Target,
    printed_notes,
    settled,
)
from causalassay.common.files import check_target, write_text

if TYPE_CHECKING:
    from causalassay.contracts import Algorithm
    from causalassay.data import Dataset
    from causalassay.risk.choosing import Choice


def choose(  # noqa: PLR0913, PLR0917  one argument per option
    data: Annotated[
        Path,
        typer.Argument(
            help="Data file with one column per variable, and columns that name each row's "
            "condition and the variable intervened upon: text (CSV, TSV, …), Parquet, Feather."
        ),
    ],
    condition: Condition = None,
    target: Target = None,
    observational: Observational = None,
    algorithm: SeveralAlgorithms = None,
    study: AlgorithmsOfStudy = None,
    seconds: Annotated[
        float,
        typer.Option(
            min=0,
            help="What each algorithm may take, refits included; one that takes longer is a row "
            "with that reason. 0: no limit, and no processes of their own.",
        ),
    ] = 300.0,
    test: Annotated[
        str,
        typer.Option(help="Test of who moved: t, welch, mann-whitney or kolmogorov-smirnov."),
    ] = "t",
    least_effect: Annotated[
        float,
        typer.Option(
            min=0,
            help="A column counts as moved only if its effect is also this large: the "
            "standardised mean difference (Kolmogorov–Smirnov: the largest gap).",
        ),
    ] = 0.0,
    cutoffs: Annotated[
        list[float] | None,
        typer.Option(
            "--cut-off",
            help="Least effect at which the ranking is made again; may be given more than once. "
            "Default: 0.2 and 0.5.",
        ),
    ] = None,
    not_acting: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CONDITION",
            help="Condition whose intervention does not act on the measured level, such as an "
            "inhibitor of activity: it is flagged, and the second opinion is also given without "
            "flagged ones. May be given more than once.",
        ),
    ] = None,
    random_graphs: Annotated[
        int, typer.Option(min=1, help="Random graphs beside each algorithm.")
    ] = 2000,
    report: Annotated[
        Path | None, typer.Option(help="Write one HTML page that works offline.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder to write the graphs to, one edge list for each algorithm."),
    ] = None,
    drop_condition: DropCondition = None,
    discrete: Discrete = False,
    drop: Drop = None,
    continuous: Continuous = False,
    separator: Separator = None,
    seed: Annotated[
        int, typer.Option(min=0, help="Random seed: the same seed gives the same numbers.")
    ] = 0,
    allow_programs: Annotated[
        bool,
        typer.Option("--allow-programs", help="Run the programs that a --study names, unasked."),
    ] = False,
    full: Annotated[
        bool,
        typer.Option(
            "--full", help="Also print who moved, cut-offs, flags and how each rule decides."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Rank algorithms on your own experiments, without a true graph.

    Each experiment shows which columns its target moves. An algorithm's risk is how far
    its graph is from that, for experiments that it has not seen. Beside it stand the
    scores of graphs that know nothing: empty, complete, and random graphs of the
    algorithm's density. A second opinion predicts each experiment from the graph found
    without it. The file needs experiments on at least 2 columns.

    Example: causalassay choose sachs.csv --condition condition --target target
    --observational cd3_cd28 --report choice.html

    Some algorithms only, with settings: causalassay choose data.csv … --algorithm ges
    --algorithm '{use = "pc", alpha = 0.001}' --algorithm mine.py:MyClass
    """
    from causalassay.present.provenance import provenance, today
    from causalassay.present.terminal import FULL, print_document
    from causalassay.risk import DescendantTests
    from causalassay.risk.choosing.document import choice_document

    check_target(report, (data,))
    _check_folder(out)
    tests = DescendantTests(test, least_effect=least_effect)  # type: ignore[arg-type]
    algorithms = _algorithms(algorithm, study, allow_programs)
    reading: dict[str, Any] = {
        "target": target,
        "condition": condition,
        "observational": observational,
        **settled(drop, discrete, continuous, separator),
    }
    options: dict[str, Any] = {
        "cutoffs": tuple(cutoffs) if cutoffs is not None else (0.2, 0.5),
        "not_acting": tuple(not_acting or ()),
        "n_random": random_graphs,
        "seconds": seconds or None,
    }
    stated = {"algorithms": list(algorithms) if algorithms else "all that apply"}
    settings = stated | {"tests": repr(tests), "drop_condition": drop_condition} | options | reading
    made = provenance(seed, settings, {data: "data"})
    dataset = _read(data, reading, drop_condition or [])
    choice = _chosen(dataset, seed, algorithms, tests, options)
    blocks = made.blocks(shlex.join(["causalassay", *sys.argv[1:]]), today())
    document = choice_document(choice, data.name, blocks)
    # The files come first: a reader may close the pipe.
    if report is not None:
        from causalassay.present.html import page

        write_text(report, page(document))
        typer.echo(f"Report: {report}", err=True)
    if out is not None:
        choice.write_graphs(out)
        typer.echo(f"Graphs: {out}", err=True)
    if as_json:
        typer.echo(json.dumps(choice.to_dict() | made.to_dict(), indent=2, allow_nan=False))
    else:
        print_document(document, wide_console(), {FULL} if full else ())


def _check_folder(out: Path | None) -> None:
    if out is not None and out.exists() and not out.is_dir():
        raise NotADirectoryError(f"--out {out}: it is a file, expected a folder for the graphs")


def _algorithms(
    named: list[str] | None, study: Path | None, allow_programs: bool
) -> dict[str, Algorithm] | None:
    if named and study:
        raise ValueError("--algorithm and --study: pass one of them, or neither for all that apply")
    if study is not None:
        return read_study_algorithms(study, allow_programs=allow_programs)
    return read_algorithms(named) if named else None


def _read(path: Path, reading: dict[str, Any], dropped: list[str]) -> Dataset:
    from causalassay.data import read

    with printed_notes():
        dataset = read(path, **reading, drop_conditions=dropped)
    if dataset.observational is None:
        raise ValueError(
            f"{path}: experiments are compared with a condition without intervention; name it with "
            "--observational, and the columns with --condition and --target"
        )
    return dataset


def _chosen(
    dataset: Dataset,
    seed: int,
    algorithms: dict[str, Algorithm] | None,
    tests: Any,
    options: dict[str, Any],
) -> Choice:
    from causalassay.common.seeding import stream
    from causalassay.risk.choosing import choose as rank

    with (
        algorithms_at_work(),
        steady_progress("running algorithms", "ran {done} of {total} algorithms", "choose") as show,
    ):
        return rank(
            dataset,
            stream(seed, "choose"),
            algorithms,
            tests,
            on_progress=lambda _, done, total: show(done, total),
            **options,
        )
