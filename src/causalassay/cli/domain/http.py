"""The command `domain http`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from causalassay.cli.algorithm_options import SeveralAlgorithms
from causalassay.cli.domain.collecting import (
    announce,
    check_evaluation,
    conclude,
    interruptible,
    progress,
)
from causalassay.cli.domain.evaluation import (
    Beta,
    Full,
    LookAlikes,
    Repeats,
    Report,
    evaluate_and_print,
)
from causalassay.cli.options import AsJson


def http(  # noqa: PLR0913, PLR0917  one argument per option
    out: Annotated[
        Path, typer.Option(help="Folder for the results; the same folder resumes the experiment.")
    ],
    pages: Annotated[int, typer.Option(help="Number of pages: the subjects.")] = 300,
    trials: Annotated[
        int, typer.Option(help="How often each page is requested under each setting.")
    ] = 3,
    seed: Annotated[
        int, typer.Option(help="Random seed of the pages and the order of measurements.")
    ] = 0,
    nginx: Annotated[
        str | None,
        typer.Option(help="The program nginx. Default: the PATH, then the usual places."),
    ] = None,
    no_nginx: Annotated[
        bool, typer.Option("--no-nginx", help="Serve by Python's server alone, in two classes.")
    ] = False,
    no_evaluate: Annotated[
        bool, typer.Option("--no-evaluate", help="Only measure; do not run algorithms.")
    ] = False,
    algorithm: SeveralAlgorithms = None,
    beta: Beta = 1.0,
    repeats: Repeats = 20,
    look_alikes: LookAlikes = 5,
    report: Report = None,
    full: Full = False,
    as_json: AsJson = False,
) -> None:
    """Run a factorial experiment on web requests to servers of our own.

    Every page is requested under every combination of compression, proxy and user agent, in
    random order. Measured are time, sizes, tags and attributes. The servers are nginx and
    Python's, on loopback, in a temporary folder, and always removed. An interrupted experiment
    goes on when the same command is given again. Then algorithms learn from a biased sample,
    and the whole experiment judges them; `causalassay domain file` does that again with other
    settings.

    Example: causalassay domain http --out http-experiment
    """
    check_evaluation(algorithm, beta, repeats, look_alikes, report)
    path = _measure(out, (pages, trials, seed), nginx, no_nginx)
    if no_evaluate:
        return
    from causalassay.factorial import read_experiment

    evaluate_and_print(
        read_experiment(path),
        "HTTP",
        algorithm=algorithm,
        beta=beta,
        repeats=repeats,
        look_alikes=look_alikes,
        seed=seed,
        full=full,
        as_json=as_json,
        report=report,
    )


def _measure(
    out: Path, chosen: tuple[int, int, int], nginx: str | None, without_nginx: bool
) -> Path:
    from causalassay.domains.http.experiment import Options, prepared, run
    from causalassay.domains.http.nginx import find_nginx

    if nginx is not None and without_nginx:
        raise ValueError("--nginx names a server and --no-nginx leaves it out; pass one of them")
    program = None if without_nginx else find_nginx(nginx)
    options = Options(*chosen, nginx=program)
    programs = options.programs
    out.mkdir(parents=True, exist_ok=True)
    # Only now, so that bad input is refused in one line.
    if program is None and not without_nginx:
        typer.echo(
            "nginx was not found: Python's server serves alone, in two classes instead of four "
            "(Debian: apt-get install nginx)",
            err=True,
        )
    journal = out / "journal.jsonl"
    with interruptible(journal), prepared(options) as ready:
        system = ", ".join(f"{name} {version}" for name, version in programs.items())
        announce(system, ready.plan, journal, "pages", ready.seconds_each())
        with progress() as on_progress:
            collected, path = run(ready, out, on_progress)
    conclude(collected, path, "pages")
    return path
