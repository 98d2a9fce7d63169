"""What commands that run a factorial experiment have in common: checks, and what they print."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from causalassay.cli.domain.evaluation import check_report
from causalassay.cli.printing import INTERRUPTED, progress_bar

if TYPE_CHECKING:
    from causalassay.domains.collecting import Collected, Plan

EVERY_SECONDS = 30
"""Between two lines on how far the experiment is, where there is no terminal."""


def check_evaluation(
    algorithm: Sequence[str] | None,
    beta: float,
    repeats: int,
    look_alikes: int,
    report: Path | None,
) -> None:
    """Raise for options of the evaluation that cannot be used, before anything is measured."""
    from causalassay.cli.algorithm_options import read_algorithms
    from causalassay.factorial import Settings

    check_report(report)
    Settings(beta)
    for name, number, least in (("repeats", repeats, 1), ("look-alikes", look_alikes, 0)):
        if number < least:
            raise ValueError(f"--{name}: expected at least {least}, got {number}")
    if algorithm:
        read_algorithms(algorithm)


@contextmanager
def interruptible(journal: Path) -> Iterator[None]:
    """After Ctrl-C or SIGTERM remove the servers, and say how the experiment goes on."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        typer.echo(
            f"interrupted: what was measured is kept in {journal}; "
            "give the same command again to go on",
            err=True,
        )
        raise typer.Exit(INTERRUPTED) from None
    finally:
        signal.signal(signal.SIGTERM, before)


def announce(system: str, plan: Plan, subjects: str, seconds_each: float) -> None:
    """Say what will be measured, and how long that takes."""
    settings = plan.n_measurements // len(plan.subjects) // plan.trials
    typer.echo(
        f"{system}: {plan.n_measurements} measurements "
        f"({len(plan.subjects)} {subjects} x {settings} settings x {plan.trials} trials), "
        f"about {_duration(seconds_each * plan.n_measurements)} in all",
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
    from causalassay.domains.collecting import failure_text
    from causalassay.spelling import listed

    if collected.left_out:
        n_subjects = len(collected.plan.subjects)
        typer.echo(
            f"{len(collected.left_out)} of {n_subjects} {subjects} were left out, "
            f"for they miss a combination: {listed(list(collected.left_out))}; "
            f"{failure_text(collected.failures)}",
            err=True,
        )
    typer.echo(f"Experiment: {path} and {path.with_suffix('.csv').name}", err=True)
