"""Models by name."""

from __future__ import annotations

import dataclasses
from typing import Any

from numpy.random import Generator

from causalassay.arrays import Adjacency
from causalassay.models.discrete_sources import Dirichlet, Logistic
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

Source = SCM | Standardized | ISCM | UUMC | Harmonized | HalfExplained | SNR | Dirichlet | Logistic

SOURCES: dict[str, dict[str, type[Source]]] = {
    "linear": {
        "scm": SCM,
        "standardized": Standardized,
        "iscm": ISCM,
        "uumc": UUMC,
        "harmonized": Harmonized,
        "half-explained": HalfExplained,
        "snr": SNR,
    },
    "discrete": {"dirichlet": Dirichlet, "logistic": Logistic},
}
"""By mechanism, then by kind."""


def kinds_without_mechanism() -> dict[str, type[Source]]:
    """Return what each kind is where no mechanism is stated.

    The linear one where it exists, else that of the one mechanism that has it; a kind of
    several mechanisms, none of them linear, is not among them.

    Examples
    --------
    >>> kinds = kinds_without_mechanism()
    >>> kinds["scm"].__name__, kinds["dirichlet"].__name__
    ('SCM', 'Dirichlet')
    """
    every = [kind for kinds in SOURCES.values() for kind in kinds]
    alone = {
        kind: source
        for kinds in SOURCES.values()
        for kind, source in kinds.items()
        if every.count(kind) == 1
    }
    return {**SOURCES["linear"], **alone}


def source(kind: str, *, mechanism: str | None = None, **parameters: Any) -> Source:
    """Return the source that a kind and its parameters name.

    Examples
    --------
    >>> source("snr", snr=3.0).snr
    3.0
    """
    kinds = kinds_without_mechanism()
    if mechanism is not None:
        kinds = SOURCES[_known("mechanism", mechanism, SOURCES)]
    chosen = kinds[_known("kind", kind, kinds)]
    fields = [field.name for field in dataclasses.fields(chosen)]
    for name in parameters:
        if name not in fields:
            raise TypeError(f"{kind!r} takes {', '.join(fields)}; {name!r} does not apply")
    return chosen(**parameters)


def draw(
    kind: str,
    graph: Adjacency,
    rng: Generator,
    *,
    mechanism: str | None = None,
    **parameters: Any,
) -> Any:
    """Draw a random model on a graph.

    Parameters
    ----------
    kind : str
        "scm", "standardized", "iscm", "uumc", "harmonized" (Mooij),
        "half-explained" (Squires) or "snr" (Eigenmann); discrete ones: "dirichlet" and
        "logistic" (Garant and Jensen).
    graph : Adjacency
    rng : Generator
    mechanism : str, optional
        "linear" or "discrete"; left out, "linear" where the kind exists there, else the one
        mechanism that has it.
    **parameters
        Fields of the kind's class, such as ``weights=(0.5, 2.0)``,
        ``noise="gaussian"``, ``noise_sd=1.0``; one that does not apply is an error.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import chain
    >>> draw("iscm", chain(5), np.random.default_rng(0), noise="laplace")
    LinearSCM(5 nodes, 4 edges, laplace noise)
    >>> draw("dirichlet", chain(5), np.random.default_rng(0), levels=3)
    DiscreteSCM(5 nodes, 4 edges, 3 to 3 levels)
    """
    return source(kind, mechanism=mechanism, **parameters).draw(graph, rng)


def _known(what: str, name: str, table: dict[str, Any]) -> str:
    if name not in table:
        raise ValueError(f"{what}: there is no {name!r}; {did_you_mean(name, table)}")
    return name
