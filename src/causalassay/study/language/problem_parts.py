"""From the tables of one problem to its parts: graph, model, interventions, acceptance."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, cast, get_args

from causalassay.diagnostics.registry import DIAGNOSTICS
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
from causalassay.study.language.dataclass_tables import construct
from causalassay.study.language.known_names import known_name, registered, unknown_parameter
from causalassay.study.language.mistakes import Location, Mistakes
from causalassay.study.problem_specs import Accept, Interventions


def build_graph(
    table: Mapping[str, Any], location: Location, mistakes: Mistakes
) -> GraphSource | None:
    """Return the graph source that a table names.

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
    family: Any = registered(GRAPHS, kind, location.at("kind"), mistakes)
    if family is None:
        return None
    return construct(family, _without(table, "kind"), kind, location, mistakes)


def build_model(
    table: Mapping[str, Any], location: Location, mistakes: Mistakes
) -> ModelSource | None:
    """Return the model source that a table names.

    Examples
    --------
    >>> build_model({"kind": "scm", "noise": "laplac"}, Location("model"), mistakes := Mistakes())
    >>> mistakes.lines
    ["model.noise: there is no noise 'laplac'; did you mean 'laplace'?"]
    """
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
        made = _nonlinear(kind, mechanism, fields, location, mistakes)
    else:
        made = construct(source, fields, kind, location, mistakes)
    return made if mistakes.noted == before else None


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
        fields["targets"] = [one if isinstance(one, list) else [one] for one in targets]
    return construct(Interventions, fields, "interventions", location, mistakes)


def build_accept(table: Mapping[str, Any], location: Location, mistakes: Mistakes) -> Accept | None:
    """Return the bin that a diagnostic must fall into."""
    before = mistakes.noted
    if "diagnostic" in table:
        where = location.at("diagnostic")
        if registered(DIAGNOSTICS, table["diagnostic"], where, mistakes) is None:
            table = {**table, "diagnostic": "n_edges"}  # any that exists: the rest is still checked
    made = construct(Accept, table, "accept", location, mistakes)
    return made if mistakes.noted == before else None


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
    known = {one for kinds in kinds_by_mechanism().values() for one in kinds}
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
    own = {field.name for field in dataclasses.fields(family)}
    of_functions = {key: fields[key] for key in fields if key in own}
    of_scheme = {key: fields[key] for key in fields if key in legal and key not in own}
    functions = construct(family, of_functions, mechanism, location, mistakes)
    scheme = construct(MODELS[f"{mechanism}.{kind}"], of_scheme, kind, location, mistakes)
    if functions is None or scheme is None:
        return None
    return dataclasses.replace(scheme, mechanism=functions)


def _noise(value: Any, location: Location, mistakes: Mistakes) -> Noise | str | None:
    """Return a noise law; as its name alone if it has no parameters, so that keys are equal."""
    families = get_args(Family)
    if not isinstance(value, Mapping):
        return known_name(value, families, "noise", location, mistakes)
    where = location.at("family")
    family = known_name(value.get("family"), families, "noise", where, mistakes)
    if family is None:
        return None
    made = construct(Noise, value, family, location, mistakes)
    return family if made == Noise(cast(Family, family)) else made


def _without(table: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in table.items() if key not in keys}
