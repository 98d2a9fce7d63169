"""Orders by a score, in which no index decides a tie."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from causalassay.common.arrays import Vector
from causalassay.graphs.orders import Indices


def random_ties_order(scores: Vector, rng: Generator, tolerance: float = 1e-9) -> Indices:
    """Return the nodes by ascending score, those that tie in random order.

    Parameters
    ----------
    scores : ndarray, shape (d,)
    rng : Generator
    tolerance : float
        Neighbours in the sorted scores tie if they differ by at most this
        share of the larger magnitude: the sortabilities' rule, so that
        rounding errors of standardised data decide nothing.

    Examples
    --------
    >>> import numpy as np
    >>> random_ties_order(np.array([3.0, 1.0, 2.0]), np.random.default_rng(0)).tolist()
    [1, 2, 0]
    """
    order = np.argsort(scores)
    ascending = scores[order]
    size = np.abs(ascending)
    apart = np.diff(ascending) > tolerance * np.maximum(size[1:], size[:-1])
    group = np.concatenate([[0], np.cumsum(apart)])
    return order[np.lexsort((rng.random(len(order)), group))]
