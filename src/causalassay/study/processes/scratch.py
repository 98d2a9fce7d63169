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
def scratch_folder() -> Iterator[Path]:
    """Yield an empty folder, removed at the end; first remove those whose owners are dead.

    The owner holds a lock on a file in it, which the kernel releases when the process ends.

    Examples
    --------
    >>> with scratch_folder() as folder:
    ...     folder.is_dir()
    True
    >>> folder.exists()
    False
    """
    for leftover in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        _remove_without_owner(leftover)
    # Under another name until it is locked, so that no other process takes it for a leftover.
    draft = Path(tempfile.mkdtemp(prefix="causalassay-"))
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
