"""The command `domain postgres`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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

if TYPE_CHECKING:
    from causalassay.domains.postgres.experiment import Prepared


def postgres(  # noqa: PLR0913, PLR0917  one argument per option
    out: Annotated[
        Path, typer.Option(help="Folder for the results; the same folder resumes the experiment.")
    ],
    queries: Annotated[int, typer.Option(help="Number of queries: the subjects.")] = 200,
    scale: Annotated[
        float, typer.Option(help="Size of the tables; 1 means 100 000 rows in all.")
    ] = 1.0,
    trials: Annotated[
        int, typer.Option(help="How often each query is run under each setting.")
    ] = 3,
    seed: Annotated[
        int, typer.Option(help="Random seed of tables, queries and the order of measurements.")
    ] = 0,
    timeout: Annotated[float, typer.Option(help="Seconds after which a query is given up.")] = 10.0,
    dsn: Annotated[
        str | None,
        typer.Option(
            help="Use a running server, as 'host=localhost dbname=test user=me' or 'service=name'. "
            "Keep its password in a file (PGPASSFILE, or a service file): others can read a "
            "command line. The experiment works in a schema of its own, which is dropped at the "
            "end. Default: start a server."
        ),
    ] = None,
    binaries: Annotated[
        Path | None,
        typer.Option(help="Folder with initdb and postgres. Default: the PATH, then the usual."),
    ] = None,
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
    """Run a factorial experiment on a real PostgreSQL server.

    Every query is run under every combination of indexes, random_page_cost
    and work_mem, in random order. Measured are run time and blocks. The server
    is our own, in a temporary folder, and always removed. An interrupted
    experiment goes on when the same command is given again. Then algorithms
    learn from a biased sample, and the whole experiment judges them;
    `causalassay domain file` does that again with other settings.

    Example: causalassay domain postgres --out postgres-experiment
    """
    check_evaluation(algorithm, beta, repeats, look_alikes, report)
    path = _measure(out, (queries, scale, trials, seed, timeout), dsn, binaries)
    if no_evaluate:
        return
    from causalassay.factorial import read_experiment

    evaluate_and_print(
        read_experiment(path),
        "PostgreSQL",
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
    out: Path,
    chosen: tuple[int, float, int, int, float],
    dsn: str | None,
    binaries: Path | None,
) -> Path:
    try:
        from causalassay.domains.postgres.experiment import Options, prepared, run
    except ImportError as error:
        raise ValueError(str(error)) from None
    if dsn is not None and binaries is not None:
        raise ValueError("--dsn uses a running server and --binaries starts one; pass one of them")
    options = Options(*chosen)
    out.mkdir(parents=True, exist_ok=True)
    journal = out / "journal.jsonl"
    with interruptible(journal), prepared(options, dsn, binaries) as ready:
        _announce(ready, journal)
        with progress() as on_progress:
            collected, path = run(ready, out, on_progress)
    conclude(collected, path, "queries")
    return path


def _announce(ready: Prepared, journal: Path) -> None:
    if not ready.measuring.evicts:
        typer.echo(
            "the server's shared buffers are too large to be emptied before each measurement: "
            "blocks that earlier queries read may count as hits",
            err=True,
        )
    system = f"PostgreSQL {ready.server.version}"
    announce(system, ready.plan, journal, "queries", ready.seconds_each())
