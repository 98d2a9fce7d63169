"""The command that is suggested for a data file: discover, or choose where it has experiments."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from causalassay.data.checks import LABEL_NAMES, label_column
from causalassay.data.column_contents import ColumnContent
from causalassay.data.table_check import LEVELS, CheckedColumn, TableCheck
from causalassay.graphs.formats.reading import holds_graph

ALGORITHM, SERIES_ALGORITHM = "boss", "granger-lasso"
"""What is suggested to run; both state what they assume."""


def suggested_command(check: TableCheck) -> list[str]:
    """Return the words of a command that takes a file; empty if too little would be left.

    Examples
    --------
    >>> from causalassay.data.table_check import ReadingRequest
    >>> columns = [CheckedColumn(ColumnContent(name, "amount"), "number") for name in "ab"]
    >>> empty = CheckedColumn(ColumnContent("c", "empty"), "refused", ("empty",))
    >>> check = TableCheck("t.csv", 50, 50, (*columns, empty), ReadingRequest(), {})
    >>> " ".join(suggested_command(check))
    'causalassay discover t.csv --algorithm boss --drop c'
    """
    options = suggested_options(check)
    if options is None:
        return []
    labels = _labels(check)
    follow = check.sorted_date and not labels and not check.has_subjects
    series = ["--series"] if check.asked.rows == "series" or follow else []
    if holds_graph(Path(check.path)):
        return ["causalassay", "audit", check.path, *series, *options]
    if "target" in labels:
        return ["causalassay", "choose", check.path, *options]
    algorithm = ["--algorithm", SERIES_ALGORITHM if series else ALGORITHM]
    return ["causalassay", "discover", check.path, *algorithm, *series, *options]


def suggested_options(check: TableCheck) -> list[str] | None:
    """Return the options with which a file is read; None if fewer than 2 columns would be left."""
    asked, labels = check.asked, _labels(check)
    refused = [column for column in check.refused if column.name not in labels.values()]
    data = list(check.data)
    amounts = [column for column in refused if _is_amount_called_levels(column)]
    are_amounts = len(amounts) > len(data)
    if are_amounts:  # then without --discrete: amounts are data, and text is not
        texts = [column for column in data if column.content.is_text]
        refused = [column for column in refused if column not in amounts] + texts
        data = [column for column in [*amounts, *data] if column not in texts]
    as_levels = all(map(_holds_levels, data)) and all(map(_is_good_as_levels, refused))
    if len(data) + (len(refused) if as_levels else 0) < 2:
        return None
    drop = [*(asked.drop or ()), *([] if as_levels else [column.name for column in refused])]
    options = {f"--{role}": [name] for role, name in labels.items()}
    options["--observational"] = [asked.observational or "NAME"] if labels else []
    options["--separator"] = [asked.separator] if asked.separator else []
    options |= {"--keep": list(asked.keep), "--drop": drop}
    flags = {
        "--discrete": as_levels or (asked.discrete is True and not are_amounts),
        "--continuous": asked.discrete is False,
    }
    return [
        *(word for name, values in options.items() for value in values for word in (name, value)),
        *(name for name, is_on in flags.items() if is_on),
    ]


def _labels(check: TableCheck) -> dict[str, str]:
    """Return the columns that label the rows by role: as stated, else by their names."""
    stated = {"condition": check.asked.condition, "target": check.asked.target}
    if any(stated.values()):
        return {role: name for role, name in stated.items() if name is not None}
    names = {column.name for column in check.columns}
    by_role = {role: label_column(role, names) for role in LABEL_NAMES}
    contents = {column.name: column.content for column in check.columns}
    return {
        role: name
        for role, name in by_role.items()
        if name and contents[name].is_text and (role != "target" or _targets(contents[name], names))
    }


def _targets(content: ColumnContent, names: Collection[str]) -> bool:
    """Tell whether the entries of a column are names of columns."""
    parts = [part for level in content.levels for part in str(level).split(";") if part]
    return bool(parts) and set(parts) <= set(names)


def _holds_levels(column: CheckedColumn) -> bool:
    return column.content.content in LEVELS


def _is_good_as_levels(column: CheckedColumn) -> bool:
    return _holds_levels(column) and column.faults == ("text",)


def _is_amount_called_levels(column: CheckedColumn) -> bool:
    return column.faults == ("too many levels",) and not column.content.is_text
