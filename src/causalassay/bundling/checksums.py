"""SHA-256 of files, in the form that `sha256sum -c` reads."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from causalassay.opening import read_text
from causalassay.study.keys import file_sha256

# As coreutils write it: a line whose name has a backslash or a line feed begins with one.
_LINE = re.compile(r"(\\?)([0-9a-f]{64})[ ][ *](.+)")


def write_checksums(sums: Mapping[str, str], target: Path) -> None:
    r"""Write checksums by the names of files.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_checksums({"a.csv": "0" * 64}, Path(folder, "sums"))
    ...     Path(folder, "sums").read_text() == "0" * 64 + "  a.csv\n"
    True
    """
    lines = []
    for name, digest in sorted(sums.items()):
        escaped = name.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
        mark = "" if escaped == name else "\\"
        lines.append(f"{mark}{digest}  {escaped}\n")
    target.write_text("".join(lines), encoding="utf-8")


def read_checksums(path: Path) -> dict[str, str]:
    """Return the checksums by the names of files, as `sha256sum` writes them."""
    sums: dict[str, str] = {}
    for number, line in enumerate(read_text(path, "checksums").splitlines(), 1):
        match = _LINE.fullmatch(line)
        if not match:
            raise ValueError(f"{path}, line {number}: expected a SHA-256, two spaces and a name")
        mark, digest, name = match.groups()
        sums[_unescaped(name) if mark else name] = digest
    return sums


def _unescaped(name: str) -> str:
    letters = {"n": "\n", "r": "\r", "\\": "\\"}
    return re.sub(r"\\(.)", lambda match: letters.get(match[1], match[1]), name)


def sums_of(folder: Path) -> dict[str, str]:
    """Return the checksum of each file below a folder, by its path from there."""
    return {name: file_sha256(folder / name) for name in files_in(folder)}


def files_in(folder: Path) -> list[str]:
    """Return the files below a folder, by their paths from there."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return [path.relative_to(folder).as_posix() for path in paths]
