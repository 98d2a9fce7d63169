"""What commands share: how names and progress look, and the code after Ctrl-C."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, ProgressColumn, SpinnerColumn, TextColumn
from rich.text import Text

from causalassay.common.kernel_cache import kernels_of, not_compiled
from causalassay.common.spelling import visible

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it."""

EVERY_SECONDS = 30
"""Between two lines on how far the work is, where there is no terminal."""

FILE_WIDTH = 120
"""Columns of what is printed where there is no terminal and COLUMNS is not set."""
LINE_WIDTH = 10_000
"""The same for lists of which each row is one line, for other programs to search: always."""


class CompilingKernels:
    """Tells how many kernels of a command are compiled, while there are any to compile.

    Parameters
    ----------
    job : str
        As in `kernels_of`.
    """

    def __init__(self, job: str) -> None:
        self._needed = not_compiled(kernels_of(job))

    def __call__(self) -> str:
        """Return a clause, empty if nothing is left to compile."""
        left = not_compiled(self._needed)
        if not left:
            self._needed = left  # one that is compiled stays so: no more looking
            return ""
        done, total = len(self._needed) - len(left), len(self._needed)
        return f"compiling kernels, {done} of {total} (once per installation)"


class _ClauseColumn(ProgressColumn):
    max_refresh = 0.5

    def __init__(self, clause: Callable[[], str]) -> None:
        super().__init__()
        self._clause = clause

    def render(self, task: object) -> Text:  # noqa: ARG002  the same beside any task
        return Text(self._clause())


@contextmanager
def _shown(label: str, columns: list[ProgressColumn], job: str) -> Iterator[Callable[..., None]]:
    """Show progress on stderr where somebody watches; what is compiled elsewhere, too."""
    clause, watched = CompilingKernels(job), sys.stderr.isatty()
    with Progress(
        *columns,
        _ClauseColumn(clause),
        console=Console(stderr=True),
        transient=True,
        disable=not watched,
    ) as shown:
        task = shown.add_task(label, total=None)
        ended = threading.Event()
        if not watched and clause():
            threading.Thread(target=_say_often, args=(clause, ended), daemon=True).start()
        try:
            yield lambda **change: shown.update(task, **change)
        finally:
            ended.set()


def _say_often(clause: Callable[[], str], ended: threading.Event) -> None:
    while (text := clause()) and not ended.is_set():
        typer.echo(text, err=True)
        ended.wait(EVERY_SECONDS)


@contextmanager
def progress_bar(label: str, job: str = "") -> Iterator[Callable[[int, int], None]]:
    """Show a bar on stderr where somebody watches, and what is being compiled."""
    columns = [
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
    ]
    with _shown(label, columns, job) as update:
        yield lambda done, total: update(completed=done, total=total)


@contextmanager
def steady_progress(label: str, line: str, job: str = "") -> Iterator[Callable[..., None]]:
    """Show a bar on stderr where somebody watches, and elsewhere a line now and then.

    Yields a function of how much is done, of how much, and what else the line says.

    Parameters
    ----------
    label : str
        Beside the bar.
    line : str
        With ``{done}`` and ``{total}``, and other words in braces.
    job : str
        Whose kernels may have to be compiled, as in `kernels_of`.
    """
    last = time.monotonic()
    with progress_bar(label, job) as show:

        def on_progress(done: int, total: int, **words: object) -> None:
            nonlocal last
            show(done, total)
            if not sys.stderr.isatty() and time.monotonic() - last > EVERY_SECONDS:
                typer.echo(line.format(done=done, total=total, **words), err=True)
                last = time.monotonic()

        yield on_progress


@contextmanager
def counter(label: str, job: str = "") -> Iterator[Callable[[int], None]]:
    """Show a count on stderr where somebody watches, of steps whose number nobody knows."""
    columns = [SpinnerColumn(), TextColumn("{task.description} {task.completed:.0f}")]
    with _shown(label, columns, job) as update:
        yield lambda done: update(completed=done)


def escaped(text: str) -> str:
    """Return text that rich prints as it is, what does not print as escapes."""
    return "\n".join(escape(visible(line)) for line in text.split("\n"))


def wide_console(width: int = FILE_WIDTH) -> Console:
    """Return a console as wide as the terminal; for files and pipes COLUMNS wide, or as given."""
    console = Console()
    if console.is_terminal:
        return console
    columns = os.environ.get("COLUMNS", "")
    if width == FILE_WIDTH and columns.isdecimal() and int(columns) > 0:
        width = int(columns)
    return Console(width=width)
