"""Tables in Excel workbooks: the first sheet, by openpyxl, which is not always installed."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Sequence
from datetime import date, datetime, time
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causalassay.common.files import check_columns, check_unpacked, check_values, note
from causalassay.common.spelling import cut, listed, visible

SUFFIXES = (".xlsx", ".xlsm")


def load_workbook(
    path: Path, is_text: Callable[[str], bool], missing: Sequence[str]
) -> dict[str, NDArray[Any]]:
    """Return the columns of the first sheet, whose first row has the names.

    Cells that hold formulas count as what they were when the workbook was saved.

    Parameters
    ----------
    path : Path
    is_text : callable
        A function that takes a column's name and tells whether to leave it as text.
    missing : sequence of str
        Texts that mean a missing value elsewhere.
    """
    rows = _rows(path)
    header = ["" if cell is None else _text(cell) for cell in rows[0]] if rows else []
    while header and not header[-1]:
        header.pop()
    if not header:
        raise ValueError(f"{path}: the first row of the first sheet is empty; expected names")
    check_columns(str(path), len(header))
    cells = [list(column) for column in zip_longest(*rows[1:])]
    if len(header) < len(cells) and any(cell is not None for cell in sum(cells[len(header) :], [])):
        raise ValueError(
            f"{path}: there are cells right of the last name, {header[-1]!r}; give every column a "
            "name in the first row"
        )
    if twice := [name for name in header if header.count(name) > 1]:
        raise ValueError(f"{path}: columns: {twice[0]!r} appears more than once")
    cells += [[None] * (len(rows) - 1)] * (len(header) - len(cells))
    return {
        name: _column(column, () if is_text(name) else missing, as_text=is_text(name))
        for name, column in zip(header, cells, strict=False)
    }


def _rows(path: Path) -> list[tuple[Any, ...]]:
    """Return the rows of the first sheet up to the last one that is not empty."""
    try:
        import openpyxl  # noqa: PLC0415  # an extra
    except ImportError:
        raise ValueError(
            f"{path}: workbooks need openpyxl: install the extra causalassay[excel], or save the "
            "sheet as CSV"
        ) from None
    try:
        with zipfile.ZipFile(path) as archive:
            check_unpacked(str(path), sum(member.file_size for member in archive.infolist()))
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    except (zipfile.BadZipFile, KeyError, OSError, TypeError) as error:
        reason = cut(visible(str(error)))
        raise ValueError(f"{path}: not a readable workbook: {reason}; save it as CSV") from error
    try:
        if len(book.worksheets) > 1:
            names = [sheet.title for sheet in book.worksheets]
            note(f"{path}: its first sheet is read, {names[0]!r}, not {listed(names[1:])}")
        rows: list[tuple[Any, ...]] = []
        last = 0
        for row in book.worksheets[0].iter_rows(values_only=True):
            rows.append(row)
            if any(cell is not None for cell in row):
                last = len(rows)
            check_values(str(path), len(rows) * len(row), f"{len(rows)} rows")
        return rows[:last]
    finally:
        book.close()


def _column(cells: list[Any], missing: Sequence[str], *, as_text: bool) -> NDArray[Any]:
    """Return a column of floats if all its cells are numbers, else of text."""
    cells = [None if isinstance(cell, str) and cell.strip() in missing else cell for cell in cells]
    if not as_text and all(cell is None or _is_number(cell) for cell in cells):
        return np.array([np.nan if cell is None else float(cell) for cell in cells])
    return np.array([None if cell is None else _text(cell) for cell in cells], dtype=object)


def _is_number(cell: object) -> bool:
    return isinstance(cell, int | float) and not isinstance(cell, bool)


def _text(cell: object) -> str:
    """Return a cell as text: dates as 2024-01-31, whole numbers without a point.

    Examples
    --------
    >>> _text(3.0), _text(True), _text(datetime(2024, 1, 31)), _text(datetime(2024, 1, 31, 9, 5))
    ('3', 'true', '2024-01-31', '2024-01-31 09:05:00')
    """
    match cell:
        case bool():
            return str(cell).lower()
        case datetime() if cell.time() == time():
            return cell.date().isoformat()
        case datetime():
            return cell.isoformat(sep=" ")
        case date() | time():
            return cell.isoformat()
        case float() if cell.is_integer():
            return str(int(cell))
        case _:
            return str(cell).strip()
