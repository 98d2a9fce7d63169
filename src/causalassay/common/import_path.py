"""Keeps the folder that the user stands in out of the import path of worker processes.

A process that Python starts for us looks for its first modules there. In the folder of a
received study a file `multiprocessing.py` would then be run, and nobody asked.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

_VARIABLE = "PYTHONSAFEPATH"
_OURS = "causalassay"
"""Python takes any text for a yes; this one tells ours from the user's."""


def guard_workers() -> None:
    """Let the Python processes that are started from now on import nothing from there."""
    os.environ.setdefault(_VARIABLE, _OURS)


def without_guard(environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment for programs of the user's own, which import as they always do.

    Examples
    --------
    >>> without_guard({"HOME": "/home/me", "PYTHONSAFEPATH": "causalassay"})
    {'HOME': '/home/me'}
    >>> without_guard({"PYTHONSAFEPATH": "1"})
    {'PYTHONSAFEPATH': '1'}
    """
    return {
        name: value for name, value in environment.items() if (name, value) != (_VARIABLE, _OURS)
    }
