"""From the tables [[problems]] to the problems of a study."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, get_args

from causalassay.common.definitions import Role, find_definition, names_file
from causalassay.common.spelling import visible
from causalassay.data.file_pairs import stem
from causalassay.diagnostics.registry import DIAGNOSTICS
from causalassay.graphs.sources import GRAPHS, GraphSource
from causalassay.models.noise import FAMILIES, Noise
from causalassay.models.registry import (
    MODELS,
    ModelSource,
    function_family,
    kinds_by_mechanism,
    mechanism_of,
    no_such_kind,
    parameter_names,
)
from causalassay.study.language.data_files import DataFiles
from causalassay.study.language.grids import (
    Member,
    could_be_drawn,
    draw_settings,
    expand,
    folder_name,
    problem_labels,
    problem_name,
    suffix,
)
from causalassay.study.language.mistakes import (
    MOST_PRINTED,
    Location,
    Mistakes,
    known_name,
    registered,
    unknown_parameter,
)
from causalassay.study.language.tables import (
    MOST_SAMPLES,
    ProblemHeadSchema,
    ProblemSchema,
    construct,
    frozen,
    valid_part,
    validated,
)
from causalassay.study.own_parts import GRAPH, MODEL, OwnGraphs, OwnModel, own_part
from causalassay.study.plan import ProblemEntry
from causalassay.study.problem_specs import (
    SCALING,
    Accept,
    FromFile,
    Generated,
    Interventions,
    Network,
    ProblemSpec,
    Transform,
    model_world,
)


def build_graph(
    table: Mapping[str, Any], location: Location, mistakes: Mistakes, folder: Path = Path()
) -> GraphSource | None:
    """Return the graph source that a table names; a Python file is relative to `folder`.

    Examples
    --------
    >>> table = {"kind": "erdos-renyi", "n_nodes": 20, "edges_per_node": 2}
    >>> build_graph(table, Location("graph"), Mistakes())
    ErdosRenyi(n_nodes=20, edges_per_node=2.0, exact=True)
    >>> mistakes = Mistakes()
    >>> build_graph({**table, "edges_per_node": 10}, Location("graph"), mistakes)
    >>> mistakes.lines
    ['graph.edges_per_node: 20 nodes can have 0 to 9.5 edges per node, got 10.0']
    """
    kind: Any = table.get("kind")
    if names_file(kind):
        return _own_source(GRAPH, table, folder, location, mistakes)
    family: Any = registered(GRAPHS, kind, location.at("kind"), mistakes)
    if family is None:
        return None
    return construct(family, _without(table, "kind"), kind, location, mistakes)


def build_model(
    table: Mapping[str, Any], location: Location, mistakes: Mistakes, folder: Path = Path()
) -> ModelSource | None:
    """Return the model source that a table names; a Python file is relative to `folder`.

    Examples
    --------
    >>> build_model({"kind": "scm", "noise": "laplac"}, Location("model"), mistakes := Mistakes())
    >>> mistakes.lines
    ["model.noise: there is no noise 'laplac'; did you mean 'laplace'?"]
    """
    if names_file(table.get("kind")):
        return _own_source(MODEL, table, folder, location, mistakes)
    before = mistakes.noted
    kind, mechanism = _kind_and_mechanism(table, location, mistakes)
    fields = _without(table, "kind", "mechanism")
    if "noise" in fields:
        noise = _noise(fields.pop("noise"), location.at("noise"), mistakes)
        fields |= {} if noise is None else {"noise": noise}
    if kind is None or mechanism is None:
        return None
    source = registered(MODELS, f"{mechanism}.{kind}", location.at("kind"), mistakes)
    if source is None:
        return None
    if function_family(kind, mechanism) is not None:
        model = _nonlinear(kind, mechanism, fields, location, mistakes)
    else:
        model = construct(source, fields, kind, location, mistakes)
    return model if mistakes.noted == before else None


def _own_source(
    role: Role, table: Mapping[str, Any], folder: Path, location: Location, mistakes: Mistakes
) -> Any:
    """Return the graph family or the model of a Python file."""
    use, where = str(table["kind"]), location.at("kind")
    try:
        found = find_definition(use, folder, role)
        fields = _without(table, "kind")
        legal = list(fields) if found.parameters is None else list(found.parameters)
        unknown = [key for key in fields if key not in legal]
        for key in unknown:
            message = unknown_parameter(key, use, legal)
            mistakes.add(location.at(key), message, element=False)
        missing = [key for key in found.required if key not in fields]
        for key in missing:
            mistakes.add(location.at(key), f"missing; {found.name!r} requires it")
        if unknown or missing:
            return None
        part = own_part(found, frozen(fields))
    except (OSError, ValueError) as reason:
        mistakes.add(where, str(reason))
        return None
    if role is GRAPH:
        return OwnGraphs(part, lagged=found.declared.get("lagged") is True)
    mechanism = found.declared.get("mechanism", "linear")
    if not isinstance(mechanism, str):
        mistakes.add(where, f"{use}: `mechanism` is text, such as 'var', got {mechanism!r}")
        return None
    return OwnModel(part, mechanism)


def build_interventions(
    table: Mapping[str, Any], location: Location, mistakes: Mistakes
) -> Interventions | None:
    """Return the interventions; a target outside of a list is a regime of its own.

    Examples
    --------
    >>> table = {"action": "do", "samples": 50, "targets": [0, [1, 2]]}
    >>> build_interventions(table, Location("interventions"), Mistakes()).targets
    ((0,), (1, 2))
    """
    fields = dict(table)
    if isinstance(targets := fields.get("targets"), list):
        fields["targets"] = [nodes if isinstance(nodes, list) else [nodes] for nodes in targets]
    return construct(Interventions, fields, "interventions", location, mistakes)


def build_accept(table: Mapping[str, Any], location: Location, mistakes: Mistakes) -> Accept | None:
    """Return the bin that a diagnostic must fall into."""
    before = mistakes.noted
    if "diagnostic" in table:
        where = location.at("diagnostic")
        if registered(DIAGNOSTICS, table["diagnostic"], where, mistakes) is None:
            table = {**table, "diagnostic": "n_edges"}  # any that exists: the rest is still checked
    accept = construct(Accept, table, "accept", location, mistakes)
    return accept if mistakes.noted == before else None


def _kind_and_mechanism(
    table: Mapping[str, Any], location: Location, mistakes: Mistakes
) -> tuple[str | None, str | None]:
    """Return the names of a model's kind and mechanism; None for one that does not exist."""
    stated, kind = table.get("mechanism"), table.get("kind")
    if stated is not None:
        mechanisms = kinds_by_mechanism()
        stated = known_name(stated, mechanisms, "mechanism", location.at("mechanism"), mistakes)
    mechanism = mechanism_of(kind, stated) if isinstance(kind, str) else None
    if mechanism is not None:
        # With a wrong mechanism, which kinds there are is not known: only that is noted.
        return kind, None if stated is None and "mechanism" in table else mechanism
    if isinstance(kind, str):
        mistakes.add(location.at("kind"), no_such_kind(kind, stated))
        return None, None
    known = {name for kinds in kinds_by_mechanism().values() for name in kinds}
    return known_name(kind, known, "model", location.at("kind"), mistakes), None


def _nonlinear(
    kind: str, mechanism: str, fields: Mapping[str, Any], location: Location, mistakes: Mistakes
) -> ModelSource | None:
    """Return a nonlinear source; some of the fields belong to its functions."""
    legal = parameter_names(kind, mechanism)
    for key in fields:
        if key not in legal:
            message = unknown_parameter(key, f"{mechanism} {kind}", legal)
            mistakes.add(location.at(key), message, element=False)
    family: Any = function_family(kind, mechanism)
    parameters = {field.name for field in dataclasses.fields(family)}
    of_functions = {key: fields[key] for key in fields if key in parameters}
    of_scheme = {key: fields[key] for key in fields if key in legal and key not in parameters}
    functions = construct(family, of_functions, mechanism, location, mistakes)
    scheme = construct(MODELS[f"{mechanism}.{kind}"], of_scheme, kind, location, mistakes)
    if functions is None or scheme is None:
        return None
    return dataclasses.replace(scheme, mechanism=functions)


def _noise(value: Any, location: Location, mistakes: Mistakes) -> Noise | str | None:
    """Return a noise law; as its name alone if it has no parameters, so that keys are equal."""
    families = FAMILIES
    if not isinstance(value, Mapping):
        return known_name(value, families, "noise", location, mistakes)
    where = location.at("family")
    family = known_name(value.get("family"), families, "noise", where, mistakes)
    if family is None:
        return None
    noise = construct(Noise, value, family, location, mistakes)
    return family if noise == Noise(family) else noise


def _without(table: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in table.items() if key not in keys}


_HEAD_KEYS = tuple(ProblemHeadSchema.model_fields)
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
        members = self._members(head, base, location)
        folders = [_folder(member.table) if "data" in member.table else "" for member in members]
        for number, (member, folder) in enumerate(zip(members, folders, strict=True)):
            here = Location(location.table, (), member.origins, location.name, random)
            scheme = _folder_scheme(head, folder, folders) if folder else ""
            # A setting has graphs of its own, also where another has drawn the same values.
            specs = self._specs(member.table, here, number if random else None, scheme)
            if specs:  # a family that cannot be imported was told above; its name needs it, too
                name = _name(head, member, number)
                entries += [(_entry(name, spec, member.table), here) for spec in specs]
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
            return bool(self._try(member, location))

    def _try(self, member: Member, location: Location) -> Sequence[ProblemSpec]:
        here = Location(location.table, (), member.origins, location.name, drawn=True)
        return self._specs(member.table, here, setting=0, scheme="")

    def _specs(
        self, table: Mapping[str, Any], location: Location, setting: int | None, scheme: str
    ) -> Sequence[ProblemSpec]:
        """Return the problem of a table, those of a folder, or none if there is a mistake."""
        before = self.mistakes.noted
        validated(ProblemSchema, table, location, self.mistakes)
        transform = self._transform(table.get("transform", []), location)
        if "data" in table:
            excluded = ("samples", "graph", "model", "interventions", "accept")
            self._refuse_beside("data", excluded, table, location)
            return self.files.read(table["data"], transform, location.at("data"), scheme)
        spec = (
            self._network(table, transform, location)
            if "network" in table
            else self._generated(table, transform, location, setting, before)
        )
        return [] if spec is None else [spec]

    def _generated(
        self,
        table: Mapping[str, Any],
        transform: tuple[Any, ...],
        location: Location,
        setting: int | None,
        before: int,
    ) -> ProblemSpec | None:
        """Return a generated problem, unless a mistake was noted since `before`."""
        builders: dict[str, Callable[[Mapping[str, Any], Location, Mistakes], Any]] = {
            "graph": partial(build_graph, folder=self.folder),
            "model": partial(build_model, folder=self.folder),
            "interventions": build_interventions,
            "accept": build_accept,
        }
        parts = {
            key: build(table[key], location.at(key), self.mistakes)
            for key, build in builders.items()
            if isinstance(table.get(key), Mapping)
        }
        for key, expected in _NEEDED.items():
            if key not in table:
                self.mistakes.add(location.at(key), f"missing; expected {expected}")
        check_parts(parts, transform, location, self.mistakes)
        if self.mistakes.noted > before:
            return None
        return Generated(samples=table["samples"], transform=transform, setting=setting, **parts)

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


def _folder(table: Mapping[str, Any]) -> str:
    """Return the folder of data files that a table names; empty if it names none."""
    data = table.get("data")
    files = data.get("files") if isinstance(data, Mapping) else None
    return files if isinstance(files, str) else ""


def _folder_scheme(head: ProblemHeadSchema, folder: str, folders: list[str]) -> str:
    """Return the name of a folder's scheme: that of its table, with the folder if it varies."""
    name = folder_name(folder)
    if head.name is None:
        return name
    return head.name if set(folders) == {folder} else f"{head.name} {name}".strip()


def _entry(name: str, spec: ProblemSpec, table: Mapping[str, Any]) -> ProblemEntry:
    """Return a problem with its labels; one of a folder is named after its file."""
    labels = problem_labels(table)
    if isinstance(spec, Generated) and spec.setting is not None:
        labels |= {"setting": spec.setting}
    if not isinstance(spec, FromFile) or not spec.of_folder:
        return ProblemEntry(name, spec, labels)
    labels |= {"data.file": spec.file.name, "data.graph": spec.graph_file.name}
    return ProblemEntry(f"{name} {visible(stem(spec.file))}", spec, labels)


def _name(head: ProblemHeadSchema, member: Member, number: int) -> str:
    if head.random is not None:
        return f"{head.name or 'random'} #{number}"
    if head.name is None:
        return problem_name(member.table, member.varied)
    return f"{head.name} {suffix(member.varied)}".strip()


# Checks of the parts of one problem against each other.


def check_parts(
    parts: Mapping[str, Any], transform: tuple[str, ...], location: Location, mistakes: Mistakes
) -> None:
    """Note what the graph, the model, the interventions and the transforms cannot do together.

    A part that is absent has a mistake of its own, noted elsewhere.
    """
    graph, model, interventions = (parts.get(key) for key in ("graph", "model", "interventions"))
    world = None if model is None else model_world(model)
    _check_targets(graph, interventions, location, mistakes)
    if graph is not None and world is not None:
        _check_lags(getattr(graph, "lagged", False), world == "series", location, mistakes)
    if (
        interventions is not None
        and interventions.start is not None
        and world not in ("series", None)
    ):
        message = "only series have time steps; leave `start` and `stop` out"
        mistakes.add(location.at("interventions", "start"), message)
    if world == "discrete":
        check_levels(interventions, transform, location, mistakes)


def check_levels(
    interventions: Interventions | None,
    transform: tuple[str, ...],
    location: Location,
    mistakes: Mistakes,
) -> None:
    r"""Note transforms and interventions that do not apply to discrete variables.

    Examples
    --------
    >>> mistakes = Mistakes()
    >>> shifts = Interventions("shift", samples=9, probability=1.0)
    >>> check_levels(shifts, ("standardize",), Location("problems[0]"), mistakes)
    >>> print("\n".join(mistakes.lines))
    problems[0].transform: levels have no scale, so 'standardize' does not apply; remove it
    problems[0].interventions.action: nothing can be added to a level; expected "do" or "randomize"
    """
    for change in transform:
        if change in SCALING:
            message = f"levels have no scale, so {change!r} does not apply; remove it"
            mistakes.add(location.at("transform"), message)
    if interventions is None:
        return
    where = location.at("interventions")
    value, variance = interventions.value, interventions.variance
    match interventions.action:
        case "shift":
            message = 'nothing can be added to a level; expected "do" or "randomize"'
            mistakes.add(where.at("action"), message)
        case "randomize" if (value, variance) != (0.0, 1.0):
            message = "levels have no mean or variance; leave value and variance out"
            mistakes.add(where, message)
        case "do" if value < 0 or value != int(value):
            message = f"expected the code of a level, 0, 1, …; got {value:g}"
            mistakes.add(where.at("value"), message)


def _check_targets(
    graph: Any, interventions: Interventions | None, location: Location, mistakes: Mistakes
) -> None:
    """Note targets that the graph does not have."""
    n_nodes = getattr(graph, "n_nodes", None)
    if n_nodes is None or interventions is None or interventions.targets is None:
        return
    targets = {node for regime in interventions.targets for node in regime}
    outside = sorted(targets - {*range(n_nodes)})
    if outside:
        message = f"there is no node {outside[0]}; {n_nodes} nodes are called 0 to {n_nodes - 1}"
        mistakes.add(location.at("interventions", "targets"), message)


def _check_lags(lagged: bool, series: bool, location: Location, mistakes: Mistakes) -> None:
    """Note a series on a graph without lags, and lags without a series."""
    if lagged and not series:
        message = 'a lagged graph needs a model of series: state mechanism = "var"'
        mistakes.add(location.at("model", "mechanism"), message)
    if series and not lagged:
        message = 'mechanism "var" needs a lagged graph, such as kind = "lagged-erdos-renyi"'
        mistakes.add(location.at("graph", "kind"), message)
