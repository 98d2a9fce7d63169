"""The folder of long work: made before it begins, and kept when it ends early."""

from __future__ import annotations

import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from causalassay.cli.printing import INTERRUPTED


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
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        typer.echo(
            f"Interrupted. What is finished is in {out}; run the same command to continue.",
            err=True,
        )
        raise typer.Exit(INTERRUPTED) from None
    finally:
        signal.signal(signal.SIGTERM, before)
