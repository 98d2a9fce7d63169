"""Servers for an experiment, in a temporary folder; they never outlive the process that asked."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

from causalassay.lab.domains import watchdog

_WAIT_SECONDS = 60


@dataclass(frozen=True)
class Start:
    """One command that the watchdog runs.

    Parameters
    ----------
    what : str
        What it is, for errors.
    command : tuple of str
        Its words, in which ``{folder}`` stands for the temporary folder, ``{user}`` and
        ``{group}`` for the numbers of the user as whom servers run, empty if that is the caller.
    ready : str, optional
        The file of the folder whose appearance says that the server is ready. None for a
        command that comes to an end.
    last_line : str, optional
        What the last line of that file is then.
    starts_as_caller : bool
        Whether the command gives up root by itself.
    """

    what: str
    command: tuple[str, ...]
    ready: str | None = None
    last_line: str | None = None
    starts_as_caller: bool = False

    def orders(self) -> dict[str, object]:
        """Return it as the watchdog reads it."""
        return {key: value for key, value in asdict(self).items() if value is not None}


def as_it_is(word: str) -> str:
    """Return a word of a command in which the watchdog fills nothing in.

    Examples
    --------
    >>> as_it_is("{}")
    '{{}}'
    """
    return word.replace("{", "{{").replace("}", "}}")


@contextmanager
def watched(
    name: str, steps: Sequence[Start], users: Sequence[str], socket: str | None = None
) -> Iterator[Path]:
    """Run servers until the end of the block, and remove their folder, which is given.

    They are stopped at the end, after an error, after Ctrl-C, and when this process is killed.

    Parameters
    ----------
    name : str
        Of the system, as "PostgreSQL".
    steps : sequence of Start
        What is run, in turn.
    users : sequence of str
        As whom, when root calls; the first that exists.
    socket : str, optional
        A Unix socket in the folder, whose path must not be too long.
    """
    orders = {
        "name": name,
        "prefix": f"causalassay-{name.lower()}-",
        "users": list(users),
        "socket": socket,
        "steps": [step.orders() for step in steps],
    }
    with _watchdog(orders) as (process, answers):
        answer = json.loads(answers.readline() or '{"error": "it ended without a word"}')
        if "error" in answer:
            raise ValueError(f"{name} cannot be started here: {answer['error']}")
        folder = Path(answer["folder"])
        try:
            yield folder
        finally:
            _end(process)
            shutil.rmtree(folder, ignore_errors=True)  # only if the watchdog itself was killed


@contextmanager
def _watchdog(orders: Mapping[str, object]) -> Iterator[tuple[subprocess.Popen[str], IO[str]]]:
    process = subprocess.Popen(
        [sys.executable, "-I", str(Path(watchdog.__file__)), json.dumps(orders)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C reaches the client alone
        text=True,
    )
    assert process.stdout is not None
    try:
        yield process, process.stdout
    finally:
        _end(process)
        process.stdout.close()


def _end(process: subprocess.Popen[str]) -> None:
    """Close the pipe, at which the watchdog removes everything, and wait until it has."""
    assert process.stdin is not None
    process.stdin.close()
    process.wait(_WAIT_SECONDS)
