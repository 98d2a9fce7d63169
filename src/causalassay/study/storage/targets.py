"""Where a file may be written: not over a store, and not where a folder is."""

from __future__ import annotations

import os
from pathlib import Path

from causalassay.study.storage import opening as lock
from causalassay.study.storage import schema

_STORE_FILES = tuple(schema.FILE + end for end in ("", "-wal", "-shm", "-journal"))


def refuse_target(target: Path, folder: Path) -> None:
    """Refuse to write a file over a store, over a folder, or into a folder that is not there.

    Parameters
    ----------
    target : Path
        The file to write.
    folder : Path
        Of the store that is read.

    Examples
    --------
    >>> refuse_target(Path("results/study.sqlite-wal"), Path("results"))
    Traceback (most recent call last):
    ValueError: results/study.sqlite-wal is part of a study's store and is never overwritten: ...
    """
    # Not Path.resolve, which raises where links go in a circle.
    real = Path(os.path.realpath(target))
    own = [Path(os.path.realpath(folder / name)) for name in (*_STORE_FILES, lock.FILE)]
    linked = any(file.exists() and target.exists() and target.samefile(file) for file in own)
    if real.name in _STORE_FILES or real in own or linked:
        raise ValueError(
            f"{target} is part of a study's store and is never overwritten: name another file"
        )
    if target.is_dir():
        raise IsADirectoryError(f"{target} is a folder: name a file in it")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {target.parent} to write {target.name} to")
