"""How far a graph agrees with the true one, edge by edge."""

from __future__ import annotations

from causalassay.arrays import Adjacency, check_adjacency


def shd(truth: Adjacency, guess: Adjacency) -> int:
    """Return the number of node pairs that the two graphs join differently.

    A pair is apart, joined by → or ←, or joined by —; a missing, an extra and
    a reversed edge count 1 each, and so does — against → or ←.

    Parameters
    ----------
    truth, guess : Adjacency, shape (d, d)
        DAGs, CPDAGs or PDAGs.

    Returns
    -------
    int
        From 0 to d(d - 1)/2; a metric.

    References
    ----------
    Tsamardinos, Brown, Aliferis (2006), https://doi.org/10.1007/s10994-006-6889-7,
    algorithm 4, which counts the same pairs between CPDAGs.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> shd(chain(3), chain(3).T), shd(chain(3), chain(3) | chain(3).T)
    (2, 2)
    """
    _check_pair(truth, guess)
    differs = truth != guess
    return int((differs | differs.T).sum()) // 2


def precision(truth: Adjacency, guess: Adjacency) -> float:
    """Return the share of the guessed entries that are true edges, direction included.

    Parameters
    ----------
    truth, guess : Adjacency, shape (d, d)
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
    _check_pair(truth, guess)
    return _share(int((truth & guess).sum()), int(guess.sum()))


def recall(truth: Adjacency, guess: Adjacency) -> float:
    """Return the share of the true edges that are guessed, direction included.

    Parameters
    ----------
    truth, guess : Adjacency, shape (d, d)
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
    _check_pair(truth, guess)
    return _share(int((truth & guess).sum()), int(truth.sum()))


def f1(truth: Adjacency, guess: Adjacency) -> float:
    """Return twice the hits over the guessed and the true entries together.

    Where precision and recall are defined and not both 0 this is their
    harmonic mean.

    Parameters
    ----------
    truth, guess : Adjacency, shape (d, d)
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
    _check_pair(truth, guess)
    return _share(2 * int((truth & guess).sum()), int(truth.sum()) + int(guess.sum()))


def _check_pair(truth: Adjacency, guess: Adjacency) -> None:
    check_adjacency(truth, "truth")
    check_adjacency(guess, "guess")
    if truth.shape != guess.shape:
        raise ValueError(f"guess: the truth has {len(truth)} nodes but the guess has {len(guess)}")


def _share(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")
