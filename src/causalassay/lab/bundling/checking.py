"""Checks a bundle: its files are as they were written, and its rows belong to its study."""

from __future__ import annotations

import json
import math
import os
import re
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from causalassay.common.opening import check_regular, read_text, unsaid
from causalassay.common.spelling import listed, shown
from causalassay.lab.bundling import contents as names
from causalassay.lab.bundling.archives import PACKAGE, WHEEL_NAME, read_archive, wheel_files
from causalassay.lab.bundling.contents import read_checksums
from causalassay.lab.bundling.derived_files import check_derived
from causalassay.lab.bundling.row_checking import RowCheck, refuse_too_many_tasks
from causalassay.lab.bundling.study_files import data_files
from causalassay.study.keys import file_sha256
from causalassay.study.language import read_study
from causalassay.study.language.grids import read_axes
from causalassay.study.language.mistakes import Location, Mistakes, StudyMistakes
from causalassay.study.plan import Study

MOST_FILES = 10_000
"""Files and folders in a bundle, and files in its wheel."""
MOST_BYTES = 1_000_000_000
"""Of a file in a bundle, and of all that its wheel unpacks to."""
MOST_PARTS = 20_000
"""Problems and algorithms of a study that is checked."""

NEEDED = (
    *(names.STUDY, names.ROWS, names.ROWS_CSV, names.GRAPHS, names.GRAPH_INDEX),
    *(names.CARD, names.CROISSANT, names.REPORT, names.SESSIONS, names.LOCK),
)
"""Files that every bundle has."""


@dataclass(frozen=True)
class Checked:
    """What a check found in order.

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
    if not (folder / names.CHECKSUMS).is_file():
        made = "expected a folder that `causalassay bundle` made"
        raise FileNotFoundError(f"{folder} has no {names.CHECKSUMS}; {made}")
    present = _plain_files(folder)
    sums = _sums(folder / names.CHECKSUMS)
    _refuse_incomplete(sums)
    _refuse_changed_files(folder, sums)
    _refuse_other_description(folder, sums)
    (wheel,) = [name for name in sums if WHEEL_NAME.fullmatch(name)]
    same_package = _is_ours(folder / wheel)
    _refuse_other_pins(folder / names.LOCK, wheel)
    study = _study(folder)
    table = RowCheck(study).check(folder)
    hint = "" if same_package else "; it was made with another causalassay, check it with that one"
    check_derived(folder, study, table, sums, hint)
    rows = len(table.frame)
    others = tuple(name for name in present if name not in {*sums, names.CHECKSUMS})
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
            f"{names.CHECKSUMS} has no checksum of {listed(absent)}; it is not a whole bundle"
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
        described = json.loads(read_text(folder / names.CROISSANT, "a description"))
        files = [one for one in described["distribution"] if "sha256" in one]
        found = {one["contentUrl"]: one["sha256"] for one in files}
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ValueError(f"{names.CROISSANT} cannot be read; it is not as it was bundled") from None
    wrong = [name for name, digest in found.items() if sums.get(name) != digest]
    if wrong:
        raise ValueError(f"{names.CROISSANT} has another checksum of {_some(wrong)}")


def _some(complaints: list[str], most: int = 5) -> str:
    more = f" and {len(complaints) - most} more" if len(complaints) > most else ""
    return ", ".join(complaints[:most]) + more


def _study(folder: Path) -> Study:
    """Return the study of a bundle, once the data files are there that it needs."""
    _refuse_many_parts(read_text(folder / names.STUDY, "a study file"))
    outside = folder / names.NOT_INCLUDED
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
            study = read_study(folder / names.STUDY)
    except StudyMistakes as error:
        raise ValueError(f"{folder / names.STUDY}: {error.mistakes[0]}") from None
    refuse_too_many_tasks(study)
    for file in data_files(study.problems):
        if not file.source.resolve().is_relative_to(folder.resolve()):
            raise ValueError(f"{names.STUDY} names {shown(str(file.source))}, out of the folder")
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
            f"{names.STUDY} has {parts} problems and algorithms; at most {MOST_PARTS} are checked"
        )


def _tables(content: Mapping[str, Any], kind: str) -> list[Any]:
    tables = content.get(kind)
    return [one for one in tables if isinstance(one, dict)] if isinstance(tables, list) else []


def _members(table: Mapping[str, Any]) -> int:
    grid, settings = table.get("grid"), table.get("settings")
    axes = read_axes(grid if isinstance(grid, dict) else {}, Location(""), Mistakes(), ranges=False)
    drawn = settings if isinstance(settings, int) else 1
    return drawn * math.prod(len(axis.listed) for axis in axes)


def _is_ours(path: Path) -> bool:
    """Tell whether a wheel is the package that runs now; refuse what is no wheel of it."""
    contents = dict(read_archive(path, MOST_FILES, MOST_BYTES))
    about = f"{path.name.removesuffix('-py3-none-any.whl')}.dist-info"
    strange = [name for name in contents if name.partition("/")[0] not in (PACKAGE, about)]
    if strange:
        raise ValueError(f"{path.name} has {shown(strange[0])}, which is no part of {PACKAGE}")
    return contents == wheel_files()


_PIN = re.compile(r"[A-Za-z0-9][\w.-]*==[\w.+!-]+")


def _refuse_other_pins(path: Path, wheel: str) -> None:
    """Refuse a line that has pip install anything but versions of packages and the wheel."""
    lines = read_text(path, "versions").splitlines()
    for line in lines:
        if not (line.startswith("#") or line == f"./{wheel}" or _PIN.fullmatch(line)):
            raise ValueError(f"{path.name} has {shown(line)}, expected name==version")
    if f"./{wheel}" not in lines:
        raise ValueError(f"{path.name} does not name ./{wheel}")
