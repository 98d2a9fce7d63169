"""What a process of the pool does at its start, and around each piece of work."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import tempfile
from pathlib import Path
from typing import Any

from causalassay.study.processes import parentage
from causalassay.study.processes.executor import Loss, NoWorkers
from causalassay.study.processes.scratch import NamelessFile
from causalassay.study.processes.stages import Stage, limited, watch_this_process

_failure: list[str] = []
_folder: list[Path] = []


def initialize(parent: int, folder: Path, setup: NamelessFile, stage: Stage) -> None:
    """Make this process one that can be killed at any time and leaves nothing; then set it up.

    Parameters
    ----------
    parent : int
        The process whose end ends this one.
    folder : Path
        The pool's. Temporary files go into a folder within.
    setup : NamelessFile
        A pickled function with its arguments, called once; what it raises is kept for
        `report_start`.
    stage : Stage
        What the supervisor watches.
    """
    parentage.end_with(parent)
    parentage.adopt_orphans()
    _leave_the_terminal()
    parentage.be_killed_first()
    _folder.append(folder)
    watch_this_process(stage)
    try:
        tempfile.tempdir = os.environ["TMPDIR"] = str(own_folder(folder, os.getpid()))
        _make_own_folder()
        with setup.mapped() as content:
            function, arguments = pickle.loads(content)
        setup.close()
        function(*arguments)
    except BaseException as error:
        _failure.append(f"{type(error).__name__}: {error}")


def _make_own_folder() -> None:
    """Make the folder for temporary files, again if somebody has removed it."""
    if not os.path.isdir(os.environ["TMPDIR"]):  # noqa: PTH112  for each batch
        with contextlib.suppress(OSError):  # whoever writes a file there gets to know why not
            Path(os.environ["TMPDIR"]).mkdir(parents=True, exist_ok=True)


def own_folder(folder: Path, pid: int) -> Path:
    """Return where a process of the pool keeps its temporary files."""
    return folder / str(pid)


def pool_folder() -> Path:
    """Return the folder that this process shares with the others of its pool."""
    return _folder[-1]


def report_start() -> tuple[int, str]:
    """Return the process id, and what went wrong at the start, if anything."""
    return os.getpid(), "".join(_failure)


def run_pickled(payload: bytes) -> bytes:
    """Return the pickled answer of a pickled function to its argument, or a `Loss`.

    The answer is pickled here, since pebble pickles while it holds a lock and
    breaks on what cannot be read back.
    """
    try:
        _make_own_folder()
        with limited():
            function, argument = pickle.loads(payload)
            return pickle.dumps(function(argument), protocol=5)
    except NoWorkers as error:
        return pickle.dumps(Loss("pool", str(error)), protocol=5)
    except BaseException as error:
        return pickle.dumps(Loss.raised(error), protocol=5)


def unpickle(answer: bytes) -> Any:
    """Return what `run_pickled` sent, or a `Loss` if it cannot be read."""
    try:
        return pickle.loads(answer)
    except Exception as error:
        return Loss.raised(error)


def _leave_the_terminal() -> None:
    """Leave Ctrl-C to the driver, end at SIGTERM even inside C, and print nothing."""
    parentage.lead_a_session()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    # The supervisor blocks it during the start, when Python would still react.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    parentage.silence()
