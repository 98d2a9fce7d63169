"""A process of its own that starts a PostgreSQL server and always removes it again.

Run by `server.own_server` as a script, without the package: it must start quickly and need
nothing but Python. It holds the reading end of a pipe. When the pipe closes, because the client
is done or because it was killed, the server is stopped and its folder removed.
"""

from __future__ import annotations

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
from collections.abc import Callable
from pathlib import Path
from typing import Any

PREFIX = "causalassay-postgres-"
PORT = 5432
LONGEST_SOCKET = 107
"""Bytes of a Unix socket's path."""

_START_SECONDS = 300
_STOPS = ((signal.SIGINT, 20), (signal.SIGQUIT, 10), (signal.SIGKILL, 10))
"""Fast shutdown, immediate shutdown, kill; with the seconds that each may take."""

_PR_SET_PDEATHSIG = 1


class _ClientGone(Exception):  # noqa: N818  not a mistake
    """The pipe was closed."""


def main() -> None:
    """Start a server as the first argument says, report on stdout, wait, remove everything."""
    orders = json.loads(sys.argv[1])
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _end)
    folder = None
    running: list[subprocess.Popen[bytes]] = []
    try:
        identity = _identity()
        folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        _prepare(folder, identity)
        _init(folder, orders, identity, running)
        _start(folder, orders, identity, running)
        _report({"folder": str(folder)})
        _wait(running)
    except _ClientGone:
        pass
    except (OSError, ValueError) as error:
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


def _identity() -> dict[str, Any]:
    """Return as whom the server runs: PostgreSQL refuses root."""
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        try:
            user = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    raise ValueError(
        "PostgreSQL refuses to run as root, and there is no user postgres or nobody; "
        "run the command as another user"
    )


def _prepare(folder: Path, identity: dict[str, Any]) -> None:
    socket = folder / f".s.PGSQL.{PORT}"
    if len(os.fsencode(socket)) > LONGEST_SOCKET:
        raise ValueError(
            f"{folder.parent}: too long a path for a Unix socket; set TMPDIR to a shorter one"
        )
    if identity:
        os.chown(folder, identity["user"], identity["group"])


def _init(
    folder: Path,
    orders: dict[str, Any],
    identity: dict[str, Any],
    running: list[subprocess.Popen[bytes]],
) -> None:
    command = [f"{orders['binaries']}/initdb", "--pgdata", f"{folder}/data", "--auth=trust"]
    command += [f"--username={orders['user']}", "--encoding=UTF8", "--locale=C", "--no-sync"]
    process = _spawn(command, folder, identity, running)
    _until(lambda: process.poll() is not None)
    running.remove(process)
    if process.returncode:
        raise ValueError(f"initdb failed: {_last_line(folder)}")


def _start(
    folder: Path,
    orders: dict[str, Any],
    identity: dict[str, Any],
    running: list[subprocess.Popen[bytes]],
) -> None:
    settings = orders["settings"] | {"unix_socket_directories": str(folder), "port": str(PORT)}
    command = [f"{orders['binaries']}/postgres", "-D", f"{folder}/data"]
    command += [f"--{name}={value}" for name, value in settings.items()]
    server = _spawn(command, folder, identity, running)
    state = folder / "data" / "postmaster.pid"
    _until(lambda: server.poll() is not None or _is_ready(state))
    if server.poll() is not None:
        raise ValueError(f"the PostgreSQL server did not start: {_last_line(folder)}")


def _is_ready(state: Path) -> bool:
    """Tell whether the server takes connections: the last line of its own state file."""
    try:
        lines = state.read_text().splitlines()
    except OSError:
        return False
    return bool(lines) and lines[-1].strip() == "ready"


def _spawn(
    command: list[str],
    folder: Path,
    identity: dict[str, Any],
    running: list[subprocess.Popen[bytes]],
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
    """Ask the kernel for a fast shutdown should this keeper be killed; Linux only."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGINT))


def _until(done: Callable[[], bool]) -> None:
    """Wait for an event, but no longer than the client lives."""
    end = time.monotonic() + _START_SECONDS
    while not done():
        if time.monotonic() > end:
            raise ValueError(f"the PostgreSQL server did not start within {_START_SECONDS} s")
        if select.select([sys.stdin], [], [], 0.02)[0]:
            raise _ClientGone


def _wait(running: list[subprocess.Popen[bytes]]) -> None:
    """Return when the client closes the pipe or dies, or when the server is gone."""
    while running[0].poll() is None:
        if select.select([sys.stdin], [], [], 1)[0]:
            return


def _clear(running: list[subprocess.Popen[bytes]], folder: Path | None) -> None:
    for process in running:
        for number, seconds in _STOPS:
            if process.poll() is not None:
                break
            process.send_signal(number)
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                continue
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)


def _last_line(folder: Path) -> str:
    """Return what the log says went wrong."""
    lines = [line.strip() for line in (folder / "log").read_text(errors="replace").splitlines()]
    told = [line for line in lines if any(word in line for word in ("error:", "FATAL:", "PANIC:"))]
    return next(iter([*told[:1], *[line for line in reversed(lines) if line]]), "no reason given")


if __name__ == "__main__":
    main()
