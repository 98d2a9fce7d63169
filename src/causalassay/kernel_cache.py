"""Where compiled kernels are kept when the install is read-only.

Numba keeps them beside the source, or in a cache folder under the user's home,
and refuses to load the package where it may write to neither: in a container
that runs as nobody, say.
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from pathlib import Path


def ensure_folder(package: Path) -> Path | None:
    """Name a folder for compiled kernels if `package` cannot be written to; return it.

    A folder that the user named (``NUMBA_CACHE_DIR``) stays. Nothing is
    created where the package can hold its own.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     print(ensure_folder(Path(folder)))
    None
    """
    if os.environ.get("NUMBA_CACHE_DIR") or _writable(package / "__pycache__"):
        return None
    home = Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"))  # noqa: PTH111
    own = home / "causalassay" / "kernels"
    folder = own if _writable(own) else _temporary()
    os.environ["NUMBA_CACHE_DIR"] = str(folder)
    if "numba" in sys.modules:  # it reads the variable when it is imported
        sys.modules["numba"].config.reload_config()
    return folder


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)


def _temporary() -> Path:
    """Return this user's folder among temporary files, or a new one if a stranger made it.

    Cached kernels are code: they are only read from a folder that nobody else can write to.
    """
    user = os.getuid() if hasattr(os, "getuid") else 0
    folder = Path(tempfile.gettempdir()) / f"causalassay-kernels-{user}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return Path(tempfile.mkdtemp(prefix="causalassay-kernels-"))
    private = stat.S_ISDIR(found.st_mode) and not found.st_mode & 0o077
    if private and found.st_uid == user:
        return folder
    return Path(tempfile.mkdtemp(prefix="causalassay-kernels-"))
