"""Metrics that compare an estimated graph with the true one."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from causalassay.metrics.adjustment import *  # noqa: F403
    from causalassay.metrics.chance_level import *  # noqa: F403
    from causalassay.metrics.edges import *  # noqa: F403
    from causalassay.metrics.intervention_distance import *  # noqa: F403
    from causalassay.metrics.interventional import *  # noqa: F403
    from causalassay.metrics.laws import *  # noqa: F403
    from causalassay.metrics.ordering import *  # noqa: F403
    from causalassay.metrics.probabilities import *  # noqa: F403
    from causalassay.metrics.resolution import *  # noqa: F403

_MODULES = (
    "edges",
    "ordering",
    "chance_level",
    "adjustment",
    "intervention_distance",
    "probabilities",
    "laws",
    "interventional",
    "resolution",
)
"""Those whose ``__all__`` are the names of this package; what is asked for most comes first."""


def __getattr__(name: str) -> Any:
    """Import modules until one has the name: who wants `f1` needs no model."""
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    modules = (import_module(f"{__name__}.{module}") for module in _MODULES)
    if name == "__all__":
        return [each for module in modules for each in module.__all__]
    if not name.startswith("__"):
        for module in modules:
            if name in module.__all__:
                return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__getattr__("__all__"))
