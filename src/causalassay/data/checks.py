"""What a data set must satisfy: nothing is dropped, every message names the column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causalassay.common.arrays import Values
from causalassay.common.spelling import listed
from causalassay.data.column_notes import drop_options

_MOST_COLUMNS = 10
"""Columns that a message names one by one."""


def check_column_names(columns: Sequence[Any]) -> None:
    """Raise unless every name is text, not empty, and used once."""
    if not columns:
        raise ValueError("columns: at least 1 column is needed, got none")
    for position, name in enumerate(columns):
        if not isinstance(name, str):
            raise TypeError(
                f"columns: a name is text, got {name!r} at position {position}; "
                f"write it as {str(name)!r}"
            )
        if not name:
            raise ValueError(
                f"columns: the name at position {position} is empty; name the column, "
                "or leave it out if it is a row index"
            )
    twice = [name for name, times in Counter(columns).items() if times > 1]
    if twice:
        raise ValueError(
            f"columns: {listed(twice)} appears more than once; give each column its own name"
        )


Place = Callable[[int], str]
"""Where a row is, in words; rows count from 0."""


def numbered(row: int) -> str:
    """Return where a row of an array is."""
    return f"row {row}"


def check_none_missing(
    missing: NDArray[np.bool_], columns: Sequence[str], where: str, place: Place = numbered
) -> None:
    """Raise if a value is missing, with the count and the first row of every column.

    Parameters
    ----------
    missing : ndarray of bool, shape (n, d)
    columns : sequence of str
    where : str
        What the rows belong to, for the message.
    place : callable
        Where a row is, for the message.
    """
    if missing.any():
        raise ValueError(
            f"{where}: missing values: {_counts_by_column(missing, columns, place)}; "
            "remove those rows, impute them, or leave the columns out"
        )


def check_finite(
    values: Values, columns: Sequence[str], where: str, place: Place = numbered
) -> None:
    """Raise if a value is missing or infinite."""
    check_none_missing(np.isnan(values), columns, where, place)
    infinite = np.isinf(values)
    if infinite.any():
        raise ValueError(
            f"{where}: infinite values: {_counts_by_column(infinite, columns, place)}; "
            "remove those rows or correct them"
        )


def _counts_by_column(marked: NDArray[np.bool_], columns: Sequence[str], place: Place) -> str:
    having = np.flatnonzero(marked.any(axis=0)).tolist()
    counts = [
        f"{int(marked[:, j].sum())} in column {columns[j]!r} "
        f"(first in {place(int(marked[:, j].argmax()))})"
        for j in having[:_MOST_COLUMNS]
    ]
    left = len(having) - _MOST_COLUMNS
    return ", ".join([*counts, f"and in {left} more columns"] if left > 0 else counts)


def check_codes(values: Values, column: str, levels: Sequence[str | float], where: str) -> None:
    """Raise unless every entry of a discrete column, shape (n,), is the code of a level."""
    wrong = (values != np.floor(values)) | (values < 0) | (values >= len(levels))
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(
            f"{where}: column {column!r} has {len(levels)} levels, so its values are the codes "
            f"0 to {len(levels) - 1}, but row {row} is {float(values[row])}; "
            "encode the column, or state all its levels"
        )


def check_varied(values: Values, columns: Sequence[str]) -> None:
    """Raise if a column is constant over all rows, or equal to another one."""
    constant = (values == values[0]).all(axis=0)
    if constant.any():
        names = [columns[j] for j in np.flatnonzero(constant).tolist()]
        raise ValueError(
            f"values: constant over all {len(values)} rows: {listed(names)}; "
            "a column that never varies shows neither cause nor effect, so leave it out "
            f"({drop_options(names)})"
        )
    seen: dict[bytes, str] = {}
    for j, name in enumerate(columns):
        content = (values[:, j] + 0.0).tobytes()  # + 0.0: minus zero equals zero
        if content in seen:
            raise ValueError(
                f"values: columns {seen[content]!r} and {name!r} are identical in all "
                f"{len(values)} rows; keep one of them ({drop_options([name])})"
            )
        seen[content] = name
