"""Servers for an experiment, in a temporary folder; they never outlive the process that asked.

`watched` runs this file as a script, without the package: the watchdog, a process of its own that
starts quickly and needs nothing but Python. It holds the reading end of a pipe. When the pipe
closes, because the client is done or because it was killed, the servers are stopped and their
folder removed.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import pwd
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

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
            _close(process)
            shutil.rmtree(folder, ignore_errors=True)  # only if the watchdog itself was killed


@contextmanager
def _watchdog(orders: Mapping[str, object]) -> Iterator[tuple[subprocess.Popen[str], IO[str]]]:
    process = subprocess.Popen(
        [sys.executable, "-I", __file__, json.dumps(orders)],
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
        _close(process)
        process.stdout.close()


def _close(process: subprocess.Popen[str]) -> None:
    """Close the pipe, at which the watchdog removes everything, and wait until it has."""
    assert process.stdin is not None
    process.stdin.close()
    process.wait(_WAIT_SECONDS)


# The watchdog.

LONGEST_SOCKET = 107
"""Bytes of a Unix socket's path."""

_START_SECONDS = 300
_STOPS = ((signal.SIGINT, 20), (signal.SIGQUIT, 10), (signal.SIGKILL, 10))
"""Fast shutdown, immediate shutdown, kill; with the seconds that each may take."""

_PR_SET_PDEATHSIG = 1

Running = list["subprocess.Popen[bytes]"]


class _ClientGone(Exception):  # noqa: N818  not a mistake
    """The pipe was closed."""


def main() -> None:
    """Start servers as the first argument says, report on stdout, wait, remove everything."""
    orders = json.loads(sys.argv[1])
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _end)
    folder = None
    running: Running = []
    try:
        identity = _identity(orders)
        folder = Path(tempfile.mkdtemp(prefix=orders["prefix"]))
        _prepare(folder, orders, identity)
        for step in orders["steps"]:
            _take(step, orders["name"], folder, identity, running)
        _report({"folder": str(folder)})
        _wait(running)
    except _ClientGone:
        pass
    except (OSError, ValueError) as error:
        with contextlib.suppress(_ClientGone):
            _report({"error": str(error)})
    finally:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        _clear(running, folder)


def _end(*_: object) -> None:
    raise _ClientGone


def _report(line: dict[str, str]) -> None:
    try:
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()
    except OSError:
        raise _ClientGone from None


def _identity(orders: dict[str, Any]) -> dict[str, Any]:
    """Return as whom the servers run when root calls: never as root."""
    if os.geteuid() != 0:
        return {}
    for name in orders["users"]:
        try:
            user = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    raise ValueError(
        f"{orders['name']} is not run as root, and there is no user "
        f"{' or '.join(orders['users'])}; run the command as another user"
    )


def _prepare(folder: Path, orders: dict[str, Any], identity: dict[str, Any]) -> None:
    socket = orders.get("socket")
    if socket is not None and len(os.fsencode(folder / socket)) > LONGEST_SOCKET:
        raise ValueError(
            f"{folder.parent}: too long a path for a Unix socket; set TMPDIR to a shorter one"
        )
    if identity:
        _check_open(folder, identity["user"])
        os.chown(folder, identity["user"], identity["group"])


def _check_open(folder: Path, user: int) -> None:
    """Raise unless the user can come to the folder; group rights do not count."""
    for parent in folder.parents:
        state = parent.stat()
        if not state.st_mode & 0o001 and state.st_uid != user:
            raise ValueError(
                f"{parent} is closed to the user {pwd.getpwuid(user).pw_name}, as whom servers run "
                "when root calls; set TMPDIR to an open folder, such as /tmp"
            )


def _take(
    step: dict[str, Any], name: str, folder: Path, identity: dict[str, Any], running: Running
) -> None:
    """Run a command to its end, or until the file appears by which it says that it is ready."""
    words = {"folder": folder, "user": identity.get("user", ""), "group": identity.get("group", "")}
    command = [word.format_map(words) for word in step["command"]]
    drops_itself = step.get("starts_as_caller", False)
    process = _spawn(command, folder, {} if drops_itself else identity, running)
    if "ready" not in step:
        _until(lambda: process.poll() is not None, name)
        running.remove(process)
        if process.returncode:
            raise ValueError(f"{step['what']} failed: {_last_line(folder)}")
        return
    ready = folder / step["ready"]
    _until(lambda: process.poll() is not None or _is_ready(ready, step.get("last_line")), name)
    if process.poll() is not None:
        raise ValueError(f"{step['what']} did not start: {_last_line(folder)}")


def _is_ready(file: Path, last_line: str | None) -> bool:
    """Tell whether a file is there, and where a last line is expected, whether it ends so."""
    try:
        lines = file.read_text().splitlines()
    except OSError:
        return False
    return last_line is None or (bool(lines) and lines[-1].strip() == last_line)


def _spawn(
    command: list[str], folder: Path, identity: dict[str, Any], running: Running
) -> subprocess.Popen[bytes]:
    with (folder / "log").open("ab") as log:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=folder,
            env={"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"},
            preexec_fn=_die_with_parent,  # noqa: PLW1509  this process has one thread
            start_new_session=True,
            **identity,
        )
    running.append(process)
    return process


def _die_with_parent() -> None:
    """Ask the kernel for a fast shutdown should this watchdog be killed; Linux only."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGINT))


def _until(done: Callable[[], bool], name: str) -> None:
    """Wait for an event, but no longer than the client lives."""
    end = time.monotonic() + _START_SECONDS
    while not done():
        if time.monotonic() > end:
            raise ValueError(f"{name} did not start within {_START_SECONDS} s")
        if select.select([sys.stdin], [], [], 0.02)[0]:
            raise _ClientGone


def _wait(running: Running) -> None:
    """Return when the client closes the pipe or dies, or when a server is gone."""
    while all(process.poll() is None for process in running):
        if select.select([sys.stdin], [], [], 1)[0]:
            return


def _clear(running: Running, folder: Path | None) -> None:
    for process in running:
        for number, seconds in _STOPS:
            if process.poll() is not None:
                break
            process.send_signal(number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(seconds)
        with contextlib.suppress(OSError):  # what a killed server left of its own processes
            os.killpg(process.pid, signal.SIGKILL)
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)


def _last_line(folder: Path) -> str:
    """Return what the log says went wrong."""
    lines = [line.strip() for line in (folder / "log").read_text(errors="replace").splitlines()]
    words = ("error:", "FATAL:", "PANIC:", "[emerg]")
    complaints = [line for line in lines if any(word in line for word in words)]
    return next(
        iter([*complaints[:1], *[line for line in reversed(lines) if line]]), "no reason given"
    )


if __name__ == "__main__":
    main()
