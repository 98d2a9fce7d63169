"""Levels drawn from conditional probability tables, a row at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from causalassay.common.arrays import Values, Vector
from causalassay.common.kernels import kernel
from causalassay.graphs.orders import Indices
from causalassay.models.discrete.elimination import ProbabilityTable


class CompiledTables(NamedTuple):
    """What the sampling kernel reads, flat."""

    start: Indices
    parent: Indices
    stride: Indices
    cumulative_start: Indices
    cumulative: Vector
    n_levels: Indices


@kernel
def draw_levels(values: Values, order: Indices, compiled: CompiledTables) -> None:
    """Turn uniform draws into codes in place: the first level whose cumulative share exceeds."""
    start, parent, stride, cumulative_start, cumulative, n_levels = compiled
    for row in values:
        for node in order:
            cell = cumulative_start[node]
            for position in range(start[node], start[node + 1]):
                cell += stride[position] * int(row[parent[position]])
            code = 0
            while code < n_levels[node] - 1 and row[node] >= cumulative[cell + code]:
                code += 1
            row[node] = code


def compile_tables(
    parents: Sequence[tuple[int, ...]], tables: Sequence[ProbabilityTable]
) -> CompiledTables:
    """Return the tables as the kernel reads them; their axes are the parents, then the node."""
    strides = [_strides(table.shape) for table in tables]
    return CompiledTables(
        np.cumsum([0, *map(len, parents)]),
        np.array([node for some in parents for node in some], dtype=np.int64),
        np.array([stride for some in strides for stride in some], dtype=np.int64),
        np.cumsum([0, *(table.size for table in tables)]),
        np.concatenate([_cumulative(table).reshape(-1) for table in tables]),
        np.array([table.shape[-1] for table in tables]),
    )


def _strides(shape: tuple[int, ...]) -> list[int]:
    """Return how far apart in the flat table the levels of each parent are."""
    return [int(np.prod(shape[axis + 1 :])) for axis in range(len(shape) - 1)]


def _cumulative(table: ProbabilityTable) -> ProbabilityTable:
    """Return cumulative probabilities that reach 1 at the last level that can occur."""
    last = table.shape[-1] - 1 - (table[..., ::-1] > 0).argmax(axis=-1)
    cumulative = table.cumsum(axis=-1)
    cumulative[np.arange(table.shape[-1]) >= last[..., None]] = 1.0
    return cumulative
