"""From weights to a DAG: keep the large ones, and break what cycles are left at the weakest."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from causalassay.common.arrays import Adjacency, Weights, check_weights
from causalassay.graphs.orders import order_or_cycle


def threshold(weights: ArrayLike, at: float) -> Adjacency:
    """Return where the weights have at least the magnitude `at` and are not zero.

    Cycles may be left; see `acyclic_threshold`.

    Examples
    --------
    >>> threshold([[0, 0.5], [0.2, 0]], at=0.3).astype(int)
    array([[0, 1],
           [0, 0]])
    """
    size = _magnitudes(weights)
    return (size >= at) & (size > 0)


def acyclic_threshold(weights: ArrayLike, at: float) -> float:
    """Return the smallest threshold from `at` on at which no cycle is left.

    Raising the threshold until then is the same as removing the weakest edge
    again and again while there is a cycle.

    References
    ----------
    Reisach, Seiler, Weichwald (2021), appendix K.2.

    Examples
    --------
    The edges 0→1 and 1→0 make a cycle that ends with the weaker one.

    >>> acyclic_threshold([[0, 0.5], [0.4, 0]], at=0.3)
    0.5
    """
    size = _magnitudes(weights)
    cuts = np.unique(size[(size >= at) & (size > 0)])
    low, high = 0, len(cuts)
    while low < high:  # fewer edges never make a cycle, so the cut can be halved towards
        middle = (low + high) // 2
        if _is_acyclic(size >= cuts[middle]):
            high = middle
        else:
            low = middle + 1
    if low == 0:
        return float(at)
    return float(cuts[low]) if low < len(cuts) else float("inf")


def _is_acyclic(graph: Adjacency) -> bool:
    return len(order_or_cycle(graph)) == len(graph)


def _magnitudes(weights: ArrayLike) -> Weights:
    size = np.abs(check_weights(weights))
    if size.diagonal().any():
        raise ValueError(
            f"weights: node {int(size.diagonal().argmax())} has an edge to itself; "
            "clear the diagonal"
        )
    return size
