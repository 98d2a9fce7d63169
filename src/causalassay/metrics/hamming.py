"""Structural Hamming distances: in how many edges two graphs differ."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from causalassay.common.arrays import Adjacency
from causalassay.graphs import as_cpdag, skeleton
from causalassay.metrics.pairing import Guess, check_pair, share


def shd(truth: Adjacency, guess: Guess) -> int:
    """Return the number of node pairs that the two graphs join differently.

    A pair is apart, joined by → or ←, or joined by —; a missing, an extra and
    a reversed edge count 1 each, and so does — against → or ←.

    Parameters
    ----------
    truth : Adjacency, shape (d, d)
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


def shd_normalized(truth: Adjacency, guess: Guess) -> float:
    """Return `shd` divided by the number of pairs, d(d - 1)/2; nan for one node.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> round(shd_normalized(chain(3), chain(3).T), 4)
    0.6667
    """
    return share(shd(truth, guess), len(truth) * (len(truth) - 1) / 2)


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


def mec_shd(truth: Adjacency, guess: Guess) -> int:
    """Return `shd` between the CPDAGs of the two Markov equivalence classes.

    Parameters
    ----------
    truth : Adjacency, shape (d, d)
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
