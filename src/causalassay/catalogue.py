"""What can be named in scripts and studies, as plain rows."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from types import ModuleType
from typing import Any

from causalassay import diagnostics, metrics
from causalassay.diagnostics.registry import DIAGNOSTICS
from causalassay.discovery import algorithms
from causalassay.graphs.sources import GRAPH_SOURCES
from causalassay.models.nonlinear.mechanisms import FAMILIES
from causalassay.models.registry import SOURCES
from causalassay.study.worker.scoring import METRICS

Row = dict[str, str]


def catalogue(what: str) -> list[Row]:
    """Return a row for each algorithm, graph family, model, metric or diagnostic.

    Parameters
    ----------
    what : {"algorithms", "graphs", "models", "metrics", "diagnostics"}

    Examples
    --------
    >>> [row["kind"] for row in catalogue("models")][:3]
    ['scm', 'standardized', 'iscm']
    """
    match what:
        case "algorithms":
            return [_algorithm_row(record) for record in algorithms()]
        case "graphs":
            return [
                {
                    "kind": kind,
                    "what": _first_line(source),
                    "parameters": ", ".join(field.name for field in _fields(source)),
                }
                for kind, source in GRAPH_SOURCES.items()
            ]
        case "models":
            return [
                {"kind": kind, "mechanism": mechanism, "what": _model(source, mechanism)}
                for mechanism, kinds in SOURCES.items()
                for kind, source in kinds.items()
            ]
        case "metrics":
            return [*_functions(metrics, _metric_use), *_bounds()]
        case "diagnostics":
            return _functions(diagnostics, _diagnostic_use)
        case _:
            raise ValueError(
                f"expected algorithms, graphs, models, metrics or diagnostics, got {what!r}"
            )


def _algorithm_row(record: Any) -> Row:
    scale = {True: "yes", False: "no", None: ""}[record.scale_sensitive]
    return {
        "name": record.name,
        "runs_here": f"no: {record.missing}" if record.missing else "yes",
        "output": record.output or "",
        "scale_sensitive": scale,
        "what": record.description,
        "assumptions": record.assumptions,
        "reference": record.reference,
        "licence": record.licence,
    }


def _model(source: object, mechanism: str) -> str:
    """Return what a scheme does, and with which functions unless they are linear."""
    family = FAMILIES.get(mechanism)
    return " ".join(_first_line(thing) for thing in (source, family) if thing is not None)


def _fields(source: Any) -> tuple[dataclasses.Field[Any], ...]:
    return dataclasses.fields(source)


def _functions(module: ModuleType, use: Callable[[str], str]) -> list[Row]:
    return [
        {"name": name, "what": _first_line(getattr(module, name)), "in_studies": use(name)}
        for name in module.__all__
        if inspect.isfunction(getattr(module, name))
    ]


def _metric_use(name: str) -> str:
    if name not in METRICS:
        return ""
    rule = METRICS[name]
    return f"{rule.better} is better; undirected edges: {' or '.join(rule.resolutions)}"


def _bounds() -> list[Row]:
    """Return the metrics of studies that are a part of what a function returns."""
    return [
        {
            "name": name,
            "what": f"The {name.rpartition('_')[2]} bound of `mec_sid`.",
            "in_studies": _metric_use(name),
        }
        for name in METRICS
        if not hasattr(metrics, name)
    ]


def _diagnostic_use(name: str) -> str:
    return ", ".join(known for known in DIAGNOSTICS if known.startswith(name))


def _first_line(thing: object) -> str:
    return (inspect.getdoc(thing) or "").partition("\n")[0]
