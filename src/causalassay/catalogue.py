"""What can be named in studies: as plain rows, in full, and as the file `listing` reads.

``python -m causalassay.catalogue`` writes that file anew; a test compares it.
"""

from __future__ import annotations

import inspect
import json
import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pathlib import Path
from types import FunctionType, MappingProxyType, ModuleType
from typing import Any

from causalassay import diagnostics, metrics
from causalassay.common.annotations import expectation, hints
from causalassay.common.registry import (
    Registry,
    RegistryEntry,
    first_line,
    parameter_text,
    parameters,
)
from causalassay.common.spelling import did_you_mean
from causalassay.diagnostics.registry import DIAGNOSTICS, ProblemDiagnostic
from causalassay.discovery import AlgorithmRecord, algorithms
from causalassay.discovery.registry import ALGORITHMS
from causalassay.environments.catalogue import AlgorithmDefinition
from causalassay.graphs.sources import GRAPHS
from causalassay.listing import PARTS
from causalassay.metrics.registry import METRICS, GraphMetric
from causalassay.models.registry import MODELS, function_family, model_parameters

Row = dict[str, str | bool | None]


def catalogue(what: str) -> list[Row]:
    """Return a row for each algorithm, graph family, model, metric or diagnostic.

    A row of what cannot be loaded has its name, its package and the reason.

    Parameters
    ----------
    what : {"algorithms", "graphs", "models", "metrics", "diagnostics"}

    Examples
    --------
    >>> [row["kind"] for row in catalogue("models")][:3]
    ['scm', 'standardized', 'iscm']
    >>> catalogue("metrics")[0]["better"]
    'high'
    """
    if what not in _ROWS:
        raise ValueError(f"there is no list of {what!r}; {did_you_mean(what, list(_ROWS))}")
    return _ROWS[what]()


def _algorithm_row(record: AlgorithmRecord) -> Row:
    if record.missing and not record.description:
        return _unloaded(record.name, record.package, record.missing)
    absent: Row = {"cannot_run_here": record.missing} if record.missing else {}
    return {
        "name": record.name,
        "runs_here": not record.missing,
        **absent,
        "output": record.output or "",
        "scale_sensitive": record.scale_sensitive,
        "reads": record.reads or "",
        "what": record.description,
        "parameters": parameter_text(record.parameters),
        "assumptions": record.assumptions,
        "reference": record.reference,
        "licence": record.licence,
    }


def _rows(registry: Registry[Any], row: Callable[[str, Any], Row]) -> list[Row]:
    """Return the rows of a registry; what cannot be loaded has its name and the reason."""
    return [
        row(entry.name, entry.value)
        if not entry.missing
        else _unloaded(entry.name, entry.package, entry.missing)
        for entry in registry.entries()
    ]


def _unloaded(name: str, package: str, reason: str) -> Row:
    return {"name": name, "runs_here": False, "package": package, "cannot_be_loaded": reason}


def _graph_row(name: str, value: Any) -> Row:
    text = parameter_text(parameters(value))
    return {"kind": name, "what": first_line(value), "parameters": text}


def _model_row(name: str, value: Any) -> Row:
    mechanism, _, kind = name.partition(".")
    family = function_family(kind, mechanism)
    described = [first_line(part) for part in (value, family) if part is not None]
    text = parameter_text(model_parameters(kind, mechanism))
    what = " ".join(described)
    return {"name": name, "kind": kind, "mechanism": mechanism, "what": what, "parameters": text}


def _metric_row(name: str, value: Any) -> Row:
    return {
        "name": name,
        "what": noun_phrase(value.description),
        "better": value.better,
        "undirected_edges": " or ".join(value.resolutions),
    }


def _diagnostic_row(name: str, value: Any) -> Row:
    return {"name": name, "what": noun_phrase(value.description)}


def noun_phrase(docstring: str) -> str:
    """Return a function's first line without its verb: it describes a number here.

    Examples
    --------
    >>> noun_phrase("Return the number of edges.")
    'The number of edges.'
    """
    text = docstring.removeprefix("Return ")
    return text[:1].upper() + text[1:]


_ROWS: MappingProxyType[str, Callable[[], list[Row]]] = MappingProxyType(
    {
        "algorithms": lambda: [_algorithm_row(record) for record in algorithms()],
        "graphs": lambda: _rows(GRAPHS, _graph_row),
        "models": lambda: _rows(MODELS, _model_row),
        "metrics": lambda: _rows(METRICS, _metric_row),
        "diagnostics": lambda: _rows(DIAGNOSTICS, _diagnostic_row),
    }
)


# All about one name.

Details = dict[str, Any]


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
        "parameters": _parameters(parameters(kind), *reversed(inspect.getmro(kind))),
    }


def _data(name: str, kind: Any) -> str:
    """Return which data an algorithm takes, as far as it says so."""
    rows = getattr(kind, "rows", "independent")
    taken = {"series": "a series", "any": "independent rows or a series"}.get(
        rows, "independent rows"
    )
    columns = getattr(kind, "columns", "continuous" if name in ALGORITHMS.built_in else None)
    if isinstance(columns, str):
        taken += f", {columns} columns"
    reads = getattr(kind, "reads", None)
    return f"{taken}; reads {reads}" if isinstance(reads, str) else taken


def _graph(_name: str, kind: Any) -> Details:
    return {
        "what": first_line(kind),
        "reference": _reference(kind),
        "parameters": _parameters(parameters(kind), *reversed(inspect.getmro(kind))),
    }


def _model(name: str, kind: Any) -> Details:
    mechanism, _, scheme = name.partition(".")
    family = function_family(scheme, mechanism)
    described = [part for part in (family, kind) if part is not None]
    return {
        "what": " ".join(map(first_line, reversed(described))),
        "about": _about(kind),
        "reference": " ".join(filter(None, map(_reference, reversed(described)))),
        "parameters": _parameters(model_parameters(scheme, mechanism), *described),
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
    texts = {"": pieces[0].strip()}
    for heading, text in zip(pieces[1::2], pieces[2::2], strict=True):
        texts[heading] = text.strip("\n")
    return texts


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


# The generated file.

LISTING = Path(__file__).with_name("listing.json")
DECLARING = MappingProxyType(
    {
        "algorithms": ("causalassay.discovery",),
        "metrics": (
            "causalassay.metrics.edges",
            "causalassay.metrics",
            "causalassay.judging.order_measures",
            "causalassay.risk.study_risk",
        ),
        "diagnostics": ("causalassay.diagnostics", "causalassay.risk.study_risk"),
    }
)
"""The packages and modules that declare our own parts, in the order in which these are listed;
some are above this one."""


def listing_text() -> str:
    """Return what `listing.json` has to hold: an object per part, a line per name."""
    tables = {part: _declared(part) for part in DECLARING}
    tables["graphs"] = {name: {"what": first_line(GRAPHS[name])} for name in GRAPHS.built_in}
    tables["models"] = {name: {"what": first_line(MODELS[name])} for name in MODELS.built_in}
    texts = []
    for part in PARTS:
        lines = (f"  {_json(name)}: {_json(entry)}" for name, entry in tables[part].items())
        texts.append(f" {_json(part)}: {{\n" + ",\n".join(lines) + "\n }")
    return "{\n" + ",\n".join(texts) + "\n}\n"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _declared(part: str) -> dict[str, dict[str, str]]:
    """Return what the modules of a part declare, algorithms by name, others in their order."""
    entries: dict[str, dict[str, str]] = {}
    for module in _modules(DECLARING[part]):
        for attribute, value in vars(module).items():
            is_code = isinstance(value, FunctionType | type)
            if not is_code or value.__module__ == module.__name__:
                entries |= _entry(part, f"{module.__name__}:{attribute}", value)
    return dict(sorted(entries.items())) if part == "algorithms" else entries


def _modules(names: Iterable[str]) -> Iterator[ModuleType]:
    for name in names:
        module = import_module(name)
        yield module
        for submodule in pkgutil.iter_modules(getattr(module, "__path__", ())):
            if not submodule.ispkg:
                yield import_module(f"{name}.{submodule.name}")


def _entry(part: str, address: str, value: Any) -> dict[str, dict[str, str]]:
    """Return the line of an attribute by its name, or nothing if it declares no such part."""
    if part == "algorithms":
        name = vars(value).get("name") if isinstance(value, type) else None
        named = isinstance(name, str) and hasattr(value, "discover")
        return {str(name): {"what": first_line(value), "address": address}} if named else {}
    declared = getattr(value, "declared", value)
    if not isinstance(declared, GraphMetric if part == "metrics" else ProblemDiagnostic):
        return {}
    entry = {"what": noun_phrase(declared.description), "address": address}
    if isinstance(declared, GraphMetric):
        entry["better"] = declared.better
        if declared.display_name:
            entry["display_name"] = declared.display_name
    return {address.partition(":")[2].lower(): entry}


if __name__ == "__main__":
    LISTING.write_text(listing_text(), encoding="utf-8")
