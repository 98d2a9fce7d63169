"""From names and tables to the metrics and diagnostics of a study."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from causalassay.diagnostics.registry import DIAGNOSTICS
from causalassay.metrics.registry import METRICS
from causalassay.study.language.construction import registered
from causalassay.study.language.mistakes import Mistakes, Place, shown
from causalassay.study.language.tables import MetricTable, validated
from causalassay.study.measures import N_DRAWS
from causalassay.study.plan import MetricEntry


@dataclass(frozen=True)
class MetricReader:
    """Reads metrics and knows their places.

    Examples
    --------
    >>> reader = MetricReader(Mistakes())
    >>> reader.read(["shd", {"name": "shd", "resolution": "favourable"}], Place("metrics"))
    >>> [entry.label for entry in reader.entries]
    ['shd', 'shd (favourable)']
    """

    mistakes: Mistakes
    entries: list[MetricEntry] = field(default_factory=list)

    def read(self, metrics: Any, place: Place) -> None:
        """Add the metrics of a list; one that stands there twice is a mistake."""
        for step, stated in enumerate(metrics if isinstance(metrics, list) else []):
            where = Place(f"{place.table}[{step}]")
            entry = self._entry(stated, where)
            if entry is not None and entry in self.entries:
                self.mistakes.add(where, f"{entry.label!r} stands there twice")
            elif entry is not None:
                self.entries.append(entry)

    def place_of(self, stated: Any, place: Place) -> int | None:
        """Return the place of a metric, which is added if it has none."""
        entry = self._entry(stated, place)
        if entry is None:
            return None
        if entry not in self.entries:
            self.entries.append(entry)
        return self.entries.index(entry)

    def _entry(self, stated: Any, place: Place) -> MetricEntry | None:
        if not isinstance(stated, str | Mapping):
            self.mistakes.add(place, f"got {shown(stated)}, expected a metric's name or a table")
            return None
        alone = isinstance(stated, str)
        table = {"name": stated} if isinstance(stated, str) else stated
        given = validated(MetricTable, table, place, self.mistakes)
        where = place if alone else place.at("name")
        metric = None
        if "name" in table:
            metric = registered(METRICS, table["name"], "metric", where, self.mistakes)
        if given is None or metric is None:
            return None
        name, resolution = given.name, given.resolution or metric.resolution
        if resolution not in metric.resolutions:
            known = " or ".join(map(repr, metric.resolutions))
            told = f"{name!r} is scored {known}, not {resolution!r}"
            self.mistakes.add(place.at("resolution"), told)
            return None
        label = name if resolution == metric.resolution else f"{name} ({resolution})"
        return MetricEntry(name, resolution, metric.version, label)


def read_diagnostics(names: Any, place: Place, mistakes: Mistakes) -> tuple[str, ...]:
    """Return the diagnostics of a list.

    Examples
    --------
    >>> read_diagnostics(["r2_sortability"], Place("diagnostics"), Mistakes())
    ('r2_sortability',)
    """
    found: list[str] = []
    for step, stated in enumerate(names if isinstance(names, list) else []):
        where = Place(f"{place.table}[{step}]")
        known = stated == N_DRAWS or registered(
            DIAGNOSTICS, stated, "diagnostic", where, mistakes, also=(N_DRAWS,)
        )
        if known and stated in found:
            mistakes.add(where, f"{stated!r} stands there twice")
        elif known:
            found.append(stated)
    return tuple(found)
