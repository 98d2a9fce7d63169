"""The list of a study's algorithms: those it lists, then the baselines, then all candidates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from causalassay.discovery import make_algorithm
from causalassay.study.keys import digest
from causalassay.study.language.algorithms import TunedAlgorithm
from causalassay.study.language.metrics import MetricReader
from causalassay.study.language.mistakes import Location, Mistakes
from causalassay.study.plan import AlgorithmEntry, Limits, Tuning


def assemble(
    entries: Sequence[tuple[AlgorithmEntry | TunedAlgorithm, Location]],
    baselines: Sequence[AlgorithmEntry],
    add_baselines: bool,
    metrics: MetricReader,
    mistakes: Mistakes,
) -> tuple[AlgorithmEntry, ...]:
    """Return all algorithms; one that is listed and is a baseline stands there once."""
    defaults = {entry.key: entry for entry in baselines}
    listed = [_with_role(one, defaults) for one, _ in entries]
    taken = {_entry_of(one).name for one in listed}
    if add_baselines:
        known = {one.key for one in listed if isinstance(one, AlgorithmEntry)}
        listed += [_renamed(defaults[key], taken) for key in defaults if key not in known]
    candidates: dict[str, AlgorithmEntry] = {}
    for one, location in entries:
        if isinstance(one, TunedAlgorithm):
            _collect(one, candidates, taken, location, mistakes)
    indices = {key: len(listed) + step for step, key in enumerate(candidates)}
    finished = [
        _tuned_entry(one, indices, metrics) if isinstance(one, TunedAlgorithm) else one
        for one in listed
    ]
    return (*finished, *candidates.values())


def baseline_entries(uses: Sequence[str], limits: Limits) -> list[AlgorithmEntry]:
    """Return the baselines of those names, with their default hyperparameters."""
    return [AlgorithmEntry(use, use, make_algorithm(use), "baseline", limits) for use in uses]


def _with_role(
    one: AlgorithmEntry | TunedAlgorithm, defaults: Mapping[str, AlgorithmEntry]
) -> AlgorithmEntry | TunedAlgorithm:
    if isinstance(one, AlgorithmEntry) and one.role == "listed" and one.key in defaults:
        return replace(one, role="baseline")
    return one


def _entry_of(one: AlgorithmEntry | TunedAlgorithm) -> AlgorithmEntry:
    return one.entry if isinstance(one, TunedAlgorithm) else one


def _renamed(entry: AlgorithmEntry, taken: set[str]) -> AlgorithmEntry:
    """Return the entry under a name that no other entry has."""
    name = entry.name
    while name in taken:
        name += f" ({entry.role})"
    taken.add(name)
    return replace(entry, name=name)


def _collect(
    one: TunedAlgorithm,
    candidates: dict[str, AlgorithmEntry],
    taken: set[str],
    location: Location,
    mistakes: Mistakes,
) -> None:
    """Add the candidates; one that several tunings try runs once, so its limits must agree."""
    for candidate in one.candidates:
        known = candidates.get(candidate.key)
        if known is None:
            candidates[candidate.key] = _renamed(candidate, taken)
        elif known.limits != candidate.limits:
            message = (
                f"{candidate.name!r} is tried elsewhere too, under other limits; make them equal"
            )
            mistakes.add(location.at("tune"), message)


def _tuned_entry(
    one: TunedAlgorithm, indices: Mapping[str, int], metrics: MetricReader
) -> AlgorithmEntry:
    keys = [candidate.key for candidate in one.candidates]
    tuning = Tuning(
        tuple(indices[key] for key in keys), one.criterion, one.table.statistic, one.table.systems
    )
    criterion = metrics.entries[one.criterion].key
    tuned_key = digest(keys, criterion, one.table.statistic, one.table.systems)
    return replace(one.entry, tuning=tuning, tuned_key=tuned_key)
