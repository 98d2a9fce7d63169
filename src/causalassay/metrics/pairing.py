"""The check that every comparison of two graphs begins with."""

from __future__ import annotations

from numpy.typing import ArrayLike

from causalassay.common.arrays import Adjacency, check_adjacency
from causalassay.contracts import Estimate

Guess = Adjacency | Estimate
"""What is compared with a truth: a graph, or an estimate, which stands for its graph."""


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
    check_adjacency(truth, "truth")
    guessed = check_adjacency(graph_of(guess), "guess")
    if truth.shape != guessed.shape:
        raise ValueError(
            f"guess: the truth has {len(truth)} nodes but the guess has {len(guessed)}"
        )
    return truth, guessed


def graph_of(guess: Guess) -> Adjacency:
    """Return the graph of an estimate, and anything else as it is."""
    return guess.graph if isinstance(guess, Estimate) else guess


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
