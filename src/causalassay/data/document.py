"""What data sets and problems show: columns, regimes, and the graph taken as true."""

from __future__ import annotations

from typing import TYPE_CHECKING

from causalassay.data.kinds import ColumnKind, Continuous
from causalassay.present import Column, Document, GraphFigure, Table
from causalassay.present.drawing import show
from causalassay.present.formatting import counted

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
