"""The files of pending and of solved problems: arrays without pickled objects, and what they are.

This file imports numpy and what comes with Python: it is part of the program that solves a file
on another machine. Both files have "about", which is JSON, and arrays for each group of problems
with one algorithm and one size, named after the group: "0.keys", "0.weights".
"""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

FORMAT, VERSION = "causalassay batches", 1
"""What both files say that they are; the version is raised when what they hold changes."""

GIVEN = ("keys", "covariances", "n_samples", "call", "batch")
"""The arrays of a group in a pending file: problems with one number in "call" are solved together,
and "batch" is how many tasks that call has, those included that have nothing to solve."""

COLUMNS = ("keys", "digests", "failure", "batch", "seconds")
"""The arrays of a group in a solved file, besides the solved numbers; "failure" is empty or says
why there are none."""

SOLVED = {
    "golem": ("weights", "loss", "h", "change"),
    "notears": (
        "weights",
        "h",
        "rho",
        "alpha",
        "iterations",
        "evaluations",
        "objective",
        "converged",
    ),
}
"""The numbers of each solver; in a solved file their names begin with "solved."."""


def covariance_digest(covariance: NDArray[np.float64], n_samples: int) -> str:
    """Return what tells whether a problem is still the same.

    Examples
    --------
    >>> covariance_digest(np.eye(2), 100) == covariance_digest(np.eye(2), 101)
    False
    """
    content = np.ascontiguousarray(covariance, dtype="<f8").tobytes()
    return hashlib.sha256(content + str(int(n_samples)).encode()).hexdigest()


def write_arrays(path: Path, about: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
    """Write a file whole or not at all."""
    partial = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with partial.open("wb") as file:
            np.savez(file, about=np.array(json.dumps(about)), **arrays)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def read_about(path: Path, kind: str) -> dict[str, Any]:
    """Return what a file says of itself.

    Raises
    ------
    ValueError
        If it is not of this kind, or of another version.
    """
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            about = json.loads(str(arrays["about"]))
    except (FileNotFoundError, PermissionError):
        raise
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, TypeError) as error:
        raise ValueError(
            f"{path} is no file of causalassay batches, or it was cut off: {error}"
        ) from error
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise ValueError(f"{path} is no file of causalassay batches")
    if about.get("version") != VERSION:
        raise ValueError(
            f"{path} has version {about.get('version')!r}, this program reads version {VERSION}; "
            "export with the same version of causalassay that solves and imports"
        )
    if about.get("kind") != kind:
        raise ValueError(f"{path} is a {about.get('kind')} file, expected a {kind} one")
    return about
