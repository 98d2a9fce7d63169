"""Precision, recall, F1 and false positive rate of edges, directed and as a skeleton."""

from __future__ import annotations

from causalassay.common.arrays import Adjacency
from causalassay.graphs import skeleton
from causalassay.metrics.pairing import Guess, check_pair, share


def precision(truth: Adjacency, guess: Guess) -> float:
    """Return the share of the guessed entries that are true edges, direction included.

    Parameters
    ----------
    truth : Adjacency, shape (d, d)
    guess : Adjacency or Estimate
        Compared entry by entry: i—j in the guess is two entries, i→j and j→i,
        of which a true DAG has one at most.

    Returns
    -------
    float
        nan if nothing is guessed.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> precision(chain(3), chain(3)), precision(chain(3), chain(3) | chain(3).T)
    (1.0, 0.5)
    """
    truth, guess = check_pair(truth, guess)
    return share(int((truth & guess).sum()), int(guess.sum()))


def recall(truth: Adjacency, guess: Guess) -> float:
    """Return the share of the true edges that are guessed, direction included.

    Parameters
    ----------
    truth : Adjacency, shape (d, d)
    guess : Adjacency or Estimate
        Compared entry by entry: i—j in the guess finds i→j as well as j→i.

    Returns
    -------
    float
        nan if there is no true edge.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> recall(chain(3), chain(3).T), recall(chain(3), chain(3) | chain(3).T)
    (0.0, 1.0)
    """
    truth, guess = check_pair(truth, guess)
    return share(int((truth & guess).sum()), int(truth.sum()))


def f1(truth: Adjacency, guess: Guess) -> float:
    """Return twice the hits over the guessed and the true entries together.

    Where precision and recall are defined and not both 0 this is their
    harmonic mean.

    Parameters
    ----------
    truth : Adjacency, shape (d, d)
    guess : Adjacency or Estimate
        Compared entry by entry, as in `precision` and `recall`.

    Returns
    -------
    float
        0 if one of the two graphs has edges and none of them is hit, an empty
        guess included; nan if both graphs are empty.

    Notes
    -----
    gcastle's ``MetricsDAG``, used by Herman et al. (2025), goes through
    precision and gives nan for every empty guess; scikit-learn's ``f1_score``,
    used by Ormaniec et al. (2024), gives 0 where both are empty. Otherwise
    they agree with this function, but for guesses without a hit, where
    gcastle divides 0 by 0 too.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> round(f1(chain(3), chain(3) | chain(3).T), 4)
    0.6667
    >>> f1(chain(3), chain(3) & False)
    0.0
    """
    truth, guess = check_pair(truth, guess)
    return share(2 * int((truth & guess).sum()), int(truth.sum()) + int(guess.sum()))


def fpr(truth: Adjacency, guess: Guess) -> float:
    """Return the share of the entries without a true edge that are guessed.

    Parameters
    ----------
    truth : Adjacency, shape (d, d)
    guess : Adjacency or Estimate
        Compared entry by entry: d(d - 1) entries less the true edges are without.

    Returns
    -------
    float
        nan if every entry is a true edge (d = 1).

    Notes
    -----
    NOTEARS and gcastle divide the extra and reversed edges by d(d - 1)/2 less
    the true edges instead: ``(parts.extra + parts.reversed) / (d * (d - 1) / 2 - n_true)``
    with ``parts = shd_parts(truth, guess)``.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> fpr(chain(3), chain(3).T)
    0.5
    """
    truth, guess = check_pair(truth, guess)
    d, n_true = len(truth), int(truth.sum())
    return share(int((guess & ~truth).sum()), d * (d - 1) - n_true)


def skeleton_precision(truth: Adjacency, guess: Guess) -> float:
    """Return the share of the guessed adjacencies that are true; nan if nothing is guessed.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> skeleton_precision(chain(3), chain(3).T)
    1.0
    """
    return precision(*_skeletons(truth, guess))


def skeleton_recall(truth: Adjacency, guess: Guess) -> float:
    """Return the share of the true adjacencies that are guessed; nan if there is none.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> skeleton_recall(chain(3), chain(3).T)
    1.0
    """
    return recall(*_skeletons(truth, guess))


def skeleton_f1(truth: Adjacency, guess: Guess) -> float:
    """Return twice the common adjacencies over those of both graphs; nan if there is none.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> skeleton_f1(chain(3), chain(3).T)
    1.0
    """
    return f1(*_skeletons(truth, guess))


def skeleton_fpr(truth: Adjacency, guess: Guess) -> float:
    """Return the share of truly non-adjacent pairs that are guessed adjacent; nan if none are.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import chain, complete
    >>> skeleton_fpr(chain(3), complete(3, np.random.default_rng(0)))
    1.0
    """
    return fpr(*_skeletons(truth, guess))


def _skeletons(truth: Adjacency, guess: Guess) -> tuple[Adjacency, Adjacency]:
    """Both entries of a pair stand in a skeleton, so every share counts pairs."""
    truth, guess = check_pair(truth, guess)
    return skeleton(truth), skeleton(guess)
