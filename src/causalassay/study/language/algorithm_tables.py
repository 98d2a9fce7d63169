"""From the tables [[algorithms]] to the algorithms of a study, baselines and candidates too."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from causalassay.discovery import make_algorithm
from causalassay.study.keys import digest
from causalassay.study.language.construction import algorithm_class, build_algorithm
from causalassay.study.language.expansion import Member, expand
from causalassay.study.language.metric_tables import MetricReader
from causalassay.study.language.mistakes import Mistakes, Place, shown
from causalassay.study.language.naming import suffix
from causalassay.study.language.parameters import unknown_parameter
from causalassay.study.language.tables import (
    AlgorithmHead,
    LimitsTable,
    TuneTable,
    validated,
)
from causalassay.study.plan import AlgorithmEntry, Limits, Tuning

BASELINES = ("empty", "random-sortnregress", "var-sortnregress", "r2-sortnregress")
"""What stands beside the algorithms of every study, unless it says ``baselines = false``."""
SERIES_BASELINES = (
    "empty",
    "series-random-sortnregress",
    "series-var-sortnregress",
    "series-r2-sortnregress",
)
"""Where problems are series."""

_HEAD = tuple(AlgorithmHead.model_fields)
_LIMITS = tuple(LimitsTable.model_fields)


@dataclass(frozen=True)
class Tuned:
    """An algorithm whose candidates have no places yet."""

    entry: AlgorithmEntry
    candidates: list[AlgorithmEntry]
    table: TuneTable
    criterion: int


@dataclass(frozen=True)
class AlgorithmReader:
    """Reads the algorithms of one file.

    Parameters
    ----------
    limits : Limits
        Of each task, unless the algorithm has its own.
    metrics : MetricReader
        The study's; a criterion that is not among them is added.
    mistakes : Mistakes
    """

    limits: Limits
    metrics: MetricReader
    mistakes: Mistakes

    def read(self, table: Any, place: Place) -> list[tuple[AlgorithmEntry | Tuned, Place]]:
        """Return the algorithms that a table, or a name alone, stands for."""
        use_place = place if isinstance(table, str) else place.at("use")
        table = {"use": table} if isinstance(table, str) else table
        if not isinstance(table, Mapping):
            self.mistakes.add(place, f"got {shown(table)}, expected a name or a table")
            return []
        given = {key: one for key, one in table.items() if key in _HEAD}
        name = given.get("name")
        place = replace(place, name=name if isinstance(name, str) else "")
        head = validated(AlgorithmHead, given, place, self.mistakes)
        use = given.get("use")
        kind = algorithm_class(use, use_place, self.mistakes) if isinstance(use, str) else None
        if kind is None or use is None:
            return []
        base = {key: value for key, value in table.items() if key not in _HEAD}
        if head is None:
            self._plain(use, use, kind, base, place)
            return []
        members = [Member(base, {}, {})]
        if head.grid is not None:
            members = expand(base, head.grid, place.at("grid"), self.mistakes)
        found = []
        for member in members:
            here = replace(place, origins=member.origins)
            entry = self._entry(head, kind, member, here)
            if entry is not None:
                found.append((entry, here))
        return found

    def _entry(
        self, head: AlgorithmHead, kind: Any, member: Member, place: Place
    ) -> AlgorithmEntry | Tuned | None:
        name = f"{head.name or head.use} {suffix(member.varied)}".strip()
        if head.tune is not None:
            return self._tuning(head, name, kind, member, place)
        return self._plain(head.use, name, kind, member.table, place)

    def _plain(
        self, use: str, name: str, kind: Any, table: Mapping[str, Any], place: Place
    ) -> AlgorithmEntry | None:
        legal = [one.name for one in dataclasses.fields(kind)]
        own = {key: table[key] for key in _LIMITS if key in table and key not in legal}
        limits = read_limits(own, self.limits, place, self.mistakes)
        fields = {key: value for key, value in table.items() if key in legal}
        unknown = [key for key in table if key not in legal and key not in own]
        for key in unknown:
            told = unknown_parameter(key, use, legal, (*_HEAD, *_LIMITS))
            self.mistakes.add(place.at(key), told, element=False)
        algorithm = build_algorithm(use, kind, fields, place, self.mistakes)
        if algorithm is None or limits is None or unknown:
            return None
        entry = AlgorithmEntry(name, use, algorithm, limits=limits)
        try:
            _ = entry.key
        except TypeError as reason:
            self.mistakes.add(place, f"{use!r} cannot be told from others: {reason}")
            return None
        return entry

    def _tuning(
        self, head: AlgorithmHead, name: str, kind: Any, member: Member, place: Place
    ) -> Tuned | None:
        inside = place.at("tune")
        table = validated(TuneTable, head.tune, inside, self.mistakes)
        raw = head.tune or {}
        where = inside.at("criterion")
        criterion = self.metrics.place_of(raw["criterion"], where) if "criterion" in raw else None
        # In the order of the keys: of equal candidates the first is chosen.
        grid = dict(sorted(raw["grid"].items())) if isinstance(raw.get("grid"), Mapping) else {}
        points = expand(member.table, grid, inside.at("grid"), self.mistakes)
        candidates = []
        for point in points:
            called = f"{name} {suffix(point.varied)} (candidate)"
            here = replace(place, origins={**member.origins, **point.origins})
            candidate = self._plain(head.use, called, kind, point.table, here)
            if candidate is not None:
                candidates.append(replace(candidate, role="candidate"))
        entry = self._untuned(head.use, name, kind, member.table, points, place)
        if table is None or criterion is None or entry is None or len(candidates) < len(points):
            return None
        return Tuned(entry, candidates, table, criterion)

    def _untuned(
        self,
        use: str,
        name: str,
        kind: Any,
        table: Mapping[str, Any],
        points: list[Member],
        place: Place,
    ) -> AlgorithmEntry | None:
        """Return the algorithm with what is not tuned; a field without default needs some value."""
        needed = {
            one.name: points[0].table[one.name]
            for one in dataclasses.fields(kind)
            if one.default is dataclasses.MISSING
            and one.default_factory is dataclasses.MISSING
            and points
            and one.name not in table
            and one.name in points[0].table
        }
        return self._plain(use, name, kind, {**needed, **table}, place)


def assemble(
    found: list[tuple[AlgorithmEntry | Tuned, Place]],
    baselines: bool,
    usual: Sequence[str],
    limits: Limits,
    metrics: MetricReader,
    mistakes: Mistakes,
) -> tuple[AlgorithmEntry, ...]:
    """Return all algorithms: those listed, then the usual baselines, then candidates."""
    defaults = {}
    for use in usual:
        entry = AlgorithmEntry(use, use, make_algorithm(use), "baseline", limits)
        defaults[entry.key] = entry
    listed = [_with_role(one, defaults) for one, _ in found]
    taken = {_entry_of(one).name for one in listed}
    if baselines:
        known = {one.key for one in listed if isinstance(one, AlgorithmEntry)}
        for key, entry in defaults.items():
            if key not in known:
                listed.append(_renamed(entry, taken))
    candidates: dict[str, AlgorithmEntry] = {}
    for one, place in found:
        if isinstance(one, Tuned):
            _collect(one, candidates, taken, place, mistakes)
    places = {key: len(listed) + step for step, key in enumerate(candidates)}
    done = [_tuned_entry(one, places, metrics) if isinstance(one, Tuned) else one for one in listed]
    return (*done, *candidates.values())


def read_limits(table: Any, default: Limits, place: Place, mistakes: Mistakes) -> Limits | None:
    """Return the limits that a table states, the others as they were.

    Examples
    --------
    >>> read_limits({"seconds": 5, "memory": "2 GB"}, Limits(), Place("limits"), Mistakes())
    Limits(seconds=5.0, memory=2000000000)
    """
    given = validated(LimitsTable, table, place, mistakes)
    if given is None:
        return None
    seconds = default.seconds if given.seconds is None else given.seconds
    if seconds == float("inf"):
        seconds = None
    return Limits(seconds, default.memory if given.memory is None else given.memory)


def _with_role(
    one: AlgorithmEntry | Tuned, defaults: Mapping[str, AlgorithmEntry]
) -> AlgorithmEntry | Tuned:
    if isinstance(one, AlgorithmEntry) and one.key in defaults:
        return replace(one, role="baseline")
    return one


def _entry_of(one: AlgorithmEntry | Tuned) -> AlgorithmEntry:
    return one.entry if isinstance(one, Tuned) else one


def _renamed(entry: AlgorithmEntry, taken: set[str]) -> AlgorithmEntry:
    """Return the entry under a name that nothing else has."""
    name = entry.name
    while name in taken:
        name += f" ({entry.role})"
    taken.add(name)
    return replace(entry, name=name)


def _collect(
    one: Tuned,
    candidates: dict[str, AlgorithmEntry],
    taken: set[str],
    place: Place,
    mistakes: Mistakes,
) -> None:
    """Add the candidates; one that several tunings try runs once, so its limits must agree."""
    for candidate in one.candidates:
        known = candidates.get(candidate.key)
        if known is None:
            candidates[candidate.key] = _renamed(candidate, taken)
        elif known.limits != candidate.limits:
            told = f"{candidate.name!r} is tried elsewhere too, under other limits; make them equal"
            mistakes.add(place.at("tune"), told)


def _tuned_entry(one: Tuned, places: Mapping[str, int], metrics: MetricReader) -> AlgorithmEntry:
    keys = [candidate.key for candidate in one.candidates]
    tuning = Tuning(
        tuple(places[key] for key in keys), one.criterion, one.table.statistic, one.table.systems
    )
    criterion = metrics.entries[one.criterion].key
    tuned_key = digest(keys, criterion, one.table.statistic, one.table.systems)
    return replace(one.entry, tuning=tuning, tuned_key=tuned_key)
