"""Whether a column holds real numbers or one of a few levels, and the codes of levels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from causalassay.common.arrays import Values
from causalassay.common.spelling import listed, shown
from causalassay.data.checks import (
    RowDescription,
    check_finite,
    check_none_missing,
    drop_options,
    has_too_many_levels,
    label_hint,
)

if TYPE_CHECKING:
    from causalassay.data.tables import Columns


@dataclass(frozen=True)
class Continuous:
    """The kind of a column of real numbers.

    Examples
    --------
    >>> Continuous() == Continuous()
    True
    """


@dataclass(frozen=True)
class Discrete:
    """The kind of a column that takes one of some levels.

    The column's values are codes: 0 for the first level, 1 for the second, and
    so on. A level stays although a part of the data misses it, so codes mean
    the same in every fold.

    Parameters
    ----------
    levels : tuple of str, or tuple of float
        All text or all numbers, each once.

    Examples
    --------
    >>> Discrete(("control", "treated")).levels
    ('control', 'treated')
    >>> Discrete((0, 1)).levels
    (0.0, 1.0)
    """

    levels: tuple[str, ...] | tuple[float, ...]

    def __post_init__(self) -> None:
        if isinstance(self.levels, str):
            raise TypeError(f"levels: expected a tuple of levels, got the text {self.levels!r}")
        levels: tuple[Any, ...] = tuple(self.levels)
        if not levels:
            raise ValueError("levels: a discrete column needs at least 1 level, got none")
        if all(isinstance(level, Real) for level in levels):
            levels = tuple(float(level) for level in levels)
            if not all(math.isfinite(level) for level in levels):
                raise ValueError(f"levels: every number must be finite, got {shown(levels)}")
        elif not all(isinstance(level, str) for level in levels):
            raise TypeError(f"levels: expected all text or all numbers, got {shown(levels)}")
        if len(set(levels)) < len(levels):
            raise ValueError(f"levels: expected each level once, got {shown(levels)}")
        object.__setattr__(self, "levels", levels)


ColumnKind = Continuous | Discrete


# From the columns of a table to values and kinds: levels become codes.

ColumnLevels = Sequence[str] | Sequence[float]
Declared = Mapping[str, Discrete | None]
"""The discrete columns; None where the levels are those that occur."""


def declare(discrete: Iterable[str] | Mapping[str, ColumnLevels | None]) -> Declared:
    """Return what `discrete`, a list of names or a mapping to levels, declares."""
    if isinstance(discrete, str):
        raise TypeError(f"discrete: expected a list of names, got {discrete!r}; put it in a list")
    if not isinstance(discrete, Mapping):
        return dict.fromkeys(discrete)
    kinds: dict[str, Discrete | None] = {}
    for name, levels in discrete.items():
        try:
            # The class makes the tuple.
            kinds[name] = None if levels is None else Discrete(levels)  # type: ignore[arg-type]
        except (TypeError, ValueError) as error:
            raise type(error)(f"discrete: column {name!r}: {error}") from None
    return kinds


def has_text_levels(kind: Discrete | None) -> bool:
    """Tell whether levels were stated, as text."""
    return kind is not None and isinstance(kind.levels[0], str)


def missing_entries(column: NDArray[Any], kind: Discrete | None = None) -> NDArray[np.bool_]:
    """Tell which entries are missing; an empty text is, unless it is a stated level."""
    if column.dtype != object:
        return np.isnan(column)
    absent = {None} if kind is not None and "" in kind.levels else {None, ""}
    return np.array([entry in absent for entry in column.tolist()])


def encode(
    table: Columns, declared: Declared, where: str, describe_row: RowDescription
) -> tuple[Values, tuple[ColumnKind, ...]]:
    """Return the values, shape (n, d), and the kinds of the columns of data.

    Parameters
    ----------
    table : dict of ndarray
    declared : mapping
    where : str
        The file, for messages.
    describe_row : callable
        Where a row is in it.
    """
    check_no_text(table, declared, where, describe_row)
    check_few_levels(table, declared, where)
    missing = [missing_entries(column, declared.get(name)) for name, column in table.items()]
    check_none_missing(np.column_stack(missing), list(table), where, describe_row)
    kinds: list[ColumnKind] = []
    values: list[Values] = []
    for name, column in table.items():
        if name in declared:
            kind = declared[name] or _occurring(column, f"{where}: column {name!r}")
            kinds.append(kind)
            values.append(_codes(column, kind, f"{where}: column {name!r}", describe_row))
        else:
            check_finite(column[:, None], [name], where, describe_row)
            kinds.append(Continuous())
            values.append(column)
    return np.column_stack(values), tuple(kinds)


def check_no_text(
    table: Columns, declared: Declared, where: str, describe_row: RowDescription
) -> None:
    """Raise if columns that nobody declared hold text, with what to do about each of them."""
    texts = [name for name in table if name not in declared and table[name].dtype == object]
    if not texts:
        return
    name, column = texts[0], table[texts[0]]
    others = f"; text is also in {listed(texts[1:])}" if len(texts) > 1 else ""
    levels = all(_are_few(each) for title, each in table.items() if title not in declared)
    discrete = " (--discrete declares all columns)" if levels else ""
    raise ValueError(
        f"{where}: column {name!r} holds text, {_first_text(column, describe_row)}; "
        f"{label_hint(name)}correct it, leave the column out ({drop_options(texts)}), name it as "
        f"`condition` or `target` if it is one, or declare it with discrete=[{name!r}]{discrete}"
        f"{others}; `causalassay check` shows every column"
    )


def check_few_levels(table: Columns, declared: Declared, where: str) -> None:
    """Raise if columns are declared as levels, without saying which, that hold amounts."""
    unstated = {name: column for name, column in table.items() if declared.get(name, 0) is None}
    many = [name for name, column in unstated.items() if not _are_few(column)]
    if many:
        n_levels = len(set(unstated[many[0]].tolist()))
        raise ValueError(
            f"{where}: {listed(many)} declared as levels, but {many[0]!r} has {n_levels} of them "
            f"in {len(unstated[many[0]])} rows: its tables of counts would be nearly empty, and no "
            "edge would be found. Leave --discrete out for amounts (discrete=[...] names columns "
            f"of levels), leave such columns out ({drop_options(many)}), or make a few levels of "
            "them, such as thirds"
        )


def _are_few(column: NDArray[Any]) -> bool:
    is_text = column.dtype == object
    present = column[~missing_entries(column)].tolist()
    return not has_too_many_levels(len(set(present)), len(present), is_text=is_text)


def decode(codes: Values, kind: ColumnKind) -> NDArray[Any]:
    """Return the values of a column, shape (n,), as a table writes them."""
    if isinstance(kind, Continuous):
        return codes
    levels = np.array(kind.levels, dtype=object if has_text_levels(kind) else float)
    return levels[codes.astype(int)]


def _first_text(column: NDArray[Any], describe_row: RowDescription) -> str:
    """Describe the first entry that is no number, else (all are numbers in quotes) the first."""
    for row, entry in enumerate(column.tolist()):
        if entry is not None and not _is_number(entry):
            return f"first {shown(entry)} in {describe_row(row)}"
    return f"first {shown(column[0])} in {describe_row(0)}"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text  # which Python allows between digits, and tables do not


def _occurring(column: NDArray[Any], where: str) -> Discrete:
    """Return the sorted values of a column as its levels."""
    try:
        return Discrete(tuple(sorted(set(column.tolist()))))
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def _codes(
    column: NDArray[Any], kind: Discrete, where: str, describe_row: RowDescription
) -> Values:
    """Return the code of each entry's level, or raise."""
    if column.dtype == object and not has_text_levels(kind):
        raise ValueError(
            f"{where}: the stated levels {shown(kind.levels)} are numbers but the column holds "
            f"text, {_first_text(column, describe_row)}; correct the file, or state the levels as "
            "text"
        )
    code = {level: float(k) for k, level in enumerate(kind.levels)}
    entries = column.tolist()
    for row, entry in enumerate(entries):
        if entry not in code:
            raise ValueError(
                f"{where}: {shown(entry)} in {describe_row(row)} is not among the stated levels "
                f"{shown(kind.levels)}; add it to them, or correct the file"
            )
    return np.array([code[entry] for entry in entries])
