"""What is measured beside F1: what chance gives, and what sorting by each artefact reaches."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from causalassay.judging.order_measures import measure_names, sortability_names
from causalassay.metrics.registry import CHANCES, CONTROLS, METRICS
from causalassay.study.plan import MetricEntry
from causalassay.study.problem_specs import World


def needs_controls(metrics: Sequence[MetricEntry]) -> bool:
    """Tell whether a study scores F1 as it is, which is what controls stand beside."""
    return any((entry.name, entry.resolution) == ("f1", "as-is") for entry in metrics)


def control_metrics(metrics: Sequence[MetricEntry]) -> tuple[MetricEntry, ...]:
    """Return the numbers of each estimate that stand beside some metrics."""
    chances = [CHANCES[entry.name] for entry in metrics if entry.name in CHANCES]
    return tuple(
        MetricEntry(name, METRICS[name].resolution, METRICS[name].version, name)
        for name in dict.fromkeys((*CONTROLS, *chances))
    )


def control_diagnostics(worlds: Collection[World]) -> tuple[str, ...]:
    """Return the numbers of each data set, for the worlds of the problems.

    Examples
    --------
    >>> control_diagnostics({"discrete"})[:3]
    ('entropy_sortability', 'random_f1', 'attainable_p')
    """
    names: list[str] = []
    for world in sorted(worlds):
        names += (*sortability_names(world), *measure_names(world))
    return tuple(dict.fromkeys(names))
