"""What there is to know about one thing that can be named in studies."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

from causalassay import diagnostics, metrics
from causalassay.catalogue import noun_phrase
from causalassay.common.annotations import expectation, hints
from causalassay.common.registry import Registry, RegistryEntry, first_line, parameters
from causalassay.diagnostics.registry import DIAGNOSTICS
from causalassay.discovery.registry import ALGORITHMS
from causalassay.environments.catalogue import AlgorithmDefinition
from causalassay.graphs.sources import GRAPHS
from causalassay.metrics.registry import METRICS
from causalassay.models.registry import MODELS, function_family, model_parameters

Details = dict[str, Any]

ALSO_DISCRETE = frozenset(
    {
        "boss",
        "command",
        "empty",
        "ges",
        "ges-pooled",
        "grasp",
        "mmhc",
        "pc",
        "r2-sortnregress",
        "random-sorting",
        "random-sortnregress",
        "var-sortnregress",
        "variance-sorting",
        "xges",
    }
)
"""Algorithms of ours that take discrete columns; the others for independent rows take none."""


def part_details(part: str, name: str) -> Details:
    """Return all that is known of a thing: what it is, its parameters, its reference.

    Parameters
    ----------
    part : {"algorithms", "graphs", "models", "metrics", "diagnostics"}
    name : str
        A key of its registry.

    Examples
    --------
    >>> details = part_details("algorithms", "pc")
    >>> details["parameters"][0]
    {'name': 'alpha', 'type': 'a number', 'default': '0.01', 'meaning': 'The level of each test.'}
    >>> details["data"]
    'independent rows, continuous or discrete columns; reads observational rows'
    """
    registry = _REGISTRIES[part]
    entry = registry.entry(name)
    known: Details = {"name": name, "part": part}
    if entry.missing:
        return known | {"package": entry.package, "cannot_be_loaded": entry.missing}
    known |= _OF_PARTS[part](name, entry.value)
    known |= _origin(entry)
    return {heading: value for heading, value in known.items() if value not in (None, "")}


def _origin(entry: RegistryEntry[Any]) -> Details:
    """Return where a part comes from: a package, or one in an environment of its own."""
    kind: Any = entry.value
    if not isinstance(getattr(kind, "definition", None), AlgorithmDefinition):
        return {"package": entry.package}
    home = kind.home()
    return {"package": " ".join(home.packages), "environment": home.name, "licence": home.licence}


def _algorithm(name: str, kind: Any) -> Details:
    return {
        "what": first_line(kind),
        "about": _about(kind),
        "data": _data(name, kind),
        "output": getattr(kind, "output", None),
        "scale_sensitive": getattr(kind, "scale_sensitive", None),
        "assumptions": getattr(kind, "assumptions", None),
        "reference": _reference(kind) or getattr(kind, "reference", None),
        "parameters": _parameters(parameters(kind), kind),
    }


def _data(name: str, kind: Any) -> str:
    """Return which data an algorithm takes, as far as it says so."""
    rows = getattr(kind, "rows", "independent")
    taken = {"series": "a series", "any": "independent rows or a series"}.get(
        rows, "independent rows"
    )
    if name in ALGORITHMS.built_in:
        columns = "continuous or discrete" if name in ALSO_DISCRETE else "continuous"
        taken += f", {columns} columns"
    reads = getattr(kind, "reads", None)
    return f"{taken}; reads {reads}" if isinstance(reads, str) else taken


def _graph(_name: str, kind: Any) -> Details:
    return {
        "what": first_line(kind),
        "reference": _reference(kind),
        "parameters": _parameters(parameters(kind), kind),
    }


def _model(name: str, kind: Any) -> Details:
    mechanism, _, own = name.partition(".")
    family = function_family(own, mechanism)
    described = [one for one in (family, kind) if one is not None]
    return {
        "what": " ".join(map(first_line, reversed(described))),
        "about": _about(kind),
        "reference": " ".join(filter(None, map(_reference, reversed(described)))),
        "parameters": _parameters(model_parameters(own, mechanism), *described),
    }


def _metric(name: str, metric: Any) -> Details:
    function = getattr(metrics, name, None)
    return {
        "what": noun_phrase(metric.description),
        "about": _about(function),
        "better": metric.better,
        "undirected_edges": " or ".join(metric.resolutions),
        "reference": _reference(function),
    }


def _diagnostic(name: str, diagnostic: Any) -> Details:
    function = getattr(diagnostics, name, None)
    return {
        "what": noun_phrase(diagnostic.description),
        "about": _about(function),
        "reference": _reference(function),
    }


def _parameters(defaults: dict[str, str], *kinds: Any) -> list[dict[str, str]]:
    types: dict[str, Any] = {}
    meanings: dict[str, str] = {}
    for kind in kinds:
        types |= hints(kind)
        meanings |= parameter_meanings(kind)
    return [
        {
            "name": name,
            "type": expectation(types[name]) if name in types else "a value",
            "default": default,
            "meaning": meanings.get(name, ""),
        }
        for name, default in defaults.items()
    ]


def _about(value: Any) -> str:
    """Return what a docstring says between its first line and its first heading."""
    return "" if value is None else " ".join(sections(value)[""].partition("\n")[2].split())


def _reference(value: Any) -> str:
    return "" if value is None else " ".join(sections(value).get("References", "").split())


_REGISTRIES: MappingProxyType[str, Registry[Any]] = MappingProxyType(
    {
        "algorithms": ALGORITHMS,
        "graphs": GRAPHS,
        "models": MODELS,
        "metrics": METRICS,
        "diagnostics": DIAGNOSTICS,
    }
)
_OF_PARTS: MappingProxyType[str, Callable[[str, Any], Details]] = MappingProxyType(
    {
        "algorithms": _algorithm,
        "graphs": _graph,
        "models": _model,
        "metrics": _metric,
        "diagnostics": _diagnostic,
    }
)


# The sections of a docstring that is written as numpydoc has it.

_HEADING = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)
_PARAMETER = re.compile(r"^(\w[\w, ]*?)(?: : (.*))?$")


def sections(value: object) -> dict[str, str]:
    """Return the text under each heading; what comes before the first is under "".

    Examples
    --------
    >>> list(sections(sections))
    ['', 'Examples']
    """
    pieces = _HEADING.split(inspect.getdoc(value) or "")
    found = {"": pieces[0].strip()}
    for heading, text in zip(pieces[1::2], pieces[2::2], strict=True):
        found[heading] = text.strip("\n")
    return found


def parameter_meanings(value: object) -> dict[str, str]:
    """Return what a docstring says of each parameter, on one line.

    Examples
    --------
    >>> from causalassay.discovery.pc import PC
    >>> parameter_meanings(PC)["alpha"]
    'The level of each test.'
    """
    meanings: dict[str, str] = {}
    names: list[str] = []
    for line in sections(value).get("Parameters", "").splitlines():
        if line and not line.startswith(" ") and (match := _PARAMETER.match(line)):
            names = [name.strip() for name in match.group(1).split(",")]
            meanings |= dict.fromkeys(names, "")
        else:
            for name in names:
                meanings[name] = f"{meanings[name]} {line.strip()}".strip()
    return meanings
