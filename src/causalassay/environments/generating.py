"""Draws data from the simulators of third-party packages, each in its environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causalassay.environments.catalogue import GeneratorDefinition, environment
from causalassay.environments.process import (
    Answer,
    EnvironmentFailed,
    PackageRaised,
    Request,
    ask,
    end_process,
)

LARGEST_SEED = 2**32 - 1
"""Of numpy's older generators, which packages draw from."""


@dataclass(frozen=True, eq=False)
class Drawn:
    """What a simulator drew: data and the graph they come from.

    Parameters
    ----------
    values : ndarray of float, shape (n, d)
        One row for each sample, of a series for each step.
    graph : ndarray of bool, shape (d, d)
        ``graph[i, j]`` is i → j; of a series the summary graph, which may have cycles.
    levels : tuple of int, optional
        Of discrete columns: how many values each takes; they are 0, 1, ….
    links : ndarray of bool, shape (max_lag + 1, d, d), optional
        Of a series: ``links[lag, i, j]`` is X_i(t - lag) → X_j(t).
    info : mapping
        The packages, and what the adapter says besides.
    """

    values: NDArray[np.float64]
    graph: NDArray[np.bool_]
    levels: tuple[int, ...] | None = None
    links: NDArray[np.bool_] | None = None
    info: Mapping[str, Any] = field(default_factory=dict)


def draw(generator: GeneratorDefinition, n_nodes: int, n_samples: int, seed: int) -> Drawn:
    """Draw data from a simulator with the defaults of its package.

    Parameters
    ----------
    generator : GeneratorDefinition
        One of `environment_generators`.
    n_nodes, n_samples : int
    seed : int
        Below 2^32; the same seed gives the same draw, where the package can be seeded.

    Raises
    ------
    EnvironmentAbsent
        If the environment is not installed.
    EnvironmentFailed
        If the package fails, or what it drew is no data with a graph.
    PackageRefused
        If the package cannot draw so many nodes.
    """
    for what, value in (("n_nodes", n_nodes), ("n_samples", n_samples)):
        if value < 2:
            raise ValueError(f"{what}: expected at least 2, got {value}")
    if not 0 <= seed <= LARGEST_SEED:
        raise ValueError(f"seed: expected 0 to {LARGEST_SEED}, got {seed}")
    parameters = {"nodes": n_nodes, "samples": n_samples}
    home = environment(generator.environment)
    request = Request("generator", generator.name, parameters, seed, python_seed=seed)
    try:
        answer = ask(home, request)
        return _drawn(answer, generator, n_nodes, n_samples)
    except PackageRaised:
        raise
    except EnvironmentFailed:
        end_process(home.name)
        raise


def _drawn(answer: Answer, generator: GeneratorDefinition, n_nodes: int, n_samples: int) -> Drawn:
    """Return what was drawn, or raise if it is no data with a graph."""
    arrays = answer.arrays
    for name in ("values", "levels" if generator.world == "discrete" else "values"):
        if name not in arrays:
            raise EnvironmentFailed(f"invalid: its answer has no {name}")
    values = _checked_values(arrays["values"], n_nodes, n_samples)
    links = _checked_links(arrays, n_nodes) if generator.world == "series" else None
    if links is not None:
        graph = _summary(links)
    elif "graph" in arrays:
        graph = checked_graph(arrays["graph"], n_nodes)
        _check_acyclic(graph, "graph")
    else:
        raise EnvironmentFailed("invalid: its answer has no graph")
    levels = _checked_levels(arrays["levels"], values) if generator.world == "discrete" else None
    home = environment(generator.environment)
    info = {"package": ", ".join(home.pins) or home.name, **answer.info}
    return Drawn(values, graph, levels, links, info)


def _checked_values(values: np.ndarray, n_nodes: int, n_samples: int) -> NDArray[np.float64]:
    if values.dtype.kind not in "biuf":
        raise EnvironmentFailed(f"invalid: its values are of type {values.dtype}")
    if values.shape != (n_samples, n_nodes):
        raise EnvironmentFailed(
            f"invalid: its values have shape {values.shape}, expected {(n_samples, n_nodes)}"
        )
    if not np.isfinite(values).all():
        raise EnvironmentFailed("invalid: its values are not all finite")
    return values.astype(float)


def _checked_links(arrays: Mapping[str, np.ndarray], n_nodes: int) -> NDArray[np.bool_]:
    if "links" not in arrays:
        raise EnvironmentFailed("invalid: its answer has no links")
    check_links(arrays["links"], n_nodes)
    links = arrays["links"].astype(bool)
    _check_acyclic(links[0], "graph at lag 0")
    return links


def _summary(links: NDArray[np.bool_]) -> NDArray[np.bool_]:
    summary: NDArray[np.bool_] = np.logical_or.reduce(links)
    np.fill_diagonal(summary, False)
    return summary


def _checked_levels(levels: np.ndarray, values: NDArray[np.float64]) -> tuple[int, ...]:
    if levels.shape != (values.shape[1],) or levels.dtype.kind not in "iu":
        raise EnvironmentFailed("invalid: its levels are not a whole number for each column")
    if (values != np.floor(values)).any() or (values < 0).any() or (values >= levels).any():
        raise EnvironmentFailed("invalid: its values are not the numbers of levels")
    return tuple(int(count) for count in levels)


def _check_acyclic(graph: NDArray[np.bool_], what: str) -> None:
    """Raise if a graph has a cycle: nodes without parents are taken off until none is left."""
    left = np.ones(len(graph), dtype=bool)
    while left.any():
        free = left & ~graph[left].any(axis=0)
        if not free.any():
            raise EnvironmentFailed(f"invalid: its {what} has a cycle")
        left &= ~free


# Checks of what an environment answers: a package may return anything.


def check_square(array: np.ndarray, n_nodes: int, what: str) -> None:
    """Raise unless an array holds numbers for each pair of columns.

    Examples
    --------
    >>> check_square(np.zeros((2, 3)), 3, "graph")
    Traceback (most recent call last):
    causalassay.environments.process.EnvironmentFailed: invalid: its graph has shape (2, 3) for 3
    columns
    """
    if array.dtype.kind not in "biuf":
        raise EnvironmentFailed(f"invalid: its {what} holds values of type {array.dtype}")
    if array.shape != (n_nodes, n_nodes):
        raise EnvironmentFailed(
            f"invalid: its {what} has shape {array.shape} for {n_nodes} columns"
        )


def checked_graph(graph: np.ndarray, n_nodes: int) -> NDArray[np.bool_]:
    """Return a graph as bool, or raise if it is none.

    Examples
    --------
    >>> checked_graph(np.array([[0.0, 1.0], [0.0, 0.0]]), 2)
    array([[False,  True],
           [False, False]])
    """
    check_square(graph, n_nodes, "graph")
    if not np.isin(graph, (0, 1)).all():  # nan is neither
        raise EnvironmentFailed("invalid: its graph has entries that are neither 0 nor 1")
    if np.diagonal(graph).any():
        raise EnvironmentFailed("invalid: its graph has an edge from a node to itself")
    return graph.astype(bool)


def check_links(links: np.ndarray, n_nodes: int) -> None:
    """Raise unless an array may be the links of a series, by lag, cause and effect.

    Examples
    --------
    >>> check_links(np.zeros((2, 3, 3), dtype=bool), 3)
    """
    if links.ndim != 3 or links.shape[1:] != (n_nodes, n_nodes) or links.dtype.kind not in "bi":
        raise EnvironmentFailed(
            f"invalid: its links have shape {links.shape} for {n_nodes} columns"
        )
