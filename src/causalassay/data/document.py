"""What data files, data sets and problems show: columns, regimes, the graph taken as true."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from causalassay.common.spelling import cut, listed, shown
from causalassay.data.checks import drop_options, label_column, quoted
from causalassay.data.kinds import ColumnKind, Continuous
from causalassay.data.suggested_command import suggested_options
from causalassay.data.table_check import LEVELS, CheckedColumn, Fault, TableCheck
from causalassay.present import Block, Code, Column, Document, GraphFigure, Marked, Prose, Table
from causalassay.present.drawing import show
from causalassay.present.formatting import counted, digits

if TYPE_CHECKING:
    from causalassay.data.dataset import Dataset, Regime
    from causalassay.data.problem import Problem

MOST_ROWS = 30


def dataset_document(data: Dataset) -> Document:
    """Return the size of a data set, its columns and its regimes.

    Examples
    --------
    >>> from causalassay.data import Dataset
    >>> columns, _ = dataset_document(Dataset.from_values([[0.0], [1.0]], ["a"])).tables()
    >>> columns.records()
    [{'column': 'a', 'kind': 'continuous', 'mean': 0.5, 'sd': 0.5}]
    """
    return Document("Dataset", "", [_columns(data), _regimes(data)], about=data.size_text)


def problem_document(problem: Problem) -> Document:
    """Return the true graph of a problem, drawn with the names of the columns, and its data."""
    data = problem.data
    drawing = show(problem.graph, data.columns)
    caption = f"The true graph: {drawing.caption}."
    if data.world == "series":
        caption = f"Summary of a series: {drawing.caption}; a line without arrowhead is feedback."
    model = "unknown" if problem.model is None else repr(problem.model)
    return Document(
        f"Problem {problem.name}".strip(),
        "",
        [GraphFigure("graph", drawing._repr_svg_, caption), _columns(data), _regimes(data)],
        about=f"{data.size_text}; model: {model}",
    )


def _columns(data: Dataset) -> Table:
    observed = data.observational is not None
    values = data.observational_values if observed else data.pooled
    mean, sd = values.mean(axis=0).tolist(), values.std(axis=0).tolist()
    columns = (
        Column("column", "column"),
        Column("kind", "kind"),
        Column("mean", "mean", "factor"),
        Column("sd", "sd", "factor"),
    )
    rows = list(zip(data.columns, map(_kind, data.kinds), mean, sd, strict=True))
    where = "in the observational regime" if observed else "in all regimes"
    return _cut(Table("columns", columns, rows, f"Columns {where}"), "column")


def _regimes(data: Dataset) -> Table:
    columns = (
        Column("regime", "regime"),
        Column("rows", "rows", "count"),
        Column("targets", "targets"),
    )
    rows = [
        (regime.condition, len(regime.values), _targets(regime, data)) for regime in data.regimes
    ]
    return _cut(Table("regimes", columns, rows, "Regimes"), "regime")


def _targets(regime: Regime, data: Dataset) -> str:
    if regime.condition == data.observational:
        return "observational"
    if regime.targets is None:
        return "unknown"
    return ", ".join(data.columns[target] for target in regime.targets) or "none"


def _kind(kind: ColumnKind) -> str:
    return "continuous" if isinstance(kind, Continuous) else counted(len(kind.levels), "level")


def _cut(table: Table, noun: str) -> Table:
    """Return the first rows of a long table: it is an overview and not the data."""
    left = len(table.rows) - MOST_ROWS
    if left <= 0:
        return table
    notes = [f"{counted(left, f'more {noun}')} left out"]
    return Table(table.id, table.columns, table.rows[:MOST_ROWS], table.title, notes=notes)


# What a data file is read as.

FAULTS: dict[Fault, str] = {
    "missing values": "missing values",
    "infinite values": "infinite values",
    "text": "text",
    "no numbers": "not all are numbers",
    "decimal commas": "decimal commas",
    "constant": "constant",
    "empty": "empty",
    "duplicate": "duplicate",
    "too many levels": "too many levels",
    "label": "labels of rows",
}
"""Why a column is refused, in words."""


def check_document(check: TableCheck) -> Document:
    """Return what each column of a file is read as, what becomes of it, and what to do.

    Examples
    --------
    >>> from causalassay.data.column_contents import ColumnContent
    >>> from causalassay.data.table_check import ReadingRequest
    >>> age = CheckedColumn(ColumnContent("age", "amount", smallest=18, largest=90), "number")
    >>> check = TableCheck("people.csv", 50, 50, (age,), ReadingRequest(), {})
    >>> check_document(check).tables()[0].records()[0]["read"]
    'amount'
    """
    columns = (
        Column("column", "column"),
        Column("read", "read as"),
        Column("values", "values", priority=5),
        Column("missing", "missing", "count", priority=7, align="right"),
        Column("done", "what is done"),
        Column("change", "to change it", priority=7),
    )
    rows = [_checked_row(column) for column in check.columns]
    size = f"{counted(check.n_rows, 'row')}, {counted(len(check.columns), 'column')}"
    blocks: list[Block] = [Table("columns", columns, rows)]
    blocks += [Prose(text, "notice") for text in check_advice(check)]
    if check.command:
        blocks += [Prose("Suggested:", "strong"), Code(shlex.join(check.command))]
    return Document(f"Check of {check.path}", check_headline(check), blocks, about=size)


def check_headline(check: TableCheck) -> str:
    """Return in a sentence whether the file is taken, and with how many columns."""
    n_data = counted(len(check.data), "column")
    left = check.left_out
    without = f", {_named(left)} left out" if left else ""
    if check.refused:
        return (
            f"Refused as it is: {counted(len(check.refused), 'column')} of {len(check.columns)} "
            f"must be corrected, declared or left out."
        )
    return f"Read as it is: {n_data} of data{without}."


def check_advice(check: TableCheck) -> Iterator[str]:
    """Yield what a reader must know of the rows of a file."""
    missing = [column for column in check.refused if column.faults == ("missing values",)]
    if missing:
        yield (
            f"Missing values: {counted(check.n_complete, 'row')} of {check.n_rows} are complete in "
            f"the columns of numbers. Leave out the {counted(len(missing), 'column')} with missing "
            f"values ({_named(missing)}), or remove or impute those rows in the file."
        )
    levels = [column for column in check.columns if column.content.content in LEVELS]
    if levels and len(levels) < len(check.columns) and not check.asked.discrete:
        yield (
            f"Levels beside amounts: {_named(levels)}. --discrete declares all columns to be "
            "levels, so it is for files without amounts; levels in numbers are used as numbers."
        )
    if check.conditions and not check.asked.observational:
        yield (
            f"Name the condition without intervention, of {listed(list(check.conditions))}: "
            "--observational NAME."
        )
    if check.sorted_date and check.asked.rows != "series":
        yield (
            f"The rows are in the order of {shown(check.sorted_date)}: if they follow each other "
            "in time, pass --series. Tests and scores for independent rows find edges too "
            "often in a series."
        )
    if check.data and check.has_few_rows:
        yield few_rows_text(check.n_rows, len(check.data))


def check_notes(check: TableCheck) -> Iterator[str]:
    """Yield the short form: what was decided that nobody asked for, in a line each."""
    left = check.left_out
    if left:
        reads = [f"{shown(column.name)} ({column.content.content})" for column in left]
        more = f" and {len(left) - _MOST_NOTED} more" if len(left) > _MOST_NOTED else ""
        keep = [column.name for column in left if not column.content.is_text]
        hint = f"; to use it pass --keep {quoted(keep[0])}" if keep else ""
        yield (
            f"{check.path}: left out: {', '.join(reads[:_MOST_NOTED])}{more}{hint}; "
            "`causalassay check` shows every column"
        )
    if check.sorted_date and check.asked.rows != "series" and not check.has_subjects:
        yield (
            f"{check.path}: the rows are in the order of {shown(check.sorted_date)}; if they "
            "follow each other in time, pass --series"
        )
    if check.data and check.has_few_rows and not check.refused:
        yield f"{check.path}: {few_rows_text(check.n_rows, len(check.data))}"


_MOST_NOTED = 4


def refusal(check: TableCheck, reason: str) -> str:
    """Return why a file is refused: all columns at once where there are several.

    Parameters
    ----------
    check : TableCheck
    reason : str
        Why reading it failed, which is about one column, or about the call.
    """
    refused = check.refused
    if len(refused) < 2:
        return reason
    reads = [f"{shown(column.name)} ({_fault_text(column)})" for column in refused]
    more = f" and {len(reads) - _MOST_LISTED} more" if len(reads) > _MOST_LISTED else ""
    options = suggested_options(check)
    end = f". The file is read with: {shlex.join(options)}" if options else ""
    return (
        f"{check.path}: {len(reads)} of {counted(len(check.columns), 'column')} are refused: "
        f"{', '.join(reads[:_MOST_LISTED])}{more}; `causalassay check` shows each, and what to "
        f"do{end}"
    )


def _fault_text(column: CheckedColumn) -> str:
    """Return why a column is refused, with where it shows and what declares it."""
    content, fault = column.content, column.faults[0]
    match fault:
        case "missing values":
            return f"{counted(content.n_missing, 'missing value')}, first in {column.where_missing}"
        case "no numbers":
            return f"{content.n_odd} no numbers, first {shown(content.odd)} in {column.where_odd}"
        case "too many levels":
            return f"{counted(content.n_distinct, 'level')}"
        case "duplicate":
            return f"duplicate of {shown(content.copy_of)}"
        case "label":
            return f"pass {_change(column)}"
        case _:
            return FAULTS[fault]


_MOST_LISTED = 20


def few_rows_text(n_rows: int, n_columns: int) -> str:
    """Return that there are few rows for so many columns, and what to do.

    Examples
    --------
    >>> few_rows_text(60, 30).split(";")[0]
    'Few rows: 60 for 30 columns, 2.00 for each column'
    """
    many = "a graph over so many columns misses edges and adds others"
    if n_rows <= n_columns:
        many = "a column cannot be regressed on all others, so most algorithms refuse the file"
    return (
        f"Few rows: {n_rows} for {counted(n_columns, 'column')}, "
        f"{digits(n_rows / n_columns)} for each column; {many}. Leave out columns that you do not "
        "ask about, and look at the frequencies over bootstraps."
    )


def _checked_row(column: CheckedColumn) -> tuple[object, ...]:
    content = column.content
    read = content.content
    name = f"{read} of {content.copy_of}" if read == "duplicate" else read
    missing = content.n_missing or None
    refused = column.treatment == "refused"
    done = Marked(_done(column), warns=True) if refused else _done(column)
    return content.name, name, _values(column), missing, done, _change(column)


def _values(column: CheckedColumn) -> str:
    """Return what a column holds, in a few words."""
    content = column.content
    match content.content:
        case "amount" if content.n_odd:
            text = f"{content.n_odd} no number, first {shown(content.odd)} in {column.where_odd}"
        case "levels" | "ordered levels":
            between = " < " if content.content == "ordered levels" else ", "
            levels = [f"{one:.15g}" if isinstance(one, float) else one for one in content.levels]
            text = f"{len(levels)}: {between.join(levels)}"
        case "date":
            text = "in the order of the rows" if content.is_sorted else "in no order"
        case "text":
            text = f"{content.n_distinct} texts, such as {shown(content.levels[0])}"
        case "id":
            text = {"name": "by its name"}.get(content.id_sign, content.id_sign)
        case "empty":
            text = ""
        case _ if content.is_text:
            text = str(next(iter(content.levels), ""))
        case _ if content.smallest == content.largest:
            text = f"{content.smallest:.4g}"
        case _:
            text = f"{content.smallest:.4g} to {content.largest:.4g}"
    return cut(text, _LONGEST_VALUES)


_LONGEST_VALUES = 40


def _done(column: CheckedColumn) -> str:
    if column.treatment == "refused":
        return f"refused: {', '.join(FAULTS[fault] for fault in column.faults)}"
    return {
        "number": "used as numbers",
        "levels": "used as levels",
        "left out": "left out",
        "label": "labels the rows",
    }[column.treatment]


def _change(column: CheckedColumn) -> str:
    """Return the option that changes what is done, or what to correct in the file."""
    content, drop = column.content, drop_options([column.name])
    if column.treatment == "left out":
        return f"--keep {quoted(column.name)}" if not content.is_text else ""
    if column.treatment in ("label", "number", "levels"):
        return ""
    match column.faults[0]:
        case "label":
            role = next(
                role for role in ("condition", "target") if label_column(role, [column.name])
            )
            return f"--{role} {quoted(column.name)}"
        case "too many levels":
            return f"without --discrete, or {drop}"
        case _:
            return drop


def _named(columns: Sequence[CheckedColumn]) -> str:
    return listed([column.name for column in columns])
