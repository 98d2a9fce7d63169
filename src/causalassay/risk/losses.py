"""What it costs to name the wrong descendants."""

from __future__ import annotations

from collections.abc import Callable, Set

Loss = Callable[[Set[int], Set[int]], float]
"""Of the reference's descendants of a node and the estimate's, the node itself in neither."""


def jaccard(reference: Set[int], guess: Set[int]) -> float:
    """Return the share of the two sets' union that is not in both, 0 if both are empty.

    Parameters
    ----------
    reference, guess : set of int

    References
    ----------
    Eigenmann, Mukherjee, Maathuis (2020), below equation 3.

    Examples
    --------
    >>> jaccard({1, 2, 3}, {2, 3, 4})
    0.5
    >>> jaccard(set(), set()), jaccard(set(), {1})
    (0.0, 1.0)
    """
    union = len(reference | guess)
    return 1.0 - len(reference & guess) / union if union else 0.0


def mistakes(reference: Set[int], guess: Set[int]) -> float:
    """Return how many nodes are in one of the sets only.

    Where a node has no descendants, the Jaccard distance is 1 whether the
    guess has one or twenty of them; this loss tells the two apart.

    Parameters
    ----------
    reference, guess : set of int

    Examples
    --------
    >>> mistakes({1, 2, 3}, {2, 3, 4}), mistakes(set(), {1, 2, 3})
    (2.0, 3.0)
    """
    return float(len(reference ^ guess))
