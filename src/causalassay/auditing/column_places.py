"""Where columns stand in the true order, with the statistics they could be sorted by."""

from __future__ import annotations

import re
import warnings

import numpy as np

from causalassay.auditing.result import ColumnPlace
from causalassay.common.arrays import Adjacency, Vector
from causalassay.contracts import NotApplicable
from causalassay.data import Dataset
from causalassay.diagnostics import RankDeficientWarning
from causalassay.judging.artefacts import artefacts_of


def column_places(data: Dataset, graph: Adjacency, max_lag: int) -> tuple[ColumnPlace, ...]:
    """Return the columns, causes before effects; of equal depth by name.

    Parameters
    ----------
    data : Dataset
    graph : Adjacency
        A DAG; of a series the summary graph, which may have cycles.
    max_lag : int
        Of a series: how far links reach back.
    """
    statistics = _statistics(data, max_lag)
    places = [
        ColumnPlace(name, depth, {key: float(values[j]) for key, values in statistics.items()})
        for j, (name, depth) in enumerate(zip(data.columns, depths(graph), strict=True))
    ]
    return tuple(sorted(places, key=lambda place: (place.depth, natural_key(place.name))))


def named_edges(columns: tuple[str, ...], graph: Adjacency) -> tuple[tuple[str, str], ...]:
    """Return cause and effect of each edge by name, in the order of the names.

    Examples
    --------
    >>> named_edges(("b", "a"), np.array([[False, True], [False, False]]))
    (('b', 'a'),)
    """
    edges = [(columns[i], columns[j]) for i, j in np.argwhere(graph).tolist()]
    return tuple(sorted(edges, key=lambda edge: [natural_key(name) for name in edge]))


def depths(graph: Adjacency) -> list[int]:
    """Return the edges on the longest path to each node; nodes of one cycle count as one.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> depths(chain(3)), depths(chain(2) | chain(2).T)
    ([0, 1, 2], [0, 0])
    """
    reaches = _reaches(graph)
    before = reaches & ~reaches.T
    depth = [0] * len(graph)
    for node in np.argsort(before.sum(axis=0), kind="stable").tolist():
        depth[node] = max((depth[one] + 1 for one in np.flatnonzero(before[:, node])), default=0)
    return depth


def _reaches(graph: Adjacency) -> Adjacency:
    """Return which nodes have a path to which, in a graph that may have cycles."""
    reaches = graph.copy()
    for _ in range(len(graph).bit_length()):  # paths of twice the length each time
        single = reaches.astype(np.float32)
        reaches |= single @ single > 0
    return reaches


def natural_key(name: str) -> list[tuple[int, str]]:
    """Return a key that sorts x2 before x10.

    Examples
    --------
    >>> sorted(["x10", "x2"], key=natural_key)
    ['x2', 'x10']
    """
    parts = re.findall(r"[0-9]+|[^0-9]+", name)
    return [(int(part), "") if part.isdecimal() else (0, part) for part in parts]


def _statistics(data: Dataset, max_lag: int) -> dict[str, Vector]:
    found = {}
    for artefact in artefacts_of(data.world):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RankDeficientWarning)
                found[artefact.statistic] = artefact.measure(data, max_lag)
        except NotApplicable:
            continue  # the judge says what is missing
    return found
