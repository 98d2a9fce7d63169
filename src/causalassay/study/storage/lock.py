"""One driver per store: a lock that the operating system frees when its holder dies."""

from __future__ import annotations

import fcntl
import json
import os
import socket
import time
from pathlib import Path
from typing import IO

from causalassay.study.storage.opening import now
from causalassay.study.storage.refusals import StoreRefused

FILE = "lock"
"""Its name in the store's folder; it stays there when no driver runs."""

_TRIES = 20
_WAIT = 0.05


def take_lock(folder: Path) -> IO[str]:
    """Return the lock, to be closed at the end, or refuse if another driver holds it."""
    lock = (folder / FILE).open("a+", encoding="utf-8")
    # A status command that looks whether a driver runs holds the lock for an instant.
    for attempt in range(_TRIES):
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if attempt < _TRIES - 1:
                time.sleep(_WAIT)
            continue
        lock.truncate(0)
        json.dump({"process": os.getpid(), "host": socket.gethostname(), "since": now()}, lock)
        lock.flush()
        return lock
    lock.close()
    raise StoreRefused(
        f"{folder} has another driver at work ({running_driver(folder)}). Wait until it has "
        "ended, or stop it; look at it with `causalassay status`."
    )


def running_driver(folder: Path) -> str | None:
    """Return which driver works on a store now, None if there is none."""
    try:
        lock = (folder / FILE).open(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return _named(lock.read())
    return None


def _named(text: str) -> str:
    try:
        holder = json.loads(text)
        return f"process {holder['process']} on {holder['host']} since {holder['since']}"
    except (ValueError, KeyError, TypeError):  # it has the lock and has not written yet
        return "just starting"
