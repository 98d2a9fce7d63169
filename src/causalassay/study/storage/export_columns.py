"""The columns of a study's table: its problems, algorithms, metrics and diagnostics."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from causalassay.common.spelling import listed
from causalassay.metrics.registry import Better
from causalassay.study.storage.refusals import StoreRefused


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
    problems, labels = _problems(connection, everything)
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
        problems,
        _algorithms(connection, everything),
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


def _problems(
    connection: sqlite3.Connection, everything: bool
) -> tuple[PartColumns, tuple[str, ...]]:
    rows = _select(connection, "problems", "id, name, scheme, graph_key, labels", everything)
    labels_of = [json.loads(labels) for *_, labels in rows]
    labels = tuple(dict.fromkeys(name for entry in labels_of for name in entry))
    columns = {
        "problem": _strings(name for _, name, *_ in rows),
        "scheme": _strings(scheme for _, _, scheme, *_ in rows),
        "graph_key": _strings(key for _, _, _, key, _ in rows),
    }
    columns |= {name: _label([entry.get(name) for entry in labels_of]) for name in labels}
    return PartColumns(_positions(rows), columns), labels


def _algorithms(connection: sqlite3.Connection, everything: bool) -> PartColumns:
    rows = _select(connection, "algorithms", "id, name, role, use, parameters", everything)
    columns = {
        "algorithm": _strings(name for _, name, *_ in rows),
        "role": _strings(role for _, _, role, *_ in rows),
        "use": _strings(use for *_, use, _ in rows),
        "parameters": _strings(parameters for *_, parameters in rows),
    }
    return PartColumns(_positions(rows), columns)


def _positions(rows: list[tuple[Any, ...]]) -> dict[int, int]:
    return {part_id: position for position, (part_id, *_) in enumerate(rows)}


def _strings(values: Iterable[str | None]) -> pa.Array:
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
    return _strings(v if v is None or isinstance(v, str) else json.dumps(v) for v in values)


def _refuse_duplicates(names: list[str]) -> None:
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise StoreRefused(
            f"labels, metrics and diagnostics share columns, and {listed(twice)} is there twice; "
            "rename a metric's label in the study"
        )
