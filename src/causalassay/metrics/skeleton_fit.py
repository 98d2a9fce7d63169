"""Whether a guess finds more adjacencies than as many pairs drawn at random would."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from causalassay.common.arrays import Adjacency, Vector
from causalassay.graphs import skeleton
from causalassay.metrics.pairing import Guess, check_pair, graph_of


def skeleton_p(truth: Adjacency, guess: Guess) -> float:
    """Return the p-value of the skeleton-fit test.

    It is the probability that a random skeleton with as many edges hits at least as many true
    adjacencies: a tail of the hypergeometric distribution.

    Parameters
    ----------
    truth : Adjacency, shape (d, d)
    guess : Adjacency or Estimate
        Directions do not matter.

    Returns
    -------
    float
        1 for an empty guess; nan for one node, where there is no pair to draw.

    References
    ----------
    Petersen (2025), "Are you doing better than random guessing? A call for using negative
    controls when evaluating causal discovery algorithms".

    Examples
    --------
    Of three pairs two are drawn; one draw in three hits both edges.

    >>> from causalassay.graphs import chain
    >>> round(skeleton_p(chain(3), chain(3).T), 4)
    0.3333
    """
    truth, guess = check_pair(truth, guess)
    true_pairs, guessed_pairs = skeleton(truth), skeleton(guess)
    n_pairs = len(truth) * (len(truth) - 1) // 2
    n_true, n_drawn = int(true_pairs.sum()) // 2, int(guessed_pairs.sum()) // 2
    hits = int((true_pairs & guessed_pairs).sum()) // 2
    if not n_pairs:
        return float("nan")
    counts = np.arange(max(0, n_true + n_drawn - n_pairs), min(n_true, n_drawn) + 1)
    logs = (
        _log_choose(n_true, counts)
        + _log_choose(n_pairs - n_true, n_drawn - counts)
        - _log_choose(n_pairs, np.array(n_drawn))
    )
    probabilities = np.exp(logs)
    # Over their sum: the logarithms of large factorials are rounded.
    return float(probabilities[counts >= hits].sum() / probabilities.sum())


def n_guessed(guess: Guess) -> int:
    """Return the number of pairs that a guess joins, by a directed or an undirected edge.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> n_guessed(chain(3)), n_guessed(chain(3) | chain(3).T)
    (2, 2)
    """
    return int(skeleton(graph_of(guess)).sum()) // 2


def _log_choose(n: int, k: NDArray[np.int64]) -> Vector:
    return gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
