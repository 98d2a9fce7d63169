"""A folder for temporary files, removed even if its owner is killed: by the next owner."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

_PREFIX = "causalassay-pool-"
_OWNER = "owner"


@contextlib.contextmanager
def scratch_folder(parent: Path | None = None) -> Iterator[Path]:
    """Yield an empty folder, removed at the end; first remove those whose owners are dead.

    The owner holds a lock on a file in it, which the kernel releases when the process ends.

    Parameters
    ----------
    parent : Path, optional
        Where it is to be; by default where temporary files go.

    Examples
    --------
    >>> with scratch_folder() as folder:
    ...     folder.is_dir()
    True
    >>> folder.exists()
    False
    """
    parent = Path(tempfile.gettempdir()) if parent is None else parent
    for leftover in parent.glob(f"{_PREFIX}*"):
        _remove_without_owner(leftover)
    # Under another name until it is locked, so that no other process takes it for a leftover.
    draft = Path(tempfile.mkdtemp(prefix="causalassay-", dir=parent))
    with (draft / _OWNER).open("w") as owner:
        fcntl.flock(owner, fcntl.LOCK_EX)
        folder = draft.rename(draft.with_name(f"{_PREFIX}{os.getpid()}-{draft.name[-8:]}"))
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _remove_without_owner(folder: Path) -> None:
    """Remove a folder unless its owner is alive, or it belongs to another user."""
    with contextlib.suppress(OSError), (folder / _OWNER).open("r+") as owner:
        fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
