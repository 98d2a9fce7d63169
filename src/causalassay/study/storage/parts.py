"""The parts of a study in its store: which have a place now, and the numbers rows call them by."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from causalassay.metrics.registry import METRICS
from causalassay.study.keys import canonical
from causalassay.study.measures import measure_key
from causalassay.study.plan import AlgorithmEntry, MetricEntry, ProblemEntry, Study
from causalassay.study.problem_specs import graph_address, scheme


@dataclass(frozen=True)
class Parts:
    """The number in the store of each part of the study, in the order of the study.

    Two places may have one number: a candidate can equal an algorithm that is listed.
    """

    problems: tuple[int, ...]
    algorithms: tuple[int, ...]
    metrics: tuple[int, ...]
    diagnostics: tuple[int, ...]

    @cached_property
    def algorithm_places(self) -> dict[int | None, tuple[int | None, ...]]:
        """The places in the study of an algorithm's number; of None, None."""
        places: dict[int | None, tuple[int | None, ...]] = {None: (None,)}
        for place, number in enumerate(self.algorithms):
            places[number] = (*places.get(number, ()), place)
        return places

    def places_of_numbers(self, numbers: str, *, of_problem: bool) -> frozenset[int]:
        """Return the places of metrics, or of a problem's diagnostics, from "1,2,5"."""
        # Nearly all rows have the same ones.
        known = (numbers, of_problem)
        if known not in self._seen:
            places = self.diagnostics if of_problem else self.metrics
            found = {int(number) for number in numbers.split(",") if number}
            self._seen[known] = frozenset(i for i, part in enumerate(places) if part in found)
        return self._seen[known]

    @cached_property
    def _seen(self) -> dict[tuple[str, bool], frozenset[int]]:
        return {}


def refuse_twins(study: Study) -> None:
    """Refuse a study two of whose parts would share their rows or columns."""
    listed = [study.algorithms[place] for place in study.listed]
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
                    "their rows; take one out"
                )
            seen[key] = name


def register(connection: sqlite3.Connection, study: Study) -> Parts:
    """Write a study's parts, take the place of those it has no longer, and return the numbers."""
    connection.execute("UPDATE problems SET place = NULL")
    connection.execute("UPDATE algorithms SET place = NULL, replicates = 0, systems = 0")
    connection.execute("UPDATE metrics SET place = NULL")
    connection.execute("UPDATE diagnostics SET place = NULL")
    _upsert(connection, "problems", "key", map(_problem, enumerate(study.problems)))
    _upsert(connection, "algorithms", "key", _algorithms(study))
    _upsert(connection, "metrics", "key", map(_metric, enumerate(study.metrics)))
    measures = [measure_key(name) for name in study.diagnostics]
    diagnostics = ({"name": name, "place": i} for i, name in enumerate(measures))
    _upsert(connection, "diagnostics", "name", diagnostics)
    return Parts(
        _numbers(connection, "problems", "key", (entry.key for entry in study.problems)),
        _numbers(connection, "algorithms", "key", (entry.key for entry in study.algorithms)),
        _numbers(connection, "metrics", "key", (entry.key for entry in study.metrics)),
        _numbers(connection, "diagnostics", "name", measures),
    )


def _problem(placed: tuple[int, ProblemEntry]) -> dict[str, Any]:
    place, entry = placed
    spec = entry.spec
    return {
        "key": entry.key,
        "name": entry.name,
        "spec": _json(canonical(spec)),
        "labels": json.dumps(dict(entry.labels)),
        "graph_key": graph_address(spec),
        "scheme": scheme(spec),
        "place": place,
    }


def _algorithms(study: Study) -> list[dict[str, Any]]:
    """Return one entry for each key: one that is listed names it, and its candidates add to it."""
    systems: dict[str, int] = {}
    for tuning in (entry.tuning for entry in study.algorithms if entry.tuning):
        for candidate in tuning.candidates:
            key = study.algorithms[candidate].key
            systems[key] = max(systems.get(key, 0), tuning.systems)
    chosen: dict[str, tuple[int, AlgorithmEntry]] = {}
    for place, entry in enumerate(study.algorithms):
        if entry.key not in chosen or chosen[entry.key][1].role == "candidate":
            chosen[entry.key] = place, entry
    return [
        {
            "key": key,
            "name": entry.name,
            "use": entry.use,
            "parameters": _json(entry.parameters),
            "role": entry.role,
            "replicates": 0 if entry.role == "candidate" else study.replicates,
            "systems": systems.get(key, 0),
            "place": place,
        }
        for key, (place, entry) in chosen.items()
    ]


def _metric(placed: tuple[int, MetricEntry]) -> dict[str, Any]:
    place, entry = placed
    return {
        "key": entry.key,
        "label": entry.label or entry.name,
        "name": entry.name,
        "resolution": entry.resolution,
        "version": entry.version,
        "better": METRICS[entry.name].better,
        "place": place,
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


def _numbers(
    connection: sqlite3.Connection, table: str, key: str, keys: Iterable[str]
) -> tuple[int, ...]:
    found = dict(connection.execute(f"SELECT {key}, id FROM {table}"))
    return tuple(found[name] for name in keys)


def _json(thing: Any) -> str:
    return json.dumps(thing, sort_keys=True, separators=(",", ":"))
