"""The files of a bundle: names, checksums, licences, archives, and the wheel of the package.

The same contents give the same bytes, and no archive is a trap to open. A wheel is an archive of
the package, its metadata and a list of both (PyPA specifications, "Binary distribution format").
This one is written from the installed package, so no build tool is needed and it does not matter
what causalassay was installed from.
"""

from __future__ import annotations

import base64
import hashlib
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.resources import files
from pathlib import Path, PurePosixPath

from causalassay.common.files import read_text
from causalassay.common.spelling import did_you_mean
from causalassay.study.keys import file_sha256

_EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The time of every file in an archive: the same files give the same archive."""

MOST_FILE = 100_000_000
"""Bytes of a file in an archive, unpacked."""

# The records at the end of an archive (PKWARE's APPNOTE, 4.3.14 to 4.3.16).
_END, _END_64, _LOCATOR = (
    struct.Struct("<4s4H2LH"),
    struct.Struct("<4sQ2H2L4Q"),
    struct.Struct("<4sLQL"),
)
_ENTRY_BYTES = 400
"""Bytes that an entry of the list at the end may have: most have 46 and a name."""


def write_archive(target: Path, contents: Mapping[str, bytes]) -> None:
    """Write a zip archive; the same contents give the same bytes."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            entry = zipfile.ZipInfo(name, _EARLIEST)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)


def read_archive(path: Path, most_files: int, most_bytes: int) -> Iterator[tuple[str, bytes]]:
    """Yield the files of an archive as `write_archive` writes it: name and content.

    Raises
    ------
    ValueError
        It is broken, has more than that, or a file in it would be written elsewhere or is none.
    """
    try:
        _refuse_long_list(path, most_files)
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            _refuse_entries(path.name, entries, most_bytes)
            for entry in entries:
                with archive.open(entry) as file:
                    content = file.read(entry.file_size + 1)
                if len(content) != entry.file_size:
                    raise ValueError(f"{path.name}: {entry.filename!r} is longer than it says")
                yield entry.filename, content
    except (zipfile.BadZipFile, zlib.error, RuntimeError, EOFError, struct.error) as error:
        raise ValueError(f"{path.name} is no archive that can be read ({error})") from None


def _refuse_long_list(path: Path, most_files: int) -> None:
    """Refuse an archive by the size of its list of files, before that is read into memory."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - _LOCATOR.size - _END.size))
        tail = file.read()
        end = _END.unpack(tail[-_END.size :])
        if end[0] != b"PK\5\6" or end[7]:
            raise ValueError(f"{path.name} does not end as an archive of a bundle does")
        listed = end[5]
        locator = _LOCATOR.unpack(tail[: _LOCATOR.size]) if len(tail) > _END.size else (b"",)
        if locator[0] == b"PK\6\7":
            file.seek(locator[2])
            listed = _END_64.unpack(file.read(_END_64.size))[8]
    if listed > most_files * _ENTRY_BYTES:
        raise ValueError(f"{path.name} lists more than the {most_files} files it can have")


def _refuse_entries(name: str, entries: list[zipfile.ZipInfo], most_bytes: int) -> None:
    total = sum(entry.file_size for entry in entries)
    if total > most_bytes:
        raise ValueError(f"{name} unpacks to {total} bytes, expected at most {most_bytes}")
    for entry in entries:
        if entry.file_size > MOST_FILE:
            raise ValueError(f"{name} has {entry.filename!r} of more than {MOST_FILE} bytes")
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ValueError(f"{name} has {entry.filename!r}, which is packed in an unusual way")
        parts = PurePosixPath(entry.filename).parts
        outside = ".." in parts or entry.filename.startswith("/") or "\\" in entry.filename
        if outside or not parts or ":" in parts[0]:
            raise ValueError(f"{name} has {entry.filename!r}, which leads out of the folder")
        if stat.S_IFMT(entry.external_attr >> 16) not in (0, stat.S_IFREG) or entry.is_dir():
            raise ValueError(f"{name} has {entry.filename!r}, which is no plain file")
    if len({entry.filename for entry in entries}) < len(entries):
        raise ValueError(f"{name} has a file twice")


PACKAGE = "causalassay"
WHEEL_NAME = re.compile(rf"{PACKAGE}-[\w.+!]+-py3-none-any\.whl")
"""What the wheel of any version is called."""

_WHEEL = f"Wheel-Version: 1.0\nGenerator: {PACKAGE}\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
# What pip wrote beside these says from where it installed, so it stays here.
_METADATA = ("METADATA", "entry_points.txt", "licenses/LICENSE")


def wheel_name() -> str:
    """Return what the wheel of this version is called."""
    return f"{PACKAGE}-{_version(_installed())}-py3-none-any.whl"


def write_wheel(folder: Path) -> Path:
    """Write the wheel of this package into a folder and return its path.

    Raises
    ------
    ValueError
        This package was not installed, so that its version and its needs are not known.
    """
    target = folder / wheel_name()
    write_archive(target, wheel_files())
    return target


def wheel_files() -> dict[str, bytes]:
    """Return what the wheel of this package holds, by name."""
    installed = _installed()
    contents = dict(_package_files(Path(str(files(PACKAGE)))))
    about = f"{PACKAGE}-{_version(installed)}.dist-info"
    for name in _METADATA:
        if text := installed.read_text(name):
            contents[f"{about}/{name}"] = text.encode()
    contents[f"{about}/WHEEL"] = _WHEEL.encode()
    record = f"{about}/RECORD"
    lines = [f"{name},{_record_digest(contents[name])},{len(contents[name])}" for name in contents]
    return contents | {record: "".join(f"{line}\n" for line in [*lines, f"{record},,"]).encode()}


def _installed() -> Distribution:
    try:
        return distribution(PACKAGE)
    except PackageNotFoundError:
        raise ValueError(
            "a bundle carries the causalassay that made it, and this one is not installed; run "
            "`pip install -e .` in the folder with its pyproject.toml"
        ) from None


def _version(installed: Distribution) -> str:
    return installed.version.replace("-", "_")


def _package_files(package: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the files of the package, without what Python and numba compiled."""
    for path in sorted(package.rglob("*")):
        inner = path.relative_to(package)
        hidden = any(part.startswith(".") or part == "__pycache__" for part in inner.parts)
        if path.is_file() and not hidden and path.suffix != ".pyc":
            yield f"{PACKAGE}/{inner.as_posix()}", path.read_bytes()


def _record_digest(content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
    return f"sha256={digest}"


STUDY = "study.toml"
CARD = "card.md"
CROISSANT = "croissant.json"
ROWS_CSV = "rows.csv"
ROWS = "rows.parquet"
GRAPHS = "graphs.zip"
GRAPH_INDEX = "graphs.csv"
REPORT = "report.html"
SESSIONS = "sessions.json"
LOCK = "requirements.txt"
LICENCE = "LICENSE.txt"
CHECKSUMS = "checksums.sha256"
NOT_INCLUDED = "not-included.sha256"
"""Data files that are no part of the bundle: where to put them, and their checksums."""
DATA = "data"
"""The folder of data files."""

OURS = (
    *(STUDY, CARD, CROISSANT, ROWS_CSV, ROWS, GRAPHS, GRAPH_INDEX, REPORT, SESSIONS),
    *(LOCK, LICENCE, CHECKSUMS, NOT_INCLUDED),
)
"""Names that no file of the user can have."""

MEANINGS = {
    STUDY: "the study, for causalassay run",
    ROWS: "one row per run, with scores, times and reasons",
    ROWS_CSV: "the same rows as text",
    GRAPHS: "the graph of each run as an edge list",
    GRAPH_INDEX: "which graph belongs to which row",
    REPORT: "the report, one page that works offline",
    SESSIONS: "when it ran and with which versions, and what tuning chose",
    LOCK: "versions of the packages",
    LICENCE: "the licence that the authors state",
    CARD: "the evaluation card",
    CROISSANT: "the description for machines (Croissant 1.0)",
    NOT_INCLUDED: "data files that are not here, with their checksums",
    CHECKSUMS: "SHA-256 of every other file",
}
"""In the order of the card."""


def meaning(name: str) -> str:
    """Return what a file of a bundle is.

    Examples
    --------
    >>> meaning("rows.csv"), meaning("mine.py")
    ('the same rows as text', 'named by the study')
    """
    wheel = "the causalassay that made this bundle"
    return wheel if WHEEL_NAME.fullmatch(name) else MEANINGS.get(name, "named by the study")


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


LICENCES = {
    "CC-BY-4.0": "https://creativecommons.org/licenses/by/4.0/",
    "CC-BY-SA-4.0": "https://creativecommons.org/licenses/by-sa/4.0/",
    "CC-BY-NC-4.0": "https://creativecommons.org/licenses/by-nc/4.0/",
    "CC0-1.0": "https://creativecommons.org/publicdomain/zero/1.0/",
    "MIT": "https://spdx.org/licenses/MIT.html",
    "Apache-2.0": "https://spdx.org/licenses/Apache-2.0.html",
    "BSD-3-Clause": "https://spdx.org/licenses/BSD-3-Clause.html",
}
"""By their SPDX names: where the text is."""


def licence_address(stated: str) -> str:
    """Return where the text of a licence is, of a name or of an address itself.

    Examples
    --------
    >>> licence_address("CC-BY-4.0")
    'https://creativecommons.org/licenses/by/4.0/'
    >>> licence_address("CC-BY")
    Traceback (most recent call last):
    ValueError: --licence: 'CC-BY' is neither a known name nor an address; did you mean 'CC-BY-4.0'?
    """
    if stated.startswith(("https://", "http://")) and stated.isprintable() and " " not in stated:
        return stated
    if stated not in LICENCES:
        hint = did_you_mean(stated, list(LICENCES))
        raise ValueError(f"--licence: {stated!r} is neither a known name nor an address; {hint}")
    return LICENCES[stated]


def licence_text(stated: str) -> str:
    """Return the file that says which licence the authors state, and for what."""
    return (
        f"SPDX-License-Identifier: {stated}\n"
        * (stated in LICENCES)
        + f"Text: {licence_address(stated)}\n\n"
        "The authors of this bundle state this licence for what they made: the study file, their\n"
        "code, the rows, the graphs and the report. Data files of others keep their own licences;\n"
        "so does the charting library in report.html, whose notices are at the end of that page.\n"
    )
