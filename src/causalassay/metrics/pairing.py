"""The check that every comparison of two graphs begins with."""

from __future__ import annotations

from causalassay.arrays import Adjacency, check_adjacency


def check_pair(truth: Adjacency, guess: Adjacency) -> None:
    """Raise unless both are adjacencies of the same size."""
    check_adjacency(truth, "truth")
    check_adjacency(guess, "guess")
    if truth.shape != guess.shape:
        raise ValueError(f"guess: the truth has {len(truth)} nodes but the guess has {len(guess)}")


def share(part: int, whole: float) -> float:
    """Return ``part / whole``, nan where there is no whole."""
    return part / whole if whole else float("nan")
