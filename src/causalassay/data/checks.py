"""What a data set must satisfy, and columns that may not be what they are taken for.

Nothing is dropped, and every message names the column.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causalassay.common.arrays import Values
from causalassay.common.files import note
from causalassay.common.spelling import listed
from causalassay.present.formatting import counted

INDEX_NAMES = ("id", "index", "idx", "row", "rowid", "row_id", "row_names", "unnamed: 0")
LABEL_NAMES: Mapping[str, tuple[str, ...]] = {
    "condition": ("condition", "regime", "environment"),
    "target": ("target", "targets", "intervention"),
}
"""What the columns that name each row's condition and target are called."""

LEAST_ROWS_OF_AN_INDEX = 10
LEAST_ROWS_OF_LEVELS = 50
MOST_LEVELS = 10

MOST_NUMERIC_LEVELS = 50
"""Levels in numbers of a column that nobody stated levels for; with more it holds amounts."""

LEAST_ROWS_PER_LEVEL = 5
"""With fewer rows for each level, on average, tables of counts are empty."""


def label_column(role: str, names: Iterable[str]) -> str | None:
    """Return the column whose name is one of those for the role; upper and lower case are alike.

    Examples
    --------
    >>> label_column("condition", ["raf", "Condition"]), label_column("target", ["raf"])
    ('Condition', None)
    """
    by_name = {name.casefold(): name for name in names}
    return next((by_name[usual] for usual in LABEL_NAMES[role] if usual in by_name), None)


def is_label(name: str) -> bool:
    """Tell whether a column is called as those of conditions or targets are."""
    return any(label_column(role, [name]) for role in LABEL_NAMES)


def note_index(columns: Mapping[str, NDArray[Any]], where: str) -> None:
    """Say which columns look like numbers of rows."""
    names = [name for name, column in columns.items() if is_index(name, column)]
    if names:
        note(
            f"{where}: {_counted(names)} like a row index, used as data; to leave out pass "
            f"drop={names[:3]} ({drop_options(names)}), to keep pass drop=[] (--continuous)"
        )


def note_levels(columns: Mapping[str, NDArray[Any]], where: str) -> None:
    """Say which columns hold few whole numbers each, as levels do."""
    names = [name for name, column in columns.items() if has_few_levels(column)]
    if not names:
        return
    condition = label_column("condition", names)
    hint = f"; is it the condition: --condition {quoted(condition)}?" if condition else ""
    note(
        f"{where}: {_counted(names)} like levels, at most {MOST_LEVELS} whole numbers each, used "
        f"as numbers; for levels pass discrete=[...] (--discrete if all are), else "
        f"discrete=False (--continuous){hint}"
    )


def has_too_many_levels(n_levels: int, n_rows: int, *, is_text: bool) -> bool:
    """Tell whether a column has too many levels for tables of counts.

    Every table is then nearly empty, no dependence is seen, and a search ends with no edge.

    Examples
    --------
    >>> has_too_many_levels(3, 20, is_text=True), has_too_many_levels(40, 60, is_text=True)
    (False, True)
    >>> has_too_many_levels(300, 9000, is_text=False)
    True
    """
    if n_levels <= MOST_LEVELS:
        return False
    too_thin = n_levels * LEAST_ROWS_PER_LEVEL > n_rows
    return too_thin or (not is_text and n_levels > MOST_NUMERIC_LEVELS)


def label_hint(name: str) -> str:
    """Return what to do about a column of text that is called as labels are; empty for others."""
    role = next((role for role in LABEL_NAMES if label_column(role, [name])), None)
    return "" if role is None else f"pass {role}={name!r} (--{role} {quoted(name)}), "


def _counted(names: Sequence[str]) -> str:
    return f"column {names[0]!r} looks" if len(names) == 1 else f"columns {listed(names)} look"


def is_index(name: str, column: NDArray[Any]) -> bool:
    """Tell whether a column is called as an index is, or counts the rows."""
    if column.dtype == object:
        return False
    if name.strip().casefold() in INDEX_NAMES:
        return True
    first = column[0]
    counts = len(column) >= LEAST_ROWS_OF_AN_INDEX and first in (0.0, 1.0)
    return bool(counts and np.array_equal(column, np.arange(len(column)) + first))


def has_few_levels(column: NDArray[Any]) -> bool:
    """Tell whether a column of numbers holds few whole ones, as levels do."""
    if column.dtype == object or len(column) < LEAST_ROWS_OF_LEVELS:
        return False
    levels = np.unique(column)
    return 1 < len(levels) <= MOST_LEVELS and bool((levels == np.floor(levels)).all())


def drop_options(names: Sequence[str]) -> str:
    """Return the options of the command line that leave columns out, of at most three.

    Examples
    --------
    >>> drop_options(["id", "my dose"])
    "--drop id --drop 'my dose'"
    """
    return " ".join(f"--drop {quoted(name)}" for name in names[:3])


def quoted(name: str) -> str:
    """Return a name as a shell takes it for one word.

    Examples
    --------
    >>> quoted("raf"), quoted("my dose")
    ('raf', "'my dose'")
    """
    return name if name.isidentifier() else f"'{name}'"


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


RowDescription = Callable[[int], str]
"""Where a row is, in words; rows count from 0."""


def numbered(row: int) -> str:
    """Return where a row of an array is."""
    return f"row {row}"


def check_none_missing(
    missing: NDArray[np.bool_],
    columns: Sequence[str],
    where: str,
    describe_row: RowDescription = numbered,
) -> None:
    """Raise if a value is missing, with the count and the first row of every column.

    Parameters
    ----------
    missing : ndarray of bool, shape (n, d)
    columns : sequence of str
    where : str
        What the rows belong to, for the message.
    describe_row : callable
        Where a row is, for the message.
    """
    if missing.any():
        raise ValueError(
            f"{where}: missing values: {_counts_by_column(missing, columns, describe_row)}; "
            "remove those rows, impute them, or leave the columns out"
        )


def check_finite(
    values: Values, columns: Sequence[str], where: str, describe_row: RowDescription = numbered
) -> None:
    """Raise if a value is missing or infinite."""
    check_none_missing(np.isnan(values), columns, where, describe_row)
    infinite = np.isinf(values)
    if infinite.any():
        raise ValueError(
            f"{where}: infinite values: {_counts_by_column(infinite, columns, describe_row)}; "
            "remove those rows or correct them"
        )


def _counts_by_column(
    marked: NDArray[np.bool_], columns: Sequence[str], describe_row: RowDescription
) -> str:
    having = np.flatnonzero(marked.any(axis=0)).tolist()
    counts = [
        f"{int(marked[:, j].sum())} in column {columns[j]!r} "
        f"(first in {describe_row(int(marked[:, j].argmax()))})"
        for j in having[:_MOST_COLUMNS]
    ]
    left = len(having) - _MOST_COLUMNS
    return ", ".join([*counts, f"and in {counted(left, 'more column')}"] if left > 0 else counts)


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
