"""Progress for people: a bar in a terminal, a log line now and then elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars

from causalassay.study.driver import Progress, Watch
from causalassay.study.reasons import failures_text

LOG_EVERY = 10.0
"""Seconds between two log lines."""


@contextmanager
def progress_display(console: Console, log_every: float = LOG_EVERY) -> Iterator[Watch]:
    """Yield a function that shows on `console` how far a run is."""
    if console.is_terminal:
        with _bars(console) as watch:
            yield watch
    else:
        yield log_lines(lambda line: console.print(line, highlight=False, markup=False), log_every)


@contextmanager
def _bars(console: Console) -> Iterator[Watch]:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[pace]}"),
        TextColumn("[red]{task.fields[trouble]}"),
        TimeElapsedColumn(),
    )
    with Bars(*columns, console=console) as bars:
        bar_ids: dict[str, TaskID] = {}
        pace = Pace()

        def watch(now: Progress) -> None:
            if now.purpose not in bar_ids:
                bar_ids[now.purpose] = bars.add_task(
                    title(now), total=now.total, pace="starting", trouble=""
                )
            # The pace is asked for in any case: it counts from the first time.
            paced = pace.text(now)
            bars.update(
                bar_ids[now.purpose],
                completed=now.done,
                pace=compiling_text(now) or paced,
                trouble=escape(trouble(now)),
            )

        yield watch


def log_lines(
    write: Callable[[str], None],
    log_every: float = LOG_EVERY,
    clock: Callable[[], float] = time.monotonic,
) -> Watch:
    """Return a function that writes a line now and then, and one when all is done.

    Examples
    --------
    >>> from collections import Counter
    >>> watch = log_lines(print, clock=lambda: 0.0)
    >>> watch(Progress("main", 2, Counter(ok=1), 1))
    running: 1 of 2
    >>> watch(Progress("main", 2, Counter(ok=1, failed=1), 2))
    running: 2 of 2, 1 failed
    """
    last, pace, finished = -log_every, Pace(clock), set()

    def watch(now: Progress) -> None:
        nonlocal last
        ends = now.done == now.total and now.purpose not in finished
        if ends or clock() - last >= log_every:
            last = clock()
            if ends:
                finished.add(now.purpose)
            write(_line(now, pace.text(now)))

    return watch


def _line(now: Progress, pace: str) -> str:
    """Return a log line; before the first row of a run it says what is waited for."""
    parts = [f"{now.done} of {now.total}", compiling_text(now) or pace, trouble(now)]
    if now.compiling is not None and not now.new:
        del parts[0]
    return f"{title(now)}: " + ", ".join(part for part in parts if part)


class Pace:
    """How fast a run goes since it began, or kernels were ready, and how long it will last.

    Examples
    --------
    >>> from collections import Counter
    >>> pace = Pace(iter([0.0, 0.0, 5.0]).__next__)
    >>> pace.text(Progress("main", 100, Counter(ok=40), 0))
    ''
    >>> pace.text(Progress("main", 100, Counter(ok=50), 10))
    '2.0/s, 0:00:25 left'
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began: dict[str, tuple[float, int, int]] = {}

    def text(self, now: Progress) -> str:
        """Return records per second and the time left, as far as they are known."""
        if now.purpose not in self._began or now.compiling is not None:
            self._began[now.purpose] = (self._clock(), now.done, now.new)
        began, done, earlier = self._began[now.purpose]
        seconds, rows, new = self._clock() - began, now.done - done, now.new - earlier
        if seconds <= 0 or not new:
            return ""
        pace = f"{new / seconds:.1f}/s"
        if not rows or now.done >= now.total:
            return pace
        left = timedelta(seconds=round(seconds / rows * (now.total - now.done)))
        return f"{pace}, {left} left"


def trouble(now: Progress) -> str:
    """Return the statuses that are not ok, with their counts and the most frequent reason.

    Examples
    --------
    >>> from collections import Counter
    >>> trouble(Progress("main", 10, Counter(ok=3, failed=1), 4, Counter({"raised KeyError": 1})))
    '1 failed, most often “raised KeyError” (1)'
    """
    return failures_text(now.counts, now.reasons)


def compiling_text(now: Progress) -> str:
    """Return how far the compiling of kernels is; empty while none are compiled.

    Examples
    --------
    >>> from collections import Counter
    >>> from causalassay.study.executors import Compiling
    >>> compiling_text(Progress("main", 10, Counter(), 0, compiling=Compiling(3, 12)))
    'compiling kernels, 3 of 12 (once per installation)'
    """
    if now.compiling is None:
        return ""
    done, total = now.compiling.ready, now.compiling.total
    return f"compiling kernels, {done} of {total} (once per installation)"


def title(now: Progress) -> str:
    """Return what is being done.

    Examples
    --------
    >>> from collections import Counter
    >>> title(Progress("tuning", 10, Counter(), 0))
    'tuning'
    """
    return "tuning" if now.purpose == "tuning" else "running"
