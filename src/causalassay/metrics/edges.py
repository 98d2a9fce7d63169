"""Comparisons edge by edge: precision, recall and F1, and structural Hamming distances."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from causalassay.common.arrays import Adjacency, as_graph
from causalassay.contracts import Estimate
from causalassay.graphs import as_cpdag, skeleton
from causalassay.metrics.registry import metric

__all__ = [
    "ShdParts",
    "direction_score",
    "f1",
    "fpr",
    "mec_shd",
    "precision",
    "recall",
    "shd",
    "shd_double",
    "shd_normalized",
    "shd_parts",
    "skeleton_f1",
    "skeleton_fpr",
    "skeleton_precision",
    "skeleton_recall",
    "skeleton_shd",
]

# The check that every comparison of two graphs begins with.

Guess = Adjacency | Estimate
"""What is compared with a truth: a graph, in any form that `as_graph` takes, or an estimate,
which stands for its graph."""


def check_pair(truth: Adjacency, guess: Guess) -> tuple[Adjacency, Adjacency]:
    """Return the graphs of both, or raise unless they are adjacencies of the same size.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> truth, guess = check_pair(chain(3), Estimate(chain(3), "dag"))
    >>> bool((truth == guess).all())
    True
    >>> check_pair(Estimate(chain(3), "dag"), chain(3))
    Traceback (most recent call last):
    TypeError: truth: expected the true graph, got an Estimate; the truth comes first, ...
    """
    if isinstance(truth, Estimate):
        raise TypeError(
            "truth: expected the true graph, got an Estimate; the truth comes first, then the "
            "guess; to compare two estimates pass `estimate.graph` as the truth"
        )
    truth = as_graph(truth, "truth")
    guessed = graph_of(guess)
    if truth.shape != guessed.shape:
        raise ValueError(
            f"guess: the truth has {len(truth)} nodes but the guess has {len(guessed)}"
        )
    return truth, guessed


def graph_of(guess: Guess, name: str = "guess") -> Adjacency:
    """Return the graph of an estimate, and anything else as an adjacency."""
    return as_graph(guess.graph if isinstance(guess, Estimate) else guess, name)


def weights_of(guess: ArrayLike | Estimate) -> ArrayLike:
    """Return the unthresholded weights of an estimate, and anything else as it is."""
    if not isinstance(guess, Estimate):
        return guess
    if guess.weights is None:
        raise ValueError(
            "weights: this estimate has none, so there is nothing to threshold; take an "
            "algorithm that returns weights, or score `estimate.graph`"
        )
    return guess.weights


def share(part: int, whole: float) -> float:
    """Return ``part / whole``, nan where there is no whole."""
    return part / whole if whole else float("nan")


@metric("high")
def precision(truth: Adjacency, guess: Guess) -> float:
    """Return the share of the guessed entries that are true edges, direction included.

    Parameters
    ----------
    truth : Adjacency, shape (d, d)
        The true graph.
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


@metric("high")
def recall(truth: Adjacency, guess: Guess) -> float:
    """Return the share of the true edges that are guessed, direction included.

    Parameters
    ----------
    truth : Adjacency, shape (d, d)
        The true graph.
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


@metric("high", display_name="F1")
def f1(truth: Adjacency, guess: Guess) -> float:
    """Return twice the hits over the guessed and the true entries together.

    Where precision and recall are defined and not both 0 this is their
    harmonic mean.

    Parameters
    ----------
    truth : Adjacency, shape (d, d)
        The true graph.
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


@metric("high", display_name="direction score")
def direction_score(truth: Adjacency, guess: Guess) -> float:
    """Return the true edges that a guess directs rightly minus wrongly, by all true edges.

    A guess that knows nothing of directions has 0 on average, however good its skeleton is. So
    this tells a causal order from a mere skeleton, which F1 does not.

    Parameters
    ----------
    truth : Adjacency, shape (d, d)
        The true graph.
    guess : Adjacency or Estimate
        An undirected edge counts 0, as a missing one does.

    Returns
    -------
    float
        From -1 to 1; nan if there is no true edge.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> direction_score(chain(3), chain(3).T), direction_score(chain(3), chain(3) | chain(3).T)
    (-1.0, 0.0)
    """
    truth, guess = check_pair(truth, guess)
    rightly, wrongly = int((truth & guess).sum()), int((truth & guess.T).sum())
    return share(rightly - wrongly, int(truth.sum()))


@metric("low")
def fpr(truth: Adjacency, guess: Guess) -> float:
    """Return the share of the entries without a true edge that are guessed.

    Parameters
    ----------
    truth : Adjacency, shape (d, d)
        The true graph.
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


@metric("high")
def skeleton_precision(truth: Adjacency, guess: Guess) -> float:
    """Return the share of the guessed adjacencies that are true; nan if nothing is guessed.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> skeleton_precision(chain(3), chain(3).T)
    1.0
    """
    return precision(*_skeletons(truth, guess))


@metric("high")
def skeleton_recall(truth: Adjacency, guess: Guess) -> float:
    """Return the share of the true adjacencies that are guessed; nan if there is none.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> skeleton_recall(chain(3), chain(3).T)
    1.0
    """
    return recall(*_skeletons(truth, guess))


@metric("high", display_name="skeleton F1")
def skeleton_f1(truth: Adjacency, guess: Guess) -> float:
    """Return twice the common adjacencies over those of both graphs; nan if there is none.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> skeleton_f1(chain(3), chain(3).T)
    1.0
    """
    return f1(*_skeletons(truth, guess))


@metric("low")
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


# Structural Hamming distances: in how many edges two graphs differ.


@metric("low", display_name="SHD")
def shd(truth: Adjacency, guess: Guess) -> int:
    """Return the number of node pairs that the two graphs join differently.

    A pair is apart, joined by → or ←, or joined by —; a missing, an extra and
    a reversed edge count 1 each, and so does — against → or ←.

    Parameters
    ----------
    truth : Adjacency, shape (d, d)
        The true graph.
    guess : Adjacency or Estimate
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
    truth, guess = check_pair(truth, guess)
    return _pairs_that_differ(truth != guess)


@metric("low", display_name="SHD normalized")
def shd_normalized(truth: Adjacency, guess: Guess) -> float:
    """Return `shd` divided by the number of pairs, d(d - 1)/2; nan for one node.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> round(shd_normalized(chain(3), chain(3).T), 4)
    0.6667
    """
    return share(shd(truth, guess), len(truth) * (len(truth) - 1) / 2)


@metric("low", display_name="SHD double")
def shd_double(truth: Adjacency, guess: Guess) -> int:
    """Return the number of entries in which the two matrices differ: a reversal counts 2.

    A missing or extra i→j counts 1, a missing or extra i—j counts 2, and — against
    → or ← counts 1.

    Notes
    -----
    R SID's ``hammingDist(allMistakesOne = FALSE)`` and dodiscover count so.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> shd_double(chain(3), chain(3).T)
    4
    """
    truth, guess = check_pair(truth, guess)
    return int(np.count_nonzero(truth != guess))


class ShdParts(NamedTuple):
    """The mistakes that `shd` adds up."""

    missing: int
    """Adjacent in the truth only."""
    extra: int
    """Adjacent in the guess only."""
    reversed: int
    """Directed in both, oppositely."""
    undecided: int
    """Directed in one and undirected in the other."""


def shd_parts(truth: Adjacency, guess: Guess) -> ShdParts:
    """Return the mistakes by kind; together they are `shd`.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> shd_parts(chain(3), chain(3).T)
    ShdParts(missing=0, extra=0, reversed=2, undecided=0)
    """
    truth, guess = check_pair(truth, guess)
    true_pairs, guessed_pairs = skeleton(truth), skeleton(guess)
    missing = int((true_pairs & ~guessed_pairs).sum()) // 2
    extra = int((guessed_pairs & ~true_pairs).sum()) // 2
    flipped = int((truth & ~truth.T & guess.T & ~guess).sum())
    return ShdParts(missing, extra, flipped, shd(truth, guess) - missing - extra - flipped)


@metric("low", display_name="skeleton SHD")
def skeleton_shd(truth: Adjacency, guess: Guess) -> int:
    """Return the number of pairs that are adjacent in one graph only.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> skeleton_shd(chain(3), chain(3).T)
    0
    """
    truth, guess = check_pair(truth, guess)
    return shd(skeleton(truth), skeleton(guess))


@metric("low", "class", display_name="MEC SHD")
def mec_shd(truth: Adjacency, guess: Guess) -> int:
    """Return `shd` between the CPDAGs of the two Markov equivalence classes.

    Parameters
    ----------
    truth : Adjacency, shape (d, d)
        The true graph.
    guess : Adjacency or Estimate
        DAGs, which are completed, or CPDAGs. For an estimate that is neither see
        `repair`.

    References
    ----------
    Reisach, Seiler, Weichwald (2021), section 4.2 and figure 1.

    Examples
    --------
    A chain and its reverse are in the same class.

    >>> from causalassay.graphs import chain
    >>> mec_shd(chain(3), chain(3).T)
    0
    """
    truth, guess = check_pair(truth, guess)
    return shd(as_cpdag(truth, "truth"), as_cpdag(guess, "guess"))


def _pairs_that_differ(differs: Adjacency) -> int:
    """Count entries, less those whose mirror image differs too: no matrix is transposed."""
    row, column = np.divmod(np.flatnonzero(differs), len(differs))
    return len(row) - int(np.count_nonzero(differs[column, row])) // 2
