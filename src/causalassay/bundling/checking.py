"""Checks a bundle: its files are as they were written, and its rows belong to its study."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import pyarrow as pa
from pyarrow import parquet

from causalassay.bundling import file_names as names
from causalassay.bundling.checksums import files_in, read_checksums
from causalassay.opening import check_regular, unsaid
from causalassay.spelling import listed
from causalassay.study.keys import file_sha256
from causalassay.study.language import read_study
from causalassay.study.language.mistakes import StudyMistakes
from causalassay.study.plan import Study, coordinates
from causalassay.study.tasks import row_key

NEEDED = (
    *(names.STUDY, names.ROWS, names.ROWS_CSV, names.GRAPHS, names.GRAPH_INDEX),
    *(names.CARD, names.CROISSANT, names.REPORT, names.LOCK),
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
    """

    files: int
    rows: int
    missing: int
    others: tuple[str, ...]


def check_bundle(folder: Path) -> Checked:
    """Check a bundle; nothing that it names is run.

    Raises
    ------
    ValueError
        A file or a row is not as it should be, or cannot be checked.
    OSError
        It is no bundle.
    """
    sums = _sums(folder)
    _refuse_changed_files(folder, sums)
    _refuse_other_description(folder, sums)
    _refuse_other_numbers(folder)
    study = _study(folder)
    expected = set(keys_of(study))
    rows = parquet.read_table(folder / names.ROWS, columns=["key"])["key"].to_pylist()
    for name, keys in {
        names.ROWS: rows,
        names.ROWS_CSV: _csv_keys(folder / names.ROWS_CSV),
        names.GRAPH_INDEX: _csv_keys(folder / names.GRAPH_INDEX),
    }.items():
        _refuse_foreign_keys(name, keys, expected, rows)
    others = tuple(name for name in files_in(folder) if name not in {*sums, names.CHECKSUMS})
    return Checked(len(sums), len(rows), len(expected) - len(rows), others)


def keys_of(study: Study) -> Iterable[str]:
    """Yield the keys of the rows that a complete study has."""
    for problem, replicate, algorithms in coordinates(study, "main"):
        for algorithm in algorithms:
            yield row_key(study, "main", problem, replicate, algorithm)


def _sums(folder: Path) -> dict[str, str]:
    path = folder / names.CHECKSUMS
    if not path.is_file():
        made = "expected a folder that `causalassay bundle` made"
        raise FileNotFoundError(f"{folder} has no {names.CHECKSUMS}; {made}")
    sums = read_checksums(path)
    for name in sums:
        parts = PurePosixPath(name).parts
        if name.startswith("/") or ".." in parts:
            raise ValueError(f"{path} names {name!r}, expected files in the folder only")
    absent = [name for name in NEEDED if name not in sums]
    if absent:
        raise ValueError(f"{path} has no checksum of {listed(absent)}; it is not a whole bundle")
    return sums


def _refuse_changed_files(folder: Path, sums: dict[str, str]) -> None:
    wrong = []
    for name, digest in sums.items():
        path = folder / name
        if not path.is_file():
            wrong.append(f"{name} is missing")
        elif file_sha256(path) != digest:
            wrong.append(f"{name} was changed")
    if wrong:
        raise ValueError(
            f"{len(wrong)} of {len(sums)} files are not as they were bundled: {_some(wrong)}"
        )


def _refuse_other_description(folder: Path, sums: dict[str, str]) -> None:
    """Refuse a description that names files with other checksums."""
    try:
        described = json.loads((folder / names.CROISSANT).read_text(encoding="utf-8"))
        files = [one for one in described["distribution"] if "sha256" in one]
        found = {one["contentUrl"]: one["sha256"] for one in files}
    except (ValueError, KeyError, TypeError):
        raise ValueError(f"{names.CROISSANT} cannot be read; it is not as it was bundled") from None
    wrong = [name for name, digest in found.items() if sums.get(name) != digest]
    if wrong:
        raise ValueError(f"{names.CROISSANT} has another checksum of {_some(wrong)}")


def _refuse_other_numbers(folder: Path) -> None:
    """Refuse a table of rows as text whose numbers are not those of the other table."""
    table = parquet.read_table(folder / names.ROWS)
    with (folder / names.ROWS_CSV).open(newline="", encoding="utf-8") as file:
        lines = {line["key"]: line for line in csv.DictReader(file)}
    numbers = [field.name for field in table.schema if pa.types.is_floating(field.type)]
    for row in table.select(["key", *numbers]).to_pylist():
        line = lines.get(row["key"], {})
        for name in numbers:
            if row["key"] in lines and not _same(line.get(name, ""), row[name]):
                raise ValueError(
                    f"{names.ROWS_CSV} has {name} {line.get(name)!r} in row {row['key']}, and "
                    f"{names.ROWS} has {row[name]!r}"
                )


def _same(text: str, value: float | None) -> bool:
    if value is None or math.isnan(value):
        return text in {"", "nan"}
    try:
        return float(text) == value
    except ValueError:
        return False


def _some(complaints: list[str], most: int = 5) -> str:
    more = f" and {len(complaints) - most} more" if len(complaints) > most else ""
    return ", ".join(complaints[:most]) + more


def _study(folder: Path) -> Study:
    """Return the study of a bundle, once the data files are there that it needs."""
    outside = folder / names.NOT_INCLUDED
    needed = read_checksums(outside) if outside.is_file() else {}
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
            return read_study(folder / names.STUDY)
    except StudyMistakes as error:
        raise ValueError(f"{folder / names.STUDY}: {error.mistakes[0]}") from None


def _csv_keys(path: Path) -> list[str]:
    with path.open(newline="", encoding="utf-8") as file:
        return [line["key"] for line in csv.DictReader(file)]


def _refuse_foreign_keys(name: str, keys: list[str], expected: set[str], rows: list[str]) -> None:
    foreign = [key for key in keys if key not in expected]
    if foreign:
        raise ValueError(
            f"{name}: {len(foreign)} of {len(keys)} rows do not belong to the study, such as "
            f"{foreign[0]!r}; they come from another study or version of causalassay"
        )
    if len(set(keys)) != len(keys) or set(keys) != set(rows):
        raise ValueError(f"{name} has other rows than {names.ROWS}, or some of them twice")
