"""The rows of a store as Arrow batches in a stable order, never all of them in memory."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from causalassay.arrays import Values
from causalassay.study.plan import Purpose
from causalassay.study.storage.export_columns import Columns, PartColumns

CHUNK = 20_000
"""Rows of a batch."""

_FROM = """
    FROM rows
    JOIN problems ON problems.id = problem
    JOIN algorithms ON algorithms.id = algorithm
    WHERE purpose = :purpose AND (:everything OR (problems.place IS NOT NULL
        AND replicate < CASE purpose WHEN 'main' THEN replicates ELSE systems END))"""

# The order is that of the study, not of ids in the store: a store that
# grew part by part gives the same table as one that had them all from the start.
_ROWS = f"""
    SELECT rows.id, rows.key, problem, replicate, algorithm, status, reason, seconds, host, notes,
        (SELECT about.id FROM rows AS about WHERE about.problem = rows.problem
            AND about.replicate = rows.replicate AND about.purpose = rows.purpose
            AND about.algorithm IS NULL)
    {_FROM}
    ORDER BY problems.place IS NULL, problems.place, problem, replicate,
        algorithms.place IS NULL, algorithms.place, algorithm"""
_N_FIELDS = 11


def count_rows(connection: sqlite3.Connection, purpose: Purpose, *, everything: bool) -> int:
    """Return the number of rows that `arrow_batches` yields."""
    values = {"purpose": purpose, "everything": everything}
    return int(connection.execute(f"SELECT count(*) {_FROM}", values).fetchone()[0])


def arrow_batches(
    connection: sqlite3.Connection, columns: Columns, purpose: Purpose, *, everything: bool
) -> Iterator[pa.RecordBatch]:
    """Yield the table in batches, the first even if there are no rows."""
    rows = connection.execute(_ROWS, {"purpose": purpose, "everything": everything})
    first = True
    while (chunk := rows.fetchmany(CHUNK)) or first:
        yield _batch(connection, columns, chunk)
        first = False


def _batch(
    connection: sqlite3.Connection, columns: Columns, rows: Sequence[tuple[Any, ...]]
) -> pa.RecordBatch:
    fields = list(zip(*rows, strict=True)) or [()] * _N_FIELDS
    ids, keys, problem, replicate, algorithm, status, reason, seconds, host, notes, about = fields
    of_problem = _taken(columns.problems, problem)
    of_algorithm = _taken(columns.algorithms, algorithm)
    arrays = {
        "key": pa.array(keys, pa.string()),
        "problem": of_problem["problem"],
        "replicate": pa.array(replicate, pa.int32()),
        "algorithm": of_algorithm["algorithm"],
        "role": of_algorithm["role"],
        "use": of_algorithm["use"],
        "status": _encoded(status),
        "reason": _encoded(reason),
        "seconds": pa.array(seconds, pa.float64()),
        "host": _encoded(host),
        "scheme": of_problem["scheme"],
        "graph_key": of_problem["graph_key"],
    }
    arrays |= {label: of_problem[label] for label in columns.labels}
    arrays["parameters"] = of_algorithm["parameters"]
    arrays |= _scores(connection, ids, columns.metrics)
    arrays |= _measurements(connection, about, columns.diagnostics)
    arrays["notes"] = pa.array(notes, pa.string())
    return pa.RecordBatch.from_pydict(arrays)


def _taken(part: PartColumns, ids: Iterable[int]) -> dict[str, pa.Array]:
    positions = pa.array([part.positions[part_id] for part_id in ids], pa.int32())
    return {name: array.take(positions) for name, array in part.columns.items()}


def _encoded(values: Sequence[str | None]) -> pa.Array:
    return pa.array(values, pa.string()).dictionary_encode()


def _scores(
    connection: sqlite3.Connection, ids: Sequence[int], metrics: Mapping[int, str]
) -> dict[str, pa.Array]:
    scores = _numbers(connection, "scores", ids, list(metrics))
    return _as_columns(metrics.values(), scores)


def _measurements(
    connection: sqlite3.Connection, about: Sequence[int | None], diagnostics: Mapping[int, str]
) -> dict[str, pa.Array]:
    """Return the diagnostics of each row's problem and replicate."""
    ids = [row for row in dict.fromkeys(about) if row is not None]
    measured = _numbers(connection, "measurements", ids, list(diagnostics))
    missing = np.full((1, len(diagnostics)), np.nan)
    positions = {row: position for position, row in enumerate(ids)}
    repeated = np.vstack([measured, missing])[[positions.get(row or -1, -1) for row in about]]
    return _as_columns(diagnostics.values(), repeated)


def _numbers(
    connection: sqlite3.Connection, table: str, ids: Sequence[int], parts: Sequence[int]
) -> Values:
    """Return the numbers of rows, one column for each part, nan where there is none."""
    matrix = np.full((len(ids), len(parts)), np.nan)
    positions = {row: position for position, row in enumerate(ids)}
    columns = {part: column for column, part in enumerate(parts)}
    selected = connection.execute(
        f"SELECT * FROM {table} WHERE row IN (SELECT value FROM json_each(?))",
        (json.dumps(list(ids)),),
    )
    for row, part, value in selected:
        if value is not None and part in columns:
            matrix[positions[row], columns[part]] = value
    return matrix


def _as_columns(names: Iterable[str], matrix: Values) -> dict[str, pa.Array]:
    # from_pandas: nan becomes null, an empty cell in CSV.
    return {
        name: pa.array(column, pa.float64(), from_pandas=True)
        for name, column in zip(names, np.ascontiguousarray(matrix.T), strict=True)
    }
