"""From the lists of metrics, diagnostics and algorithms to those of a study."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from causalassay.common.definitions import (
    ALGORITHM,
    Definition,
    Role,
    find_definition,
    names_file,
)
from causalassay.common.registry import Registry
from causalassay.diagnostics.registry import DIAGNOSTICS
from causalassay.discovery.command import Command
from causalassay.discovery.python_files import PythonFile, made_of
from causalassay.discovery.registry import ALGORITHMS
from causalassay.judging.order_measures import every_measure_name
from causalassay.metrics.registry import METRICS, GraphMetric
from causalassay.processes.limits import Limits
from causalassay.processes.resources import Needs
from causalassay.risk.fits import Refitted
from causalassay.study.language.grids import Member, expand, suffix
from causalassay.study.language.mistakes import (
    Location,
    Mistakes,
    registered,
    toml_text,
    unknown_parameter,
)
from causalassay.study.language.tables import (
    AlgorithmSchema,
    CallSchema,
    LimitsSchema,
    MetricSchema,
    NeedsSchema,
    TuneSchema,
    construct,
    frozen,
    validated,
)
from causalassay.study.own_parts import (
    DIAGNOSTIC,
    METRIC,
    OwnDiagnostic,
    OwnMetric,
    own_diagnostic,
    own_metric,
)
from causalassay.study.plan import N_DRAWS, AlgorithmEntry, MetricEntry, PickledAlgorithm
from causalassay.study.programs import is_ours

# From names and tables to the metrics and diagnostics of a study.


@dataclass(frozen=True)
class MetricReader:
    """Reads metrics and gives each its index in the study.

    Parameters
    ----------
    mistakes : Mistakes
    folder : Path
        What Python files are relative to.
    entries : list of MetricEntry
        Those that were read.

    Examples
    --------
    >>> reader = MetricReader(Mistakes())
    >>> reader.read(["shd", {"name": "shd", "resolution": "favourable"}], "metrics")
    >>> [entry.label for entry in reader.entries]
    ['shd', 'shd (favourable)']
    """

    mistakes: Mistakes
    folder: Path = Path()
    entries: list[MetricEntry] = field(default_factory=list)

    def read(self, metrics: Any, key: str) -> None:
        """Add the metrics of the list at a key; one that is listed twice is a mistake."""
        for step, stated in enumerate(metrics if isinstance(metrics, list) else []):
            location = Location(f"{key}[{step}]")
            entry = self._entry(stated, location)
            if entry is not None and entry in self.entries:
                self.mistakes.add(location, f"{entry.label!r} is listed twice")
            elif entry is not None:
                self.entries.append(entry)

    def index_of(self, stated: Any, location: Location) -> int | None:
        """Return the index of a metric to choose by, which is added if it is new."""
        entry = self._entry(stated, location)
        if entry is None:
            return None
        if entry.metric.better == "none":
            message = f"{entry.name!r} is a control and no score; expected a metric to choose by"
            self.mistakes.add(location, message)
            return None
        if entry not in self.entries:
            self.entries.append(entry)
        return self.entries.index(entry)

    def _entry(self, stated: Any, location: Location) -> MetricEntry | None:
        if not isinstance(stated, str | Mapping):
            message = f"got {toml_text(stated)}, expected a metric's name or a table"
            self.mistakes.add(location, message)
            return None
        where = location if isinstance(stated, str) else location.at("name")
        table = {"name": stated} if isinstance(stated, str) else stated
        given = validated(MetricSchema, table, location, self.mistakes)
        metric: GraphMetric | None = None
        own: OwnMetric | None = None
        stated_name: Any = table.get("name")
        if names_file(stated_name):
            own = own_from_file(stated_name, METRIC, METRICS, self.folder, where, self.mistakes)
            metric = None if own is None else own.metric
        elif "name" in table:
            metric = registered(METRICS, stated_name, where, self.mistakes)
        if given is None or metric is None:
            return None
        name = given.name if own is None else own.part.name
        resolution = given.resolution or metric.resolution
        if resolution not in metric.resolutions:
            legal = " or ".join(map(repr, metric.resolutions))
            message = f"{name!r} is scored {legal}, not {resolution!r}"
            self.mistakes.add(location.at("resolution"), message)
            return None
        label = name if resolution == metric.resolution else f"{name} ({resolution})"
        entry = MetricEntry(name, resolution, metric.version, label, own)
        if own is not None and any(
            other.label == label and other.key != entry.key for other in self.entries
        ):
            self.mistakes.add(where, f"another metric is called {label!r}, too; rename one")
            return None
        return entry


_ROLES: dict[Role, Callable[[Definition], Any]] = {METRIC: own_metric, DIAGNOSTIC: own_diagnostic}


def own_from_file(
    use: str,
    role: Role,
    registry: Registry[Any],
    folder: Path,
    location: Location,
    mistakes: Mistakes,
) -> Any:
    """Return the metric or the diagnostic of a Python file; None, and a mistake, without one.

    Parameters
    ----------
    use : str
        ``my_metric.py:MyMetric``.
    role : {METRIC, DIAGNOSTIC}
    registry : Registry
        Whose names are taken: columns of tables are called by the name alone.
    folder : Path
        What the path is relative to.
    location : Location
    mistakes : Mistakes
    """
    try:
        found = find_definition(use, folder, role)
        if found.name in registry:
            raise ValueError(
                f"{use}: {found.name!r} is a registered {role.noun}; give yours another name"
            )
        return _ROLES[role](found)
    except (OSError, ValueError) as reason:
        mistakes.add(location, str(reason))
        return None


def read_diagnostics(
    stated: Any, key: str, mistakes: Mistakes, folder: Path = Path()
) -> tuple[tuple[str, ...], tuple[OwnDiagnostic, ...]]:
    """Return the names of the diagnostics of the list at a key, and those in Python files.

    Examples
    --------
    >>> read_diagnostics(["r2_sortability"], "diagnostics", Mistakes())
    (('r2_sortability',), ())
    """
    names: list[str] = []
    own: dict[str, OwnDiagnostic] = {}
    for step, name in enumerate(stated if isinstance(stated, list) else []):
        location = Location(f"{key}[{step}]")
        also = (N_DRAWS, *every_measure_name())
        if names_file(name):
            found = own_from_file(name, DIAGNOSTIC, DIAGNOSTICS, folder, location, mistakes)
            if found is not None and found.name in (*names, *also):
                mistakes.add(location, f"another is called {found.name!r}, too; rename one")
            elif found is not None:
                own[found.name] = found
                names.append(found.name)
            continue
        known = name in also
        if not known:
            known = registered(DIAGNOSTICS, name, location, mistakes, also=also) is not None
        if known and name in names:
            mistakes.add(location, f"{name!r} is listed twice")
        elif known:
            names.append(name)
    return tuple(names), tuple(own.values())


_HEAD_KEYS = tuple(AlgorithmSchema.model_fields)
_LIMIT_KEYS = tuple(LimitsSchema.model_fields)
_NEEDS_KEYS = tuple(NeedsSchema.model_fields)
_CALL_KEYS = tuple(CallSchema.model_fields)
FOR_STUDIES = (*_LIMIT_KEYS, *_NEEDS_KEYS, *_CALL_KEYS)
"""Keys of an algorithm's table that say how a study runs it."""


@dataclass(frozen=True)
class TunedAlgorithm:
    """An algorithm with the candidates of its tuning, which are not in the study's list yet."""

    entry: AlgorithmEntry
    candidates: list[AlgorithmEntry]
    table: TuneSchema
    criterion: int


def _as_mine(listed: AlgorithmEntry | TunedAlgorithm) -> AlgorithmEntry | TunedAlgorithm:
    if isinstance(listed, TunedAlgorithm):
        return replace(listed, entry=replace(listed.entry, role="mine"))
    return replace(listed, role="mine")


@dataclass(frozen=True)
class AlgorithmReader:
    """Reads the algorithms of one file.

    Parameters
    ----------
    folder : Path
        What Python files are relative to, and the files that a program names may be.
    limits : Limits
        Of each task, unless the algorithm has its own.
    metrics : MetricReader
        The study's; a criterion that is not among them is added.
    mistakes : Mistakes
    """

    folder: Path
    limits: Limits
    metrics: MetricReader
    mistakes: Mistakes

    def read(
        self, table: Any, location: Location
    ) -> list[tuple[AlgorithmEntry | TunedAlgorithm, Location]]:
        """Return the algorithms that a table, or a name alone, declares."""
        use_location = location if isinstance(table, str) else location.at("use")
        table = {"use": table} if isinstance(table, str) else table
        if not isinstance(table, Mapping):
            self.mistakes.add(location, f"got {toml_text(table)}, expected a name or a table")
            return []
        given = {key: value for key, value in table.items() if key in _HEAD_KEYS}
        name = given.get("name")
        location = replace(location, name=name if isinstance(name, str) else "")
        head = validated(AlgorithmSchema, given, location, self.mistakes)
        use = given.get("use")
        kind: Any = None
        if isinstance(use, str):
            kind = self._kind(use, use_location)
        if kind is None or use is None:
            return []
        base = {key: value for key, value in table.items() if key not in _HEAD_KEYS}
        if head is None:
            self._plain(use, use, kind, base, location)
            return []
        members = [Member(base, {}, {})]
        if head.grid is not None:
            members = expand(base, head.grid, location.at("grid"), self.mistakes)
        entries = []
        for member in members:
            here = replace(location, origins=member.origins)
            entry = self._entry(head, kind, member, here)
            if head.held_out_folds is not None and entry is not None:
                entry = self._refitted(entry, head.held_out_folds, location.at("held_out_folds"))
            if head.mine and entry is not None:
                entry = _as_mine(entry)
            if entry is not None:
                entries.append((entry, here))
        return entries

    def _kind(self, use: str, location: Location) -> Any:
        """Return the class of that name, or what a Python file says of its own."""
        if not names_file(use):
            return registered(ALGORITHMS, use, location, self.mistakes)
        try:
            return find_definition(use, self.folder, ALGORITHM)
        except (OSError, ValueError) as reason:
            self.mistakes.add(location, str(reason))
            return None

    def _entry(
        self, head: AlgorithmSchema, kind: Any, member: Member, location: Location
    ) -> AlgorithmEntry | TunedAlgorithm | None:
        use = kind.name if isinstance(kind, Definition) else head.use
        name = f"{head.name or use} {suffix(member.varied)}".strip()
        if head.tune is not None:
            return self._tuning(head, name, kind, member, location)
        return self._plain(head.use, name, kind, member.table, location)

    def _refitted(
        self, entry: AlgorithmEntry | TunedAlgorithm, folds: int, location: Location
    ) -> AlgorithmEntry | None:
        """Return an algorithm that is also fitted without each fold of experiments."""
        plain = entry.entry if isinstance(entry, TunedAlgorithm) else entry
        algorithm = plain.algorithm
        if plain is not entry or not is_ours(algorithm) or isinstance(algorithm, PickledAlgorithm):
            message = f"is for algorithms of causalassay without `tune`, not for {plain.use!r}"
            self.mistakes.add(location, message)
            return None
        return replace(plain, algorithm=Refitted(algorithm, folds))

    def _plain(
        self, use: str, name: str, kind: Any, table: Mapping[str, Any], location: Location
    ) -> AlgorithmEntry | None:
        legal = _legal(kind, table)
        stated = {key: table[key] for key in FOR_STUDIES if key in table and key not in legal}
        limits = read_limits(_part(stated, _LIMIT_KEYS), self.limits, location, self.mistakes)
        needs = _read_needs(_part(stated, _NEEDS_KEYS), location, self.mistakes)
        call = validated(CallSchema, _part(stated, _CALL_KEYS), location, self.mistakes)
        fields = {key: value for key, value in table.items() if key in legal}
        unknown = [key for key in table if key not in legal and key not in stated]
        for key in unknown:
            message = unknown_parameter(key, use, legal, (*_HEAD_KEYS, *FOR_STUDIES))
            self.mistakes.add(location.at(key), message, element=False)
        if isinstance(kind, Definition):
            algorithm: Any = self._from_file(kind, fields, location)
        else:
            algorithm = construct(kind, fields, use, location, self.mistakes)
        if hasattr(algorithm, "in_study"):
            algorithm = self._placed(algorithm, location)
        if algorithm is None or limits is None or needs is None or call is None or unknown:
            return None
        entry = AlgorithmEntry(name, use, algorithm, limits=limits, needs=needs, batch=call.batch)
        if call.batch is not None and not entry.computes_many:
            message = f"{use!r} computes one data set at a time with these settings; leave it out"
            if hasattr(algorithm, "device"):
                message += ', or state device = "cuda" or "torch"'
            self.mistakes.add(location.at("batch"), message)
            return None
        try:
            _ = entry.key
        except TypeError as reason:
            self.mistakes.add(location, f"{use!r} cannot be identified: {reason}")
            return None
        return entry

    def _from_file(
        self, kind: Definition, fields: Mapping[str, Any], location: Location
    ) -> PythonFile | None:
        """Return the algorithm of a Python file, unless a parameter is missing."""
        missing = [key for key in kind.required if key not in fields]
        for key in missing:
            self.mistakes.add(location.at(key), f"missing; {kind.name!r} requires it")
        try:
            return None if missing else made_of(kind, frozen(fields))
        except (OSError, ValueError) as reason:
            self.mistakes.add(location.at("use"), f"what it imports cannot be read: {reason}")
            return None

    def _placed(self, algorithm: Any, location: Location) -> Any:
        """Return an algorithm with the files it names, which are a part of its key."""
        try:
            return algorithm.in_study(self.folder)
        except (OSError, ValueError) as reason:
            key = "program" if isinstance(algorithm, Command) else "weights"
            self.mistakes.add(location.at(key), f"a file cannot be read: {reason}")
            return None

    def _tuning(
        self, head: AlgorithmSchema, name: str, kind: Any, member: Member, location: Location
    ) -> TunedAlgorithm | None:
        inside = location.at("tune")
        stated = head.tune or {}
        table = validated(TuneSchema, stated, inside, self.mistakes)
        criterion = None
        if "criterion" in stated:
            criterion = self.metrics.index_of(stated["criterion"], inside.at("criterion"))
        # In the order of the keys: of equal candidates the first is chosen.
        grid = stated.get("grid")
        grid = dict(sorted(grid.items())) if isinstance(grid, Mapping) else {}
        points = expand(member.table, grid, inside.at("grid"), self.mistakes)
        candidates = []
        for point in points:
            candidate_name = f"{name} {suffix(point.varied)} (candidate)"
            here = replace(location, origins={**member.origins, **point.origins})
            candidate = self._plain(head.use, candidate_name, kind, point.table, here)
            if candidate is not None:
                candidates.append(replace(candidate, role="candidate"))
        untuned = {**_required_values(kind, points), **member.table}
        entry = self._plain(head.use, name, kind, untuned, location)
        if table is None or criterion is None or entry is None or len(candidates) < len(points):
            return None
        return TunedAlgorithm(entry, candidates, table, criterion)


def read_limits(
    table: Any, default: Limits, location: Location, mistakes: Mistakes
) -> Limits | None:
    """Return the limits that a table states, the others as they were.

    Examples
    --------
    >>> read_limits({"seconds": 5, "memory": "2 GB"}, Limits(), Location("limits"), Mistakes())
    Limits(seconds=5.0, memory=2000000000, load_seconds=300.0)
    """
    given = validated(LimitsSchema, table, location, mistakes)
    if given is None:
        return None
    return Limits(
        _or_none(given.seconds, default.seconds),
        default.memory if given.memory is None else given.memory,
        _or_none(given.load_seconds, default.load_seconds),
    )


def _part(table: Mapping[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: value for key, value in table.items() if key in keys}


def _read_needs(table: Mapping[str, Any], location: Location, mistakes: Mistakes) -> Needs | None:
    """Return what a table says that each task reserves; all of its grid share `at_most`."""
    given = validated(NeedsSchema, table, location, mistakes)
    if given is None:
        return None
    owner = "" if given.at_most is None else location.table
    return Needs(given.threads, given.gpus, given.at_most, owner)


def _or_none(stated: float | None, default: float | None) -> float | None:
    """Return a limit as stated; None, no limit, for inf."""
    seconds = default if stated is None else stated
    return None if seconds == float("inf") else seconds


def _legal(kind: Any, table: Mapping[str, Any]) -> list[str]:
    """Return the parameters of a class; all that are stated where nothing is known of it."""
    if not isinstance(kind, Definition):
        return [field.name for field in dataclasses.fields(kind)]
    if kind.parameters is None:
        return [key for key in table if key not in FOR_STUDIES]
    return list(kind.parameters)


def _required_values(kind: Any, points: list[Member]) -> dict[str, Any]:
    """Return the first candidate's values of the fields that have no default.

    A tuned algorithm is a value of its class too: a field that only the tuning states needs
    some value, though it never runs with it.
    """
    first = points[0].table if points else {}
    if isinstance(kind, Definition):
        return {key: first[key] for key in kind.required if key in first}
    return {
        field.name: first[field.name]
        for field in dataclasses.fields(kind)
        if field.default is dataclasses.MISSING
        and field.default_factory is dataclasses.MISSING
        and field.name in first
    }
