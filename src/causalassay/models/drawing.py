"""Models by name."""

from __future__ import annotations

import dataclasses
from typing import Any

from numpy.random import Generator

from causalassay.arrays import Adjacency
from causalassay.models.dao import DaO
from causalassay.models.linear import LinearSCM
from causalassay.models.sources import (
    ISCM,
    SCM,
    SNR,
    UUMC,
    HalfExplained,
    Harmonized,
    Standardized,
)
from causalassay.spelling import did_you_mean

Source = SCM | Standardized | ISCM | UUMC | Harmonized | HalfExplained | SNR | DaO

SOURCES: dict[str, dict[str, type[Source]]] = {
    "linear": {
        "scm": SCM,
        "standardized": Standardized,
        "iscm": ISCM,
        "uumc": UUMC,
        "harmonized": Harmonized,
        "half-explained": HalfExplained,
        "snr": SNR,
        "dao": DaO,
    }
}
"""By mechanism, then by kind."""


def source(kind: str, *, mechanism: str = "linear", **parameters: Any) -> Source:
    """Return the source that a kind and its parameters name.

    Examples
    --------
    >>> source("snr", snr=3.0).snr
    3.0
    """
    kinds = SOURCES[_known("mechanism", mechanism, SOURCES)]
    chosen = kinds[_known("kind", kind, kinds)]
    fields = [field.name for field in dataclasses.fields(chosen)]
    for name in parameters:
        if name not in fields:
            raise TypeError(f"{kind!r} takes {', '.join(fields)}; {name!r} does not apply")
    return chosen(**parameters)


def draw(
    kind: str, graph: Adjacency, rng: Generator, *, mechanism: str = "linear", **parameters: Any
) -> LinearSCM:
    """Draw a random model on a graph.

    Parameters
    ----------
    kind : str
        "scm", "standardized", "iscm", "uumc", "harmonized" (Mooij),
        "half-explained" (Squires), "snr" (Eigenmann) or "dao" (Andrews).
    graph : Adjacency
    rng : Generator
    mechanism : str
        "linear".
    **parameters
        Fields of the kind's class, such as ``weights=(0.5, 2.0)``,
        ``noise="gaussian"``, ``noise_sd=1.0``; one that does not apply is an error.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import chain
    >>> draw("iscm", chain(5), np.random.default_rng(0), noise="laplace")
    LinearSCM(5 nodes, 4 edges, laplace noise)
    """
    return source(kind, mechanism=mechanism, **parameters).draw(graph, rng)


def _known(what: str, name: str, table: dict[str, Any]) -> str:
    if name not in table:
        raise ValueError(f"{what}: there is no {name!r}; {did_you_mean(name, table)}")
    return name
