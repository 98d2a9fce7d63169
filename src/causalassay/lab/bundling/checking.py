"""Checks a bundle: its files, its rows, and what its report, card and description say of them."""

from __future__ import annotations

import base64
import binascii
import json
import math
import os
import re
import stat
import tomllib
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path, PurePosixPath
from typing import Any

from causalassay.analysis import analyse
from causalassay.analysis.report.figures import gallery
from causalassay.analysis.report.page import PageContent, render_page, vega_bundle
from causalassay.common.files import check_regular, read_text, unsaid
from causalassay.common.spelling import listed, shown
from causalassay.lab.bundling import contents
from causalassay.lab.bundling.contents import (
    PACKAGE,
    WHEEL_NAME,
    licence_text,
    read_archive,
    read_checksums,
    wheel_files,
)
from causalassay.lab.bundling.croissant import description_text
from causalassay.lab.bundling.document import CardContent, card_text
from causalassay.lab.bundling.row_checking import RowCheck, refuse_too_many_tasks
from causalassay.lab.bundling.study_files import code_files, data_files, read_sessions
from causalassay.study.keys import file_sha256
from causalassay.study.language import read_study
from causalassay.study.language.grids import read_axes
from causalassay.study.language.mistakes import Location, Mistakes, StudyMistakes
from causalassay.study.plan import Study
from causalassay.study.storage.table import StudyTable

# Checks what a bundle says about its rows: report, card and description are computed again.

MOST_PAGE = 200_000_000
"""Bytes of a report."""

_NUMBER = re.compile(r"((?:(?<![\w.)])-)?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)")
_PACKED = re.compile(
    r'(?<=<script type="text/plain" id="figure-data">)[A-Za-z0-9+/=]*(?=</script>)'
)
_SHOWN = 40
"""Characters of a difference that a message shows."""
_DIGITS = 1e-9
"""Two machines may compute numbers that differ by this share."""


def check_derived(
    folder: Path, study: Study, table: StudyTable, sums: Mapping[str, str], hint: str
) -> None:
    """Refuse a report, a card or a description that do not say what the rows say.

    Parameters
    ----------
    folder : Path
    study : Study
    table : StudyTable
        Its rows, as they were checked.
    sums : mapping
        The files of the bundle and their checksums.
    hint : str
        What to do if the bundle was made with another version.
    """
    described = _json(folder / contents.CROISSANT)
    ran = read_sessions(folder / contents.SESSIONS, study)
    analysis = analyse(table)
    status = ran.status(study, table.frame)
    page = PageContent(status, ran.sessions, analysis, gallery(analysis), ran.choices)
    _refuse_page(folder / contents.REPORT, render_page(page), hint)
    outside = folder / contents.NOT_INCLUDED
    absent = read_checksums(outside) if outside.is_file() else {}
    data = data_files(study.problems)
    content = CardContent(
        study,
        status,
        ran.sessions,
        analysis,
        code_files(study, folder),
        [file for file in data if file.place not in absent],
        [file for file in data if file.place in absent],
        [*sums, contents.CHECKSUMS],
        _licence(folder / contents.LICENCE),
        _text(described, "creator", "name"),
    )
    _refuse_other(folder / contents.CARD, card_text(content), hint)
    others = {name: digest for name, digest in sums.items() if name != contents.CROISSANT}
    expected = description_text(content, others, folder, _text(described, "url"))
    _refuse_other(folder / contents.CROISSANT, expected, hint)


def _json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(read_text(path, "a description"))
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise ValueError(f"{path.name} cannot be read; it is not as it was bundled")
    return content


def _text(described: Mapping[str, Any], *path: str) -> str | None:
    """Return what the authors stated, None if they did not."""
    value: Any = described
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, str) else None


def _licence(path: Path) -> str | None:
    """Return the licence that the authors state, if the file is as it is written for it."""
    if not path.is_file():
        return None
    text = read_text(path, "a licence")
    stated = re.match(r"(?:SPDX-License-Identifier|Text): (\S+)\n", text)
    if not stated or licence_text(stated[1]) != text:
        raise ValueError(f"{path.name} is not as it was bundled")
    return stated[1]


def _refuse_page(path: Path, expected: str, hint: str) -> None:
    actual = read_text(path, "a report", MOST_PAGE)
    if actual == expected:
        return
    if vega_bundle() not in actual and vega_bundle() in expected:
        raise ValueError(
            f"{path.name} has another script for its charts than the packages here; check the "
            f"bundle in an environment with its {contents.LOCK}, and do not open the page before"
        )
    _refuse_difference(path.name, _PACKED.sub("", actual), _PACKED.sub("", expected), hint)
    data = _unpacked(expected, MOST_PAGE)
    _refuse_difference(path.name, _unpacked(actual, 2 * len(data) + 1000), data, hint)


def _unpacked(page: str, most: int) -> str:
    """Return the data of the figures in a page; what is longer than `most` is cut."""
    match = _PACKED.search(page)
    try:
        packed = base64.b64decode(match[0]) if match else b""
        return zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(packed, most).decode()
    except (binascii.Error, zlib.error, UnicodeDecodeError):
        return ""


def _refuse_other(path: Path, expected: str, hint: str) -> None:
    _refuse_difference(path.name, read_text(path, "a text of a bundle"), expected, hint)


def _refuse_difference(name: str, actual: str, expected: str, hint: str) -> None:
    differing = difference(actual, expected)
    if differing:
        raise ValueError(
            f"{name} does not say what the rows say: {shown(differing[0])} instead of "
            f"{shown(differing[1])}{hint}"
        )


def difference(actual: str, expected: str) -> tuple[str, str] | None:
    """Return where two texts differ, None if only in the last digits of numbers.

    Machines do not add numbers in the same order, so that a number may be rounded differently.
    Numbers without a decimal point are counts, which must be equal.

    Examples
    --------
    >>> difference("mean 0.50 in 12 rows", "mean 0.51 in 12 rows")
    >>> difference("mean 0.50 in 12 rows", "mean 0.50 in 13 rows")
    ('12 rows', '13 rows')
    """
    if actual == expected:
        return None
    position, expected_place = 0, 0
    parts = zip_longest(_NUMBER.split(actual), _NUMBER.split(expected), fillvalue="")
    for index, (part, expected_part) in enumerate(parts):
        is_number = index % 2 == 1
        if part != expected_part and not (is_number and _close(part, expected_part)):
            same = 0 if is_number else len(os.path.commonprefix([part, expected_part]))
            return (
                actual[position + same :][:_SHOWN],
                expected[expected_place + same :][:_SHOWN],
            )
        position, expected_place = position + len(part), expected_place + len(expected_part)
    return None


def _close(text: str, expected: str) -> bool:
    """Tell whether two numbers may be the same one, computed and rounded elsewhere."""
    if not all(re.search("[.eE]", number) for number in (text, expected)):
        return False
    tolerance = max(_unit(text), _unit(expected), _DIGITS * abs(float(expected)), _DIGITS**1.5)
    return abs(float(text) - float(expected)) <= 1.01 * tolerance


def _unit(text: str) -> float:
    """Return what the last digit of a number stands for.

    Examples
    --------
    >>> _unit("0.25"), _unit("1.5e-3")
    (0.01, 0.0001)
    """
    mantissa, _, power = text.lower().partition("e")
    return float(10.0 ** (int(power or 0) - len(mantissa.partition(".")[2])))


MOST_FILES = 10_000
"""Files and folders in a bundle, and files in its wheel."""
MOST_BYTES = 1_000_000_000
"""Bytes of a file in a bundle, and of all that its wheel unpacks to."""
MOST_PARTS = 20_000
"""Problems and algorithms of a study that is checked."""

NEEDED = (
    *(contents.STUDY, contents.ROWS, contents.ROWS_CSV, contents.GRAPHS, contents.GRAPH_INDEX),
    *(contents.CARD, contents.CROISSANT, contents.REPORT, contents.SESSIONS, contents.LOCK),
)
"""Files that every bundle has."""


@dataclass(frozen=True)
class Checked:
    """The result of a check that found everything in order.

    Parameters
    ----------
    files, rows : int
        Files with the right checksum, and rows whose key belongs to the study.
    missing : int
        Tasks of the study that have no row.
    others : tuple of str
        Files that have no checksum: they are no part of the bundle.
    same_package : bool
        Whether its wheel is the causalassay that checks it.
    """

    files: int
    rows: int
    missing: int
    others: tuple[str, ...]
    same_package: bool = True


def check_bundle(folder: Path) -> Checked:
    """Check a bundle; nothing that it names is run.

    Raises
    ------
    ValueError
        A file or a row is not as it should be, or cannot be checked.
    OSError
        It is no bundle.
    """
    if not (folder / contents.CHECKSUMS).is_file():
        expected = "expected a folder that `causalassay bundle` made"
        raise FileNotFoundError(f"{folder} has no {contents.CHECKSUMS}; {expected}")
    present = _plain_files(folder)
    sums = _sums(folder / contents.CHECKSUMS)
    _refuse_incomplete(sums)
    _refuse_changed_files(folder, sums)
    _refuse_other_description(folder, sums)
    (wheel,) = [name for name in sums if WHEEL_NAME.fullmatch(name)]
    same_package = _is_ours(folder / wheel)
    _refuse_other_pins(folder / contents.LOCK, wheel)
    study = _study(folder)
    table = RowCheck(study).check(folder)
    hint = "" if same_package else "; it was made with another causalassay, check it with that one"
    check_derived(folder, study, table, sums, hint)
    rows = len(table.frame)
    others = tuple(name for name in present if name not in {*sums, contents.CHECKSUMS})
    return Checked(len(sums), rows, study.n_tasks["main"] - rows, others, same_package)


def _plain_files(folder: Path) -> list[str]:
    """Return the files of a folder, if none leads elsewhere; virtual environments are named only.

    Raises
    ------
    ValueError
        Something in it is a link, a pipe or a device.
    """
    files: list[str] = []
    for root, folders, here in os.walk(folder):
        inside = Path(root).relative_to(folder)
        if "pyvenv.cfg" in here and inside.parts:  # full of links, and no part of a bundle
            files.append(f"{inside.as_posix()}/")
            folders.clear()
            continue
        for name in sorted([*folders, *here]):
            _refuse_link(Path(root, name), (inside / name).as_posix())
        files += [(inside / name).as_posix() for name in here]
        if len(files) > MOST_FILES:
            raise ValueError(f"{folder} has more than {MOST_FILES} files; it is no bundle")
    return sorted(files)


def _refuse_link(path: Path, name: str) -> None:
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        raise ValueError(f"{name} is a link, which may lead anywhere; put the file itself there")
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise ValueError(f"{name} is no plain file or folder; take it out")


def _sums(path: Path) -> dict[str, str]:
    """Return checksums, all of files in the folder."""
    sums = read_checksums(path)
    for name in sums:
        if name.startswith("/") or ".." in PurePosixPath(name).parts:
            raise ValueError(f"{path} names {name!r}, expected files in the folder only")
        for part in (path.parent / name).relative_to(path.parent).parents:
            if (path.parent / part / "pyvenv.cfg").exists() and part.parts:
                raise ValueError(f"{path} names {name!r}, which is in a virtual environment")
    return sums


def _refuse_incomplete(sums: Mapping[str, str]) -> None:
    absent = [name for name in NEEDED if name not in sums]
    if len(list(filter(WHEEL_NAME.fullmatch, sums))) != 1:
        absent.append(f"the wheel of {PACKAGE}")
    if absent:
        raise ValueError(
            f"{contents.CHECKSUMS} has no checksum of {listed(absent)}; it is not a whole bundle"
        )


def _refuse_changed_files(folder: Path, sums: dict[str, str]) -> None:
    wrong = []
    for name, digest in sums.items():
        path = folder / name
        if not path.is_file():
            wrong.append(f"{name} is missing")
        elif check_regular(path) > MOST_BYTES:
            raise ValueError(f"{name} has more than {MOST_BYTES} bytes; it is no file of a bundle")
        elif file_sha256(path) != digest:
            wrong.append(f"{name} was changed")
    if wrong:
        raise ValueError(
            f"{len(wrong)} of {len(sums)} files are not as they were bundled: {_some(wrong)}"
        )


def _refuse_other_description(folder: Path, sums: dict[str, str]) -> None:
    """Refuse a description that names files with other checksums."""
    try:
        described = json.loads(read_text(folder / contents.CROISSANT, "a description"))
        files = [entry for entry in described["distribution"] if "sha256" in entry]
        digests = {entry["contentUrl"]: entry["sha256"] for entry in files}
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ValueError(
            f"{contents.CROISSANT} cannot be read; it is not as it was bundled"
        ) from None
    wrong = [name for name, digest in digests.items() if sums.get(name) != digest]
    if wrong:
        raise ValueError(f"{contents.CROISSANT} has another checksum of {_some(wrong)}")


def _some(complaints: list[str], most: int = 5) -> str:
    more = f" and {len(complaints) - most} more" if len(complaints) > most else ""
    return ", ".join(complaints[:most]) + more


def _study(folder: Path) -> Study:
    """Return the study of a bundle, once the data files are there that it needs."""
    _refuse_many_parts(read_text(folder / contents.STUDY, "a study file"))
    outside = folder / contents.NOT_INCLUDED
    needed = _sums(outside) if outside.is_file() else {}
    for name, digest in needed.items():
        path = folder / name
        if not path.is_file():
            raise ValueError(
                f"the files are as they were bundled, but the keys of rows cannot be checked: put "
                f"{name} (SHA-256 {digest}), which is not part of the bundle, into the folder"
            )
        check_regular(path)
        if file_sha256(path) != digest:
            raise ValueError(f"{path} is another file: expected SHA-256 {digest}")
    try:
        with unsaid():
            study = read_study(folder / contents.STUDY)
    except StudyMistakes as error:
        raise ValueError(f"{folder / contents.STUDY}: {error.mistakes[0]}") from None
    refuse_too_many_tasks(study)
    for file in data_files(study.problems):
        if not file.source.resolve().is_relative_to(folder.resolve()):
            raise ValueError(f"{contents.STUDY} names {shown(str(file.source))}, out of the folder")
    return study


def _refuse_many_parts(text: str) -> None:
    """Refuse a study whose grids make too many problems, before any of them is made."""
    try:
        content = tomllib.loads(text)
    except (ValueError, RecursionError):
        return  # the study's reader says what is wrong
    parts = sum(
        _members(table) for kind in ("problems", "algorithms") for table in _tables(content, kind)
    )
    if parts > MOST_PARTS:
        raise ValueError(
            f"{contents.STUDY} has {parts} problems and algorithms; at most {MOST_PARTS} are "
            "checked"
        )


def _tables(content: Mapping[str, Any], kind: str) -> list[Any]:
    tables = content.get(kind)
    return (
        [table for table in tables if isinstance(table, dict)] if isinstance(tables, list) else []
    )


def _members(table: Mapping[str, Any]) -> int:
    grid, settings = table.get("grid"), table.get("settings")
    axes = read_axes(grid if isinstance(grid, dict) else {}, Location(""), Mistakes(), ranges=False)
    drawn = settings if isinstance(settings, int) else 1
    return drawn * math.prod(len(axis.listed) for axis in axes)


def _is_ours(path: Path) -> bool:
    """Tell whether a wheel is the package that runs now; refuse what is no wheel of it."""
    packed = dict(read_archive(path, MOST_FILES, MOST_BYTES))
    about = f"{path.name.removesuffix('-py3-none-any.whl')}.dist-info"
    strange = [name for name in packed if name.partition("/")[0] not in (PACKAGE, about)]
    if strange:
        raise ValueError(f"{path.name} has {shown(strange[0])}, which is no part of {PACKAGE}")
    return packed == wheel_files()


_PIN = re.compile(r"[A-Za-z0-9][\w.-]*==[\w.+!-]+")


def _refuse_other_pins(path: Path, wheel: str) -> None:
    """Refuse a line that has pip install anything but versions of packages and the wheel."""
    lines = read_text(path, "versions").splitlines()
    for line in lines:
        if not (line.startswith("#") or line == f"./{wheel}" or _PIN.fullmatch(line)):
            raise ValueError(f"{path.name} has {shown(line)}, expected name==version")
    if f"./{wheel}" not in lines:
        raise ValueError(f"{path.name} does not name ./{wheel}")
