"""How long work ends before its time, and the folder that keeps what is finished."""

from __future__ import annotations

import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path

import typer

from causalassay.cli.printing import INTERRUPTED


@contextmanager
def answered_in_one_line(line: str) -> Iterator[None]:
    """Answer Ctrl-C with one line and its exit code; every command that works long does.

    A batch system ends jobs by SIGTERM: it is answered like Ctrl-C, also in the background,
    where shells let programs ignore the latter; so is a terminal that closes, except under nohup.

    Parameters
    ----------
    line : str
        What is left of the work.
    """
    ends = [signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        ends.append(signal.SIGHUP)
    before = {number: signal.signal(number, signal.default_int_handler) for number in ends}
    try:
        yield
    except KeyboardInterrupt:
        typer.echo(f"interrupted: {line}", err=True)
        raise typer.Exit(INTERRUPTED) from None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def algorithms_at_work() -> Iterator[None]:
    """Let algorithms run: what they print is no part of the result, Ctrl-C is one line."""
    with answered_in_one_line("nothing was written"), redirect_stdout(sys.stderr):
        yield


def make_results_folder(out: Path) -> None:
    """Make the folder of the option ``--out``; raise if results cannot be written there."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as reason:
        raise ValueError(
            f"--out {out} cannot be made: {reason.strerror}; name another folder"
        ) from reason
    try:
        with tempfile.TemporaryFile(dir=out):
            pass
    except OSError as reason:
        raise ValueError(f"--out {out} cannot be written to; name another folder") from reason


@contextmanager
def resumable(out: Path) -> Iterator[None]:
    """Let long work run; Ctrl-C, or the end of a batch job, is one line and exit code 130."""
    line = f"what is finished is in {out}; run the same command to continue"
    with answered_in_one_line(line):
        yield
