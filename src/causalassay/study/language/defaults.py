"""What a study has where its file does not say: metrics, diagnostics and baselines."""

from __future__ import annotations

from collections.abc import Collection
from itertools import chain
from typing import NamedTuple

from causalassay.metrics.registry import DEFAULT_METRICS, SERIES_METRICS
from causalassay.study.measures import (
    DEFAULT_DIAGNOSTICS,
    DISCRETE_DIAGNOSTICS,
    SERIES_DIAGNOSTICS,
)
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


_WORLDS: tuple[World, ...] = ("continuous", "discrete", "series")


def defaults_for(worlds: Collection[World]) -> Defaults:
    """Return the defaults for the worlds of a study's problems: with several, all of them.

    Examples
    --------
    >>> defaults_for({"series"}).metrics
    ('shd', 'f1', 'precision', 'recall')
    >>> defaults_for({"discrete"}).diagnostics
    ('entropy_sortability', 'n_edges', 'n_draws')
    """
    present = [world for world in _WORLDS if world in worlds] or ["continuous"]
    every = zip(*map(_of_one, present), strict=True)
    return Defaults(*(tuple(dict.fromkeys(chain.from_iterable(names))) for names in every))


def _of_one(world: World) -> Defaults:
    match world:
        case "continuous":
            return Defaults(DEFAULT_METRICS, DEFAULT_DIAGNOSTICS, BASELINES)
        case "discrete":
            return Defaults(DEFAULT_METRICS, DISCRETE_DIAGNOSTICS, BASELINES)
        case "series":
            return Defaults(SERIES_METRICS, SERIES_DIAGNOSTICS, SERIES_BASELINES)
