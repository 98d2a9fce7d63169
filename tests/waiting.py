"""Waiting for events: a slow or busy machine makes a test slow, it does not fail it."""

from __future__ import annotations

import time

import psutil

LIMIT = 900
"""Seconds after which an event is taken never to come; far more than any machine needs."""


def eventually(question, what="it did not happen"):
    """Return the first true answer to a question that is asked again and again."""
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        if answer := question():
            return answer
        time.sleep(0.02)
    raise AssertionError(what)


def gone(pid):
    """Tell whether a process has ended: it may do so between any two questions about it."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
