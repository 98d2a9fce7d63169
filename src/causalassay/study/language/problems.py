"""From the tables [[problems]] to the problems of a study."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from causalassay.study.language.data_files import DataFiles
from causalassay.study.language.expansion import (
    Member,
    could_be_drawn,
    draw_settings,
    expand,
)
from causalassay.study.language.known_names import known_name
from causalassay.study.language.labels import problem_labels, problem_name, suffix
from causalassay.study.language.mistakes import MOST_PRINTED, Location, Mistakes
from causalassay.study.language.problem_checks import check_levels, check_parts
from causalassay.study.language.problem_parts import (
    build_accept,
    build_graph,
    build_interventions,
    build_model,
)
from causalassay.study.language.table_keys import (
    MOST_SAMPLES,
    ProblemHeadSchema,
    ProblemSchema,
    valid_part,
    validated,
)
from causalassay.study.plan import ProblemEntry
from causalassay.study.problem_specs import (
    Generated,
    Network,
    ProblemSpec,
    Transform,
)

_HEAD_KEYS = tuple(ProblemHeadSchema.model_fields)
_PARTS: dict[str, Callable[[Mapping[str, Any], Location, Mistakes], Any]] = {
    "graph": build_graph,
    "model": build_model,
    "interventions": build_interventions,
    "accept": build_accept,
}
_NEEDED = {
    "graph": "a table [problems.graph], or [problems.data] for a data file, or `network`",
    "model": "a table [problems.model]",
    "samples": f"an integer from 2 to {MOST_SAMPLES}",
}


@dataclass(frozen=True)
class ProblemReader:
    """Reads the problems of one file.

    Parameters
    ----------
    folder : Path
        Where the study file is.
    seed : int
        The study's: settings are drawn from it.
    mistakes : Mistakes
    """

    folder: Path
    seed: int
    mistakes: Mistakes
    files: DataFiles = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "files", DataFiles(self.folder, self.mistakes))

    def read(self, table: Any, location: Location) -> list[tuple[ProblemEntry, Location]]:
        """Return the problems that a table declares, and the location of each."""
        if not isinstance(table, Mapping):
            validated(ProblemHeadSchema, table, location, self.mistakes)
            return []
        base = {key: value for key, value in table.items() if key not in _HEAD_KEYS}
        given = {key: value for key, value in table.items() if key in _HEAD_KEYS}
        name = given.get("name")
        location = Location(location.table, name=name if isinstance(name, str) else "")
        head = valid_part(ProblemHeadSchema, given, location, self.mistakes)
        random = head.random is not None
        entries = []
        for number, member in enumerate(self._members(head, base, location)):
            here = Location(location.table, (), member.origins, location.name, random)
            # A setting has graphs of its own, also where another has drawn the same values.
            spec = self._spec(member.table, here, number if random else None)
            if spec is not None:
                labels = problem_labels(member.table)
                entries.append((ProblemEntry(_name(head, member, number), spec, labels), here))
        return entries

    def _members(
        self, head: ProblemHeadSchema, base: dict[str, Any], location: Location
    ) -> list[Member]:
        if head.random is None and head.settings is not None:
            self.mistakes.add(location.at("settings"), "it needs a table `random` to draw from")
        if head.random is not None and head.grid is not None:
            self.mistakes.add(location, "one table cannot have both `grid` and `random`; make two")
        elif head.random is not None and head.settings is None:
            message = "missing; state how many settings to draw"
            self.mistakes.add(location.at("settings"), message)
        elif head.random is not None and head.settings is not None:
            return self._drawn(base, head.random, head.settings, location)
        elif head.grid is not None:
            return expand(base, head.grid, location.at("grid"), self.mistakes)
        return [Member(base, {}, {})] if head.random is None else []

    def _drawn(
        self, base: dict[str, Any], ranges: dict[str, Any], count: int, location: Location
    ) -> list[Member]:
        """Return the members that were drawn; what else could have been is checked."""
        where = location.at("random")
        drawn = draw_settings(base, ranges, count, self.seed, where, self.mistakes)
        faulty = 0
        for trials in could_be_drawn(base, drawn):
            if not any(self._fits(trial, location) for trial in trials):
                self._try(trials[0], location)
                faulty += 1
            if faulty > MOST_PRINTED:
                break
        return drawn

    def _fits(self, member: Member, location: Location) -> bool:
        with self.mistakes.trial():
            return self._try(member, location) is not None

    def _try(self, member: Member, location: Location) -> ProblemSpec | None:
        here = Location(location.table, (), member.origins, location.name, drawn=True)
        return self._spec(member.table, here, setting=0)

    def _spec(
        self, table: Mapping[str, Any], location: Location, setting: int | None
    ) -> ProblemSpec | None:
        before = self.mistakes.noted
        validated(ProblemSchema, table, location, self.mistakes)
        transform = self._transform(table.get("transform", []), location)
        if "data" in table:
            return self._from_file(table, transform, location)
        if "network" in table:
            return self._network(table, transform, location)
        parts = {
            key: build(table[key], location.at(key), self.mistakes)
            for key, build in _PARTS.items()
            if isinstance(table.get(key), Mapping)
        }
        for key, expected in _NEEDED.items():
            if key not in table:
                self.mistakes.add(location.at(key), f"missing; expected {expected}")
        check_parts(parts, transform, location, self.mistakes)
        if self.mistakes.noted > before:
            return None
        return Generated(samples=table["samples"], transform=transform, setting=setting, **parts)

    def _from_file(
        self, table: Mapping[str, Any], transform: tuple[Any, ...], location: Location
    ) -> ProblemSpec | None:
        excluded = ("samples", "graph", "model", "interventions", "accept")
        self._refuse_beside("data", excluded, table, location)
        return self.files.read(table["data"], transform, location.at("data"))

    def _network(
        self, table: Mapping[str, Any], transform: tuple[Any, ...], location: Location
    ) -> ProblemSpec | None:
        """Return the problem of a network in a file, which has its own graph and model."""
        before = self.mistakes.noted
        self._refuse_beside("network", ("graph", "model", "accept"), table, location)
        if "samples" not in table:
            self.mistakes.add(location.at("samples"), f"missing; expected {_NEEDED['samples']}")
        interventions = None
        if isinstance(stated := table.get("interventions"), Mapping):
            where = location.at("interventions")
            interventions = build_interventions(stated, where, self.mistakes)
        check_levels(interventions, transform, location, self.mistakes)
        file = None
        if isinstance(table["network"], str):
            file = self.files.network(table["network"], location.at("network"))
        if file is None or self.mistakes.noted > before:
            return None
        path, sha256 = file
        return Network(sha256, path, table["samples"], interventions, transform)

    def _refuse_beside(
        self, key: str, excluded: tuple[str, ...], table: Mapping[str, Any], location: Location
    ) -> None:
        for other in excluded:
            if other in table:
                message = f"a problem with `{key}` has no `{other}`; remove one of the two"
                self.mistakes.add(location.at(other), message)

    def _transform(self, names: Any, location: Location) -> tuple[Any, ...]:
        if not isinstance(names, list):
            return ()
        where = location.at("transform")
        for name in names:
            known_name(name, get_args(Transform), "transform", where, self.mistakes)
        return tuple(names)


def _name(head: ProblemHeadSchema, member: Member, number: int) -> str:
    if head.random is not None:
        return f"{head.name or 'random'} #{number}"
    if head.name is None:
        return problem_name(member.table, member.varied)
    return f"{head.name} {suffix(member.varied)}".strip()
