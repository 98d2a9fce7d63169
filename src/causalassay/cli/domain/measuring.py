"""The commands `domain http` and `domain postgres`: factorial experiments that are run here."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from causalassay.cli.algorithm_options import SeveralAlgorithms
from causalassay.cli.domain.evaluation import (
    Beta,
    Full,
    LookAlikes,
    Repeats,
    Report,
    evaluate_and_print,
)
from causalassay.cli.interruptions import answered_in_one_line
from causalassay.cli.options import AsJson
from causalassay.cli.printing import EVERY_SECONDS, progress_bar
from causalassay.common.files import check_target

if TYPE_CHECKING:
    from causalassay.lab.domains.collecting import Collected
    from causalassay.lab.domains.plan import Plan
    from causalassay.lab.domains.postgres_experiment import Prepared


def check_evaluation(
    algorithm: Sequence[str] | None,
    beta: float,
    repeats: int,
    look_alikes: int,
    report: Path | None,
) -> None:
    """Raise for options of the evaluation that cannot be used, before anything is measured."""
    from causalassay.cli.algorithm_options import read_algorithms
    from causalassay.lab.factorial import Settings

    check_target(report)
    Settings(beta)
    for name, number, least in (("repeats", repeats, 1), ("look-alikes", look_alikes, 0)):
        if number < least:
            raise ValueError(f"--{name}: expected at least {least}, got {number}")
    if algorithm:
        read_algorithms(algorithm)


def interruptible(journal: Path) -> AbstractContextManager[None]:
    """After Ctrl-C or SIGTERM remove the servers, and say how the experiment goes on."""
    return answered_in_one_line(
        f"what was measured is kept in {journal}; give the same command again to go on"
    )


def announce(system: str, plan: Plan, journal: Path, subjects: str, seconds_each: float) -> None:
    """Say what will be measured, what was measured before, and how long the rest takes."""
    from causalassay.lab.domains.plan import n_measured

    settings = plan.n_measurements // len(plan.subjects) // plan.trials
    typer.echo(
        f"{system}: {plan.n_measurements} measurements "
        f"({len(plan.subjects)} {subjects} x {settings} settings x {plan.trials} trials), "
        f"{_time_left(n_measured(journal, plan), plan.n_measurements, seconds_each)}",
        err=True,
    )


def _time_left(before: int, total: int, seconds_each: float) -> str:
    """Return how much there is to do.

    Examples
    --------
    >>> _time_left(0, 288, 0.15), _time_left(37, 288, 0.15)
    ('about 40 s in all', '37 of 288 measured before; about 40 s left')
    >>> _time_left(288, 288, 0.15)
    'all measured before'
    """
    if before == total:
        return "all measured before"
    left = _duration(seconds_each * (total - before))
    return (
        f"{before} of {total} measured before; about {left} left"
        if before
        else f"about {left} in all"
    )


def _duration(seconds: float) -> str:
    """Return a time that is known roughly.

    Examples
    --------
    >>> _duration(8), _duration(100), _duration(7300)
    ('10 s', '2 min', '2.0 h')
    """
    if seconds < 55:
        return f"{max(1, round(seconds / 10)) * 10} s"
    return f"{round(seconds / 60)} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


@contextmanager
def progress() -> Iterator[Callable[[int, int, int], None]]:
    """Show how far the experiment is: a bar on a terminal, elsewhere a line now and then."""
    last = time.monotonic()
    with progress_bar("measuring") as show:

        def on_progress(done: int, total: int, failed: int) -> None:
            nonlocal last
            show(done, total)
            if not sys.stderr.isatty() and time.monotonic() - last > EVERY_SECONDS:
                typer.echo(f"measured {done} of {total}, {failed} failed", err=True)
                last = time.monotonic()

        yield on_progress


def conclude(collected: Collected, path: Path, subjects: str) -> None:
    """Say where the experiment is, and which subjects were left out."""
    from causalassay.common.spelling import listed
    from causalassay.lab.domains.collecting import failure_text

    if collected.left_out:
        n_subjects = len(collected.plan.subjects)
        typer.echo(
            f"{len(collected.left_out)} of {n_subjects} {subjects} were left out, "
            f"for they miss a combination: {listed(list(collected.left_out))}; "
            f"{failure_text(collected.failures)}",
            err=True,
        )
    typer.echo(f"Experiment: {path} and {path.with_suffix('.csv').name}", err=True)


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
    path = _measure_pages(out, (pages, trials, seed), nginx, no_nginx)
    if no_evaluate:
        return
    from causalassay.lab.factorial import read_experiment

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


def _measure_pages(
    out: Path, chosen: tuple[int, int, int], nginx: str | None, without_nginx: bool
) -> Path:
    from causalassay.lab.domains.http_experiment import Options, prepared, run
    from causalassay.lab.domains.http_servers import find_nginx

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
    path = _measure_queries(out, (queries, scale, trials, seed, timeout), dsn, binaries)
    if no_evaluate:
        return
    from causalassay.lab.factorial import read_experiment

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


def _measure_queries(
    out: Path,
    chosen: tuple[int, float, int, int, float],
    dsn: str | None,
    binaries: Path | None,
) -> Path:
    try:
        from causalassay.lab.domains.postgres_experiment import Options, prepared, run
    except ImportError as error:
        raise ValueError(str(error)) from None
    if dsn is not None and binaries is not None:
        raise ValueError("--dsn uses a running server and --binaries starts one; pass one of them")
    options = Options(*chosen)
    out.mkdir(parents=True, exist_ok=True)
    journal = out / "journal.jsonl"
    with interruptible(journal), prepared(options, dsn, binaries) as ready:
        _announce_server(ready, journal)
        with progress() as on_progress:
            collected, path = run(ready, out, on_progress)
    conclude(collected, path, "queries")
    return path


def _announce_server(ready: Prepared, journal: Path) -> None:
    if not ready.measuring.evicts:
        typer.echo(
            "the server's shared buffers are too large to be emptied before each measurement: "
            "blocks that earlier queries read may count as hits",
            err=True,
        )
    system = f"PostgreSQL {ready.server.version}"
    announce(system, ready.plan, journal, "queries", ready.seconds_each())
