"""The table of a study: its columns, its rows as Arrow batches, and all of it as a data frame."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from operator import itemgetter
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pandas as pd
import pyarrow as pa

from causalassay import present as document
from causalassay.common.arrays import Values
from causalassay.common.spelling import listed
from causalassay.metrics.registry import Better
from causalassay.present import Shown
from causalassay.present.formatting import counted
from causalassay.study.plan import Purpose, Status
from causalassay.study.storage.checks import (
    CHECKED,
    Chunk,
    Numbers,
    Row,
    read_chunks,
    row_damage,
    seals_of,
)
from causalassay.study.storage.reader import StoreReader, read_store
from causalassay.study.storage.refusals import StoreRefused, rows_refusal
from causalassay.study.storage.schema import CELLS, COLUMNS, HAS_ONE_DATA_SET, Position


@dataclass(frozen=True)
class PartColumns:
    """The columns that describe all problems, or all algorithms.

    Parameters
    ----------
    positions : mapping
        From the id in the store to the position in the arrays.
    columns : mapping
        One array for each column; strings as dictionaries.
    """

    positions: Mapping[int, int]
    columns: Mapping[str, pa.Array]


@dataclass(frozen=True)
class Columns:
    """What a study's table is made of.

    Parameters
    ----------
    problems, algorithms : PartColumns
    labels : tuple of str
        Which columns of the problems are labels.
    metrics, diagnostics : mapping
        From the id in the store to the column.
    better : mapping
        For each metric's column whether "high" or "low" is better; "none" of controls.
    """

    problems: PartColumns
    algorithms: PartColumns
    labels: tuple[str, ...]
    metrics: Mapping[int, str]
    diagnostics: Mapping[int, str]
    better: Mapping[str, Better]


def read_columns(connection: sqlite3.Connection, *, everything: bool) -> Columns:
    """Return the columns of a store's table; `everything`: also of parts taken out."""
    problems, stated = _part(connection, "problems", "labels", everything)
    algorithms, _ = _part(connection, "algorithms", "key", everything)
    labels_of = [json.loads(labels) for labels in stated]
    labels = tuple(dict.fromkeys(name for entry in labels_of for name in entry))
    labelled = {name: _label([entry.get(name) for entry in labels_of]) for name in labels}
    metrics = _select(connection, "metrics", "id, label, key, better", everything)
    diagnostics = _diagnostics(connection, everything)
    times = Counter(label for _, label, _, _ in metrics)
    seen: set[str] = set()
    named: dict[int, str] = {}
    for metric, label, key, _ in metrics:
        # The metric that the study has now comes first and keeps the plain name.
        named[metric] = label if times[label] == 1 or label not in seen else f"{label} [{key[:6]}]"
        seen.add(label)
    columns = Columns(
        PartColumns(problems.positions, {**problems.columns, **labelled}),
        algorithms,
        labels,
        named,
        diagnostics,
        {named[metric]: better for metric, _, _, better in metrics},
    )
    _refuse_duplicates([*labels, *named.values(), *diagnostics.values()])
    return columns


def _diagnostics(connection: sqlite3.Connection, everything: bool) -> dict[int, str]:
    """Return the columns of diagnostics; an earlier version has its number beside the name."""
    columns: dict[int, str] = {}
    for number, key in _select(connection, "diagnostics", "id, name", everything):
        name, _, version = key.partition("@")
        taken = name in columns.values()
        columns[number] = f"{name} [version {version or 1}]" if taken else name
    return columns


def _select(
    connection: sqlite3.Connection, table: str, columns: str, everything: bool
) -> list[tuple[Any, ...]]:
    condition = "" if everything else "WHERE place IS NOT NULL"
    return connection.execute(
        f"SELECT {columns} FROM {table} {condition} ORDER BY place IS NULL, place, id"
    ).fetchall()


def _part(
    connection: sqlite3.Connection, table: str, extra: str, everything: bool
) -> tuple[PartColumns, list[Any]]:
    """Return what is exported of the problems or algorithms, and another column of theirs."""
    sources = {column.name: column.part.partition(".") for column in COLUMNS}
    stored = {name: column for name, (of, _, column) in sources.items() if of == table}
    selected = ", ".join(("id", *stored.values(), extra))
    rows = _select(connection, table, selected, everything)
    ids, *texts, others = zip(*rows, strict=True) if rows else [()] * (len(stored) + 2)
    positions = {part_id: position for position, part_id in enumerate(ids)}
    return PartColumns(positions, dict(zip(stored, map(_texts, texts), strict=True))), list(others)


def _texts(values: Iterable[str | None]) -> pa.Array:
    return pa.array(list(values), pa.string()).dictionary_encode()


def _label(values: Sequence[str | float | bool | None]) -> pa.Array:
    """Return a label's column: numbers if all are, else text."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool}:
        return pa.array(values, pa.bool_())
    if kinds == {int}:
        return pa.array(values, pa.int64())
    if kinds and kinds <= {int, float}:
        return pa.array([None if value is None else float(value) for value in values])
    return _texts(v if v is None or isinstance(v, str) else json.dumps(v) for v in values)


def _refuse_duplicates(names: list[str]) -> None:
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise StoreRefused(
            f"labels, metrics and diagnostics share columns, and {listed(twice)} is there twice; "
            "rename a metric's label in the study"
        )


@dataclass(frozen=True, eq=False, repr=False)
class StudyTable(Shown):
    """The rows of a study as a data frame.

    Parameters
    ----------
    frame : DataFrame
        One row for each task, in the order of the study; nan where there is no number.
    metrics, diagnostics, labels : tuple of str
        Its columns by what they are.
    better : dict
        For each metric whether "high" or "low" is better.
    controls : tuple of str
        The columns with numbers of each estimate that are no scores: what chance gives.
    """

    frame: pd.DataFrame
    metrics: tuple[str, ...]
    diagnostics: tuple[str, ...]
    labels: tuple[str, ...]
    better: dict[str, Better]
    controls: tuple[str, ...] = ()

    def document(self) -> document.Document:
        """Return the size of the table, and how many rows each algorithm has by status."""
        counts = pd.crosstab(self.frame["algorithm"], self.frame["status"])
        columns = [document.Column("algorithm", "algorithm")]
        columns += [document.Column(str(status), str(status), "count") for status in counts.columns]
        rows = [
            [name, *row.tolist()] for name, row in zip(counts.index, counts.values, strict=True)
        ]
        size = f"{counted(len(self.frame), 'row')}, {counted(len(self.frame.columns), 'column')}"
        return document.Document(
            "Study table",
            f"Metrics: {', '.join(self.metrics) or 'none'}",
            [document.Table("rows-by-status", columns, rows, "Rows by status")],
            about=size,
        )


def study_table(
    folder: Path | str, *, purpose: Purpose = "main", everything: bool = False
) -> StudyTable:
    """Return the rows of a study, also while it runs.

    Parameters
    ----------
    folder : Path or str
        Of the store.
    purpose : {"main", "tuning"}
        The rows of the study, or those of the runs that chose hyperparameters.
    everything : bool
        Include rows of problems, algorithms, metrics and replicates that the
        study file no longer has.
    """
    with read_store(folder) as reader:
        with reader.sound():
            columns = read_columns(reader.connection, everything=everything)
        batches = list(arrow_batches(reader, columns, purpose, everything=everything))
    table = pa.Table.from_batches(batches).unify_dictionaries()
    batches.clear()
    return as_study_table(table, columns)


def problem_table(reader: StoreReader) -> tuple[pd.DataFrame, list[str], list[str]]:
    """Return the problems of a store, and the names of its diagnostics and metrics.

    A row for each problem of the study as it was last run: its name, scheme, graph key and labels,
    and ``data_sets``, how many are made of it.
    """
    with reader.sound():
        columns = read_columns(reader.connection, everything=False)
        single = _select(reader.connection, "problems", HAS_ONE_DATA_SET, everything=False)
    problems = pd.DataFrame(
        {name: column.to_pylist() for name, column in columns.problems.columns.items()}
    )
    problems["data_sets"] = [1 if is_single else reader.replicates for (is_single,) in single]
    return problems, [*columns.diagnostics.values()], [*columns.metrics.values()]


def as_study_table(table: pa.Table, columns: Columns) -> StudyTable:
    """Return rows as a data frame, with what their columns are; uses the table up."""
    # Hands the columns over where it can, instead of copying the table.
    frame = table.to_pandas(split_blocks=True, self_destruct=True)
    pa.default_memory_pool().release_unused()
    frame["status"] = frame["status"].cat.set_categories(list(get_args(Status)))
    scores: dict[str, Better] = {
        name: better for name, better in columns.better.items() if better != "none"
    }
    return StudyTable(
        frame,
        tuple(name for name in columns.metrics.values() if name in scores),
        tuple(columns.diagnostics.values()),
        columns.labels,
        scores,
        tuple(name for name in columns.metrics.values() if name not in scores),
    )


# The rows of a store as Arrow batches in a stable order, never all of them in memory.

_SELECTED = """
    purpose = :purpose AND algorithm IS NOT NULL AND (:everything OR (problems.place IS NOT NULL
        AND replicate < CASE purpose WHEN 'main' THEN replicates ELSE systems END))"""

# Not through an index, whose damage would go unnoticed.
_FROM = """
    FROM rows NOT INDEXED
    LEFT JOIN problems ON problems.id = problem
    LEFT JOIN algorithms ON algorithms.id = algorithm"""

# All rows are read, and so checked: damage may hide one that should be in the table. The order
# is that of the study, not of ids in the store: a store that grew part by part gives the same
# table as one that had them all from the start. The diagnostics come before the rows they are of.
_ROWS = f"""
    SELECT {CHECKED}, {_SELECTED} {_FROM}
    ORDER BY problems.place IS NULL, problems.place, problem, replicate, purpose,
        algorithm IS NOT NULL, algorithms.place IS NULL, algorithms.place, algorithm"""

_FIELDS = ("id", "checksum", *CELLS, "selected")


def count_rows(connection: sqlite3.Connection, purpose: Purpose, *, everything: bool) -> int:
    """Return the number of rows that `arrow_batches` yields."""
    values = {"purpose": purpose, "everything": everything}
    counted = connection.execute(f"SELECT count(*) {_FROM} WHERE {_SELECTED}", values)
    return int(counted.fetchone()[0])


def arrow_batches(
    reader: StoreReader, columns: Columns, purpose: Purpose, *, everything: bool
) -> Iterator[pa.RecordBatch]:
    """Yield the table in batches, at least one.

    Raises
    ------
    StoreRefused
        A row is not as it was written; this may come after some batches.
    """
    measured = _Measured(list(columns.diagnostics))
    n_batches = 0
    values = {"purpose": purpose, "everything": everything}
    for chunk in _sound_chunks(reader, values):
        with reader.sound():
            measured.add(chunk)
            selected = [row for row in chunk.rows if row[-1]]
            batch = _batch(columns, selected, chunk.scores, measured) if selected else None
        if batch is not None:
            n_batches += 1
            yield batch
    if not n_batches:
        yield empty_batch(columns)


def empty_batch(columns: Columns) -> pa.RecordBatch:
    """Return a batch without rows: the columns that all others have."""
    return _batch(columns, [], Numbers.none(), _Measured(list(columns.diagnostics)))


def _sound_chunks(reader: StoreReader, values: dict[str, Any]) -> Iterator[Chunk]:
    """Yield all rows in their order, and refuse a store with damaged ones."""
    connection = reader.connection
    present = total = 0
    with reader.sound():
        try:
            for chunk in read_chunks(connection.execute(_ROWS, values)):
                if chunk.damaged:
                    raise rows_refusal(reader.path, row_damage(connection))
                present += len(chunk.rows)
                total += sum(row[1] for row in chunk.rows)
                yield chunk
        except sqlite3.OperationalError as error:  # such as a text that is not UTF-8
            if damage := row_damage(connection):
                raise rows_refusal(reader.path, damage) from error
            raise
        if (present, total) != seals_of(connection)["rows"]:
            raise rows_refusal(reader.path, row_damage(connection))


class _Measured:
    """The diagnostics of problems and replicates, as they come before the rows they are of."""

    def __init__(self, diagnostics: Sequence[int]) -> None:
        self._diagnostics = diagnostics
        self._indices: dict[tuple[Any, ...], int] = {}
        self._matrix: Values = np.empty((0, len(diagnostics)))

    def add(self, chunk: Chunk) -> None:
        """Take those of a chunk; the last of the chunk before may have rows in this one."""
        end = len(self._matrix) - 1
        last = {about: 0 for about, index in self._indices.items() if index == end}
        rows = [row for row in chunk.rows if row[_FIELDS.index("algorithm")] is None]
        new = chunk.measurements.matrix([row[0] for row in rows], self._diagnostics)
        self._matrix = np.vstack([self._matrix[-1:], new]) if last else new
        self._indices = last | {_about(row): len(last) + i for i, row in enumerate(rows)}

    def of(self, rows: Sequence[Row]) -> Values:
        """Return the diagnostics of each row's problem and replicate, nan where there are none."""
        missing = np.full((1, len(self._diagnostics)), np.nan)
        indices = map(self._indices.get, map(_about, rows), repeat(-1))
        return np.vstack([self._matrix, missing])[list(indices)]


_about = itemgetter(*map(_FIELDS.index, ("purpose", "problem", "replicate")))


def _batch(
    columns: Columns, rows: Sequence[Row], scores: Numbers, measured: _Measured
) -> pa.RecordBatch:
    cells = dict(zip(_FIELDS, list(zip(*rows, strict=True)) or [()] * len(_FIELDS), strict=True))
    parts = {
        "problems": _taken(columns.problems, cells["problem"]),
        "algorithms": _taken(columns.algorithms, cells["algorithm"]),
    }
    labels = {label: parts["problems"][label] for label in columns.labels}
    matrix = scores.matrix(cells["id"], list(columns.metrics))
    return pa.RecordBatch.from_pydict(
        _shown("front", cells, parts)
        | labels
        | _shown("settings", cells, parts)
        | _as_columns(columns.metrics.values(), matrix)
        | _as_columns(columns.diagnostics.values(), measured.of(rows))
        | _shown("end", cells, parts)
    )


def _shown(
    position: Position,
    cells: Mapping[str, Sequence[Any]],
    parts: Mapping[str, Mapping[str, pa.Array]],
) -> dict[str, pa.Array]:
    """Return the columns of the schema that are exported at a position, in its order."""
    return {
        column.name: parts[column.part.partition(".")[0]][column.name]
        if column.part
        else _ARRAYS[column.kind](cells[column.name])
        for column in COLUMNS
        if column.position == position
    }


_ARRAYS: dict[str, Callable[[Sequence[Any]], pa.Array]] = {
    "text": lambda values: pa.array(values, pa.string()),
    "repeated": _texts,
    "integer": lambda values: pa.array(values, pa.int32()),
    "number": lambda values: pa.array(values, pa.float64()),
}


def _taken(part: PartColumns, ids: Iterable[int]) -> dict[str, pa.Array]:
    positions = pa.array([part.positions[part_id] for part_id in ids], pa.int32())
    return {name: array.take(positions) for name, array in part.columns.items()}


def _as_columns(names: Iterable[str], matrix: Values) -> dict[str, pa.Array]:
    # from_pandas: nan becomes null, an empty cell in CSV.
    return {
        name: pa.array(column, pa.float64(), from_pandas=True)
        for name, column in zip(names, np.ascontiguousarray(matrix.T), strict=True)
    }
