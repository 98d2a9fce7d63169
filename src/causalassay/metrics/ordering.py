"""Whether a guess puts causes before effects, whatever edges it draws."""

from __future__ import annotations

import numpy as np

from causalassay.arrays import Adjacency
from causalassay.graphs import is_dag, reachability
from causalassay.metrics.pairing import Guess, check_pair, share


def order_score(truth: Adjacency, guess: Guess) -> float:
    """Return the share of the true edges ordered by the guess that it orders rightly.

    The guess orders two nodes if directed edges lead from one to the other and not
    back. A guess that knows nothing of directions has 1/2 on average.

    Parameters
    ----------
    truth : Adjacency, shape (d, d)
        i—j has no order to find and is not counted.
    guess : Adjacency or Estimate
        Of its undirected edges none is walked along. An order that an estimate
        reports beside its graph is not asked.

    Returns
    -------
    float
        nan if the guess orders the ends of no true edge; see `ordered_share`.

    Examples
    --------
    The first true edge is ordered by a path, the second the wrong way.

    >>> import numpy as np
    >>> truth = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], dtype=bool)
    >>> guess = np.array([[0, 0, 1], [0, 0, 0], [0, 1, 0]], dtype=bool)
    >>> order_score(truth, guess)
    0.5
    """
    edges, before = _edges_and_order(truth, guess)
    rightly, wrongly = int((edges & before).sum()), int((edges & before.T).sum())
    return share(rightly, rightly + wrongly)


def ordered_share(truth: Adjacency, guess: Guess) -> float:
    """Return the share of the true edges whose two ends the guess orders, either way.

    Parameters
    ----------
    truth, guess
        As in `order_score`.

    Returns
    -------
    float
        nan if there is no true edge.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> ordered_share(chain(3), chain(3).T), ordered_share(chain(3), chain(3) | chain(3).T)
    (1.0, 0.0)
    """
    edges, before = _edges_and_order(truth, guess)
    return share(int((edges & (before | before.T)).sum()), int(edges.sum()))


def _edges_and_order(truth: Adjacency, guess: Guess) -> tuple[Adjacency, Adjacency]:
    """Return the directed edges of the truth, and for each (i, j) whether the guess has i first."""
    truth, guess = check_pair(truth, guess)
    leads = _leads_to(guess & ~guess.T)
    return truth & ~truth.T, leads & ~leads.T


def _leads_to(directed: Adjacency) -> Adjacency:
    """Return the pairs that a path connects; estimates may have cycles."""
    if is_dag(directed):
        return reachability(directed)
    reach = directed | np.eye(len(directed), dtype=bool)
    for _ in range(len(directed).bit_length()):
        # Each product doubles the length of the paths.
        reach = reach.astype(np.float32) @ reach.astype(np.float32) > 0
    return reach
