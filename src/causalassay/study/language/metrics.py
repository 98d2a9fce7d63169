"""From names and tables to the metrics and diagnostics of a study."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from causalassay.diagnostics.registry import DIAGNOSTICS
from causalassay.judging.order_measures import every_measure_name
from causalassay.metrics.registry import METRICS
from causalassay.study.language.mistakes import Location, Mistakes, registered, toml_text
from causalassay.study.language.tables import MetricSchema, validated
from causalassay.study.plan import N_DRAWS, MetricEntry


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
        """Return the index of a metric to choose by, which is added if it is new."""
        entry = self._entry(stated, location)
        if entry is None:
            return None
        if METRICS[entry.name].better == "none":
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
        metric = None
        if "name" in table:
            metric = registered(METRICS, table["name"], where, self.mistakes)
        if given is None or metric is None:
            return None
        name, resolution = given.name, given.resolution or metric.resolution
        if resolution not in metric.resolutions:
            legal = " or ".join(map(repr, metric.resolutions))
            message = f"{name!r} is scored {legal}, not {resolution!r}"
            self.mistakes.add(location.at("resolution"), message)
            return None
        label = name if resolution == metric.resolution else f"{name} ({resolution})"
        return MetricEntry(name, resolution, metric.version, label)


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
        also = (N_DRAWS, *every_measure_name())
        known = one in also
        if not known:
            known = registered(DIAGNOSTICS, one, location, mistakes, also=also) is not None
        if known and one in names:
            mistakes.add(location, f"{one!r} is listed twice")
        elif known:
            names.append(one)
    return tuple(names)
