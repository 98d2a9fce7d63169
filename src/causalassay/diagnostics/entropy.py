"""Whether the entropies of discrete columns reveal the causal order."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import entr

from causalassay.common.arrays import Adjacency, Vector, check_values
from causalassay.diagnostics.order_alignment import Convention, alignment
from causalassay.graphs.orders import check_dag


def entropies(values: ArrayLike) -> Vector:
    """Return the entropy of each column's levels, in nats; no coding of the levels changes it.

    Parameters
    ----------
    values : array_like, shape (n, d)
        Codes, or whatever stands for the levels.

    Examples
    --------
    >>> entropies([[0, 7], [0, 7], [1, 7], [1, 7]]).round(4)
    array([0.6931, 0.    ])
    """
    columns = check_values(values).T
    shares = [np.unique(column, return_counts=True)[1] / len(column) for column in columns]
    return np.array([float(entr(share).sum()) for share in shares])


def entropy_sortability(
    values: ArrayLike,
    graph: Adjacency,
    convention: Convention = "paths",
    tolerance: float = 1e-9,
) -> float:
    """Return how far the entropy of discrete columns grows along the causal order.

    The counterpart of var-sortability for discrete columns. The variance of codes depends on
    how levels were coded and means nothing; the entropy of a column does not.

    Parameters
    ----------
    values : array_like, shape (n, d)
        Codes.
    graph : Adjacency
        The true DAG.
    convention : {"paths", "pairs", "edges"}
        Which ordered pairs count, and how often; see `pair_weights`.
    tolerance : float
        On the ratio of two entropies; closer ones tie and count one half.

    Examples
    --------
    A rare cause of a fair coin:

    >>> from causalassay.graphs import chain
    >>> entropy_sortability([[0, 0], [0, 1], [0, 0], [1, 1]], chain(2))
    1.0
    """
    array = check_values(values, len(check_dag(graph)))
    return alignment(graph, entropies(array), convention, tolerance)
