"""What all commands of `domain` share: options of the evaluation, and the evaluation itself."""

from __future__ import annotations

import json
import shlex
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from causalassay.cli.printing import INTERRUPTED, progress_bar, wide_console

if TYPE_CHECKING:
    from collections.abc import Sequence

    from causalassay.contracts import Algorithm
    from causalassay.factorial import Evaluation, FactorialExperiment, Settings


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
        Of the evaluation; see `causalassay.factorial.Settings` and `evaluate`.
    full : bool
        Whether to print all tables.
    as_json : bool
    report : Path, optional
    """
    from causalassay.cli.algorithm_options import read_algorithms
    from causalassay.factorial import Settings

    check_report(report)
    if look_alikes < 0:
        raise ValueError(f"--look-alikes: expected at least 0, got {look_alikes}")
    settings = Settings(beta, bins, levels, fit.value, smoothing, covariates.value)
    algorithms = read_algorithms(algorithm or DEFAULTS[fit])
    try:
        result = _evaluate(experiment, algorithms, settings, repeats, look_alikes, seed)
    except KeyboardInterrupt:
        typer.echo("interrupted: nothing was written", err=True)
        raise typer.Exit(INTERRUPTED) from None
    _write_page(result, name, report)  # first: a reader may close the pipe
    if as_json:
        typer.echo(json.dumps({"name": name} | result.to_dict(), indent=2, allow_nan=False))
        return
    from causalassay.cli.domain.printing import print_evaluation

    print_evaluation(result, name, wide_console(), full=full)


def check_report(report: Path | None, *inputs: Path) -> None:
    """Raise before the work begins if the page cannot be written there, or is one of the inputs."""
    if report is None:
        return
    if not report.absolute().parent.is_dir():
        raise FileNotFoundError(
            f"{report}: the folder {report.parent} does not exist; create it first"
        )
    if report.is_dir():
        raise IsADirectoryError(f"{report} is a folder, expected the name of a file to write")
    if any(report.absolute() == one.absolute() for one in inputs):
        raise ValueError(f"{report} is part of the experiment; write to another file")


def _evaluate(  # noqa: PLR0913, PLR0917
    experiment: FactorialExperiment,
    algorithms: dict[str, Algorithm],
    settings: Settings,
    repeats: int,
    look_alikes: int,
    seed: int,
) -> Evaluation:
    from causalassay.factorial import evaluate

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


def _write_page(result: Evaluation, name: str, report: Path | None) -> None:
    if report is None:
        return
    from causalassay.report.domain_page.files import write_page

    write_page(report, name, result, shlex.join(["causalassay", *sys.argv[1:]]))
    typer.echo(f"Report: {report}", err=True)
