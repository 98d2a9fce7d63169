"""The rows of a store as Arrow batches in a stable order, never all of them in memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from operator import itemgetter
from typing import Any

import numpy as np
import pyarrow as pa

from causalassay.arrays import Values
from causalassay.study.plan import Purpose
from causalassay.study.storage.export_columns import Columns, PartColumns
from causalassay.study.storage.reader import StoreReader
from causalassay.study.storage.refusals import rows_refusal
from causalassay.study.storage.row_checks import (
    CELLS,
    COLUMNS,
    Chunk,
    Numbers,
    Row,
    read_chunks,
    row_damage,
)
from causalassay.study.storage.seals import seals_of

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
    SELECT {COLUMNS}, {_SELECTED} {_FROM}
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
    found = total = 0
    with reader.sound():
        try:
            for chunk in read_chunks(connection.execute(_ROWS, values)):
                if chunk.damaged:
                    raise rows_refusal(reader.path, row_damage(connection))
                found += len(chunk.rows)
                total += sum(row[1] for row in chunk.rows)
                yield chunk
        except sqlite3.OperationalError as error:  # such as a text that is not UTF-8
            if damage := row_damage(connection):
                raise rows_refusal(reader.path, damage) from error
            raise
        if (found, total) != seals_of(connection)["rows"]:
            raise rows_refusal(reader.path, row_damage(connection))


class _Measured:
    """The diagnostics of problems and replicates, as they come before the rows they are of."""

    def __init__(self, diagnostics: Sequence[int]) -> None:
        self._diagnostics = diagnostics
        self._places: dict[tuple[Any, ...], int] = {}
        self._matrix: Values = np.empty((0, len(diagnostics)))

    def add(self, chunk: Chunk) -> None:
        """Take those of a chunk; the last of the chunk before may have rows in this one."""
        last = {about: 0 for about, place in self._places.items() if place == len(self._matrix) - 1}
        rows = [row for row in chunk.rows if row[_FIELDS.index("algorithm")] is None]
        new = chunk.measurements.matrix([row[0] for row in rows], self._diagnostics)
        self._matrix = np.vstack([self._matrix[-1:], new]) if last else new
        self._places = last | {_about(row): len(last) + i for i, row in enumerate(rows)}

    def of(self, rows: Sequence[Row]) -> Values:
        """Return the diagnostics of each row's problem and replicate, nan where there are none."""
        missing = np.full((1, len(self._diagnostics)), np.nan)
        places = map(self._places.get, map(_about, rows), repeat(-1))
        return np.vstack([self._matrix, missing])[list(places)]


_about = itemgetter(*map(_FIELDS.index, ("purpose", "problem", "replicate")))


def _batch(
    columns: Columns, rows: Sequence[Row], scores: Numbers, measured: _Measured
) -> pa.RecordBatch:
    cells = list(zip(*rows, strict=True)) or [()] * len(_FIELDS)
    of = dict(zip(_FIELDS, cells, strict=True))
    of_problem = _taken(columns.problems, of["problem"])
    of_algorithm = _taken(columns.algorithms, of["algorithm"])
    arrays = {
        "key": pa.array(of["key"], pa.string()),
        "problem": of_problem["problem"],
        "replicate": pa.array(of["replicate"], pa.int32()),
        "algorithm": of_algorithm["algorithm"],
        "role": of_algorithm["role"],
        "use": of_algorithm["use"],
        "status": _encoded(of["status"]),
        "reason": _encoded(of["reason"]),
        "seconds": pa.array(of["seconds"], pa.float64()),
        "host": _encoded(of["host"]),
        "scheme": of_problem["scheme"],
        "graph_key": of_problem["graph_key"],
    }
    arrays |= {label: of_problem[label] for label in columns.labels}
    arrays["parameters"] = of_algorithm["parameters"]
    matrix = scores.matrix(of["id"], list(columns.metrics))
    arrays |= _as_columns(columns.metrics.values(), matrix)
    arrays |= _as_columns(columns.diagnostics.values(), measured.of(rows))
    arrays["notes"] = pa.array(of["notes"], pa.string())
    return pa.RecordBatch.from_pydict(arrays)


def _taken(part: PartColumns, ids: Iterable[int]) -> dict[str, pa.Array]:
    positions = pa.array([part.positions[part_id] for part_id in ids], pa.int32())
    return {name: array.take(positions) for name, array in part.columns.items()}


def _encoded(values: Sequence[str | None]) -> pa.Array:
    return pa.array(values, pa.string()).dictionary_encode()


def _as_columns(names: Iterable[str], matrix: Values) -> dict[str, pa.Array]:
    # from_pandas: nan becomes null, an empty cell in CSV.
    return {
        name: pa.array(column, pa.float64(), from_pandas=True)
        for name, column in zip(names, np.ascontiguousarray(matrix.T), strict=True)
    }
