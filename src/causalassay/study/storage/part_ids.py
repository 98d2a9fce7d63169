"""The parts of a study in its store: problems, algorithms, metrics, diagnostics and their ids."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from causalassay.metrics.registry import METRICS
from causalassay.study.keys import canonical
from causalassay.study.plan import AlgorithmEntry, MetricEntry, ProblemEntry, Study, measure_key
from causalassay.study.problem_specs import graph_address, scheme
from causalassay.study.reasons import readable


@dataclass(frozen=True)
class PartIds:
    """The id in the store of each part of the study, in the order of the study.

    Two indices may have one id: a candidate can equal an algorithm that is listed.
    """

    problems: tuple[int, ...]
    algorithms: tuple[int, ...]
    metrics: tuple[int, ...]
    diagnostics: tuple[int, ...]

    @cached_property
    def algorithm_indices(self) -> dict[int, tuple[int, ...]]:
        """The indices in the study of each algorithm, by its id."""
        indices: dict[int, tuple[int, ...]] = {}
        for index, part_id in enumerate(self.algorithms):
            indices[part_id] = (*indices.get(part_id, ()), index)
        return indices

    def metric_indices(self, ids: str) -> frozenset[int]:
        """Return the indices in the study of metrics whose ids are listed as "1,2,5"."""
        return _indices(self.metrics, ids)

    def diagnostic_indices(self, ids: str) -> frozenset[int]:
        """Return the indices in the study of diagnostics whose ids are listed as "1,2,5"."""
        return _indices(self.diagnostics, ids)


@lru_cache(maxsize=256)  # nearly all rows have the same ones
def _indices(parts: tuple[int, ...], ids: str) -> frozenset[int]:
    listed = {int(part_id) for part_id in ids.split(",") if part_id}
    return frozenset(index for index, part_id in enumerate(parts) if part_id in listed)


def refuse_duplicates(study: Study) -> None:
    """Refuse a study two of whose parts would share their rows or columns."""
    listed = [study.algorithms[index] for index in study.listed]
    named: dict[str, list[tuple[str, str]]] = {
        "problems": [(entry.key, entry.name) for entry in study.problems],
        "algorithms": [(entry.key, entry.name) for entry in listed],
        "metrics": [(entry.key, entry.label or entry.name) for entry in study.metrics],
        "diagnostics": [(name, name) for name in study.diagnostics],
    }
    for kind, parts in named.items():
        seen: dict[str, str] = {}
        for key, name in parts:
            if key in seen:
                raise ValueError(
                    f"the {kind} {seen[key]!r} and {name!r} are the same and would share "
                    "their rows; remove one"
                )
            seen[key] = name


def register_parts(connection: sqlite3.Connection, study: Study) -> PartIds:
    """Write a study's parts, mark those it no longer has, and return the ids."""
    connection.execute("UPDATE problems SET place = NULL")
    connection.execute("UPDATE algorithms SET place = NULL, replicates = 0, systems = 0")
    connection.execute("UPDATE metrics SET place = NULL")
    connection.execute("UPDATE diagnostics SET place = NULL")
    _upsert(connection, "problems", "key", map(_problem, enumerate(study.problems)))
    _upsert(connection, "algorithms", "key", _algorithms(study))
    _upsert(connection, "metrics", "key", map(_metric, enumerate(study.metrics)))
    measures = [measure_key(name) for name in study.diagnostics]
    diagnostics = ({"name": name, "place": index} for index, name in enumerate(measures))
    _upsert(connection, "diagnostics", "name", diagnostics)
    return PartIds(
        _ids(connection, "problems", "key", (entry.key for entry in study.problems)),
        _ids(connection, "algorithms", "key", (entry.key for entry in study.algorithms)),
        _ids(connection, "metrics", "key", (entry.key for entry in study.metrics)),
        _ids(connection, "diagnostics", "name", measures),
    )


def _problem(numbered: tuple[int, ProblemEntry]) -> dict[str, Any]:
    index, entry = numbered
    spec = entry.spec
    return {
        "key": entry.key,
        "name": readable(entry.name),
        "spec": _json(canonical(spec)),
        "labels": json.dumps(
            {
                readable(name): readable(value) if isinstance(value, str) else value
                for name, value in entry.labels.items()
            }
        ),
        "graph_key": graph_address(spec),
        "scheme": scheme(spec),
        "place": index,
    }


def _algorithms(study: Study) -> list[dict[str, Any]]:
    """Return one entry for each key: one that is listed names it, and its candidates add to it."""
    systems: dict[str, int] = {}
    for tuning in (entry.tuning for entry in study.algorithms if entry.tuning):
        for candidate in tuning.candidates:
            key = study.algorithms[candidate].key
            systems[key] = max(systems.get(key, 0), tuning.systems)
    chosen: dict[str, tuple[int, AlgorithmEntry]] = {}
    for index, entry in enumerate(study.algorithms):
        if entry.key not in chosen or chosen[entry.key][1].role == "candidate":
            chosen[entry.key] = index, entry
    return [
        {
            "key": key,
            "name": readable(entry.name),
            "use": readable(entry.use),
            "parameters": _json(entry.parameters),
            "role": entry.role,
            "replicates": 0 if entry.role == "candidate" else study.replicates,
            "systems": systems.get(key, 0),
            "place": index,
        }
        for key, (index, entry) in chosen.items()
    ]


def _metric(numbered: tuple[int, MetricEntry]) -> dict[str, Any]:
    index, entry = numbered
    return {
        "key": entry.key,
        "label": readable(entry.label or entry.name),
        "name": entry.name,
        "resolution": entry.resolution,
        "version": entry.version,
        "better": METRICS[entry.name].better,
        "place": index,
    }


def _upsert(
    connection: sqlite3.Connection, table: str, key: str, entries: Iterable[dict[str, Any]]
) -> None:
    """Insert the entries of a table or bring them up to date, known by the column `key`."""
    for entry in entries:
        names = ", ".join(entry)
        values = ", ".join(f":{name}" for name in entry)
        changes = ", ".join(f"{name} = excluded.{name}" for name in entry if name != key)
        connection.execute(
            f"INSERT INTO {table} ({names}) VALUES ({values}) "
            f"ON CONFLICT ({key}) DO UPDATE SET {changes}",
            entry,
        )


def _ids(
    connection: sqlite3.Connection, table: str, key: str, keys: Iterable[str]
) -> tuple[int, ...]:
    ids = dict(connection.execute(f"SELECT {key}, id FROM {table}"))
    return tuple(ids[name] for name in keys)


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))
