"""From names and tables to the metrics and diagnostics of a study."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from causalassay.diagnostics.registry import MEASURES
from causalassay.study.language.known_names import known_name
from causalassay.study.language.mistakes import Location, Mistakes, toml_text
from causalassay.study.language.schemas import MetricSchema, validated
from causalassay.study.plan import MetricEntry
from causalassay.study.worker.scoring import METRICS


@dataclass(frozen=True)
class MetricReader:
    """Reads metrics and gives each its index in the study.

    Examples
    --------
    >>> reader = MetricReader(Mistakes())
    >>> reader.read(["shd", {"name": "shd", "resolution": "favourable"}], "metrics")
    >>> [entry.label for entry in reader.entries]
    ['shd', 'shd (favourable)']
    """

    mistakes: Mistakes
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
        """Return the index of a metric, which is added if it is new."""
        entry = self._entry(stated, location)
        if entry is None:
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
        name = None
        if "name" in table:
            name = known_name(table["name"], METRICS, "metric", where, self.mistakes)
        if given is None or name is None:
            return None
        rule = METRICS[name]
        resolution = given.resolution or rule.resolution
        if resolution not in rule.resolutions:
            legal = " or ".join(map(repr, rule.resolutions))
            message = f"{name!r} is scored {legal}, not {resolution!r}"
            self.mistakes.add(location.at("resolution"), message)
            return None
        label = name if resolution == rule.resolution else f"{name} ({resolution})"
        return MetricEntry(name, resolution, rule.version, label)


def read_diagnostics(stated: Any, key: str, mistakes: Mistakes) -> tuple[str, ...]:
    """Return the diagnostics of the list at a key.

    Examples
    --------
    >>> read_diagnostics(["r2_sortability"], "diagnostics", Mistakes())
    ('r2_sortability',)
    """
    names: list[str] = []
    for step, one in enumerate(stated if isinstance(stated, list) else []):
        location = Location(f"{key}[{step}]")
        name = known_name(one, MEASURES, "diagnostic", location, mistakes)
        if name in names:
            mistakes.add(location, f"{name!r} is listed twice")
        elif name is not None:
            names.append(name)
    return tuple(names)
