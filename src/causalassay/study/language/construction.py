"""From tables to what they name: graph sources, model sources, interventions, algorithms."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from functools import lru_cache, partial
from typing import Any, TypeVar, cast, get_args

from numpy.random import Generator

from causalassay.contracts import Algorithm
from causalassay.diagnostics.registry import DIAGNOSTICS
from causalassay.discovery import make_algorithm
from causalassay.discovery.registry import ALGORITHMS
from causalassay.graphs.registry import GRAPHS
from causalassay.graphs.sources import GraphSource
from causalassay.models.noise import Family, Noise
from causalassay.models.registry import (
    MODELS,
    ModelSource,
    function_family,
    kinds_by_mechanism,
    mechanism_of,
    no_such_kind,
    parameter_names,
)
from causalassay.registry import Registry
from causalassay.spelling import did_you_mean
from causalassay.study.language.mistakes import Mistakes, Place, shown
from causalassay.study.language.parameters import construct, unknown_parameter
from causalassay.study.problem_specs import Accept, Interventions

T = TypeVar("T")


def build_graph(table: Mapping[str, Any], place: Place, mistakes: Mistakes) -> GraphSource | None:
    """Return the graph source that a table names.

    Examples
    --------
    >>> table = {"kind": "erdos-renyi", "n_nodes": 20, "edges_per_node": 2}
    >>> build_graph(table, Place("graph"), Mistakes())
    ErdosRenyi(n_nodes=20, edges_per_node=2.0, exact=True)
    >>> mistakes = Mistakes()
    >>> build_graph({**table, "edges_per_node": 10}, Place("graph"), mistakes)
    >>> mistakes.lines
    ['graph.edges_per_node: 20 nodes can have 0 to 9.5 edges per node, got 10.0']
    """
    kind: Any = table.get("kind")
    family: Any = registered(GRAPHS, kind, "graph family", place.at("kind"), mistakes)
    if family is None:
        return None

    def make(**fields: Any) -> GraphSource:
        source = family(**fields)
        if kind in GRAPHS.built_in:
            _check_drawable(source)
        return source

    return construct(family, _without(table, "kind"), kind, place, mistakes, make)


def build_model(table: Mapping[str, Any], place: Place, mistakes: Mistakes) -> ModelSource | None:
    """Return the model source that a table names.

    Examples
    --------
    >>> build_model({"kind": "scm", "noise": "laplac"}, Place("model"), mistakes := Mistakes())
    >>> mistakes.lines
    ["model.noise: there is no noise 'laplac'; did you mean 'laplace'?"]
    """
    kind, mechanism = _kind_and_mechanism(table, place, mistakes)
    fields = _without(table, "kind", "mechanism")
    noise_stands = "noise" not in fields
    if not noise_stands:
        noise = _noise(fields.pop("noise"), place.at("noise"), mistakes)
        noise_stands = noise is not None
        fields |= {"noise": noise} if noise_stands else {}
    if kind is None or mechanism is None:
        return None
    name = f"{mechanism}.{kind}"
    source = registered(MODELS, name, "model", place.at("kind"), mistakes)
    if source is None:
        return None
    if function_family(kind, mechanism) is not None:
        made = _nonlinear(kind, mechanism, fields, place, mistakes)
    else:
        made = construct(source, fields, kind, place, mistakes)
    return made if noise_stands else None


def _kind_and_mechanism(
    table: Mapping[str, Any], place: Place, mistakes: Mistakes
) -> tuple[str | None, str | None]:
    """Return the names of a model's kind and mechanism; None for what does not exist."""
    stated, kind = table.get("mechanism"), table.get("kind")
    if stated is not None:
        known = kinds_by_mechanism()
        stated = known_name(stated, known, "mechanism", place.at("mechanism"), mistakes)
    mechanism = mechanism_of(kind, stated) if isinstance(kind, str) else None
    if mechanism is not None:
        # Of a wrong mechanism only that is told: what its kind may be is not known.
        return kind, None if stated is None and "mechanism" in table else mechanism
    if isinstance(kind, str):
        mistakes.add(place.at("kind"), no_such_kind(kind, stated))
        return None, None
    every = {one: None for kinds in kinds_by_mechanism().values() for one in kinds}
    return known_name(kind, every, "model", place.at("kind"), mistakes), None


def _nonlinear(
    kind: str, mechanism: str, fields: Mapping[str, Any], place: Place, mistakes: Mistakes
) -> ModelSource | None:
    """Return a nonlinear source; some of the fields are its functions' and the others its own."""
    before = mistakes.noted
    legal = parameter_names(kind, mechanism)
    for key in fields:
        if key not in legal:
            told = unknown_parameter(key, f"{mechanism} {kind}", legal)
            mistakes.add(place.at(key), told, element=False)
    family = function_family(kind, mechanism)
    source: Any = MODELS[f"{mechanism}.{kind}"]
    own = {field.name for field in dataclasses.fields(family)}
    scheme = {key: fields[key] for key in fields if key in legal and key not in own}
    functions = {key: fields[key] for key in fields if key in own}
    drawn_from = construct(family, functions, mechanism, place, mistakes)
    make = partial(source, mechanism=drawn_from or family())
    made = construct(source, scheme, kind, place, mistakes, make)
    return made if mistakes.noted == before else None


def build_interventions(
    table: Mapping[str, Any], place: Place, mistakes: Mistakes
) -> Interventions | None:
    """Return the interventions; a target that stands alone is a regime of its own.

    Examples
    --------
    >>> table = {"action": "do", "samples": 50, "targets": [0, [1, 2]]}
    >>> build_interventions(table, Place("interventions"), Mistakes()).targets
    ((0,), (1, 2))
    """
    fields = dict(table)
    if isinstance(targets := fields.get("targets"), list):
        fields["targets"] = [one if isinstance(one, list) else [one] for one in targets]
    return construct(Interventions, fields, "interventions", place, mistakes)


def build_accept(table: Mapping[str, Any], place: Place, mistakes: Mistakes) -> Accept | None:
    """Return the bin that a diagnostic must fall into."""
    before = mistakes.noted
    if "diagnostic" in table:
        where = place.at("diagnostic")
        registered(DIAGNOSTICS, table["diagnostic"], "diagnostic", where, mistakes)
    made = construct(Accept, table, "accept", place, mistakes)
    return made if mistakes.noted == before else None


def algorithm_class(use: Any, place: Place, mistakes: Mistakes) -> Any:
    """Return the class of an algorithm; None if there is none, or if it cannot run here."""
    return registered(ALGORITHMS, use, "algorithm", place, mistakes)


def build_algorithm(
    use: str, kind: Any, table: Mapping[str, Any], place: Place, mistakes: Mistakes
) -> Algorithm | None:
    """Return the algorithm with its hyper-parameters."""

    def make(**fields: Any) -> Algorithm:
        return make_algorithm(use, **fields)

    return construct(kind, table, use, place, mistakes, make)


def registered(
    registry: Registry[T],
    name: Any,
    what: str,
    place: Place,
    mistakes: Mistakes,
    also: Collection[str] = (),
) -> T | None:
    """Return what a registry holds under a name; None, and a mistake, where it cannot be had."""
    try:
        known = {**registry.addresses, **dict.fromkeys(also, "")}
    except ValueError as collision:
        mistakes.add("", str(collision))
        return None
    if known_name(name, known, what, place, mistakes) is None:
        return None
    try:
        return registry[name]
    except ImportError as missing:
        mistakes.add(place, f"{name!r} cannot run here: {missing}")
    except Exception as reason:
        # A plug-in's module may raise anything; the other tables are read all the same.
        mistakes.add(place, f"{name!r} cannot be loaded: {type(reason).__name__}: {reason}")
    return None


def known_name(
    name: Any, known: Mapping[str, Any], what: str, place: Place, mistakes: Mistakes
) -> str | None:
    """Return a name that stands in a table; else note the nearest one."""
    if isinstance(name, str) and name in known:
        return name
    names = sorted(known)
    if name is None:
        mistakes.add(place, f"missing; expected a {what}: {did_you_mean('', names)}")
    elif isinstance(name, str):
        mistakes.add(place, f"there is no {what} {name!r}; {did_you_mean(name, names)}")
    else:
        mistakes.add(place, f"got {shown(name)}, expected the name of a {what}")
    return None


def _noise(value: Any, place: Place, mistakes: Mistakes) -> Noise | str | None:
    """Return a noise law; as its name alone where that says all, so that the keys are equal."""
    families = dict.fromkeys(get_args(Family))
    if not isinstance(value, Mapping):
        return known_name(value, families, "noise", place, mistakes)
    where = place.at("family")
    family = known_name(value.get("family"), families, "noise", where, mistakes)
    if family is None:
        return None
    made = construct(Noise, value, family, place, mistakes)
    return family if made == Noise(cast(Family, family)) else made


class _Drawn(Exception):
    """The checks are over."""


class _Dry:
    """A generator that ends a draw where it begins to be random."""

    def __getattr__(self, name: str) -> Any:
        raise _Drawn(name)


@lru_cache(maxsize=4096)
def _check_drawable(source: Any) -> None:
    """Raise where the family refuses its parameters, which it looks at before it draws."""
    try:
        source.draw(cast(Generator, _Dry()))
    except _Drawn:
        return


def _without(table: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in table.items() if key not in keys}
