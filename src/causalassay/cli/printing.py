"""What commands share: how numbers, names and progress look, and the code after Ctrl-C."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress, SpinnerColumn, TextColumn

from causalassay.spelling import visible

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it."""

EVERY_SECONDS = 30
"""Between two lines on how far the work is, where there is no terminal."""

FILE_WIDTH = 120
"""Columns of what is printed where there is no terminal."""


@contextmanager
def progress_bar(label: str) -> Iterator[Callable[[int, int], None]]:
    """Show a bar on stderr where somebody watches, and nothing elsewhere."""
    with Progress(
        console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()
    ) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def steady_progress(label: str, line: str) -> Iterator[Callable[[int, int], None]]:
    """Show a bar on stderr where somebody watches, and elsewhere a line now and then.

    Parameters
    ----------
    label : str
        Beside the bar.
    line : str
        With ``{done}`` and ``{total}``.
    """
    last = time.monotonic()
    with progress_bar(label) as show:

        def on_progress(done: int, total: int) -> None:
            nonlocal last
            show(done, total)
            if not sys.stderr.isatty() and time.monotonic() - last > EVERY_SECONDS:
                typer.echo(line.format(done=done, total=total), err=True)
                last = time.monotonic()

        yield on_progress


@contextmanager
def counter(label: str) -> Iterator[Callable[[int], None]]:
    """Show a count on stderr where somebody watches, of steps whose number nobody knows."""
    with Progress(
        SpinnerColumn(),
        TextColumn("{task.description} {task.completed:.0f}"),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    ) as shown:
        task = shown.add_task(label, total=None)
        yield lambda done: shown.update(task, completed=done)


def number(value: float, decimals: int = 2) -> str:
    """Return a number, and a dash for one that is undefined."""
    return "–" if math.isnan(value) else f"{value:.{decimals}f}"


def limits_text(limits: tuple[float, float], decimals: int = 2) -> str:
    """Return an interval."""
    return f"{number(limits[0], decimals)}–{number(limits[1], decimals)}"


def escaped(text: str) -> str:
    """Return text that rich prints as it is, what does not print as escapes."""
    return "\n".join(escape(visible(line)) for line in text.split("\n"))


def wide_console() -> Console:
    """Return a console that does not wrap tables in a file or a pipe."""
    console = Console()
    return console if console.is_terminal else Console(width=FILE_WIDTH)
