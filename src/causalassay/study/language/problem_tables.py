"""From the tables [[problems]] to the problems of a study."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from causalassay.models.registry import makes
from causalassay.study.language.construction import (
    build_accept,
    build_graph,
    build_interventions,
    build_model,
    known_name,
)
from causalassay.study.language.data_tables import DataFiles
from causalassay.study.language.discrete_checks import check_changes_of_levels
from causalassay.study.language.expansion import Member, draw_settings, expand
from causalassay.study.language.mistakes import Mistakes, Place
from causalassay.study.language.naming import problem_labels, problem_name, suffix
from causalassay.study.language.tables import ProblemBody, ProblemHead, validated
from causalassay.study.plan import ProblemEntry
from causalassay.study.problem_specs import (
    Generated,
    Network,
    ProblemSpec,
    Transform,
)

_HEAD = tuple(ProblemHead.model_fields)
_PARTS: dict[str, Callable[[Mapping[str, Any], Place, Mistakes], Any]] = {
    "graph": build_graph,
    "model": build_model,
    "interventions": build_interventions,
    "accept": build_accept,
}
_NEEDED = {
    "graph": "a table [problems.graph], or [problems.data] for a data file, or `network`",
    "model": "a table [problems.model]",
    "samples": "an integer of at least 2",
}
_TRANSFORMS = dict.fromkeys(get_args(Transform))


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

    def read(self, table: Any, place: Place) -> list[tuple[ProblemEntry, Place]]:
        """Return the problems that a table stands for, and where each stands."""
        if not isinstance(table, Mapping):
            validated(ProblemHead, table, place, self.mistakes)
            return []
        base = {key: value for key, value in table.items() if key not in _HEAD}
        given = {key: value for key, value in table.items() if key in _HEAD}
        name = given.get("name")
        place = Place(place.table, name=name if isinstance(name, str) else "")
        head = validated(ProblemHead, given, place, self.mistakes) or _good_part(given, place)
        found = []
        for number, member in enumerate(self._members(head, base, place)):
            here = Place(place.table, (), member.origins, place.name, head.random is not None)
            # A setting has graphs of its own, also where another has drawn the same values.
            setting = None if head.random is None else number
            spec = self._spec(member.table, here, setting)
            if spec is not None:
                called = _name(head, member, number)
                found.append((ProblemEntry(called, spec, problem_labels(member.table)), here))
        return found

    def _members(self, head: ProblemHead, base: dict[str, Any], place: Place) -> list[Member]:
        if head.random is None and head.settings is not None:
            self.mistakes.add(place.at("settings"), "it needs a table `random` to draw from")
        if head.random is not None and head.grid is not None:
            self.mistakes.add(place, "`grid` and `random` may not stand in one table; make two")
        elif head.random is not None and head.settings is None:
            self.mistakes.add(place.at("settings"), "missing; how many settings are to be drawn?")
        elif head.random is not None and head.settings is not None:
            where = place.at("random")
            return draw_settings(base, head.random, head.settings, self.seed, where, self.mistakes)
        elif head.grid is not None:
            return expand(base, head.grid, place.at("grid"), self.mistakes)
        return [Member(base, {}, {})] if head.random is None else []

    def _spec(
        self, table: Mapping[str, Any], place: Place, setting: int | None
    ) -> ProblemSpec | None:
        before = self.mistakes.noted
        validated(ProblemBody, table, place, self.mistakes)
        transform = self._transform(table.get("transform", []), place)
        if "data" in table:
            return self._from_file(table, transform, place)
        if "network" in table:
            return self._network(table, transform, place)
        parts = {
            key: build(table[key], place.at(key), self.mistakes)
            for key, build in _PARTS.items()
            if isinstance(table.get(key), Mapping)
        }
        for key, expected in _NEEDED.items():
            if key not in table:
                self.mistakes.add(place.at(key), f"missing; expected {expected}")
        self._check_targets(parts, place)
        self._check_time(parts, place)
        if parts.get("model") is not None and makes(parts["model"], "discrete"):
            given = parts.get("interventions")
            check_changes_of_levels(given, transform, place, self.mistakes)
        if self.mistakes.noted > before:
            return None
        return Generated(samples=table["samples"], transform=transform, setting=setting, **parts)

    def _from_file(
        self, table: Mapping[str, Any], transform: tuple[Any, ...], place: Place
    ) -> ProblemSpec | None:
        for key in ("samples", "graph", "model", "interventions", "accept"):
            if key in table:
                told = f"a problem with `data` has no `{key}`; remove one of the two"
                self.mistakes.add(place.at(key), told)
        return self.files.read(table["data"], transform, place.at("data"))

    def _network(
        self, table: Mapping[str, Any], transform: tuple[Any, ...], place: Place
    ) -> ProblemSpec | None:
        """Return the problem of a network in a file, which has its own graph and model."""
        before = self.mistakes.noted
        for key in ("graph", "model", "accept"):
            if key in table:
                told = f"a problem with `network` has no `{key}`; remove one of the two"
                self.mistakes.add(place.at(key), told)
        if "samples" not in table:
            self.mistakes.add(place.at("samples"), f"missing; expected {_NEEDED['samples']}")
        stated, interventions = table.get("interventions"), None
        if isinstance(stated, Mapping):
            where = place.at("interventions")
            interventions = build_interventions(stated, where, self.mistakes)
        check_changes_of_levels(interventions, transform, place, self.mistakes)
        found = None
        if isinstance(table["network"], str):
            found = self.files.network(table["network"], place.at("network"))
        if found is None or self.mistakes.noted > before:
            return None
        file, sha256 = found
        return Network(sha256, file, table["samples"], interventions, transform)

    def _transform(self, names: Any, place: Place) -> tuple[Any, ...]:
        where = place.at("transform")
        if not isinstance(names, list):
            return ()
        for name in names:
            known_name(name, _TRANSFORMS, "transform", where, self.mistakes)
        return tuple(names)

    def _check_targets(self, parts: Mapping[str, Any], place: Place) -> None:
        """Note targets that the graph does not have."""
        graph, interventions = parts.get("graph"), parts.get("interventions")
        n_nodes = getattr(graph, "n_nodes", None)
        if n_nodes is None or interventions is None or interventions.targets is None:
            return
        outside = sorted(
            {node for one in interventions.targets for node in one} - {*range(n_nodes)}
        )
        if outside:
            told = f"there is no node {outside[0]}; {n_nodes} nodes are called 0 to {n_nodes - 1}"
            self.mistakes.add(place.at("interventions", "targets"), told)

    def _check_time(self, parts: Mapping[str, Any], place: Place) -> None:
        """Note a series on a graph without lags, lags without a series, and times without either.

        What a part lacks is noted elsewhere.
        """
        graph, model, acts = (parts.get(key) for key in ("graph", "model", "interventions"))
        lagged = getattr(graph, "lagged", False)
        series = model is not None and makes(model, "var")
        if graph is not None and model is not None and lagged != series:
            told = (
                'a lagged graph needs a model of series: state mechanism = "var"'
                if lagged
                else 'mechanism "var" needs a lagged graph, such as kind = "lagged-erdos-renyi"'
            )
            where = place.at("model", "mechanism") if lagged else place.at("graph", "kind")
            self.mistakes.add(where, told)
        if model is not None and acts is not None and acts.start is not None and not series:
            told = "only series know time; leave `start` and `stop` out"
            self.mistakes.add(place.at("interventions", "start"), told)


def _good_part(given: Mapping[str, Any], place: Place) -> ProblemHead:
    """Return the keys that are right, so that one wrong key does not hide the others."""
    unheard = Mistakes()
    good = {k: v for k, v in given.items() if validated(ProblemHead, {k: v}, place, unheard)}
    return ProblemHead.model_validate(good)


def _name(head: ProblemHead, member: Member, number: int) -> str:
    if head.random is not None:
        return f"{head.name or 'random'} #{number}"
    if head.name is None:
        return problem_name(member.table, member.varied)
    return f"{head.name} {suffix(member.varied)}".strip()
