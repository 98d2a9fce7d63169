"""One thread for each process: many processes with many threads each get in each other's way."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

N_THREADS = "CAUSALASSAY_THREADS"
"""The variable with the number of threads of a process, for what reads none of the others."""

_READ_BY_LIBRARIES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "RAYON_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
"""What numerical libraries, torch among them, read once, when they are first imported."""

SLEEP_WHILE_WAITING = {"OMP_WAIT_POLICY": "passive"}
"""Lets threads of OpenMP sleep until there is work, unless the user has said otherwise.

By default they wait actively, which is faster where each has a core of its own. The workers of a
study use all cores, and then a thread that waits holds up the one it waits for.
"""


def thread_variables(n_threads: int) -> dict[str, str]:
    """Return the variables of a process that is to compute with so many threads.

    Examples
    --------
    >>> thread_variables(2)["OMP_NUM_THREADS"]
    '2'
    """
    return dict.fromkeys((*_READ_BY_LIBRARIES, N_THREADS), str(n_threads))


ONE_THREAD = thread_variables(1)


def stated_threads() -> int:
    """Return how many threads this process was given; 1 if nothing was said."""
    stated = os.environ.get(N_THREADS, "")
    return int(stated) if stated.isdecimal() else 1


@contextmanager
def one_thread_each() -> Iterator[None]:
    """Let processes started within the block compute with one thread each.

    The variables are set before a child imports numpy; the values they had come back
    at the end.

    Examples
    --------
    >>> with one_thread_each():
    ...     os.environ["OMP_NUM_THREADS"]
    '1'
    """
    before = {name: os.environ.get(name) for name in ONE_THREAD}
    os.environ.update(ONE_THREAD)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
