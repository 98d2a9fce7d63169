"""What a data file is read as, column by column, and all that would have it refused, at once."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from causalassay.common.files import as_path
from causalassay.common.spelling import did_you_mean
from causalassay.data.checks import LABEL_NAMES, has_too_many_levels, label_column
from causalassay.data.column_contents import ColumnContent, copies, describe_column, is_id_name
from causalassay.present import Document, Shown

if TYPE_CHECKING:
    from causalassay.data.tables import Table

Treatment = Literal["number", "levels", "left out", "refused", "label"]
"""What becomes of a column: data as numbers or levels, nothing, an error, or it labels the rows."""

Fault = Literal[
    "missing values", "infinite values", "text", "no numbers", "decimal commas", "constant",
    "empty", "duplicate", "too many levels", "label",
]  # fmt: skip
"""Why a column is refused."""

LEAST_ROWS_PER_COLUMN = 10
"""Fewer rows for each column are said to be few."""

LEVELS = ("levels", "ordered levels")


@dataclass(frozen=True)
class ReadingRequest:
    """What is stated about a data file.

    Parameters
    ----------
    target, condition, observational : str, optional
        The columns that label the rows, and the condition without intervention.
    discrete : bool, optional
        Whether all columns are levels; False says that none is, nor an index.
    rows : {"independent", "series"}
    drop : sequence of str, optional
        Columns to leave out. They are not looked at.
    keep : sequence of str
        Columns to use although they look like an id or dates.
    separator : str, optional
        The separator of fields in a text file.
    """

    target: str | None = None
    condition: str | None = None
    observational: str | None = None
    discrete: bool | None = None
    rows: Literal["independent", "series"] = "independent"
    drop: Sequence[str] | None = None
    keep: Sequence[str] = ()
    separator: str | None = None


@dataclass(frozen=True)
class CheckedColumn:
    """A column, what becomes of it and why.

    Parameters
    ----------
    content : ColumnContent
    treatment : Treatment
    faults : tuple of Fault
        Why it is refused; the first is the reason that counts most.
    where_missing : str
        Where in the file the first missing value is.
    where_odd : str
        Where the first entry is that is no number.
    """

    content: ColumnContent
    treatment: Treatment
    faults: tuple[Fault, ...] = ()
    where_missing: str = ""
    where_odd: str = ""

    @property
    def name(self) -> str:
        """Its name in the file."""
        return self.content.name

    @property
    def is_data(self) -> bool:
        """Whether an algorithm would get it."""
        return self.treatment in ("number", "levels")

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        facts = asdict(self.content)
        name, content = facts.pop("name"), facts.pop("content")
        decision = {"treatment": self.treatment, "faults": list(self.faults)}
        where = {"where_missing": self.where_missing, "where_odd": self.where_odd}
        return {"name": name, "read_as": content} | decision | facts | where


@dataclass(frozen=True, repr=False)
class TableCheck(Shown):
    """A data file, column by column.

    Parameters
    ----------
    path : str
    n_rows : int
    n_complete : int
        Rows without a missing value in any column that would be data but for that.
    columns : tuple of CheckedColumn
        In the order of the file.
    asked : ReadingRequest
        What was stated.
    conditions : mapping
        The rows of each condition, if the file has a column that names them.
    """

    path: str
    n_rows: int
    n_complete: int
    columns: tuple[CheckedColumn, ...]
    asked: ReadingRequest
    conditions: Mapping[str, int]

    @property
    def refused(self) -> tuple[CheckedColumn, ...]:
        """The columns for which the file is refused as it is."""
        return tuple(column for column in self.columns if column.treatment == "refused")

    @property
    def left_out(self) -> tuple[CheckedColumn, ...]:
        """The columns that no algorithm gets: ids, and dates."""
        return tuple(column for column in self.columns if column.treatment == "left out")

    @property
    def data(self) -> tuple[CheckedColumn, ...]:
        """The columns that an algorithm gets."""
        return tuple(column for column in self.columns if column.is_data)

    @property
    def sorted_date(self) -> str:
        """The first column of dates in whose order the rows are; empty if there is none."""
        dates = (column for column in self.columns if column.content.content == "date")
        return next((column.name for column in dates if column.content.is_sorted), "")

    @property
    def has_subjects(self) -> bool:
        """Whether an id says to whom the rows belong, and does not merely count them."""
        ids = (column.content for column in self.columns if column.content.content == "id")
        return any(is_id_name(each.name) or each.id_sign == "all different" for each in ids)

    @property
    def has_few_rows(self) -> bool:
        """Whether there are few rows for so many columns."""
        return self.n_rows < LEAST_ROWS_PER_COLUMN * len(self.data)

    @property
    def command(self) -> list[str]:
        """The words of a command that takes the file; empty if too little would be left."""
        from causalassay.data.suggested_command import suggested_command  # noqa: PLC0415  # of this

        return suggested_command(self)

    def document(self) -> Document:
        """Return what is shown of it."""
        from causalassay.data.document import check_document  # noqa: PLC0415  # only to show it

        return check_document(self)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "file": self.path,
            "rows": self.n_rows,
            "complete_rows": self.n_complete,
            "few_rows": self.has_few_rows,
            "sorted_date": self.sorted_date,
            "conditions": dict(self.conditions),
            "columns": [column.to_dict() for column in self.columns],
            "command": shlex.join(self.command),
        }


def check_table(path: str | PathLike[str], asked: ReadingRequest | None = None) -> TableCheck:
    r"""Return what each column of a data file is read as, and what becomes of it.

    Nothing is refused but a file that is no table.

    Parameters
    ----------
    path : str or Path
        A file as `read` takes it.
    asked : ReadingRequest, optional
        What is stated about the file; nothing if left out.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "people.csv")
    >>> _ = path.write_text("patient_id,age,weight,sex\n7,61,81.5,f\n9,48,,m\n4,39,70.25,f\n")
    >>> check = check_table(path)
    >>> [(column.name, column.treatment) for column in check.columns]
    [('patient_id', 'left out'), ('age', 'number'), ('weight', 'refused'), ('sex', 'refused')]
    >>> check.refused[0].faults, check.refused[0].where_missing
    (('missing values',), 'line 3')
    >>> folder.cleanup()
    """
    from causalassay.data import tables  # noqa: PLC0415  # pyarrow loads when a file is read

    asked = asked or ReadingRequest()
    where, drop = as_path(path), asked.drop or ()
    condition, target = asked.condition, asked.target
    if asked.observational is not None and condition is None and target is None:
        names = tables.load(where, _never, drop, asked.separator, name_first=True).columns
        condition, target = label_column("condition", names), label_column("target", names)
    labels = [name for name in (condition, target) if name is not None]
    table = tables.load(where, labels.__contains__, drop, asked.separator, name_first=True)
    for name in [*labels, *asked.keep]:
        if name not in table.columns:
            raise ValueError(
                f"{path}: there is no column {name!r}; {did_you_mean(name, table.columns)}"
            )
    columns = _checked(table, labels, asked)
    incomplete = [
        _missing(table.columns[column.name])
        for column in columns
        if column.is_data or column.faults == ("missing values",)
    ]
    n_rows = len(next(iter(table.columns.values())))
    complete = ~np.logical_or.reduce([np.zeros(n_rows, dtype=bool), *incomplete])
    named = condition or label_column("condition", table.columns) or ""
    return TableCheck(str(path), n_rows, int(complete.sum()), columns, asked, _counts(table, named))


def _never(name: str) -> bool:  # noqa: ARG001
    return False


def _missing(column: NDArray[Any]) -> NDArray[np.bool_]:
    if column.dtype != object:
        return np.isnan(column)
    return np.array([entry is None or not entry.strip() for entry in column.tolist()])


def _counts(table: Table, condition: str) -> dict[str, int]:
    if condition not in table.columns or table.columns[condition].dtype != object:
        return {}
    names, counts = np.unique(
        [entry or "" for entry in table.columns[condition].tolist()], return_counts=True
    )
    return dict(zip(names.tolist(), counts.tolist(), strict=True))


def _checked(table: Table, labels: list[str], asked: ReadingRequest) -> tuple[CheckedColumn, ...]:
    """Return the columns with what becomes of each."""
    contents = {name: describe_column(name, column) for name, column in table.columns.items()}
    idle = {
        name
        for name, content in contents.items()
        if name not in asked.keep and _is_left_out(content, asked.discrete)
    }
    data = {name: table.columns[name] for name in contents if name not in idle | set(labels)}
    for name, original in copies(data).items():
        if contents[name].content not in ("constant", "empty"):
            contents[name] = replace(contents[name], content="duplicate", copy_of=original)
    columns = []
    for name, content in contents.items():
        first, odd = content.first_missing, content.n_odd
        if name in labels:
            treatment: Treatment = "label"
            faults: tuple[Fault, ...] = ()
        elif name in idle:
            treatment, faults = "left out", ()
        else:
            is_levels = asked.discrete is True
            faults = tuple(_faults(content, len(table.columns[name]), is_levels))
            treatment = "refused" if faults else "levels" if is_levels else "number"
        columns.append(
            CheckedColumn(
                content,
                treatment,
                faults,
                "" if first is None else table.describe_row(first),
                table.describe_row(content.odd_row) if odd else "",
            )
        )
    return tuple(columns)


def _is_left_out(content: ColumnContent, discrete: bool | None) -> bool:
    """Tell whether a column is left out unasked: dates, or an id that is not said to be numbers."""
    return content.content == "date" or (
        content.content == "id" and (content.is_text or discrete is not False)
    )


def _faults(content: ColumnContent, n_rows: int, is_levels: bool) -> Iterator[Fault]:
    """Yield why a column is refused, the reason that counts most first."""
    if content.content in ("constant", "empty", "duplicate"):
        yield content.content
        return
    if content.is_text and not is_levels:
        if content.n_odd:
            yield "no numbers"
        elif content.content == "amount":
            yield "decimal commas"
        else:
            named = any(label_column(role, [content.name]) for role in LABEL_NAMES)
            yield "label" if named else "text"
            if named:
                return
    n_rows_with = n_rows - content.n_missing
    if is_levels and has_too_many_levels(content.n_distinct, n_rows_with, is_text=content.is_text):
        yield "too many levels"
    if content.n_missing:
        yield "missing values"
    if content.n_infinite:
        yield "infinite values"
