"""Which tasks run now, in a file beside the store: the driver writes it, `status` reads it.

A task that takes less than a second is never in it, so studies of short tasks have no such file.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from causalassay.common.files import read_text, replacing
from causalassay.processes.scratch import Progress, read_progress
from causalassay.study.reasons import readable

FILE = "running.json"

LONG = 1.0
"""Seconds from which on a task is told."""


@dataclass(frozen=True)
class RunningTask:
    """A task that runs now.

    Parameters
    ----------
    algorithm : str
        Empty where diagnostics of the problem are computed.
    problem : str
    replicate : int
    purpose : {"main", "tuning"}
    since : float
        When it began: seconds since 1970.
    scratch : str
        Its scratch folder; empty where there is none that can be seen from here.
    """

    algorithm: str
    problem: str
    replicate: int
    purpose: str
    since: float
    scratch: str = ""

    @property
    def progress(self) -> Progress | None:
        """What its algorithm reported last."""
        return read_progress(Path(self.scratch)) if self.scratch else None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        values: dict[str, Any] = asdict(self) | {"since": _iso(self.since), "progress": None}
        del values["scratch"]
        if (progress := self.progress) is not None:
            at = _iso(progress.at)
            values |= {"progress": readable(progress.text), "progress_at": at}
        return values

    def line(self, now: float) -> str:
        """Return what to print.

        Examples
        --------
        >>> RunningTask("ges", "iscm", 3, "main", 1000.0).line(1090.0)
        'ges on iscm, replicate 3: for 90 s'
        """
        where = "replicate" if self.purpose == "main" else "held-out system"
        name = readable(self.algorithm) or "diagnostics"
        text = f"{name} on {readable(self.problem)}, {where} {self.replicate}: "
        text += f"for {span(max(now - self.since, 0.0))}"
        progress = self.progress
        if progress is None or not progress.text:
            return text
        return f"{text}, {readable(progress.text)} ({span(max(now - progress.at, 0.0))} ago)"


def span(seconds: float) -> str:
    """Return a duration in the unit that fits.

    Examples
    --------
    >>> span(40), span(600), span(9000)
    ('40 s', '10 min', '2.5 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


class RunningFile:
    """The file of a driver; it is written where the tasks in it change, and removed at the end.

    Parameters
    ----------
    folder : Path
        Of the store.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._written: Sequence[RunningTask] = ()
        self._path.unlink(missing_ok=True)  # of a driver that was killed

    def show(self, tasks: Sequence[RunningTask]) -> None:
        """Let the file have the tasks that have run for long enough."""
        latest = time.time() - LONG
        tasks = [task for task in tasks if task.since <= latest]
        if tasks == self._written:
            return
        # What it says is for people; a full disk is told where rows are written.
        with contextlib.suppress(OSError):
            if tasks:
                with replacing(self._path) as partial:
                    partial.write_text(json.dumps([asdict(task) for task in tasks]))
            else:
                self._path.unlink(missing_ok=True)
            self._written = tasks

    def close(self) -> None:
        """Remove the file."""
        self.show(())


def read_running(folder: Path) -> list[RunningTask]:
    """Return the tasks that run now, as the file of a driver has them."""
    if not (folder / FILE).exists():
        return []
    with contextlib.suppress(OSError, ValueError, TypeError):  # it may go or change meanwhile
        return [RunningTask(**task) for task in json.loads(read_text(folder / FILE, "JSON"))]
    return []
