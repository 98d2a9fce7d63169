"""What can be named in studies, as plain rows."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any

from causalassay.common.registry import Registry, first_line, parameter_text, parameters
from causalassay.common.spelling import did_you_mean
from causalassay.diagnostics.registry import DIAGNOSTICS
from causalassay.discovery import AlgorithmRecord, algorithms
from causalassay.graphs.sources import GRAPHS
from causalassay.metrics.registry import METRICS
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
    described = [first_line(one) for one in (value, family) if one is not None]
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
