"""Columns that may not be what they are taken for: an index, levels, labels of rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causalassay.common.files import note
from causalassay.common.spelling import listed

INDEX_NAMES = ("id", "index", "idx", "row", "rowid", "row_id", "row_names", "unnamed: 0")
LABEL_NAMES: Mapping[str, tuple[str, ...]] = {
    "condition": ("condition", "regime", "environment"),
    "target": ("target", "targets", "intervention"),
}
"""What the columns that name each row's condition and target are called."""

LEAST_ROWS_OF_AN_INDEX = 10
LEAST_ROWS_OF_LEVELS = 50
MOST_LEVELS = 10


def label_column(role: str, names: Iterable[str]) -> str | None:
    """Return the column that is called as one of that role is, in letters of any size.

    Examples
    --------
    >>> label_column("condition", ["raf", "Condition"]), label_column("target", ["raf"])
    ('Condition', None)
    """
    by_name = {name.casefold(): name for name in names}
    return next((by_name[one] for one in LABEL_NAMES[role] if one in by_name), None)


def is_label(name: str) -> bool:
    """Tell whether a column is called as those of conditions or targets are."""
    return any(label_column(role, [name]) for role in LABEL_NAMES)


def note_index(columns: Mapping[str, NDArray[Any]], where: str) -> None:
    """Say which columns look like numbers of rows."""
    found = [name for name, column in columns.items() if _is_index(name, column)]
    if found:
        note(
            f"{where}: {_counted(found)} like a row index, used as data; to leave out pass "
            f"drop={found[:3]} ({drop_options(found)}), to keep pass drop=[] (--continuous)"
        )


def note_levels(columns: Mapping[str, NDArray[Any]], where: str) -> None:
    """Say which columns hold few whole numbers each, as levels do."""
    found = [name for name, column in columns.items() if _has_few_levels(column)]
    if not found:
        return
    condition = label_column("condition", found)
    hint = f"; is it the condition: --condition {quoted(condition)}?" if condition else ""
    note(
        f"{where}: {_counted(found)} like levels, at most {MOST_LEVELS} whole numbers each, used "
        f"as numbers; for levels pass discrete=[...] (--discrete if all are), else "
        f"discrete=False (--continuous){hint}"
    )


def label_hint(name: str) -> str:
    """Return what to do about a column of text that is called as labels are; empty for others."""
    role = next((role for role in LABEL_NAMES if label_column(role, [name])), None)
    return "" if role is None else f"pass {role}={name!r} (--{role} {quoted(name)}), "


def _counted(found: Sequence[str]) -> str:
    return f"column {found[0]!r} looks" if len(found) == 1 else f"columns {listed(found)} look"


def _is_index(name: str, column: NDArray[Any]) -> bool:
    if column.dtype == object:
        return False
    if name.strip().casefold() in INDEX_NAMES:
        return True
    first = column[0]
    counts = len(column) >= LEAST_ROWS_OF_AN_INDEX and first in (0.0, 1.0)
    return bool(counts and np.array_equal(column, np.arange(len(column)) + first))


def _has_few_levels(column: NDArray[Any]) -> bool:
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
