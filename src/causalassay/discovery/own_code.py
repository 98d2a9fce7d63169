"""Where in a user's own code an error was raised."""

from __future__ import annotations

import sysconfig
import traceback
from pathlib import Path

_OURS = Path(__file__).parents[1]


def place_of_mistake(error: BaseException) -> str:
    """Return the file and line of the user's code at which an error was raised, else nothing.

    What is installed is nobody's own: of a call into a library the line that calls it counts.

    Examples
    --------
    >>> place_of_mistake(KeyError("never raised"))
    ''
    """
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if not _is_installed(frame.filename):
            return f"{Path(frame.filename).name}, line {frame.lineno}"
    return ""


def _is_installed(filename: str) -> bool:
    if filename.startswith("<"):  # of text that was run without a file
        return True
    paths = sysconfig.get_paths()
    folders = [paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    folders.append(str(_OURS))
    return any(Path(filename).is_relative_to(folder) for folder in folders)
