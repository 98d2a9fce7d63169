"""What the files of a bundle are called, their checksums, and licences that authors may state."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from causalassay.common.files import read_text
from causalassay.common.spelling import did_you_mean
from causalassay.lab.bundling.archives import WHEEL_NAME
from causalassay.study.keys import file_sha256

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
