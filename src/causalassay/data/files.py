"""From a file to a data set and back, with nothing guessed in silence and nothing dropped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from causalassay.common.files import as_path, note
from causalassay.common.spelling import did_you_mean, listed, name_fault, shown
from causalassay.data.checks import (
    RowDescription,
    check_none_missing,
    is_label,
    label_column,
    note_index,
    note_levels,
)
from causalassay.data.dataset import Dataset, Regime, Rows
from causalassay.data.kinds import (
    ColumnLevels,
    declare,
    decode,
    encode,
    has_text_levels,
    missing_entries,
)

if TYPE_CHECKING:
    from causalassay.data.tables import Columns


UNTARGETED = "untargeted"
"""The condition of the rows without a target in a file without a condition column."""

_Groups = dict[str, tuple[list[int] | slice, tuple[int, ...] | None]]
"""By condition: its rows and its targets."""


def read(  # noqa: PLR0913, PLR0917  the file says none of it
    path: str | PathLike[str],
    target: str | None = None,
    condition: str | None = None,
    observational: str | None = None,
    discrete: bool | Iterable[str] | Mapping[str, ColumnLevels | None] = (),
    rows: Rows = "independent",
    *,
    drop: Iterable[str] | None = None,
    drop_conditions: Iterable[str] = (),
    separator: str | None = None,
) -> Dataset:
    r"""Return the data set that a text, Parquet, Feather or NumPy file holds.

    What is taken for granted is said by a warning, `ReadingNote`: a separator that is not the
    usual one, a first line without names, decimal commas, columns that look like an index of the
    rows or like levels.

    Parameters
    ----------
    path : str or Path
        Ends in .csv, .tsv, .txt (these also with .gz), .dat, .parquet, .feather, .arrow, .npy or
        .npz; text is UTF-8 with a header. In an .npz file the values are the only matrix, or the
        one called "data", "values", "X" or "samples", and "columns" has the names. At most 125
        million values are read, unless the environment variable CAUSALASSAY_MOST_VALUES says so.
    target : str, optional
        The column that names the column intervened upon in each row. Several
        are separated by ``;``. An empty cell says nothing, a lone ``;`` says
        that there was no target.
    condition : str, optional
        The column that names each row's condition. Rows of one condition must
        agree on their target. Without it, conditions are called by their
        targets, and the rows with an empty target are "untargeted".
    observational : str, optional
        Which condition is observational. Without it none is, not even
        "untargeted" — except in a file read with neither `target` nor
        `condition`: to name no such column says that all rows are
        observational, and this name is then theirs. Where a column is called "condition" (or
        "regime", "environment") or "target" (or "targets", "intervention"), it is found there.
    discrete : bool, iterable of str, or mapping of str to levels
        The discrete columns; True for all columns of data. Their levels are as the
        mapping states them, else the sorted values that occur (as numbers, if all are
        numbers). Text such as NA or None is missing, unless it is a stated level. False says
        that none is, whatever it looks like.
    rows : {"independent", "series"}
        "series": the rows of each condition follow each other in time, in the
        order of the file.
    drop : iterable of str, optional
        Columns to leave out. An empty list says that none is an index of the rows.
    drop_conditions : iterable of str
        Conditions whose rows to leave out, such as one with a single row. If the observational
        condition is among them, none is observational.
    separator : str, optional
        The separator of fields in a text file: a comma, semicolon, tab or blank, or that word.
        By default it is found in the first lines.

    Returns
    -------
    Dataset
        Regimes are in the order in which their conditions first appear. One
        with an empty target has the targets ``()`` if it is the observational
        one, and None (unknown) if not.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "cells.csv")
    >>> _ = path.write_text("raf,mek,target\n1.5,2,\n1,3,\n0,5,raf\n0.5,6,raf\n")
    >>> data = read(path, target="target", observational="untargeted")
    >>> [(regime.condition, regime.targets) for regime in data.regimes]
    [('untargeted', ()), ('raf', (0,))]
    >>> folder.cleanup()
    """
    from causalassay.data import tables  # noqa: PLC0415  # pyarrow loads when a file is read

    where = str(path)
    declared = declare(() if isinstance(discrete, bool) else discrete)
    asked = observational is not None and condition is None and target is None
    as_text = {name for name, kind in declared.items() if has_text_levels(kind)}

    def is_text(name: str) -> bool:
        return name in as_text or name in (condition, target) or (asked and is_label(name))

    loaded = tables.load(as_path(path), is_text, _names_to_drop(drop), separator)
    table = loaded.columns
    if asked:
        condition, target = _recognised(table, declared, where)
    labels = [name for name in (condition, target) if name is not None]
    _check_request(table, labels, declared, where)
    data = {name: column for name, column in table.items() if name not in labels}
    columns = tuple(data)
    if discrete is True:
        declared = dict.fromkeys(columns)
    values, kinds = encode(data, declared, where, loaded.describe_row)
    undeclared = {name: column for name, column in data.items() if name not in declared}
    if drop is None:
        note_index(undeclared, where)
    if discrete is not False:
        note_levels(undeclared, where)
    if not labels:
        observational = "observational" if observational is None else observational
        groups: _Groups = {observational: (slice(None), ())}
    else:
        cells = _target_cells(table, target, len(values))
        conditions = _conditions(table, condition, cells, where, loaded.describe_row)
        groups = _groups(conditions, cells, columns, observational, where)
    observational = _left(groups, observational, drop_conditions)
    try:
        regimes = [Regime(name, values[its], targets) for name, (its, targets) in groups.items()]
        return Dataset(columns, tuple(regimes), observational, kinds, rows)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def _names_to_drop(drop: Iterable[str] | None) -> list[str]:
    if isinstance(drop, str):
        raise TypeError(f"drop: expected a list of names, got {drop!r}; put it in a list")
    return list(drop or ())


def _recognised(
    table: Columns, declared: Iterable[str], where: str
) -> tuple[str | None, str | None]:
    """Return the columns that are called as those of conditions and targets are."""
    names = [name for name in table if name not in set(declared)]
    condition, target = label_column("condition", names), label_column("target", names)
    roles = {"condition": condition, "target": target}
    labels = [f"{role}={name!r}" for role, name in roles.items() if name is not None]
    if labels:
        note(f"{where}: the labels of the rows are taken from columns by name: {', '.join(labels)}")
    return condition, target


def _groups(
    conditions: list[str],
    cells: list[str],
    columns: tuple[str, ...],
    observational: str | None,
    where: str,
) -> _Groups:
    """Return the rows and the targets of each condition."""
    groups: _Groups = {}
    position = {name: step for step, name in enumerate(columns)}
    for name, rows in _rows_of(conditions).items():
        if fault := name_fault(name):
            raise ValueError(f"{where}: condition: the name {shown(name)} {fault}")
        cell = _common({cells[row] for row in rows}, name, where)
        unstated = () if name == observational else None
        groups[name] = rows, _targets(cell, position, where) if cell else unstated
    return groups


def _left(groups: _Groups, observational: str | None, dropped: Iterable[str]) -> str | None:
    """Leave conditions out, and return the observational one if it is not among them."""
    known = list(groups)
    for name in dropped:
        if name not in known:
            raise ValueError(f"condition: there is no {name!r}; {did_you_mean(name, known)}")
        groups.pop(name, None)
    if not groups:
        raise ValueError("drop_conditions: no condition would be left; keep at least 1")
    return None if observational in known and observational not in groups else observational


def _check_request(table: Columns, labels: list[str], declared: Iterable[str], where: str) -> None:
    """Raise if a column that the call names is absent, or named for two purposes."""
    for name in [*labels, *declared]:
        if name not in table:
            raise ValueError(f"{where}: there is no column {name!r}; {did_you_mean(name, table)}")
    named = [*labels, *declared]
    twice = [name for name in named if named.count(name) > 1]
    if twice:
        raise ValueError(
            f"{where}: the call names column {twice[0]!r} for two purposes; "
            "a column is the condition, the target, or data"
        )
    if len(table) == len(labels):
        raise ValueError(f"{where}: there is no data column besides {listed(labels)}; add one")


def _target_cells(table: Columns, target: str | None, n_samples: int) -> list[str]:
    """Return each row's target cell, empty where there is none."""
    if target is None:
        return [""] * n_samples
    return [cell or "" for cell in table[target].tolist()]


def _conditions(
    table: Columns,
    condition: str | None,
    cells: list[str],
    where: str,
    describe_row: RowDescription,
) -> list[str]:
    """Return each row's condition: the cell of the condition column, else of the target."""
    if condition is None:
        return [cell or UNTARGETED for cell in cells]
    unnamed = missing_entries(table[condition])
    check_none_missing(unnamed[:, None], [condition], where, describe_row)
    return table[condition].tolist()


def _rows_of(names: list[str]) -> dict[str, list[int]]:
    rows: dict[str, list[int]] = {}
    for row, name in enumerate(names):
        rows.setdefault(name, []).append(row)
    return rows


def _common(cells: set[str], condition: str, where: str) -> str:
    """Return the target cell that all rows of a condition share, or raise."""
    if len(cells) > 1:
        raise ValueError(
            f"{where}: the rows of condition {shown(condition)} have different targets, "
            f"{listed(sorted(cells))}; give them conditions of their own"
        )
    return next(iter(cells))


def _targets(cell: str, position: Mapping[str, int], where: str) -> tuple[int, ...]:
    """Return the indices of the columns that a target cell names."""
    names = [name for name in cell.split(";") if name]
    for name in names:
        if name not in position:
            raise ValueError(
                f"{where}: the target {shown(name)} is not a column of data; leave the cell empty "
                f"if it was not measured, else {did_you_mean(name, position)}"
            )
    return tuple(position[name] for name in names)


def as_dataset(data: ArrayLike | Dataset | str | PathLike[str]) -> Dataset:
    """Return whatever holds data as a data set.

    Parameters
    ----------
    data : Dataset, array_like of shape (n, d), DataFrame, str or Path
        A data set comes back as it is. An array, a list of rows or a data frame is taken as
        observational values. A path is that of a file that `read` reads without further
        options: all its columns are data.

    Examples
    --------
    >>> as_dataset([[0.0, 1.0], [2.0, 4.5]]).observational
    'observational'
    >>> as_dataset("no/such.csv")
    Traceback (most recent call last):
    FileNotFoundError: no/such.csv: there is no such file
    """
    if isinstance(data, Dataset):
        return data
    if isinstance(data, str | PathLike):
        return read(data)
    return Dataset.from_values(data)


# From a data set to a file that reads back as the same data set.


def write(
    data: Dataset, path: str | PathLike[str], condition: str = "condition", target: str = "target"
) -> None:
    """Write a data set to a CSV, TSV or Parquet file, floats to their last bit.

    One observational regime called "observational" is written as it is; any
    other data set with a condition and a target column. `read` gives the same
    data set again if it is given the names of these columns and of the
    observational condition, the levels, and whether the rows are a series. Only
    what was done to the targets (`Regime.intervention`) is lost: a table has no
    column for it.

    Parameters
    ----------
    data : Dataset
        The data set to write.
    path : str or Path
        Ends in .csv, .csv.gz, .tsv, .tsv.gz or .parquet; overwritten if it exists.
    condition, target : str
        What to call the two columns.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "control.csv")
    >>> write(Dataset.from_values([[0.0, 1.0], [2.0, 4.5]], condition="control"), path)
    >>> print(path.read_text().replace('"', ""))
    x0,x1,condition,target
    0,1,control,
    2,4.5,control,
    >>> folder.cleanup()
    """
    from causalassay.data import tables  # noqa: PLC0415  # pyarrow loads when a file is written

    pooled = data.pooled
    table = {
        name: decode(pooled[:, j], kind)
        for j, (name, kind) in enumerate(zip(data.columns, data.kinds, strict=True))
    }
    if data.conditions != ("observational",) or data.observational is None:
        _check_labels(data, condition, target)
        sizes = [len(regime.values) for regime in data.regimes]
        cells = [_target_cell(regime, data) for regime in data.regimes]
        table[condition] = np.repeat(np.array(data.conditions, dtype=object), sizes)
        table[target] = np.repeat(np.array(cells, dtype=object), sizes)
    _check_shown([*table, *data.conditions])
    tables.save(table, as_path(path))


def _check_shown(names: Iterable[str]) -> None:
    """Raise if `read` would refuse a name."""
    for name in names:
        if fault := name_fault(name):
            raise ValueError(f"data: the name {shown(name)} {fault}")


def _check_labels(data: Dataset, condition: str, target: str) -> None:
    """Raise if the file could not be read back."""
    if condition == target:
        raise ValueError(f"condition and target: expected two names, got {target!r} for both")
    for role, name in (("condition", condition), ("target", target)):
        if name in data.columns:
            raise ValueError(
                f"{role}: the data have a column {name!r} of their own; "
                f"pass another name for the {role} column as {role}="
            )
    targeted = {t for regime in data.regimes for t in regime.targets or ()}
    divided = [data.columns[t] for t in sorted(targeted) if ";" in data.columns[t]]
    if divided:
        raise ValueError(
            f"columns: {listed(divided)} cannot be in the target column, where ';' "
            "separates names; rename it"
        )


def _target_cell(regime: Regime, data: Dataset) -> str:
    """Return what `read` turns back into the regime's targets."""
    if regime.targets is None or regime.condition == data.observational:
        return ""
    return ";".join(data.columns[t] for t in regime.targets) or ";"
