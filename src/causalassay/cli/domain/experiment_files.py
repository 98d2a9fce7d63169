"""The commands `domain jdk` and `domain file`: experiments that were run before."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from causalassay.cli.algorithm_options import SeveralAlgorithms
from causalassay.cli.domain.evaluation import (
    Beta,
    Bins,
    Covariates,
    CovariatesOption,
    Fit,
    FitOption,
    Full,
    Levels,
    LookAlikes,
    Repeats,
    Report,
    Seed,
    Smoothing,
    check_report,
    evaluate_and_print,
)
from causalassay.cli.options import AsJson


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
    from causalassay.factorial.jdk import FILE_NAME, read_jdk

    check_report(report, data, data / FILE_NAME)
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
    from causalassay.factorial import read_experiment

    check_report(report, experiment, experiment.with_suffix(".csv"))
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
    )
