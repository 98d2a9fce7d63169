"""Random streams named by their place, so that order and company change nothing."""

from __future__ import annotations

import hashlib
import json

import numpy as np
from numpy.random import Generator, SeedSequence


def stream(seed: int, *path: str | int) -> Generator:
    """Return the generator that belongs to a place.

    ``SeedSequence.spawn`` depends on how many children came before; a named
    path does not, so resuming or adding work changes no other stream.

    Parameters
    ----------
    seed : int
        The user's seed.
    *path : str or int
        The place: for example a problem, a replicate and a purpose.

    Examples
    --------
    >>> int(stream(1, "graph", 0).integers(1000)) == int(stream(1, "graph", 0).integers(1000))
    True
    >>> int(stream(1, "graph", 0).integers(1000)), int(stream(1, "graph", 1).integers(1000))
    (..., ...)
    """
    digest = hashlib.sha256(json.dumps(path).encode()).digest()
    key = [int(word) for word in np.frombuffer(digest, "<u4")]
    return np.random.default_rng(SeedSequence(seed, spawn_key=key))
