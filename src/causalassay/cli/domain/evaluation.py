"""The commands `domain jdk` and `domain file`, and the evaluation that all of `domain` share."""

from __future__ import annotations

import json
import shlex
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from causalassay.cli.algorithm_options import SeveralAlgorithms
from causalassay.cli.interruptions import answered_in_one_line
from causalassay.cli.options import AsJson
from causalassay.cli.printing import progress_bar, wide_console
from causalassay.common.files import check_target, write_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from causalassay.contracts import Algorithm
    from causalassay.lab.factorial import Evaluation, FactorialExperiment, Settings
    from causalassay.present.document import Document


class Fit(StrEnum):
    """Which models are fitted to a graph."""

    TABLES = "tables"
    LINEAR = "linear-gaussian"


class Covariates(StrEnum):
    """Which covariates algorithms see."""

    BIASING = "biasing"
    ALL = "all"


DEFAULTS = {
    Fit.TABLES: ("pc", "mmhc", "ges"),
    Fit.LINEAR: ("pc", "mmhc", "ges", "direct-lingam"),
}
"""The algorithms that are judged unless others are named."""

Beta = Annotated[
    float, typer.Option(help="Strength of the bias; 0 is a randomised experiment, 3 is strong.")
]
Bins = Annotated[
    int, typer.Option(help="Levels of a biasing covariate of numbers: quantiles over subjects.")
]
Levels = Annotated[int, typer.Option(help="Levels of outcomes, by quantiles over all rows.")]
FitOption = Annotated[Fit, typer.Option("--fit", help="Models that are fitted to a graph.")]
Smoothing = Annotated[
    float, typer.Option(help="Added to every count of a table; 0 is maximum likelihood.")
]
CovariatesOption = Annotated[
    Covariates, typer.Option("--covariates", help="The covariates that algorithms see.")
]
Repeats = Annotated[int, typer.Option(help="How often the experiment is biased anew.")]
LookAlikes = Annotated[
    int, typer.Option(help="Synthetic experiments of each kind to compare with; 0: none.")
]
Seed = Annotated[int, typer.Option(help="Random seed: the same seed gives the same numbers.")]
Full = Annotated[bool, typer.Option("--full", help="Also print the other tables.")]
Report = Annotated[
    Path | None, typer.Option(help="Write one HTML page with pictures that works offline.")
]


def evaluate_and_print(  # noqa: PLR0913
    experiment: FactorialExperiment,
    name: str,
    *,
    algorithm: Sequence[str] | None = None,
    beta: float = 1.0,
    bins: int = 2,
    levels: int = 3,
    fit: Fit = Fit.TABLES,
    smoothing: float = 0.0,
    covariates: Covariates = Covariates.BIASING,
    repeats: int = 20,
    look_alikes: int = 5,
    seed: int = 0,
    full: bool = False,
    as_json: bool = False,
    report: Path | None = None,
    files: Iterable[Path] = (),
) -> None:
    """Judge algorithms on an experiment, and print tables or JSON; write the page if asked for.

    Parameters
    ----------
    experiment : FactorialExperiment
    name : str
        What the experiment is called on the page.
    algorithm : sequence of str, optional
        As ``--algorithm`` has them; `DEFAULTS` if there are none.
    beta, bins, levels, fit, smoothing, covariates, repeats, look_alikes, seed
        Of the evaluation; see `causalassay.lab.factorial.Settings` and `evaluate`.
    full : bool
        Whether to print all tables.
    as_json : bool
    report : Path, optional
    files : iterable of Path
        That the experiment was read from.
    """
    from causalassay.cli.algorithm_options import read_algorithms
    from causalassay.lab.factorial import Settings

    if look_alikes < 0:
        raise ValueError(f"--look-alikes: expected at least 0, got {look_alikes}")
    settings = Settings(beta, bins, levels, fit.value, smoothing, covariates.value)
    algorithms = read_algorithms(algorithm or DEFAULTS[fit])
    with answered_in_one_line("nothing was written"):
        result = _evaluate(experiment, algorithms, settings, repeats, look_alikes, seed)
    document = _document(result, name, files)
    if report is not None:  # first: a reader may close the pipe
        from causalassay.present.html import page

        write_text(report, page(document))
        typer.echo(f"Report: {report}", err=True)
    if as_json:
        typer.echo(json.dumps({"name": name} | result.to_dict(), indent=2, allow_nan=False))
        return
    from causalassay.present.terminal import FULL, print_document

    print_document(document, wide_console(), {FULL} if full else ())


def _evaluate(  # noqa: PLR0913, PLR0917
    experiment: FactorialExperiment,
    algorithms: dict[str, Algorithm],
    settings: Settings,
    repeats: int,
    look_alikes: int,
    seed: int,
) -> Evaluation:
    from causalassay.lab.factorial import evaluate

    with progress_bar("judging") as show:
        return evaluate(
            experiment,
            algorithms,
            settings,
            repeats=repeats,
            n_look_alikes=look_alikes,
            seed=seed,
            on_step=show,
        )


def _document(result: Evaluation, name: str, files: Iterable[Path]) -> Document:
    from causalassay.lab.factorial.document import evaluation_document
    from causalassay.present.provenance import provenance, today

    settings = {"repeats": result.repeats, **vars(result.truth.settings)}
    origin = provenance(result.seed, settings, dict.fromkeys(files, "data"))
    blocks = origin.blocks(shlex.join(["causalassay", *sys.argv[1:]]), today())
    return evaluation_document(result, name, blocks)


def jdk(  # noqa: PLR0913, PLR0917  one argument per option
    data: Annotated[Path, typer.Option(help="The file jdk-results.csv, or its folder.")],
    algorithm: SeveralAlgorithms = None,
    beta: Beta = 1.0,
    bins: Bins = 2,
    levels: Levels = 3,
    fit: FitOption = Fit.TABLES,
    smoothing: Smoothing = 0.0,
    covariates: CovariatesOption = Covariates.BIASING,
    repeats: Repeats = 20,
    look_alikes: LookAlikes = 5,
    seed: Seed = 0,
    report: Report = None,
    full: Full = False,
    as_json: AsJson = False,
) -> None:
    """Judge algorithms on the JDK experiment: 473 Java projects under 16 compiler settings.

    The experiment is made observational: the number of Javadoc comments biases the settings of
    each project. Algorithms learn from one row per project; all 37 840 rows judge them. Default:
    pc, mmhc, ges, with --fit linear-gaussian also direct-lingam.

    Example: causalassay domain jdk --data folder/ --report jdk.html
    """
    from causalassay.lab.factorial.experiment_files import FILE_NAME, read_jdk

    path = data / FILE_NAME if data.is_dir() else data
    check_target(report, [path])
    evaluate_and_print(
        read_jdk(data),
        "JDK",
        algorithm=algorithm,
        beta=beta,
        bins=bins,
        levels=levels,
        fit=fit,
        smoothing=smoothing,
        covariates=covariates,
        repeats=repeats,
        look_alikes=look_alikes,
        seed=seed,
        full=full,
        as_json=as_json,
        report=report,
        files=[path],
    )


def file(  # noqa: PLR0913, PLR0917  one argument per option
    experiment: Annotated[
        Path, typer.Argument(help="NAME.toml, beside which the rows are in NAME.csv.")
    ],
    leave_out_incomplete: Annotated[
        bool,
        typer.Option(
            "--leave-out-incomplete",
            help="Leave out subjects that lack a combination of the treatments.",
        ),
    ] = False,
    algorithm: SeveralAlgorithms = None,
    beta: Beta = 1.0,
    bins: Bins = 2,
    levels: Levels = 3,
    fit: FitOption = Fit.TABLES,
    smoothing: Smoothing = 0.0,
    covariates: CovariatesOption = Covariates.BIASING,
    repeats: Repeats = 20,
    look_alikes: LookAlikes = 5,
    seed: Seed = 0,
    report: Report = None,
    full: Full = False,
    as_json: AsJson = False,
) -> None:
    """Judge algorithms on your own factorial experiment.

    Every subject was run under every combination of the treatments. The TOML file names the
    columns; docs/real-systems.md has the format. Default algorithms: pc, mmhc, ges, with
    --fit linear-gaussian also direct-lingam.

    Example: causalassay domain file experiment.toml --report page.html
    """
    from causalassay.lab.factorial import read_experiment

    files = experiment, experiment.with_suffix(".csv")
    check_target(report, files)
    read = read_experiment(experiment, leave_out_incomplete=leave_out_incomplete)
    if read.left_out:
        typer.echo(
            f"{len(read.left_out)} subjects lack a combination and are left out; "
            f"{read.n_subjects} remain",
            err=True,
        )
    evaluate_and_print(
        read,
        experiment.stem,
        algorithm=algorithm,
        beta=beta,
        bins=bins,
        levels=levels,
        fit=fit,
        smoothing=smoothing,
        covariates=covariates,
        repeats=repeats,
        look_alikes=look_alikes,
        seed=seed,
        full=full,
        as_json=as_json,
        report=report,
        files=files,
    )
