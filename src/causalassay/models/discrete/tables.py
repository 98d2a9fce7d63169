"""Exact marginals of a network of probability tables, by elimination along a tree of buckets.

A factor is a table over some nodes whose axes stand in ascending order of the nodes, so that
products need no transposition, only new axes of length 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from causalassay.common.arrays import Values, Vector
from causalassay.common.kernels import kernel, sorting_order
from causalassay.graphs.orders import Indices

ProbabilityTable = NDArray[np.floating[Any]]

MOST_CELLS = 2**22
"""The largest table that is built, 32 MiB; beyond it laws are sampled."""


class TooWide(ValueError):
    """A network is connected too densely for exact inference within the limit."""


@dataclass(frozen=True, eq=False)
class Factor:
    """A table over nodes in ascending order, an axis a node."""

    nodes: tuple[int, ...]
    table: ProbabilityTable

    def times(self, other: Factor) -> Factor:
        """Return the product."""
        nodes = tuple(sorted({*self.nodes, *other.nodes}))
        return Factor(nodes, self._spread(nodes) * other._spread(nodes))

    def onto(self, nodes: Sequence[int]) -> Factor:
        """Return the sums over all other nodes."""
        gone = tuple(axis for axis, node in enumerate(self.nodes) if node not in nodes)
        remaining = tuple(node for node in self.nodes if node in nodes)
        return Factor(remaining, self.table.sum(axis=gone))

    def over(self, other: Factor) -> Factor:
        """Return the quotient by a factor of the same nodes, with 0/0 = 0."""
        quotient = np.zeros_like(self.table)
        np.divide(self.table, other.table, out=quotient, where=other.table > 0)
        return Factor(self.nodes, quotient)

    def _spread(self, nodes: tuple[int, ...]) -> ProbabilityTable:
        size = dict(zip(self.nodes, self.table.shape, strict=True))
        return self.table.reshape([size.get(node, 1) for node in nodes])


def bucket_marginals(
    factors: Sequence[Factor], sizes: Sequence[int], most_cells: int
) -> dict[int, Vector]:
    """Return the marginal of each node of the factors under their product, which sums to 1.

    Parameters
    ----------
    factors : sequence of Factor
    sizes : sequence of int
        Number of levels of each node.
    most_cells : int
        The largest table to build.

    Raises
    ------
    TooWide
        If a larger one is needed; nothing has been multiplied then.

    Notes
    -----
    A bucket is eliminated by multiplying its factors and summing its node out, the
    cheapest bucket first. Going back, each bucket learns from the one that took its
    message what that has learned since, so that two passes give the marginals of all nodes.

    Examples
    --------
    >>> import numpy as np
    >>> cause = Factor((0,), np.array([0.5, 0.5]))
    >>> effect = Factor((0, 1), np.array([[0.9, 0.1], [0.3, 0.7]]))
    >>> bucket_marginals([cause, effect], [2, 2], 100)[1].round(12)
    array([0.6, 0.4])
    """
    order, scopes = _plan([factor.nodes for factor in factors], sizes, most_cells)
    position = {node: k for k, node in enumerate(order)}
    buckets = {node: _Bucket(node, scopes[node]) for node in order}
    for factor in factors:
        buckets[min(factor.nodes, key=position.__getitem__)].take(factor)
    for node in order:
        bucket = buckets[node]
        rest = [other for other in bucket.scope if other != node]
        bucket.message = bucket.belief.onto(rest)
        if rest:
            bucket.goes_to = min(rest, key=position.__getitem__)
            buckets[bucket.goes_to].take(bucket.message)
    for node in reversed(order):
        bucket = buckets[node]
        if bucket.goes_to is not None:
            shared = bucket.message.nodes
            learned = buckets[bucket.goes_to].belief.onto(shared).over(bucket.message)
            bucket.take(learned)
    return {node: buckets[node].belief.onto([node]).table for node in order}


_ONE = Factor((), np.ones(()))


@dataclass(eq=False)
class _Bucket:
    node: int
    scope: frozenset[int]
    goes_to: int | None = None
    message: Factor = _ONE
    belief: Factor = field(default=_ONE)

    def take(self, factor: Factor) -> None:
        self.belief = self.belief.times(factor)


def _plan(
    nodes: Sequence[tuple[int, ...]], sizes: Sequence[int], most_cells: int
) -> tuple[list[int], dict[int, frozenset[int]]]:
    """Return the order of elimination, the smallest table first, and each bucket's nodes."""
    near: dict[int, set[int]] = {}
    for together in nodes:
        for node in together:
            near.setdefault(node, set()).update(together)

    def cells(node: int) -> int:
        return math.prod(sizes[other] for other in near[node])

    order, scopes = [], {}
    while near:
        node = min(near, key=lambda candidate: (cells(candidate), candidate))
        if cells(node) > most_cells:
            raise TooWide(
                f"exact laws of this network need a table of {cells(node):.2g} cells, more than "
                f"{most_cells}; sample them, which has a standard error, or raise the limit"
            )
        scope = frozenset(near.pop(node))
        for other in scope - {node}:
            near[other] |= scope
            near[other].discard(node)
        order.append(node)
        scopes[node] = scope
    return order, scopes


def product(factors: Sequence[Factor]) -> Factor:
    """Return the product of all factors, a table over all their nodes.

    Examples
    --------
    >>> import numpy as np
    >>> product([Factor((0,), np.array([0.5, 0.5])), Factor((1,), np.array([0.1, 0.9]))]).table
    array([[0.05, 0.45],
           [0.05, 0.45]])
    """
    return reduce(Factor.times, factors, _ONE)


# Levels drawn from conditional probability tables, a row at a time.


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


# Contingency tables of integer codes.

Codes = NDArray[np.int32]
"""Shape (d, n): one row per node, so that the codes of a node are contiguous."""

Labels = NDArray[np.int64]


def as_codes(values: ArrayLike) -> Codes:
    """Return values, shape (n, d), that hold codes as the kernels read them.

    Examples
    --------
    >>> as_codes([[0.0, 1.0], [2.0, 1.0]]).tolist()
    [[0, 2], [1, 1]]
    """
    return np.ascontiguousarray(np.asarray(values).T.astype(np.int32))


@kernel
def _renumbered(labels: Labels) -> tuple[Labels, int]:
    """Return labels from 0 on without gaps, and how many there are."""
    order = sorting_order(labels)
    new = np.empty_like(labels)
    count = 0
    for k in range(len(order)):
        if k > 0 and labels[order[k]] != labels[order[k - 1]]:
            count += 1
        new[order[k]] = count
    return new, count + 1


@kernel
def configurations(codes: Codes, nodes: Indices, sizes: Indices) -> tuple[Labels, int]:
    """Return for each row the number of the configuration of the nodes, and a bound on numbers.

    Numbers are those of a table of all configurations, the last node's level changing
    fastest, as long as there are at most 4 n + 64 of them; else of those that occur, for
    nobody could count a table with far more cells than rows.

    Examples
    --------
    >>> codes = np.array([[0, 1, 1], [2, 0, 2]], dtype=np.int32)
    >>> configurations(codes, np.array([0, 1]), np.array([2, 3]))
    (array([2, 3, 5]), 6)
    """
    n_rows = codes.shape[1]
    labels, count = np.zeros(n_rows, np.int64), 1
    for node in nodes:
        size = sizes[node]
        of_node = codes[node]
        for row in range(n_rows):
            labels[row] = labels[row] * size + of_node[row]
        count *= size
        if count > 4 * n_rows + 64:
            labels, count = _renumbered(labels)
    return labels, count


@kernel
def count_levels(labels: Labels, count: int, of_node: NDArray[np.int32], size: int) -> Labels:
    """Return how often each level occurs with each label, shape (count, size).

    Examples
    --------
    >>> labels, levels = np.array([0, 1, 1]), np.array([0, 1, 1], dtype=np.int32)
    >>> count_levels(labels, 2, levels, 2)
    array([[1, 0],
           [0, 2]])
    """
    table = np.zeros((count, size), np.int64)
    for row in range(len(labels)):
        table[labels[row], of_node[row]] += 1
    return table
