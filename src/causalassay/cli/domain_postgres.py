"""The command `domain postgres`."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from causalassay.cli.printing import INTERRUPTED, progress_bar

if TYPE_CHECKING:
    from causalassay.domains.collecting import Collected
    from causalassay.domains.postgres.experiment import Prepared

EVERY_SECONDS = 30
"""Between two lines on how far the experiment is, where there is no terminal."""


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
            help="Use a running server, as 'host=localhost dbname=test user=me'. It works in a "
            "schema of its own, which is dropped at the end. Default: start a server."
        ),
    ] = None,
    binaries: Annotated[
        Path | None,
        typer.Option(help="Folder with initdb and postgres. Default: the PATH, then the usual."),
    ] = None,
    no_evaluate: Annotated[
        bool, typer.Option("--no-evaluate", help="Only measure; do not run algorithms.")
    ] = False,
) -> None:
    """Run a factorial experiment on a real PostgreSQL server.

    Every query is run under every combination of indexes, random_page_cost and work_mem, in
    random order. Measured are run time and blocks. The server is our own, in a temporary
    folder, and always removed. An interrupted experiment goes on when the same command is given
    again. Then algorithms learn from a biased sample, and the whole experiment judges them.

    Example: causalassay domain postgres --out postgres-experiment
    """
    path = _measure(out, (queries, scale, trials, seed, timeout), dsn, binaries)
    if not no_evaluate:
        _evaluate(path, seed)


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
    try:
        with _terminable(), prepared(options, dsn, binaries) as ready:
            _announce(ready)
            with _progress() as on_progress:
                collected, path = run(ready, out, on_progress)
    except KeyboardInterrupt:
        typer.echo(
            f"interrupted: what was measured is kept in {out / 'journal.jsonl'}; "
            "give the same command again to go on",
            err=True,
        )
        raise typer.Exit(INTERRUPTED) from None
    _conclude(collected, path)
    return path


@contextmanager
def _terminable() -> Iterator[None]:
    """Take SIGTERM as Ctrl-C, so that the server and the schema are removed first."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _announce(ready: Prepared) -> None:
    plan = ready.plan
    seconds = ready.seconds_each() * plan.n_measurements
    settings = plan.n_measurements // len(plan.subjects) // plan.trials
    typer.echo(
        f"PostgreSQL {ready.server.version}: {plan.n_measurements} measurements "
        f"({len(plan.subjects)} queries x {settings} settings x {plan.trials} trials), "
        f"about {_duration(seconds)} in all",
        err=True,
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
def _progress() -> Iterator[Callable[[int, int, int], None]]:
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


def _conclude(collected: Collected, path: Path) -> None:
    from causalassay.domains.collecting import failure_text
    from causalassay.spelling import listed

    if collected.left_out:
        typer.echo(
            f"{len(collected.left_out)} of {len(collected.plan.subjects)} queries were left out, "
            f"for they miss a combination: {listed(list(collected.left_out))}; "
            f"{failure_text(collected.failures)}",
            err=True,
        )
    typer.echo(f"Experiment: {path} and {path.with_suffix('.csv').name}")


def _evaluate(path: Path, seed: int) -> None:
    raise NotImplementedError
