"""What can be named in scripts and studies, as plain rows."""

from __future__ import annotations

import inspect
from types import ModuleType
from typing import Any

from causalassay import diagnostics, metrics
from causalassay.discovery import algorithms
from causalassay.models.drawing import SOURCES

Row = dict[str, str]


def catalogue(what: str) -> list[Row]:
    """Return a row for each algorithm, model, metric or diagnostic.

    Parameters
    ----------
    what : {"algorithms", "models", "metrics", "diagnostics"}

    Examples
    --------
    >>> [row["kind"] for row in catalogue("models")][:3]
    ['scm', 'standardized', 'iscm']
    """
    match what:
        case "algorithms":
            return [_algorithm_row(record) for record in algorithms()]
        case "models":
            return [
                {"kind": kind, "mechanism": mechanism, "what": _first_line(source)}
                for mechanism, kinds in SOURCES.items()
                for kind, source in kinds.items()
            ]
        case "metrics":
            return _functions(metrics)
        case "diagnostics":
            return _functions(diagnostics)
        case _:
            raise ValueError(f"expected algorithms, models, metrics or diagnostics, got {what!r}")


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


def _functions(module: ModuleType) -> list[Row]:
    return [
        {"name": name, "what": _first_line(getattr(module, name))}
        for name in module.__all__
        if inspect.isfunction(getattr(module, name))
    ]


def _first_line(thing: object) -> str:
    return (inspect.getdoc(thing) or "").partition("\n")[0]
