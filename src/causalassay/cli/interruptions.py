"""How a long computation in this process ends before its time."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout

import typer

from causalassay.cli.printing import INTERRUPTED


@contextmanager
def answered_in_one_line(line: str) -> Iterator[None]:
    """Answer Ctrl-C with one line and its exit code.

    A batch system ends jobs by SIGTERM: it is answered like Ctrl-C, so that nothing runs on.

    Parameters
    ----------
    line : str
        What is left of the work.
    """
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        typer.echo(f"interrupted: {line}", err=True)
        raise typer.Exit(INTERRUPTED) from None
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def algorithms_at_work() -> Iterator[None]:
    """Let algorithms run: what they print is no part of the result, Ctrl-C is one line."""
    with answered_in_one_line("nothing was written"), redirect_stdout(sys.stderr):
        yield
