"""What a worker process of the supervisor does: at its start, and around each call.

A worker tells the supervisor by its `Stage` which part of its time the limit is for.
"""

from __future__ import annotations

import contextlib
import io
import os
import pickle
import signal
import struct
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from causalassay.processes.limits import Loss, NoWorkers
from causalassay.processes.messages import TOKEN
from causalassay.processes.process_tree import (
    adopt_orphans,
    be_killed_first,
    end_with,
    guard_group,
    lead_a_session,
    silence,
)
from causalassay.processes.scratch import NamelessFile
from causalassay.processes.stages import Stage, limited, show

_LENGTH = struct.Struct("<H")


@dataclass(frozen=True)
class WorkerStart:
    """What a worker is given at its start.

    Parameters
    ----------
    parent : int
        The process whose end ends the worker.
    folder : Path
        The supervisor's. Temporary files go into a folder within.
    setup : NamelessFile
        A pickled function with its arguments, called once before the first call.
    stage : Stage
        What the supervisor watches.
    runs_algorithms : bool
        Whether the calls run other people's code; see `Supervisor`.
    """

    parent: int
    folder: Path
    setup: NamelessFile
    stage: Stage
    runs_algorithms: bool


_started: list[WorkerStart] = []
_guards: list[subprocess.Popen[bytes]] = []


def shared_folder() -> Path:
    """Return the folder that this worker shares with the others of its supervisor."""
    return _started[-1].folder


_granted = {"card": ""}


def granted_card() -> str:
    """Return the graphics card that is reserved for the present call; empty without one."""
    return _granted["card"]


def with_card(card: str, payload: bytes) -> bytes:
    r"""Return a pickled call as it is sent, with the card that is reserved for it before it.

    Examples
    --------
    >>> with_card("0", b"call")
    b'\x01\x000call'
    """
    name = card.encode()
    return _LENGTH.pack(len(name)) + name + payload


def _card_and_payload(message: memoryview) -> tuple[str, memoryview]:
    (length,) = _LENGTH.unpack_from(message)
    end = _LENGTH.size + length
    return str(message[_LENGTH.size : end], "utf-8"), message[end:]


def worker_folder(folder: Path, pid: int) -> Path:
    """Return where a worker keeps its temporary files."""
    return folder / str(pid)


def serve(connection: Connection, start: WorkerStart) -> None:
    """Be a process that can be killed at any time and leaves nothing; answer until then."""
    failure = _begin(start)
    pid = os.getpid()
    with contextlib.suppress(EOFError, OSError):
        connection.send_bytes(failure.encode(errors="replace"))
        while True:
            message = connection.recv_bytes()
            _granted["card"], payload = _card_and_payload(memoryview(message)[TOKEN:])
            answer = _run_pickled(payload)
            if os.getpid() != pid:
                os._exit(0)  # the call forked: one of the two answers
            connection.send_bytes(message[:TOKEN] + answer)


def _begin(start: WorkerStart) -> str:
    """Prepare this process for its calls; return what went wrong, if anything."""
    end_with(start.parent)
    adopt_orphans()
    _leave_the_terminal()
    if start.runs_algorithms:
        os.dup2(2, 1)  # what an algorithm prints is no part of a result
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(line_buffering=True)  # a killed process flushes nothing
        _guards.append(guard_group(os.getpid()))
    else:
        silence()
    be_killed_first()
    _started.append(start)
    show(start.stage)
    try:
        tempfile.tempdir = os.environ["TMPDIR"] = str(worker_folder(start.folder, os.getpid()))
        _make_folder()
        with start.setup.mapped() as content:
            function, arguments = pickle.loads(content)
        start.setup.close()
        function(*arguments)
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
    return ""


def _leave_the_terminal() -> None:
    """Leave Ctrl-C to the supervisor, and end at SIGTERM even inside C."""
    lead_a_session()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    # The supervisor blocks it during the start, when Python would still react.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _make_folder() -> None:
    """Make the folder for temporary files, again if somebody has removed it."""
    if not os.path.isdir(os.environ["TMPDIR"]):  # noqa: PTH112  for each call
        with contextlib.suppress(OSError):  # whoever writes a file there gets to know why not
            Path(os.environ["TMPDIR"]).mkdir(parents=True, exist_ok=True)


def _run_pickled(payload: memoryview) -> bytes:
    """Return the pickled answer of a pickled function to its argument, or a `Loss`."""
    try:
        _make_folder()
        with limited():
            function, argument = pickle.loads(payload)
            return pickle.dumps(function(argument), protocol=5)
    except NoWorkers as error:
        return pickle.dumps(Loss("pool", str(error)), protocol=5)
    except BaseException as error:
        return pickle.dumps(Loss.raised(error), protocol=5)


def read_answer(answer: bytes) -> Any:
    """Return what a worker answered, or a `Loss` if it cannot be read."""
    try:
        return pickle.loads(answer)
    except Exception as error:
        return Loss.raised(error)
