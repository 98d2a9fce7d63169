"""Probability tables fitted to codes on a given DAG."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causalassay.arrays import Adjacency
from causalassay.models.discrete.contingency import as_codes
from causalassay.models.discrete.elimination import ProbabilityTable
from causalassay.models.discrete.scm import DiscreteSCM, check_levels
from causalassay.models.discrete.sources import table_shape

LevelsLike = Sequence[int | Sequence[str] | Sequence[float]]


def fit_tables(
    graph: Adjacency, values: NDArray[Any], levels: LevelsLike, smoothing: float = 0.0
) -> DiscreteSCM:
    """Return the model on a DAG whose tables are the shares in the data; see `fit`.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> codes = np.array([[0, 0], [0, 0], [0, 1], [0, 1]])
    >>> fit_tables(chain(2), codes, levels=[2, 2]).tables[1]
    array([[0.5, 0.5],
           [0.5, 0.5]])
    """
    if not 0 <= smoothing < np.inf:
        raise ValueError(f"smoothing: expected a number of at least 0, got {smoothing}")
    named = check_levels(levels, len(graph))
    n_levels = np.array([len(one) for one in named])
    outside = (values != np.floor(values)) | (values < 0) | (values >= n_levels)
    if outside.any():
        row, node = (int(k) for k in np.argwhere(outside)[0])
        raise ValueError(
            f"values: column {node} has {n_levels[node]} levels, so its values are the codes 0 to "
            f"{n_levels[node] - 1}, but row {row} is {values[row, node]}; encode it, or state all "
            "its levels"
        )
    codes = as_codes(values)
    tables = []
    for node in range(len(graph)):
        shape = table_shape(graph, node, n_levels)
        nodes = [*np.flatnonzero(graph[:, node]).tolist(), node]
        cells = np.ravel_multi_index([codes[one] for one in nodes], shape)
        counts = np.bincount(cells, minlength=int(np.prod(shape))).reshape(shape)
        tables.append(_shares(counts + smoothing))
    return DiscreteSCM(graph, tables, named)


def _shares(counts: ProbabilityTable) -> ProbabilityTable:
    """Return counts over their sums along the last axis; all alike where there are none."""
    total = counts.sum(axis=-1, keepdims=True)
    return np.where(total > 0, counts, 1.0) / np.where(total > 0, total, counts.shape[-1])
