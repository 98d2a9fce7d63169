"""Checks of the parts of one problem against each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from causalassay.study.language.mistakes import Location, Mistakes
from causalassay.study.problem_specs import SCALING, Interventions, model_world


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
