"""Checks the rows and graphs of a bundle: each is of the task that its key stands for."""

from __future__ import annotations

import csv
import math
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, get_args

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from causalassay.common.spelling import shown
from causalassay.lab.bundling import contents
from causalassay.lab.bundling.contents import read_archive
from causalassay.study.graph_export import HEAD, graph_file_names
from causalassay.study.plan import Status, Study, row_key
from causalassay.study.storage import schema as sql_schema
from causalassay.study.storage.exporting import exported_schema, inert_text
from causalassay.study.storage.records import register_parts
from causalassay.study.storage.table import PartColumns, StudyTable, as_study_table, read_columns

MOST_TASKS = 500_000
"""Rows of a study that can be bundled and checked."""
MOST_TABLE = 250_000_000
"""Bytes of the table of rows, as it is packed."""
MOST_UNPACKED = 1_000_000_000
"""Bytes of a table or of all graphs, unpacked."""
LONGEST_LINE = 10_000_000
"""Characters of a line of a table as text."""


def refuse_too_many_tasks(study: Study) -> None:
    """Refuse a study that is too large to be checked."""
    tasks = study.n_tasks["main"]
    if tasks > MOST_TASKS:
        raise ValueError(
            f"the study has {tasks} tasks, and a bundle can have at most {MOST_TASKS}; bundle "
            "parts of it as studies of their own"
        )


class RowCheck:
    """What the rows of a study must say.

    Parameters
    ----------
    study : Study
    """

    def __init__(self, study: Study) -> None:
        with closing(sqlite3.connect(":memory:")) as connection:
            for statement in sql_schema.TABLES:
                connection.execute(statement)
            ids = register_parts(connection, study)
            self.columns = read_columns(connection, everything=False)
        self.study = study
        self.schema = exported_schema(self.columns)
        self._problems = _stated(self.columns.problems, ids.problems)
        self._algorithms = _stated(self.columns.algorithms, ids.algorithms)

    def check(self, folder: Path) -> StudyTable:
        """Return the rows of a bundle, or raise where one is not what its key stands for."""
        table = self._table(folder / contents.ROWS)
        heads = [inert_text(name) for name in self.schema.names]
        lines = _csv_rows(folder / contents.ROWS_CSV, heads)
        graphs = _csv_rows(folder / contents.GRAPH_INDEX, HEAD)
        files: dict[str, tuple[str, str]] = {}
        before: dict[str, Any] = {}
        expected = self._tasks()
        for row in _rows(table):
            self._check_task(row, expected)
            self._check_outcome(row, before)
            self._check_line(row, next(lines, None))
            _check_graph(row, next(graphs, None), files)
            before = row
        for name, rest in {contents.ROWS_CSV: lines, contents.GRAPH_INDEX: graphs}.items():
            if next(rest, None) is not None:
                raise ValueError(f"{name} has more rows than {contents.ROWS}")
        _check_archive(folder / contents.GRAPHS, files)
        return as_study_table(self._as_stored(table), self.columns)

    def _table(self, path: Path) -> pa.Table:
        """Return the table of rows, texts as plain texts, if it has the study's columns."""
        size = path.stat().st_size
        if size > MOST_TABLE:
            raise ValueError(f"{path.name} has {size} bytes, expected at most {MOST_TABLE}")
        texts = [field.name for field in self.schema if pa.types.is_string(field.type)]
        try:
            with parquet.ParquetFile(path, read_dictionary=texts) as file:
                self._refuse_table(path.name, file)
                stored = file.read(use_threads=False)
        except (pa.ArrowException, OSError) as error:
            raise ValueError(f"{path.name} cannot be read ({error}); it is damaged") from None
        if sum(_decoded_bytes(stored[name]) for name in texts) > MOST_UNPACKED:
            raise ValueError(f"{path.name} has texts of more than {MOST_UNPACKED} bytes")
        return stored.cast(self.schema)

    def _refuse_table(self, name: str, file: parquet.ParquetFile) -> None:
        """Refuse a table by what its metadata say, before any row is read."""
        about = file.metadata
        if about.num_rows > MOST_TASKS:
            raise ValueError(f"{name} has {about.num_rows} rows, expected at most {MOST_TASKS}")
        groups = [about.row_group(number) for number in range(about.num_row_groups)]
        if sum(group.total_byte_size for group in groups) > MOST_UNPACKED:
            raise ValueError(f"{name} unpacks to more than {MOST_UNPACKED} bytes")
        # Others unpack to a thousand times their size; ours are written so.
        packed = {group.column(n).compression for group in groups for n in range(group.num_columns)}
        if not packed <= {"SNAPPY"}:
            raise ValueError(f"{name} is packed by {sorted(packed)}, expected SNAPPY")
        plain = [(field.name, _plain_type(field.type)) for field in file.schema_arrow]
        if plain != [(field.name, field.type) for field in self.schema]:
            raise ValueError(f"{name} has other columns than the rows of this study")

    def _tasks(self) -> Iterator[tuple[str, int, int, int]]:
        """Yield the keys of all rows in their order: problem, replicate and algorithm of each."""
        for problem in range(len(self.study.problems)):
            for replicate in range(self.study.replicates_of(problem)):
                for algorithm in self.study.listed:
                    key = row_key(self.study, "main", problem, replicate, algorithm)
                    yield key, problem, replicate, algorithm

    def _check_task(
        self, row: Mapping[str, Any], expected: Iterator[tuple[str, int, int, int]]
    ) -> None:
        task = next((task for task in expected if task[0] == row["key"]), None)
        if task is None:
            raise ValueError(
                f"{contents.ROWS}: the row {shown(row['key'])} does not belong to the study, or is "
                "there twice or in another order; it comes from another study or version"
            )
        _, problem, replicate, algorithm = task
        stated = self._problems[problem] | self._algorithms[algorithm] | {"replicate": replicate}
        for name, value in stated.items():
            if row[name] != value:
                raise ValueError(
                    f"{contents.ROWS} has {name} {shown(row[name])} in row {row['key']}, and its "
                    f"key stands for {shown(value)}"
                )

    def _check_outcome(self, row: Mapping[str, Any], before: Mapping[str, Any]) -> None:
        """Refuse numbers and reasons that no row with such a status has."""
        key, status = row["key"], row["status"]
        if status not in get_args(Status):
            raise ValueError(f"{contents.ROWS} has the status {shown(status)} in row {key}")
        scored = [name for name in self.columns.metrics.values() if row[name] is not None]
        if status != "ok" and scored:
            raise ValueError(
                f"{contents.ROWS}: row {key} is {status}, and has {scored[0]} all the same"
            )
        if status == "ok" and row["reason"]:
            raise ValueError(
                f"{contents.ROWS}: row {key} is {status}, with the reason {row['reason']}"
            )
        same = before and all(row[name] == before[name] for name in ("problem", "replicate"))
        for name in self.columns.diagnostics.values() if same else ():
            if row[name] != before[name]:
                raise ValueError(
                    f"{contents.ROWS} has two values of {name} for one data set: rows "
                    f"{before['key']} and {key}"
                )

    def _check_line(self, row: Mapping[str, Any], line: Mapping[str, str] | None) -> None:
        """Refuse a row whose text in the other table is not the same."""
        if line is None:
            raise ValueError(f"{contents.ROWS_CSV} has fewer rows than {contents.ROWS}")
        for name, text in zip(self.schema.names, line.values(), strict=True):
            if not _same(text, row[name]):
                raise ValueError(
                    f"{contents.ROWS_CSV} has {name} {shown(text)} in row {row['key']}, and "
                    f"{contents.ROWS} has {shown(row[name])}"
                )

    def _as_stored(self, table: pa.Table) -> pa.Table:
        """Return the rows as a store gives them: texts as dictionaries, in the study's order."""
        parts = {**self.columns.problems.columns, **self.columns.algorithms.columns}
        for number, name in enumerate(table.column_names):
            column = table[name].combine_chunks()
            part = parts.get(name)
            if part is not None and pa.types.is_dictionary(part.type):
                order = pc.index_in(column, part.dictionary)
                coded = pa.DictionaryArray.from_arrays(order, part.dictionary)
            elif name in sql_schema.FEW_TEXTS:
                coded = column.dictionary_encode()
            else:
                coded = column
            table = table.set_column(number, name, coded)
        return table


def _stated(part: PartColumns, ids: Sequence[int]) -> list[dict[str, Any]]:
    """Return what the table says of each problem, or of each algorithm."""
    cells = {name: array.to_pylist() for name, array in part.columns.items()}
    return [
        {name: values[part.positions[number]] for name, values in cells.items()} for number in ids
    ]


def _plain_type(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _decoded_bytes(column: pa.ChunkedArray) -> int:
    """Return how many bytes the texts of a column have, those of equal rows counted each."""
    total = 0
    for chunk in column.chunks:
        lengths = pc.binary_length(chunk.dictionary)
        total += pc.sum(pc.take(lengths, chunk.indices).cast(pa.int64())).as_py() or 0
    return total


def _rows(table: pa.Table) -> Iterator[dict[str, Any]]:
    for batch in table.to_batches(max_chunksize=4096):
        yield from batch.to_pylist()


def _csv_rows(path: Path, heads: Sequence[str]) -> Iterator[dict[str, str]]:
    """Yield the lines of a table as text, if it has these columns."""
    with path.open(newline="", encoding="utf-8") as file:
        try:
            reader = csv.reader(_bounded_lines(file, path.name))
            if next(reader, []) != list(heads):
                raise ValueError(f"{path.name} has other columns than the rows of this study")
            for fields in reader:
                if len(fields) != len(heads):
                    raise ValueError(
                        f"{path.name}: line {reader.line_num} has {len(fields)} fields"
                    )
                yield dict(zip(heads, fields, strict=True))
        except (csv.Error, UnicodeDecodeError) as error:
            raise ValueError(f"{path.name} cannot be read ({error}); it is damaged") from None


def _bounded_lines(file: Any, name: str) -> Iterator[str]:
    while line := file.readline(LONGEST_LINE):
        if len(line) == LONGEST_LINE:
            raise ValueError(f"{name} has a line of more than {LONGEST_LINE} characters")
        yield line


def _same(text: str, value: Any) -> bool:
    """Tell whether a cell of a table as text stands for a value.

    Examples
    --------
    >>> _same("", None), _same("true", True), _same("0.5", 0.5), _same("'=1", "=1"), _same("1", "2")
    (True, True, True, True, False)
    """
    if isinstance(value, float):
        try:
            return float(text) == value or (math.isnan(value) and text in ("", "nan"))
        except ValueError:
            return math.isnan(value) and not text
    if value is None:
        return not text
    plain = str(value).lower() if isinstance(value, bool) else str(value)
    return text == (inert_text(plain) if isinstance(value, str) else plain)


def _check_graph(
    row: Mapping[str, Any], line: Mapping[str, str] | None, files: dict[str, tuple[str, str]]
) -> None:
    """Refuse a line of the index that is not of this row; note its graph and its edges."""
    if line is None:
        raise ValueError(f"{contents.GRAPH_INDEX} has fewer rows than {contents.ROWS}")
    for name in ("key", "problem", "replicate", "algorithm", "status"):
        if not _same(line[name], row[name]):
            raise ValueError(
                f"{contents.GRAPH_INDEX} has {name} {shown(line[name])} in row {row['key']}, and "
                f"{contents.ROWS} has {shown(row[name])}"
            )
    if row["reason"] and not _same(line["reason"], row["reason"]):
        raise ValueError(f"{contents.GRAPH_INDEX} has another reason in row {row['key']}")
    # A row has a graph, or a reason why not; only one that is ok has a graph.
    named = line["file"] == "" or line["file"] in graph_file_names(row, ".csv")
    whole = bool(line["file"]) != bool(line["reason"])
    if not (named and whole and (row["status"] == "ok" or not line["file"])):
        raise ValueError(
            f"{contents.GRAPH_INDEX}: row {row['key']} is {row['status']}, with the graph "
            f"{shown(line['file'])} and the reason {shown(line['reason'])}"
        )
    if line["file"]:
        files[line["file"]] = line["directed"], line["undirected"]


def _check_archive(path: Path, files: dict[str, tuple[str, str]]) -> None:
    """Refuse an archive of graphs that has other graphs than its index says."""
    n_graphs = 0
    for name, content in read_archive(path, len(files), MOST_UNPACKED):
        if name not in files:
            raise ValueError(
                f"{path.name} has {shown(name)}, which {contents.GRAPH_INDEX} does not name"
            )
        n_graphs += 1
        try:
            edges = [line[2] for line in csv.reader(content.decode().splitlines()[1:])]
        except (UnicodeDecodeError, csv.Error, IndexError):
            raise ValueError(f"{path.name}: {name} is no list of edges") from None
        counted = str(edges.count("->")), str(edges.count("--"))
        if counted != files[name]:
            raise ValueError(
                f"{path.name}: {name} has {counted[0]} directed and {counted[1]} undirected edges, "
                f"and {contents.GRAPH_INDEX} says {shown(files[name][0])} and "
                f"{shown(files[name][1])}"
            )
    if n_graphs < len(files):
        raise ValueError(
            f"{path.name} has {n_graphs} graphs, and {contents.GRAPH_INDEX} names {len(files)}"
        )
