"""Where compiled kernels are kept: in a folder named by a checksum of their sources.

Left alone, numba keeps them beside the source file. That has three traps. It
unpickles an old cache before it compares dates, so a named tuple that was
renamed, by an upgrade or an edit, makes the import fail. It does not notice a
change in a kernel of another file that a kernel calls. And it refuses to load
the package where neither the package nor the home can be written to.

So this package always names the folder (``NUMBA_CACHE_DIR``), unless the user
did. A checksum of every file that holds kernels, or the named tuples they take,
is a part of its name: another version, or an edit of such a file, starts an
empty folder. That costs 8 ms at import and, after such an edit, compiling again
what is called: a minute for all algorithms. Five files in six hold no kernel, and
editing them costs nothing. Numba itself keeps installations in different
folders, Python versions, numba versions and processors apart.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

PREFIX = "causalassay-kernels-"
NAMES = Path(__file__).with_name("kernel_names.json")
"""The kernels that each command calls from Python, as `python -m bench startup` saw them."""

N_KEPT = 3
"""How many folders stay side by side: the new one, and the last ones made before it."""


def ensure_folder(package: Path) -> Path | None:
    """Name a folder for the compiled kernels of `package`, and return it.

    It is in ``XDG_CACHE_HOME`` if that is set, else in the package if that can be written to,
    else in ``~/.cache``, else among temporary files. A folder that the user named as
    ``NUMBA_CACHE_DIR`` stays, and the answer is None. One that a parent process
    named is used again if its kernels are the same: a notebook may outlive an upgrade.
    """
    given = Path(os.environ.get("NUMBA_CACHE_DIR", ""))
    if given.name and not given.name.startswith(PREFIX):
        return None
    name = PREFIX + checksum(package)
    if given.name == name and _writable(given):
        return given
    folder = _parent(package) / name
    if not folder.is_dir():
        _remove_old(folder.parent)
        folder.mkdir(parents=True, exist_ok=True)
    _set(folder)
    return folder


def kernels_of(job: str) -> frozenset[str]:
    """Return the kernels that a command compiles on an empty cache, as ``folder/module.name``.

    Parameters
    ----------
    job : str
        ``audit``, ``choose``, or ``discover`` and the name of an algorithm. Of any other none
        are known.

    Examples
    --------
    >>> "graphs/orders.kahn" in kernels_of("audit")
    True
    >>> kernels_of("discover my_algorithm.py:Mine")
    frozenset()
    """
    return frozenset(json.loads(NAMES.read_text(encoding="utf-8")).get(job, ()))


def not_compiled(kernels: frozenset[str]) -> frozenset[str]:
    """Return the kernels that the folder does not hold; all processes see what one compiled."""
    return kernels - kernels_in(Path(os.environ["NUMBA_CACHE_DIR"]))


def kernels_in(folder: Path) -> frozenset[str]:
    """Return the names of the kernels that a folder holds."""
    return frozenset(
        f"{index.parent.name.rpartition('_')[0]}/{index.name.rpartition('-')[0]}"
        for index in folder.glob("*/*.nbi")
    )


def checksum(package: Path) -> str:
    """Return 12 digits that change when a file with kernels, or with named tuples, does.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     kernels, other = Path(folder, "kernels.py"), Path(folder, "other.py")
    ...     _ = kernels.write_text("@kernel")
    ...     first = checksum(Path(folder))
    ...     _ = other.write_text("x = 1")
    ...     second = checksum(Path(folder))
    ...     _ = kernels.write_text("@kernel(boundscheck=True)")
    ...     first == second, first == checksum(Path(folder))
    (True, False)
    """
    digest = hashlib.sha256()
    for path in _sources(package):
        text = path.read_bytes()
        if b"@kernel" in text or b"NamedTuple" in text:
            digest.update(path.relative_to(package).as_posix().encode() + b"\0" + text)
    return digest.hexdigest()[:12]


def _sources(package: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(package):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        yield from (Path(folder, name) for name in sorted(files) if name.endswith(".py"))


def _set(folder: Path) -> None:
    os.environ["NUMBA_CACHE_DIR"] = str(folder)
    if "numba" in sys.modules:  # it reads the variable when it is imported
        sys.modules["numba"].config.reload_config()


def _parent(package: Path) -> Path:
    """Return the first folder that can be written to."""
    stated = os.environ.get("XDG_CACHE_HOME")
    home = stated or os.path.expanduser("~/.cache")  # noqa: PTH111  pathlib's fails without a home
    folders = [package / "__pycache__", Path(home) / "causalassay"]
    if stated:
        folders.reverse()
    return next(filter(_writable, folders), None) or _temporary()


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)


def _remove_old(parent: Path) -> None:
    """Leave room for a new folder; a process that still uses a removed one compiles again."""
    folders = sorted(parent.glob(PREFIX + "*"), key=_made)
    for folder in folders[: max(0, len(folders) - N_KEPT + 1)]:
        shutil.rmtree(folder, ignore_errors=True)


def _made(folder: Path) -> float:
    try:
        return folder.lstat().st_mtime
    except OSError:  # another process has just removed it
        return 0.0


def _temporary() -> Path:
    """Return this user's folder among temporary files, or a new one if somebody else made it.

    Cached kernels are code: they are only read from a folder that nobody else can write to.
    """
    user = os.getuid() if hasattr(os, "getuid") else 0
    folder = Path(tempfile.gettempdir()) / f"causalassay-{user}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        status = folder.lstat()
    except OSError:
        return Path(tempfile.mkdtemp(prefix="causalassay-"))
    private = stat.S_ISDIR(status.st_mode) and not status.st_mode & 0o077
    if private and status.st_uid == user:
        return folder
    return Path(tempfile.mkdtemp(prefix="causalassay-"))
