"""What a study has where its file does not say: metrics, diagnostics and baselines."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from causalassay.metrics.registry import DEFAULT_METRICS, SERIES_METRICS
from causalassay.study.measures import DEFAULT_DIAGNOSTICS, SERIES_DIAGNOSTICS
from causalassay.study.problem_specs import World

BASELINES = ("empty", "random-sortnregress", "var-sortnregress", "r2-sortnregress")
"""The algorithms added to every study, unless it says ``baselines = false``."""
SERIES_BASELINES = (
    "empty",
    "series-random-sortnregress",
    "series-var-sortnregress",
    "series-r2-sortnregress",
)
"""The same for problems that are series."""


class Defaults(NamedTuple):
    """The names of a study's default parts."""

    metrics: tuple[str, ...]
    diagnostics: tuple[str, ...]
    baselines: tuple[str, ...]


def defaults_for(worlds: Collection[World]) -> Defaults:
    """Return the defaults for independent rows, for series, or, with both, all of them.

    Examples
    --------
    >>> defaults_for({"series"}).metrics
    ('shd', 'f1', 'precision', 'recall')
    """
    independent = Defaults(DEFAULT_METRICS, DEFAULT_DIAGNOSTICS, BASELINES)
    series = Defaults(SERIES_METRICS, SERIES_DIAGNOSTICS, SERIES_BASELINES)
    if "series" not in worlds:
        return independent
    if set(worlds) == {"series"}:
        return series
    pairs = zip(independent, series, strict=True)
    return Defaults(*(tuple(dict.fromkeys((*first, *second))) for first, second in pairs))
