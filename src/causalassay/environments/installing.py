"""Installs the environments of the catalogue in the user's cache folder, and removes them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from causalassay.environments.building import (
    UNFINISHED,
    NotBuilt,
    OnLine,
    alone,
    build,
    check_programs,
    check_python,
    interpreter,
    is_built,
)
from causalassay.environments.definition import EnvironmentDefinition

FOLDER_VARIABLE = "CAUSALASSAY_ENVIRONMENTS"
"""Names the folder of the environments."""

_MEGABYTE = 1_000_000


@dataclass(frozen=True)
class State:
    """Whether an environment can be used.

    Parameters
    ----------
    python : Path, optional
        Its interpreter; None if it cannot be used.
    reason : str
        Why not, and what to do about it.
    """

    python: Path | None
    reason: str = ""


def environments_folder() -> Path:
    """Return the folder of all environments; it need not exist.

    ``CAUSALASSAY_ENVIRONMENTS`` names it, by default it is
    ``$XDG_CACHE_HOME/causalassay/environments``.
    """
    if stated := os.environ.get(FOLDER_VARIABLE):
        return Path(stated).absolute()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "causalassay" / "environments"


def folder_of(wanted: EnvironmentDefinition) -> Path:
    """Return where an environment is, or would be: its name changes with its pins."""
    return environments_folder() / f"{wanted.name}-{wanted.fingerprint}"


def state(wanted: EnvironmentDefinition) -> State:
    """Return the interpreter of an environment, or why there is none.

    Examples
    --------
    >>> from causalassay.environments.catalogue import environment
    >>> found = state(environment("lingam"))
    >>> (found.python is None) == bool(found.reason)
    True
    """
    folder = folder_of(wanted)
    if not is_built(folder):
        return State(
            None, f"the environment {wanted.name} is not installed: {wanted.install_command}"
        )
    try:
        check_programs(wanted.programs)
    except NotBuilt as reason:
        return State(None, f"the environment {wanted.name} cannot run here: {reason}")
    return State(interpreter(folder))


def install(
    wanted: EnvironmentDefinition,
    on_line: OnLine = lambda _: None,
    on_wait: Callable[[], None] = lambda: None,
) -> Path:
    """Return the folder of an environment, made first if it is not there yet.

    See `build`: half of one is never taken for it, and one process builds at a time.

    Parameters
    ----------
    wanted : EnvironmentDefinition
    on_line : callable
        Called with each line that pip prints.
    on_wait : callable
        Called if another process is installing it.

    Raises
    ------
    NotBuilt
        If it cannot be made: no network, a program or space is missing.
    """
    folder = folder_of(wanted)
    if not is_built(folder):
        check_programs(wanted.programs)
        check_python(wanted)
        _check_space(wanted, folder.parent)
    build(folder, wanted.pins, on_line, on_wait, wanted.adapter)
    return folder


def remove(wanted: EnvironmentDefinition) -> int:
    """Remove an environment, also with other pins or of another Python; return their number."""
    found = _folders(wanted)
    for folder in found:
        with alone(folder):
            # Renamed first: half of one is never taken for a whole one.
            gone = folder.with_name(folder.name + UNFINISHED)
            shutil.rmtree(gone, ignore_errors=True)
            folder.rename(gone)
            shutil.rmtree(gone)
    return len(found)


def bytes_on_disk(folder: Path) -> int:
    """Return what a folder takes on disk."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir())


def _folders(wanted: EnvironmentDefinition) -> list[Path]:
    named = environments_folder().glob(f"{wanted.name}-*")
    digits = len(wanted.fingerprint)
    return [one for one in named if len(one.name) == len(wanted.name) + 1 + digits]


def _check_space(wanted: EnvironmentDefinition, folder: Path) -> None:
    """Raise `NotBuilt` if there is too little space on the disk of a folder."""
    there = next(one for one in (folder, *folder.parents) if one.exists())
    free = shutil.disk_usage(there).free
    if free < wanted.disk_mb * _MEGABYTE:
        raise NotBuilt(
            f"it needs about {wanted.disk_mb} MB and {folder} has {free // _MEGABYTE} MB free; "
            f"name another folder in {FOLDER_VARIABLE}"
        )
