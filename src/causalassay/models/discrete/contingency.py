"""Contingency tables of integer codes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from causalassay.common.kernels import kernel, sorting_order
from causalassay.graphs.orders import Indices

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
