"""Whether an environment works: its algorithms on small data, a draw of its generators."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from causalassay.data import Dataset
from causalassay.data.kinds import Discrete
from causalassay.data.regime import Regime
from causalassay.discovery.environment_algorithms import algorithm_class
from causalassay.environments.catalogue import AlgorithmDefinition, EnvironmentDefinition
from causalassay.environments.generating import draw
from causalassay.environments.process import answered_within

CHECK_SECONDS = 600.0
"""What the check of one algorithm may take; the first one imports packages."""

_ROWS = 300
_NODES = 5


@dataclass(frozen=True)
class Checked:
    """What came of an algorithm on a chain of three columns, or of a small draw.

    Parameters
    ----------
    name : str
    seconds : float
        Of the call; the first one of an environment imports its packages.
    reason : str
        Why there is no graph, or no draw; empty if there is one.
    """

    name: str
    seconds: float
    reason: str


def check_environment(
    home: EnvironmentDefinition, seconds: float = CHECK_SECONDS
) -> Iterator[Checked]:
    """Yield what comes of each algorithm and of each generator of an environment.

    Parameters
    ----------
    home : EnvironmentDefinition
    seconds : float
        What each may take.
    """
    for definition in home.algorithms:
        yield _check(definition.name, partial(_discover, definition), seconds)
    for generator in home.generators:
        yield _check(generator.name, partial(draw, generator, _NODES, _ROWS, 0), seconds)


def _check(name: str, call: Callable[[], object], seconds: float) -> Checked:
    began = time.perf_counter()
    reason = ""
    try:
        with answered_within(seconds):
            call()
    except Exception as error:  # a package may raise anything
        reason = str(error)
    return Checked(name, time.perf_counter() - began, reason)


def _discover(definition: AlgorithmDefinition) -> None:
    algorithm = algorithm_class(definition)(**brief_parameters(definition))
    algorithm.discover(small_data(definition), np.random.default_rng(0))


def brief_parameters(definition: AlgorithmDefinition) -> dict[str, Any]:
    """Return the parameters with which an algorithm ends soon, where its defaults take minutes.

    Examples
    --------
    >>> from causalassay.environments.catalogue import environment
    >>> {one.name: brief_parameters(one) for one in environment("dagma").algorithms}
    {'dagma-linear': {}, 'dagma-mlp': {'max_iter': 1500, 'warm_iter': 1000}}
    """
    return {one.name: one.brief for one in definition.parameters if one.brief is not None}


def small_data(definition: AlgorithmDefinition) -> Dataset:
    """Return data of a chain of three columns that an algorithm is for.

    Examples
    --------
    >>> from causalassay.environments.catalogue import environment
    >>> small_data(environment("lingam").algorithms[0]).n_nodes
    3
    """
    rng = np.random.default_rng(0)
    noise = rng.exponential(size=(_ROWS, 3)) - 1.0
    if definition.data == ("series",):
        values = np.zeros_like(noise)
        for t in range(1, _ROWS):
            values[t] = noise[t] + 0.7 * np.roll(values[t - 1], 1) * (0, 1, 1)
        return Dataset.from_values(values, rows="series")
    values = np.cumsum(noise, axis=1)
    if "continuous" in definition.data:
        return Dataset.from_values(values)
    levels = (values > np.median(values, axis=0)).astype(float)
    kinds = (Discrete(("low", "high")),) * 3
    return Dataset(("x0", "x1", "x2"), (Regime("all", levels),), "all", kinds)
